// The kernel that the pane shows: its source beside one stage of one compilation, or that stage beside another one's.

import { Accesses } from "./accesses.js";
import { guides, head, kernelName, stageName, tabs } from "./choices.js";
import { alike, comparison, differs, explain } from "./comparison.js";
import { Linked } from "./linked.js";
import { card, fetchStages } from "./listing.js";
import { failure, renewed, sides } from "./renewed.js";
import { tunings } from "./tunings.js";
import { element } from "./values.js";
import { costs, likeliest, named, preferred, why } from "./variants.js";

export class KernelPane {
  constructor(pane) {
    Object.assign(this, { pane, box: pane.box, state: pane.state, data: pane.data, number: -1, compiled: new Map(), variantOf: new Map() });
    Object.assign(this, { stage: "ptx", codeOnly: false, other: null, fresh: null, selected: null, pinned: null, lit: null });
    new Accesses(pane.state);
    this.box.addEventListener("click", (event) => this.click(event.target.closest(ROW)));
    this.box.addEventListener("pointerover", (event) => this.light(event.target.closest(ROW)));
    this.box.addEventListener("keydown", (event) => this.caret(event));
  }

  show(number) {
    if (number !== this.number) {
      Object.assign(this, { number, selected: null, other: null });
      this.draw();
      this.renew();
    }
    this.running();
  }

  /** See `Pane.select`. */
  select({ variant, stage, lines, found }) {
    const { variants } = this.kernel;
    const number = found ? likeliest(this.kernel, this.variant, Object.keys(found).map(Number))
      : typeof variant === "string" ? variants.findIndex(({ key }) => key === variant) : variant;
    const ofSource = stage === "source";
    this.change({ variant: variants[number] ?? this.variant, stage: ofSource ? this.stage : stage ?? this.stage, other: null });
    this.selected = { ofSource, lines: new Set(found ? found[number] : lines) };
    if (!this.loaded) this.mark();
    return this.loaded;
  }

  /** Mark the lines that were asked for. */
  mark() {
    const { ofSource, lines } = this.selected ?? {};
    const count = lines?.size ? this.linked.select(lines, ofSource) : 0;
    if (count) this.say(`${count} line${count === 1 ? "" : "s"} of ${ofSource ? "the source" : this.linked.name} selected.`);
  }

  /** Show another `variant` or `stage` of the kernel, or compare with an `other` {kernel, variant}. */
  change({ variant, ...changes }) {
    const before = this.variant;
    if (variant) this.variantOf.set(this.number, this.kernel.variants.indexOf(variant));
    Object.assign(this, { selected: null, ...changes });
    this.draw();
    if (this.variant !== before || "stage" in changes) this.renew();
  }

  /** Where the kernel's code has been saved since it was recorded, show what it compiles to now beside that. */
  async renew() {
    const { kernel, variant } = this;
    const digest = this.pane.saved[variant?.key];
    if (digest === undefined) {
      if (this.fresh) this.change({ other: this.other === this.fresh ? null : this.other, fresh: null });
      return;
    }
    const sass = this.stage === "sass";
    if (this.fresh?.of === variant && this.fresh.digest === digest && (this.fresh.sass || !sass)) return;
    this.say(`The kernel's code was saved: compiling it for ${variant.target} …`);
    const [recorded, found] = await Promise.all([this.fetch(variant.key), renewed(variant.key, digest, sass)]);
    if (this.variant !== variant || this.pane.saved[variant.key] !== digest || (this.stage === "sass" && !sass)) return;
    this.compiled.set(found.variant.key, found.compiled);
    const fresh = { kernel, variant: found.variant, of: variant, digest, sass, names: sides(variant, found.variant) };
    const [one, two] = [recorded, found.compiled].map(({ stages }) => stages[this.stage]);
    fresh.same = Boolean(one && two) && alike(one, two, this.stage);
    this.change({ fresh, other: fresh.same ? null : fresh });
  }

  filter(on) {
    this.codeOnly = on;
    this.box.classList.toggle("code-only", on);
    this.refresh(() => this.box.querySelector(".tabs").replaceWith(tabs(this)));
  }

  draw() {
    if (this.number < 0) return;
    this.kernel = this.data.kernels[this.number];
    const { variants } = this.kernel;
    const variant = this.variant = variants[Math.min(this.variantOf.get(this.number) ?? preferred(this.kernel), variants.length - 1)];
    if (variant && !variant.stages?.includes(this.stage)) this.stage = variant.stages?.includes("ptx") ? "ptx" : variant.stages?.at(-1) ?? "ptx";
    if (this.fresh && this.fresh.of !== variant) [this.other, this.fresh] = [this.other === this.fresh ? null : this.other, null];
    if (variant?.stages?.length) this.good = variant;
    if (this.other && (this.other.variant === variant || !this.other.variant.stages.includes(this.stage))) this.other = null;
    Object.assign(this, { pinned: null, lit: null, linked: new Linked(this.kernel, stageName(this.stage)) });
    this.said = element("div", { class: "link-state", "aria-live": "polite" });
    this.refresh(() => this.box.replaceChildren(head(this), tabs(this), costs(variant), tunings(this.kernel), failure(this.fresh), this.linked.box, this.said));
    this.loaded = variant?.stages?.length ? this.load() : this.linked.fill(null, why(variant));
    this.running();
  }

