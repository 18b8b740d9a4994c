// Inside a kernel: which elements of each tensor the program instance reads, writes or leaves masked at the step, drawn and said.

import { recall, remember } from "./memory.js";
import { keepInView } from "./scrolling.js";
import { element } from "./values.js";

const legend = [["read", "read"], ["write", "written"], ["masked", "masked"], ["earlier", "earlier"]];

export class Accesses {
  constructor(state) {
    Object.assign(this, { state, data: state.data, box: document.getElementById("accesses") });
    for (const instance of this.data.inside.instances) {
      let total = 0;
      instance.at = instance.step.map((difference) => total += difference);
    }
    state.listen((_, change) => { if (change.step) this.update(); });
    this.update();
  }

  /** The program instance that `step` is inside of. */
  instance(step) {
    const around = new Set(this.data.stack(step).map((at) => this.data.activation[at]));
    return this.data.inside.instances.find(({ activation }) => around.has(activation));
  }

  update() {
    const { step } = this.state;
    const instance = this.instance(step);
    this.box.hidden = !instance;
    this.box.replaceChildren();
    if (!instance) return;
    const of = (when) => [...new Set(instance.access.filter((_, i) => when(instance.at[i])))].map((number) => this.data.inside.accesses[number]);
    const now = of((at) => at === step);
    const earlier = of((at) => at < step);
    const keys = legend.map(([name, word]) => element("span", { class: `key ${name}` }, word));
    const made = element("details", {}, element("summary", {}, instance.words), element("p", { class: "keys-of" }, ...keys),
      element("div", { class: "tensors" }, ...instance.tensors.map((tensor) => figure(tensor, now, earlier))),
      ...now.filter(({ tensor }) => tensor < 0).map(words));
    made.open = recall("accesses") !== "false";
    made.addEventListener("toggle", () => remember("accesses", made.open));
    this.box.append(made);
    const said = made.querySelector(".now");
    if (said) keepInView(said, this.box);
  }
}

function figure(picture, now, earlier) {
  const own = ({ tensor }) => tensor === picture.number;
  const said = now.filter(own).map(words);
  return element("figure", {}, drawing(picture, now.filter(own), earlier.filter(own)),
    element("figcaption", {}, element("code", {}, picture.name), element("span", { class: "facts" }, ` ${picture.words}`),
      ...(said.length ? said : [element("p", { class: "facts" }, "not at this line")])));
}

const words = ({ text, fault }) => element("p", { class: fault ? "now failed" : "now" }, text);

/** The shapes come as SVG paths in units of elements; whatever the scale, outlines are as thick and hatching is as dense. */
function drawing({ number, view, size: [width, height], edge, lines }, now, earlier) {
  const shape = (name, paths) => (paths ? `<path class="${name}" d="${paths}"/>` : "");
  const joined = (accesses, part) => accesses.map((access) => access[part]).join("");
  const made = element("div", { class: "cells" });
  made.innerHTML = `<svg viewBox="${view.join(" ")}" width="${width}" height="${height}" preserveAspectRatio="none" aria-hidden="true">
    <pattern id="hatch${number}" patternUnits="userSpaceOnUse" width="${view[2] * 6 / width}" height="${view[3] * 6 / height}" viewBox="0 0 6 6" preserveAspectRatio="none"><path d="M-1 1L1-1M0 6L6 0M5 7L7 5"/></pattern>
    ${shape("edge", edge)}${shape("earlier", joined(earlier, "elements"))}${now.map(({ operation, elements }) => shape(operation, elements)).join("")}
    ${shape("lines", lines)}${shape("masked", joined(now, "masked"))}</svg>`;
  made.querySelector(".masked")?.setAttribute("fill", `url(#hatch${number})`);
  return made;
}
