// Which kernel the kernel pane shows, and when. The pane itself (kernel.js, kernel.css) is loaded when a kernel first comes into play.

import { element } from "./values.js";

export class Pane {
  constructor(state) {
    Object.assign(this, { state, data: state.data, kernel: -1, chosen: null, closed: null, view: null, loading: null, saved: {} });
    this.box = document.getElementById("kernel");
    state.listen((_, change) => { if (change.step || change.toggle === "env") this.update(); });
    document.addEventListener("kernel:saved", ({ detail }) => { this.saved = detail; this.view?.renew(); });
    document.addEventListener("kernel:select", ({ detail }) => this.select(detail));
    document.addEventListener("click", (event) => {
      const asking = event.target.closest("[data-kernel]");
      if (!asking) return;
      event.preventDefault();
      this.select(asked(asking.dataset));
    });
  }

  /**
   * Show `kernel` (its number in the recording) and resolve when it is there. Where given: its `variant` (number, or key),
   * the `stage` ("ptx", or "source"), and `lines` of that stage (from 1), which are marked and brought into view. Instead
   * of variant and lines, `found` has lines by variant: of those the one that is shown already, or the likeliest, is taken.
   * Parts that do not hold the pane dispatch "kernel:select" on the document with this as `detail`; in a page's HTML,
   * data-kernel="2" data-variant="1" data-stage="ptx" data-lines="12 13" on a link or button does the same,
   * data-found='{"1": [12, 13]}' too.
   */
  async select({ kernel, variant, stage, lines = [], found }) {
    if (!this.data.kernels[kernel]) return;
    this.choose(kernel);
    this.uncover();
    await this.load();
    await this.view?.select({ variant, stage, lines, found });
  }

  /** What is chosen by hand holds until the section changes or another kernel comes into play. */
  choose(kernel) {
    const { step } = this.state;
    this.chosen = { kernel, section: this.data.sectionAt(step), playing: this.data.kernelAt(step) };
    this.update();
  }

  close() {
    this.closed = this.data.kernelAt(this.state.step);
    this.chosen = null;
    this.update();
  }

  update() {
    const { step } = this.state;
    const playing = this.data.kernelAt(step);
    if (this.chosen && (this.chosen.section !== this.data.sectionAt(step) || this.chosen.playing !== playing)) this.chosen = null;
    this.kernel = this.chosen ? this.chosen.kernel : this.closed === playing ? -1 : playing;
    document.body.classList.toggle("in-kernel", this.kernel >= 0);
    this.box.hidden = this.kernel < 0;
    if (this.view) this.view.show(this.kernel);
    else if (this.kernel >= 0) this.load();
  }

  /** The panes may be hidden (key E), or on a phone be a sheet that is closed. */
  uncover() {
    if (!this.state.on.env) this.state.set("env", true);
    const sheet = document.querySelector("[data-sheet-open=panes]");
    if (sheet?.getClientRects().length && document.body.dataset.sheet !== "panes") sheet.click();
  }

  /** Resolves when the view is there, also where it cannot be; the pane then says why, and the next step tries again. */
  load() {
    this.loading ??= Promise.all([import("./kernel.js"), sheet("kernel.css")]).then(([{ KernelPane }]) => {
      this.view = new KernelPane(this);
      this.view.show(this.kernel);
    }).catch((error) => {
      this.loading = null;
      this.box.replaceChildren(element("p", { class: "missing" }, `The kernel pane could not be loaded: ${error.message}`));
    });
    return this.loading;
  }
}

function asked({ kernel, variant, stage, lines, found }) {
  return { kernel: Number(kernel), variant: variant && Number(variant), stage, found: found && JSON.parse(found), lines: lines?.split(/\s+/).filter(Boolean).map(Number) };
}

/** Add a style sheet that lies beside the page's first; a page that is one file holds all of them. */
function sheet(name) {
  const first = document.querySelector("link[rel=stylesheet]");
  if (!first) return null;
  return new Promise((loaded, failed) => {
    const link = element("link", { rel: "stylesheet", href: new URL(name, first.href) });
    link.addEventListener("load", loaded);
    link.addEventListener("error", () => failed(new Error(`${name} did not come`)));
    document.head.append(link);
  });
}
