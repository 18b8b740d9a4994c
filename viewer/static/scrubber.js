// The scrubber: a slider over all steps, with a mark for each section and its name under the pointer.

import { element, grouped } from "./values.js";

export class Scrubber {
  constructor(state) {
    this.state = state;
    this.range = document.getElementById("scrub");
    this.name = document.querySelector(".mark-name");
    const { data } = state;
    const marks = document.querySelector(".marks");
    for (const { step, level } of data.sections) {
      const mark = element("i", { class: `level${level}` });
      mark.style.left = `${(100 * step) / Math.max(1, data.last)}%`;
      marks.append(mark);
    }
    this.range.addEventListener("input", () => state.go(Number(this.range.value), "scrub"));
    const box = document.getElementById("scrubber");
    box.addEventListener("pointermove", (event) => this.hover(event));
    box.addEventListener("pointerleave", () => { this.name.textContent = ""; });
    state.listen((_, change) => { if (change.step) this.update(); });
  }

  update() {
    const { step, data } = this.state;
    this.range.value = step;
    this.range.style.setProperty("--done", `${(100 * step) / Math.max(1, data.last)}%`);
    const section = data.sections[data.sectionAt(step)];
    this.range.setAttribute("aria-valuetext", `step ${step} of ${data.last}${section ? `, ${section.title}` : ""}`);
  }

  hover(event) {
    const box = this.range.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left - 6) / (box.width - 12)));
    const step = Math.round(share * this.state.data.last);
    const section = this.state.data.sections[this.state.data.sectionAt(step)];
    this.name.textContent = `${section ? `${section.title} · ` : ""}step ${grouped(step)}`;
    const half = this.name.offsetWidth / 2;
    this.name.style.left = `${Math.min(Math.max(event.clientX, half + 8), innerWidth - half - 8)}px`;
  }
}
