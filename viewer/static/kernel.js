// The kernel in play: its source beside one stage of one compilation, linked line by line both ways.

import { card, download, fetchStages, sourceOf, stageList } from "./listing.js";
import { keepInView } from "./scrolling.js";
import { element } from "./values.js";
import { costs, launches, options, originOf, preferred, specialisation, why } from "./variants.js";

const languages = { triton: "Triton", cuda: "CUDA", inductor: "torch.compile" };
const stageNames = { ttir: "TTIR", ttgir: "TTGIR", llir: "LLIR", ptx: "PTX", sass: "SASS" };

export class KernelPane {
  constructor(pane) {
    Object.assign(this, { pane, box: pane.box, state: pane.state, data: pane.data, kernel: -1, compiled: new Map(), variantOf: new Map() });
    this.stage = "ptx";
    this.codeOnly = false;
    this.box.addEventListener("click", (event) => this.click(event));
    this.box.addEventListener("pointerover", (event) => this.hover(event.target.closest("li")));
    this.box.addEventListener("pointerleave", () => this.hover(null));
    this.box.addEventListener("keydown", (event) => this.caret(event));
  }

  show(kernel) {
    if (kernel !== this.kernel) { this.kernel = kernel; this.selected = null; this.draw(); }
    this.running();
  }

  /** See `Pane.select`. */
  select({ variant, stage, lines }) {
    const { variants } = this.data.kernels[this.kernel];
    const number = typeof variant === "string" ? variants.findIndex(({ key }) => key === variant) : variant;
    if (variants[number]) this.variantOf.set(this.kernel, number);
    if (stage) this.stage = stage;
    this.selected = new Set(lines);
    this.draw();
    return this.loaded;
  }

  draw() {
    if (this.kernel < 0) return;
    const kernel = this.data.kernels[this.kernel];
    const chosen = Math.min(this.variantOf.get(this.kernel) ?? preferred(kernel), kernel.variants.length - 1);
    const variant = kernel.variants[chosen];
    if (variant && !variant.stages?.includes(this.stage)) this.stage = variant.stages?.includes("ptx") ? "ptx" : variant.stages?.at(-1) ?? "ptx";
    this.variant = variant;
    this.box.replaceChildren(this.head(kernel), this.tabs(kernel, variant), costs(variant), this.pair(kernel, variant), this.foot());
    if (variant?.stages?.length) this.loaded = this.load(variant);
    else this.listing.replaceChildren(card(why(variant)));
  }

  head(kernel) {
    const { kernels } = this.data;
    const alike = (name) => kernels.filter((other) => other.name === name).length > 1;
    const names = kernels.map(({ name, language }, i) => element("option", { value: i }, alike(name) ? `${name} (${languages[language]})` : name));
    const choice = element("select", { "aria-label": "Kernel" }, ...names);
    choice.value = this.kernel;
    choice.addEventListener("change", () => this.pane.choose(Number(choice.value)));
    const origin = element("span", { class: `origin ${this.variant?.origin ?? ""}` }, this.variant ? originOf(this.variant) : "not compiled");
    const launched = kernel.launches?.length ? element("span", { class: "facts" }, launches(kernel)) : null;
    const close = element("button", { type: "button", class: "quiet", "aria-label": "Close the kernel pane" }, "×");
    close.addEventListener("click", () => this.pane.close());
    return element("div", { class: "kernel-head" }, this.data.kernels.length > 1 ? choice : element("strong", {}, kernel.name),
      element("span", { class: "facts" }, languages[kernel.language]), origin, launched, close);
  }

  /** The stages of this variant, the targets of its specialisation, and the other specialisations. */
  tabs(kernel, variant) {
    const choose = (wanted) => { this.selected = null; this.variantOf.set(this.kernel, kernel.variants.indexOf(wanted)); };
    const bar = element("div", { class: "tabs", role: "group", "aria-label": "Stage and target" });
    for (const stage of variant?.stages ?? []) bar.append(this.tab(stageNames[stage] ?? stage, stage === this.stage, () => { this.selected = null; this.stage = stage; }));
    const groups = Map.groupBy(kernel.variants.filter((other) => other.stages?.length || other === variant), specialisation);
    const mine = variant ? groups.get(specialisation(variant)) : [];
    const failed = kernel.variants.filter((other) => !other.stages?.length && !mine.some(({ target }) => target === other.target));
    const targets = element("span", { class: "targets" });
    for (const other of [...mine, ...failed]) targets.append(this.tab(other.target, other === variant, () => choose(other)));
    bar.append(targets);
    const filter = element("button", { type: "button", "aria-pressed": this.codeOnly, title: "Leave out directives and debug sections" }, "Code only");
    filter.addEventListener("click", () => {
      this.codeOnly = !this.codeOnly;
      filter.setAttribute("aria-pressed", this.codeOnly);
      this.box.classList.toggle("code-only", this.codeOnly);
    });
    bar.append(filter);
    if (groups.size > 1) {
      const select = element("select", { "aria-label": "Specialisation" }, ...options([...groups.keys()]));
      select.value = specialisation(variant);
      select.addEventListener("change", () => {
        choose(groups.get(select.value).find(({ target }) => target === variant.target) ?? groups.get(select.value)[0]);
        this.draw();
        this.running();
      });
      bar.append(select);
    }
    return bar;
  }

  tab(label, pressed, choose) {
    const button = element("button", { type: "button", "aria-pressed": pressed }, label);
    button.addEventListener("click", () => { choose(); this.draw(); this.running(); });
    return button;
  }

  pair(kernel) {
    this.source = element("div", { class: "listing", tabindex: "0", role: "region", "aria-label": `Source of ${kernel.name}` }, sourceOf(kernel));
    this.listing = element("div", { class: "listing", tabindex: "0", role: "region", "aria-label": "Compiled stage" });
    return element("div", { class: "pair" }, this.source, this.listing);
  }

