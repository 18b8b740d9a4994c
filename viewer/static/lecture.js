// The lecture itself: which statement is current, which pass its outputs show, and what is still ahead.

import { watch } from "./near.js";
import { element, grouped } from "./values.js";
import { upTo } from "./data.js";

export class Lecture {
  constructor(state) {
    this.state = state;
    this.data = state.data;
    this.files = new Map([...document.querySelectorAll(".file")].map((file) => [Number(file.dataset.file), file]));
    this.slots = new Map([...document.querySelectorAll(".slot")].map((slot) => [Number(slot.dataset.spot), slot]));
    this.passes = [...this.slots].filter(([, slot]) => slot.dataset.passes).map(([spot, slot]) => new Passes(state, spot, slot));
    this.ahead = sortedByReach();
    this.reached = 0;
    this.marked = [];
    this.chip = new Chip(state);
    this.shownFile = -1;
    state.listen((_, change) => this.update(change));
    document.getElementById("lecture").addEventListener("click", (event) => this.click(event));
    document.querySelector(".sources").addEventListener("click", (event) => {
      if (event.target.dataset.file) this.showFile(Number(event.target.dataset.file));
    });
  }

  rows(spot) {
    const { file, line, end } = this.data.spots;
    const out = [];
    for (let i = line[spot]; i <= end[spot]; i++) {
      const row = document.getElementById(`f${file[spot]}L${i}`);
      if (row) out.push(row);
    }
    return out;
  }

  update(change) {
    if (!this.data.steps) return;
    if (change.toggle === "raw") document.body.classList.toggle("raw", this.state.on.raw);
    if (change.toggle === "notes") document.body.classList.toggle("notes", this.state.on.notes);
    if (change.toggle === "fold") document.body.classList.toggle("fold", this.state.on.fold);
    if (change.toggle === "animate") document.body.classList.toggle("animate", this.state.on.animate);
    const { step } = this.state;
    this.showFile(this.data.file(step));
    for (const passes of this.passes) passes.show(step);
    this.reveal(step);
    this.mark(step);
    if (change.how !== "stay") this.scroll(change.how);
  }

  showFile(number) {
    if (number === this.shownFile) return;
    this.shownFile = number;
    for (const [file, section] of this.files) section.classList.toggle("shown", file === number);
    for (const tab of document.querySelectorAll(".sources button")) tab.setAttribute("aria-pressed", Number(tab.dataset.file) === number);
  }

  /** Mark the statement of `step` and its callers; what is not on the page is stood for by what comes before it. */
  mark(step) {
    for (const [node, name] of this.marked) { node.classList.remove(name, "standin"); node.removeAttribute("aria-current"); }
    const spot = this.data.spot(step);
    const own = this.nodes(spot);
    const shown = own.some(visible);
    const here = shown ? own : this.before(spot);
    this.current = here.find(visible);
    this.marked = here.map((node) => [node, "current"]);
    for (const caller of this.data.stack(step).slice(1)) {
      for (const row of this.rows(this.data.spot(caller))) if (!here.includes(row)) this.marked.push([row, "caller"]);
    }
    for (const [node, name] of this.marked) node.classList.add(name);
    if (!shown) this.current?.classList.add("standin");
    this.current?.setAttribute("aria-current", "step");
    this.chip.show(spot, step, shown ? this.current : null, this.slots.get(spot));
  }

  /** What the page has of a statement: its rows, and its outputs where they stand instead of them. */
  nodes(spot) {
    const slot = this.slots.get(spot);
    return slot?.classList.contains("prose") && !this.state.on.raw ? [...this.rows(spot), slot] : this.rows(spot);
  }

  /** Of a statement that is not shown (`@hide`, a note): the nearest shown before it in its function, else the `def`. */
  before(spot) {
    const [file, line] = [this.data.spots.file[spot], this.data.spots.line[spot]];
    const scope = this.data.scope(file, line);
    for (let at = line - 1; scope && at >= scope[0]; at--) {
      const row = document.getElementById(`f${file}L${at}`);
      if (!row || this.data.scope(file, at) !== scope) continue;
      const nodes = row.dataset.spot ? this.nodes(Number(row.dataset.spot)) : at === scope[0] ? [row] : [];
      if (nodes.some(visible)) return nodes;
    }
    const rows = [...(this.files.get(file)?.querySelectorAll(".row") ?? [])].filter(visible);
    const nearest = rows.findLast((row) => Number(row.id.split("L")[1]) < line) ?? rows[0];
    return nearest ? [nearest] : [];
  }

  /** Bring the current statement into view only when it is not; near moves glide, far ones do not. */
  scroll(how) {
    if (!this.current) return;
    const box = this.current.getBoundingClientRect();
    const top = document.querySelector(".bar").offsetHeight + 24;
    const bottom = innerHeight - 96;
    if (box.top >= top && box.bottom <= Math.max(bottom, top + box.height)) return;
    const by = box.top - (top + (innerHeight - top) * 0.28);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches || Math.abs(by) > innerHeight || how === "first";
    scrollBy({ top: by, behavior: calm ? "instant" : "smooth" });
  }

  /** Mark what lies ahead; only what the move passed over changes. */
  reveal(step) {
    const { reach, nodes } = this.ahead;
    const reached = upTo(reach, 0, reach.length, step);
    const [low, high] = this.started ? [Math.min(reached, this.reached), Math.max(reached, this.reached)] : [0, nodes.length];
    for (let i = low; i < high; i++) nodes[i].toggleAttribute("data-ahead", i >= reached);
    this.reached = reached;
    this.started = true;
  }