  /** Replace a part that may hold the focus, and give the focus to what now stands in its place. */
  refresh(replace) {
    const held = this.box.contains(document.activeElement) ? document.activeElement : null;
    const name = (node) => node.getAttribute("aria-label") ?? node.textContent;
    replace();
    if (held) [...this.box.querySelectorAll(held.localName)].find((node) => name(node) === name(held))?.focus();
  }

  /** Fetch what is to be shown, and show it unless something else is wanted by then. */
  async load() {
    const { linked, other, variant, stage } = this;
    const [found, second] = await Promise.all([variant, other?.variant].map((one) => one && this.fetch(one.key)));
    if (this.linked !== linked) return;
    linked.fill(found.stages[stage], found.missing || "This stage is missing.", found.kinds);
    const notes = [found.stale ? "The source has changed since this was compiled: the links may be off." : "", found.missing, variant.reason];
    if (found.stages[stage]) linked.listing.prepend(...notes.filter(Boolean).map(card));
    if (this.fresh?.same) this.say("The kernel's code was saved, and compiles to the same.");
    else this.say("Point at a line to see what it became; a click keeps it.", stageName(stage), guides[stage]);
    this.sides = [found.stages[stage], second?.stages[stage]];
    if (other) linked.box.replaceWith(this.comparison(...this.sides, found.kinds, second.missing));
    this.running();
    this.mark();
  }

  /** What was compiled, by its key; what cannot be had is without stages and says so. */
  async fetch(key) {
    if (!this.compiled.has(key)) this.compiled.set(key, fetchStages(key));
    try { return await this.compiled.get(key); } catch (error) {
      this.compiled.delete(key);
      return { stages: {}, missing: `What was compiled could not be loaded (${error.message}). Record the lecture again, and publish it again.` };
    }
  }

  comparison(one, two, kinds, missing) {
    const { kernel, variant } = this.other;
    const names = this.other.names ?? (kernel === this.kernel ? named([this.variant, variant]) : [this.kernel, kernel].map((one) => kernelName(this.data.kernels, one)));
    if (!one || !two) return card(missing || `${stageName(this.stage)} of one of the two is missing.`);
    this.say("What differs is marked ≠, − or +.");
    return comparison({ name: names[0], stage: one }, { name: names[1], stage: two }, this.stage, stageName(this.stage), kinds);
  }

  light(row) {
    if (!row || row === this.lit) return;
    this.lit = row;
    this.paint("lit", row);
    const [opcode, sentence] = row.dataset.mark ? explain(row, ...this.sides) : this.linked.explain(row);
    this.say(row.dataset.mark ? `${differs(row)}.` : this.linked.describe(row), opcode, sentence);
  }

  click(row) {
    if (!row) return;
    this.pinned = this.pinned === row ? null : row;
    this.paint("pinned", this.pinned);
    if (this.pinned && row.dataset.n) this.linked.reveal(row);
  }

  paint(name, row) {
    for (const old of this.box.querySelectorAll(`.${name}`)) old.classList.remove(name);
    for (const one of row?.dataset.n ? this.linked.partners(row) : [row]) one?.classList.add(name);
  }

  /** Say something of a line, first what its instruction does. */
  say(text, opcode = "", sentence = "") {
    this.said.replaceChildren(...(opcode ? [element("code", {}, opcode), ` ${sentence} `] : []), element("span", {}, text));
  }

  /** The arrow keys move through the lines of the listing that has the focus. */
  caret(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const box = event.target.closest(".listing");
    if (!by || !box || event.target.closest("button")) return;
    event.preventDefault();
    const rows = [...box.querySelectorAll(ROW)].filter((row) => row.getClientRects().length);
    const at = rows.indexOf(this.lit);
    const row = rows[Math.min(Math.max(at < 0 ? 0 : at + by, 0), rows.length - 1)];
    if (!row) return;
    this.light(row);
    row.scrollIntoView({ block: "nearest" });
    if (row.dataset.n) this.linked.reveal(row);
  }

  running() {
    if (this.number < 0) return;
    const inside = this.data.file(this.state.step) === this.kernel.file;
    this.linked.running(inside ? this.data.line(this.state.step) : -1, !this.pinned);
  }
}

const ROW = "li[data-n], li[data-mark]";
