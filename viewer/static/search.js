// Search over text, code and values: hits are counted and walked.

export class Search {
  constructor(state, lecture) {
    Object.assign(this, { state, lecture, hits: [], at: -1 });
    this.form = document.getElementById("search");
    this.input = this.form.elements.q;
    this.count = document.getElementById("hits");
    this.input.addEventListener("input", () => this.find());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.form.addEventListener("submit", (event) => event.preventDefault());
  }

  focus() { this.input.focus(); this.input.select(); }

  key(event) {
    if (event.key === "Enter") { event.preventDefault(); this.walk(event.shiftKey ? -1 : 1); }
    if (event.key === "Escape") { this.input.value = ""; this.find(); this.input.blur(); }
  }

  find() {
    const wanted = this.input.value.trim().toLowerCase();
    this.hits = wanted.length < 2 ? [] : this.textHits(wanted).concat(this.valueHits(wanted));
    this.at = -1;
    this.paint();
    this.count.textContent = wanted.length < 2 ? "" : this.hits.length ? `${this.hits.length} hit${this.hits.length === 1 ? "" : "s"}` : "no hit";
  }

  /** Places of the page whose text holds the words, in the order of the page. */
  textHits(wanted) {
    const out = [];
    const places = this.state.on.notes ? ".row:not(.prose), .slot .group" : ".row:not(.prose), .slot:not(.only-notes) .group";
    for (const node of document.querySelectorAll(places)) {
      if (node.textContent.toLowerCase().includes(wanted)) out.push({ node });
    }
    return out;
  }

  /** Steps at which a variable got a value whose one line holds the words; the first of each value. */
  valueHits(wanted) {
    const { data } = this.state;
    const matches = new Set(data.values.flatMap((value, i) => (value.text.toLowerCase().includes(wanted) ? [i] : [])));
    const out = [];
    for (let i = 0; i < data.series.value.length; i++) {
      if (matches.delete(data.series.value[i])) out.push({ step: data.series.step[i] });
    }
    return out.sort((a, b) => a.step - b.step);
  }

  walk(by) {
    if (!this.hits.length) return;
    this.at = (this.at + by + this.hits.length) % this.hits.length;
    this.count.textContent = `${this.at + 1} of ${this.hits.length}`;
    const { node, step } = this.hits[this.at];
    if (step !== undefined) this.state.go(step);
    else this.lead(node);
    this.paint(node ?? document.getElementById("variables"));
  }

  lead(node) {
    const slot = node.closest("[data-spot]");
    const spot = slot ? Number(slot.dataset.spot) : -1;
    const { data } = this.state;
    if (spot >= 0 && data.visitCount(spot)) {
      const visit = node.dataset.group === undefined ? 0 : Math.max(0, data.slots.get(spot).indexOf(Number(node.dataset.group)));
      this.state.go(data.visitStep(spot, visit));
    } else {
      this.lecture.showFile(Number(node.closest(".file").dataset.file));
      node.scrollIntoView({ block: "center" });
    }
  }

  /** Mark the hits on the page, and otherwise the one in `current` that was walked to. */
  paint(current) {
    if (!CSS.highlights) return;
    const wanted = this.input.value.trim().toLowerCase();
    const marked = { search: this.hits.flatMap(({ node }) => (node && node !== current ? rangesIn(node, wanted) : [])), "search-current": current ? rangesIn(current, wanted) : [] };
    for (const [name, ranges] of Object.entries(marked)) CSS.highlights.set(name, new Highlight(...ranges.slice(0, 2000)));
  }
}

function rangesIn(node, wanted) {
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  const out = [];
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    for (let i = text.data.toLowerCase().indexOf(wanted); i >= 0; i = text.data.toLowerCase().indexOf(wanted, i + wanted.length)) {
      const range = new Range();
      range.setStart(text, i);
      range.setEnd(text, i + wanted.length);
      out.push(range);
    }
  }
  return out;
}