  /** Go to the statement at a line of a file, or where it was never executed, show the line. */
  lead(path, line) {
    const { data } = this;
    const file = data.files.indexOf(path);
    const spot = data.spots.line.findIndex((at, i) => data.spots.file[i] === file && at <= line && line <= data.spots.end[i]);
    if (spot >= 0 && data.visitCount(spot)) { this.state.go(data.visitStep(spot, 0), "visit"); return; }
    if (file < 0) return;
    this.showFile(file);
    document.getElementById(`f${file}L${line}`)?.scrollIntoView({ block: "center" });
  }

  click(event) {
    const link = event.target.closest("[data-path]");
    if (link) { event.preventDefault(); this.lead(link.dataset.path, Number(link.dataset.line)); return; }
    if (event.target.closest("a:not(.no), button, summary, input, pre, video") || !getSelection().isCollapsed) return;
    const line = event.target.closest("[data-spot]");
    if (!line) return;
    event.preventDefault();
    this.visit(Number(line.dataset.spot), event.shiftKey ? -1 : 1);
  }

  /** Go to the next (or previous) visit of a statement; round from the last to the first. */
  visit(spot, direction) {
    const count = this.data.visitCount(spot);
    if (!count) return;
    const begun = this.data.visitAt(spot, this.state.step);
    const on = this.data.spot(this.state.step) === spot;
    const next = direction > 0 ? begun + 1 : on ? begun - 1 : begun;
    this.state.go(this.data.visitStep(spot, (next + count) % count), "visit");
  }
}

/** Whether the page gives `node` any room: its styles may hide it in one mode and not in another. */
const visible = (node) => node.getClientRects().length > 0;

function sortedByReach() {
  const nodes = [...document.querySelectorAll("[data-reach]")].sort((a, b) => a.dataset.reach - b.dataset.reach);
  return { nodes, reach: Int32Array.from(nodes, (node) => Number(node.dataset.reach)) };
}

/** "pass 3 of 5" with previous and next: of the statement `spot`, to be placed anywhere. */
function passBar(state, spot) {
  const label = element("span");
  const button = (text, name, to) => {
    const made = element("button", { type: "button", "aria-label": name, title: name }, text);
    made.addEventListener("click", () => { const { data, step } = state; state.go(data.visitStep(spot(), to(Math.max(0, data.visitAt(spot(), step)), data.visitCount(spot()))), "visit"); });
    return made;
  };
  const previous = button("‹", "previous pass", (visit) => Math.max(0, visit - 1));
  const next = button("›", "next pass", (visit, count) => Math.min(count - 1, visit + 1));
  const last = button("»", "last pass", (_, count) => count - 1);
  const bar = element("span", { class: "chip" }, label, previous, next, last);
  bar.show = (visit, count) => {
    label.textContent = `pass ${grouped(visit + 1)} of ${grouped(count)}`;
    previous.disabled = visit <= 0;
    next.disabled = last.disabled = visit >= count - 1;
  };
  return bar;
}

/** The outputs of a statement that showed different things: those of the pass the reader is in. */
class Passes {
  constructor(state, spot, slot) {
    Object.assign(this, { state, spot, slot, shown: null });
    this.groups = state.data.slots.get(spot);
    this.nodes = new Map([...slot.querySelectorAll(":scope > .group")].map((node) => [Number(node.dataset.group), node]));
    slot.querySelector(":scope > .cut")?.remove();
    this.bar = passBar(state, () => spot);
    slot.prepend(this.bar);
  }

  show(step) {
    const visit = Math.max(0, this.state.data.visitAt(this.spot, step));
    if (visit === this.visit) return;
    this.visit = visit;
    this.bar.show(visit, this.groups.length);
    this.shown?.classList.remove("shown");
    this.shown = this.nodes.get(this.groups[visit]) ?? null;
    if (!this.shown && this.groups[visit] >= 0) this.fetch(this.groups[visit]);
    this.shown?.classList.add("shown");
  }

  /** Groups that the page does not hold come from beside it, a hundred at a time. */
  async fetch(group) {
    const chunk = Math.floor(group / 100);
    const html = await outputs(this.spot, chunk);
    html.forEach((content, i) => {
      const number = chunk * 100 + i;
      if (this.nodes.has(number)) return;
      const node = element("div", { class: "group", "data-group": number });
      node.innerHTML = content; // made and escaped by the viewer's own templates
      this.slot.append(node);
      this.nodes.set(number, node);
    });
    watch(this.slot);
    this.visit = -1;
    this.show(this.state.step);
  }
}

async function outputs(spot, chunk) {
  const inside = document.getElementById(`outputs-${spot}-${chunk}`);
  if (inside) return JSON.parse(inside.textContent);
  const answer = await fetch(`outputs/${spot}/${chunk}.json`);
  return answer.ok ? answer.json() : [];
}

/** The pass of the current statement, beside it, where it is executed more than once. */
class Chip {
  constructor(state) {
    this.state = state;
    this.bar = passBar(state, () => this.spot);
  }

  show(spot, step, current, slot) {
    this.spot = spot;
    const count = this.state.data.visitCount(spot);
    if (!current || count < 2 || slot?.dataset.passes) { this.bar.remove(); return; }
    this.bar.show(this.state.data.visitAt(spot, step), count);
    const home = current.querySelector(":scope > code") ?? current;
    if (this.bar.parentNode !== home) home.append(this.bar);
  }
}