  foot() {
    this.said = element("div", { class: "link-state", "aria-live": "polite" });
    return this.said;
  }

  async load(variant) {
    const key = variant.key;
    this.bySource = new Map();
    this.listing.replaceChildren(card("Loading …"));
    if (!this.compiled.has(key)) this.compiled.set(key, fetchStages(key));
    let found;
    try { found = await this.compiled.get(key); } catch (error) {
      this.compiled.delete(key);
      found = { stages: {}, missing: `The compiled stages could not be loaded: ${error.message}` };
    }
    if (this.variant !== variant) return;
    const stage = found.stages[this.stage];
    this.listing.replaceChildren(...(stage ? [stageList(stage)] : [card(found.missing || "This stage is missing.")]));
    if (!document.getElementById(`kernel-${key}`)) this.listing.querySelector("ol")?.append(download(key, this.stage));
    if (stage) this.link(stage);
    const notes = [found.stale ? "The source has changed since this was compiled: the links may be off." : "", found.missing].filter(Boolean);
    this.idle = notes.join(" ") || "Point at a line to see what it became; a click keeps it.";
    this.say(this.idle);
    this.running();
    this.mark();
  }

  /** Mark the lines that were asked for. */
  mark() {
    if (!this.selected?.size) return;
    const rows = [...this.listing.querySelectorAll("li[data-n]")].filter((row) => this.selected.has(Number(row.dataset.n)));
    for (const row of rows) row.classList.add("selected");
    if (rows.length) keepInView(rows[0], this.listing);
    this.say(`${rows.length} line${rows.length === 1 ? "" : "s"} of ${stageNames[this.stage] ?? this.stage} selected.`);
  }

  link(stage) {
    this.bySource = new Map();
    this.inlined = stage.inlined ?? {};
    const rows = [...this.listing.querySelectorAll("li[data-n]")];
    rows.forEach((row, i) => {
      const line = stage.source[i] ?? -1;
      row.dataset.source = line;
      row.classList.toggle("label", /^\s*[\w$.%]+:/.test(row.textContent));
      if (line > 0) this.bySource.set(line, [...(this.bySource.get(line) ?? []), row]);
    });
    [...this.bySource.keys()].sort((a, b) => a - b).forEach((line, i) => {
      const own = this.source.querySelector(`li[data-n="${line}"]`);
      for (const row of [own, ...this.bySource.get(line)]) { row?.classList.add(`b${i % 6}`); row?.setAttribute("data-block", ""); }
    });
  }

  lineOf(row) { return row.closest(".listing") === this.source ? Number(row.dataset.n) : Number(row.dataset.source ?? -1); }

  hover(row) {
    if (!row?.dataset.n || row === this.lit) return;
    this.lit = row;
    this.paint("lit", row);
    this.say(this.describe(row));
  }

  click(event) {
    const row = event.target.closest("li[data-n]");
    if (!row) return;
    const again = this.pinned === row;
    this.pinned = again ? null : row;
    this.paint("pinned", this.pinned);
    if (!again) this.reveal(row);
  }

  paint(name, row) {
    for (const old of this.box.querySelectorAll(`.${name}`)) old.classList.remove(name);
    if (!row) return;
    row.classList.add(name);
    const line = this.lineOf(row);
    if (line <= 0) return;
    this.source.querySelector(`li[data-n="${line}"]`)?.classList.add(name);
    for (const other of this.bySource?.get(line) ?? []) other.classList.add(name);
  }

  /** Bring the other side's first linked line into its own view. */
  reveal(row) {
    const inSource = row.closest(".listing") === this.source;
    const line = this.lineOf(row);
    const other = inSource ? this.bySource?.get(line)?.[0] : this.source.querySelector(`li[data-n="${line}"]`);
    if (other) keepInView(other, inSource ? this.listing : this.source);
  }

  describe(row) {
    const line = this.lineOf(row);
    const stage = stageNames[this.stage] ?? this.stage;
    if (row.closest(".listing") === this.source) {
      const count = this.bySource?.get(line)?.length ?? 0;
      return count ? `Line ${line} became ${count} line${count === 1 ? "" : "s"} of ${stage}.` : `Line ${line}: no code emitted in ${stage}.`;
    }
    if (line < 0) return "Not code.";
    if (line === 0) return "Compiler-generated: it belongs to no line of the source.";
    const chain = (this.inlined[row.dataset.n] ?? []).map(([path, at]) => `${path.split("/").at(-1)}:${at}`);
    return `From line ${line}${chain.length ? `, through ${chain.join(" ← ")}` : ""}.`;
  }

  say(text) { this.said.textContent = text; }

  caret(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const box = event.target.closest(".listing");
    if (!by || !box) return;
    event.preventDefault();
    const rows = [...box.querySelectorAll("li[data-n]")];
    const at = rows.indexOf(this.lit);
    const row = rows[Math.min(Math.max(at < 0 ? 0 : at + by, 0), rows.length - 1)];
    if (!row) return;
    this.hover(row);
    row.scrollIntoView({ block: "nearest" });
    this.reveal(row);
  }

  running() {
    if (this.kernel < 0 || !this.source) return;
    for (const old of this.box.querySelectorAll(".running")) old.classList.remove("running");
    const kernel = this.data.kernels[this.kernel];
    if (this.data.file(this.state.step) !== kernel.file) return;
    const line = this.data.line(this.state.step);
    const own = this.source.querySelector(`li[data-n="${line}"]`);
    for (const row of [own, ...(this.bySource?.get(line) ?? [])]) row?.classList.add("running");
    if (own && !this.pinned) { keepInView(own, this.source); this.reveal(own); }
  }
}
