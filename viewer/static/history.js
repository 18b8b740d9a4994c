// The history of one variable over the whole lecture: a line for numbers, and a list whose entries are links.

import { draw, element, number } from "./values.js";

const LISTED = 400;

/** All events of the variable `name`, in whatever frame, in order of steps: [{step, value, function}]. */
export function eventsOf(data, name) {
  const wanted = data.names.indexOf(name);
  const { name: names, start, step, value } = data.series;
  const out = [];
  for (let i = 0; i < names.length; i++) {
    if (names[i] !== wanted) continue;
    for (let event = start[i]; event < start[i + 1]; event++) if (value[event] >= 0) out.push({ step: step[event], value: value[event] });
  }
  return out.sort((a, b) => a.step - b.step);
}

export class History {
  constructor(state) {
    this.state = state;
    this.box = document.getElementById("history");
    document.getElementById("variables").addEventListener("click", (event) => {
      const button = event.target.closest("[data-history]");
      if (button) this.open(button.dataset.history);
    });
  }

  open(name) {
    const { data } = this.state;
    const events = eventsOf(data, name);
    const title = element("h2", { id: "history-title" }, "History of ", element("code", {}, name));
    const close = element("button", {}, "Close");
    this.box.replaceChildren(element("form", { method: "dialog" }, title, this.plot(events) ?? "", this.list(events), close));
    this.box.showModal();
    this.box.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
  }

  list(events) {
    const { data, state } = { data: this.state.data, state: this.state };
    const shown = events.slice(0, LISTED).map(({ step, value }) => {
      const link = element("a", { href: `?step=${step}` }, `step ${number(step)}`);
      link.addEventListener("click", (event) => { event.preventDefault(); this.box.close(); state.go(step); });
      const row = element("li", step === state.step ? { "aria-current": "step" } : {}, link, element("span", { class: "facts" }, ` ${data.function(step)}:${data.line(step)} `), draw(data.values, value));
      return row;
    });
    const left = events.length - shown.length;
    return element("ol", { class: "events" }, ...shown, left > 0 ? element("li", { class: "cut" }, `and ${number(left)} more`) : null);
  }

  /** A line through the numeric values, where there are several. */
  plot(events) {
    const { values, last } = this.state.data;
    const points = events.map(({ step, value }) => [step, numeric(values[value])]).filter(([, y]) => Number.isFinite(y));
    if (points.length < 2) return null;
    const thin = points.filter((_, i) => i % Math.ceil(points.length / 1000) === 0);
    const ys = thin.map(([, y]) => y);
    const [low, high] = [Math.min(...ys), Math.max(...ys)];
    const x = (step) => 40 + (step / Math.max(1, last)) * 430;
    const y = (value) => 90 - ((value - low) / (high - low || 1)) * 78;
    const svg = svgElement("svg", { viewBox: "0 0 480 106", role: "img", class: "line", "aria-label": `from ${number(low)} to ${number(high)}` });
    svg.append(svgElement("polyline", { points: thin.map(([step, value]) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`).join(" ") }));
    if (thin.length <= 120) for (const [step, value] of thin) svg.append(svgElement("circle", { cx: x(step), cy: y(value), r: 2.2 }));
    svg.append(svgElement("line", { class: "now", x1: x(this.state.step), x2: x(this.state.step), y1: 6, y2: 94 }));
    for (const [at, label] of [[14, high], [93, low]]) svg.append(svgElement("text", { x: 36, y: at, class: "end" }, number(label)));
    svg.append(svgElement("text", { x: 40, y: 104 }, "step 0"), svgElement("text", { x: 470, y: 104, class: "end" }, `step ${number(last)}`));
    return svg;
  }
}

function numeric(value) {
  if (value.kind === "scalar" && /^(int|float|bool)$/.test(value.type)) return value.type === "bool" ? Number(value.text === "True") : Number(value.text.replaceAll("_", ""));
  if (value.kind === "array" && value.shape.length === 0 && typeof value.data === "number") return value.data;
  return Number.NaN;
}

function svgElement(tag, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}
