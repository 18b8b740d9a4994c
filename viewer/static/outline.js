// The outline: which section the step is in, and the way to the others.

import { keepInView } from "./scrolling.js";

export class Outline {
  constructor(state) {
    this.state = state;
    this.links = [...document.querySelectorAll("#outline a")];
    this.current = null;
    document.getElementById("outline").addEventListener("click", (event) => {
      const link = event.target.closest("a");
      if (!link) return;
      event.preventDefault();
      state.go(Number(link.dataset.step), "jump");
    });
    state.listen((_, change) => {
      if (change.toggle === "contents") document.body.classList.toggle("no-contents", !state.on.contents || !this.links.length);
      if (change.step) this.update();
    });
  }

  update() {
    const link = this.links[this.state.data.sectionAt(this.state.step)] ?? null;
    if (link === this.current) return;
    this.current?.removeAttribute("aria-current");
    link?.setAttribute("aria-current", "true");
    this.current = link;
    if (link) keepInView(link, document.getElementById("outline"));
  }
}
