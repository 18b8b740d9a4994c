// A kernel's source and one stage of its compilation beside each other, linked line by line both ways.

import { card, explained, region, sourceOf, stageList } from "./listing.js";
import { counts, legend } from "./counts.js";
import { keepInView } from "./scrolling.js";

const BLOCKS = 6;

export class Linked {
  /** `name` is what the stage is called. */
  constructor(kernel, name) {
    this.name = name;
    this.source = region(`Source of ${kernel.name}`, sourceOf(kernel));
    this.listing = region(`${name} of ${kernel.name}`, card("Loading …"));
    this.box = document.createElement("div");
    this.box.className = "pair";
    this.box.append(this.source, this.listing);
    this.bySource = new Map();
    this.stage = null;
  }

  /** Show `stage`, or in its place a card that says why it is not there. */
  fill(stage, why, kinds = {}) {
    this.stage = stage;
    this.listing.replaceChildren(stage ? stageList(stage) : card(why));
    if (!stage) return;
    this.link(stage);
    for (const row of this.rows(this.source)) row.prepend(...counts(stage.counts, kinds, row.dataset.n));
    this.source.prepend(...legend(stage.counts, kinds));
  }

  link(stage) {
    this.rows(this.listing).forEach((row, i) => {
      const line = stage.source[i] ?? -1;
      row.dataset.source = line;
      if (line > 0) row.dataset.from = line;
      if (line > 0) this.bySource.set(line, [...(this.bySource.get(line) ?? []), row]);
    });
    [...this.bySource.keys()].sort((a, b) => a - b).forEach((line, i) => {
      for (const row of [this.own(line), ...this.bySource.get(line)]) { row?.classList.add(`b${i % BLOCKS}`); row?.setAttribute("data-block", ""); }
    });
  }

  rows(box) { return [...box.querySelectorAll("li[data-n]")]; }
  own(line) { return this.source.querySelector(`li[data-n="${line}"]`); }
  inSource(row) { return row.closest(".listing") === this.source; }
  lineOf(row) { return Number((this.inSource(row) ? row.dataset.n : row.dataset.source) ?? -1); }

  /** The rows of both sides that belong to the line of `row`, itself included. */
  partners(row) {
    const line = this.lineOf(row);
    return line > 0 ? [row, this.own(line), ...(this.bySource.get(line) ?? [])].filter(Boolean) : [row];
  }

  /** Bring the other side's first linked line into its own view. */
  reveal(row) {
    const line = this.lineOf(row);
    const other = this.inSource(row) ? this.bySource.get(line)?.[0] : this.own(line);
    if (other) keepInView(other, other.closest(".listing"));
  }

  /** Mark `lines` of the stage, or of the source, and bring the first into view; how many of them there are. */
  select(lines, ofSource) {
    const box = ofSource ? this.source : this.listing;
    const rows = this.rows(box).filter((row) => lines.has(Number(row.dataset.n)));
    for (const row of rows) row.classList.add("selected");
    if (rows.length) keepInView(rows[0], box);
    return rows.length;
  }

  /** Mark what belongs to the source line that is being executed, and with `follow` bring it into view. */
  running(line, follow) {
    for (const old of this.box.querySelectorAll(".running")) old.classList.remove("running");
    const own = this.own(line);
    for (const row of [own, ...(this.bySource.get(line) ?? [])]) row?.classList.add("running");
    if (own && follow) { keepInView(own, this.source); this.reveal(own); }
  }

  /** The opcodes of a row of the stage and what they do, [] for another row. */
  explain(row) { return this.inSource(row) ? [] : explained(this.stage, Number(row.dataset.n)); }

  describe(row) {
    const line = this.lineOf(row);
    if (!this.stage) return `Line ${line}: there is no ${this.name} to see what became of it.`;
    if (this.inSource(row)) {
      const count = this.bySource.get(line)?.length ?? 0;
      return count ? `Line ${line} became ${count} line${count === 1 ? "" : "s"} of ${this.name}.` : `Line ${line}: no code emitted in ${this.name}.`;
    }
    if (line < 0) return "Not code.";
    const chain = (this.stage.inlined[row.dataset.n] ?? []).map(([path, at]) => `${path.split("/").at(-1)}:${at}`);
    if (line === 0 && chain.length) return `From ${chain.join(" ← ")}, in another file than the kernel.`;
    if (line === 0) return "Compiler-generated: it belongs to no line of the source.";
    return `From line ${line}${chain.length ? `, through ${chain.join(" ← ")}` : ""}.`;
  }
}
