// The panes at the right: variables, stack, output.

import { recall, remember } from "./memory.js";
import { atTop } from "./scrolling.js";
import { draw, element } from "./values.js";

export class Panes {
  constructor(state) {
    this.state = state;
    this.data = state.data;
    this.tab = "variables";
    this.open = new Set();
    document.querySelector(".state .tabs").addEventListener("click", (event) => {
      if (event.target.role === "tab") this.choose(event.target.getAttribute("aria-controls"));
    });
    document.querySelector(".state .tabs").addEventListener("keydown", (event) => this.arrow(event));
    state.listen((_, change) => {
      if (change.toggle === "env") document.body.classList.toggle("no-env", !state.on.env);
      if (change.step) this.update();
    });
    document.addEventListener("theme", () => this.update());
    this.watch(document.getElementById("variables"));
    divide();
  }

  choose(tab) {
    this.tab = tab;
    for (const button of document.querySelectorAll(".state [role=tab]")) {
      const on = button.getAttribute("aria-controls") === tab;
      button.setAttribute("aria-selected", on);
      button.tabIndex = on ? 0 : -1;
      document.getElementById(button.getAttribute("aria-controls")).hidden = !on;
    }
    this.update();
  }

  arrow(event) {
    const tabs = [...document.querySelectorAll(".state [role=tab]")];
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.stopPropagation();
    const next = tabs[(tabs.indexOf(document.activeElement) + by + tabs.length) % tabs.length];
    this.choose(next.getAttribute("aria-controls"));
    next.focus();
  }

  update() {
    if (!this.data.steps) return;
    const parts = { variables: () => this.variables(), stack: () => this.stack(), output: () => this.output() };
    document.getElementById(this.tab).replaceChildren(...parts[this.tab]());
    if (this.tab === "variables") this.settle();
  }

  /** What the step changed comes into the pane's own view, and what is long is clipped; the focus stays where it is. */
  settle() {
    const panel = document.getElementById("variables");
    clip(panel, this.open);
    const changed = [...panel.querySelectorAll(".var.changed")];
    if (changed.length) atTop(changed[0], changed.at(-1), panel);
  }

  /** A panel that comes into sight (a sheet opened on a phone) is settled then; one of another width is clipped anew. */
  watch(panel) {
    let seen = false;
    new ResizeObserver(() => {
      const now = panel.clientHeight > 0;
      if (now && !seen) this.settle();
      else if (now) clip(panel, this.open);
      seen = now;
    }).observe(panel);
    panel.addEventListener("click", (event) => {
      const name = event.target.closest(".unclip") && event.target.closest(".var").dataset.name;
      if (!name) return;
      if (!this.open.delete(name)) this.open.add(name);
      clip(panel, this.open);
    });
  }

  variables() {
    const { data, state: { step } } = this;
    const error = data.errors[step];
    const out = error ? [element("p", { class: "value failed" }, `${error.type}: ${error.message}`)] : [];
    data.stack(step).forEach((at, depth) => {
      const found = data.variables(at, step);
      if (!found.length) return;
      out.push(element("p", { class: "scope" }, depth ? "in " : "", element("code", {}, data.function(at)), depth ? "" : ` at line ${data.line(at)}`));
      out.push(element("dl", { class: "vars" }, ...found.map((variable) => this.variable(variable))));
    });
    return out.length ? out : [element("p", { class: "empty" }, step ? "No variable is inspected up to here." : "Step through the lecture with → and ←, or › and ‹ above; the values of its variables show here.")];
  }

  variable({ name, value, since, changed, fresh }) {
    const when = changed ? (fresh ? "new" : "changed") : "";
    return element("div", { class: changed ? "var changed" : "var", "data-name": name },
      element("dt", {}, element("button", { type: "button", "data-history": name, title: "Its history" }, name)), element("dd", {}, draw(this.data.values, value)),
      element("dd", { class: "when", title: `since step ${since}` }, when ? `● ${when}` : ""));
  }

  stack() {
    const { data, state } = this;
    const items = data.stack(state.step).map((at, depth) => {
      const button = element("button", { type: "button" }, element("code", {}, data.function(at)),
        element("span", { class: "facts" }, `${data.files[data.file(at)]}:${data.line(at)}`));
      button.addEventListener("click", () => state.go(at));
      return element("li", depth ? {} : { class: "here" }, button);
    });
    const thread = data.threads[data.thread[data.activation[state.step]] ?? 0];
    const named = data.threads.length > 1 ? [element("p", { class: "scope" }, "thread ", element("code", {}, thread))] : [];
    return [...named, element("ol", { class: "stack", "aria-label": "Call stack, innermost first" }, ...items)];
  }

  /** What the current statement showed, wherever it stands in the lecture. */
  output() {
    const { data, state: { step } } = this;
    const out = [];
    const error = data.errors[step];
    if (error) out.push(element("pre", { class: "printed stderr" }, error.traceback || `${error.type}: ${error.message}`));
    const spot = data.spot(step);
    const slot = document.querySelector(`.slot[data-spot="${spot}"]`);
    const group = slot && (slot.dataset.passes ? slot.querySelector(":scope > .group.shown") : slot.querySelector(":scope > .group"));
    if (group?.querySelector(this.state.on.notes ? ":scope > *" : ":scope > :not(.note, .pass-name)")) {
      const copy = group.cloneNode(true);
      for (const node of copy.querySelectorAll("[id]")) node.removeAttribute("id");
      for (const figure of copy.querySelectorAll(".plot:has(> img)")) figure.classList.remove("drawn");
      out.push(copy);
    }
    return out.length ? out : [element("p", { class: "empty" }, "This statement shows nothing.")];
  }
}

/** Values of more than three lines are cut to these, with a button that opens them; those in `open` stay open. */
function clip(panel, open) {
  for (const row of panel.querySelectorAll(".var")) row.classList.toggle("open", open.has(row.dataset.name));
  const long = [...panel.querySelectorAll(".var > dd > span.value")].map((value) => {
    const { name } = value.closest(".var").dataset;
    return { value, name, more: value.nextElementSibling, wanted: open.has(name) || value.scrollHeight > value.clientHeight + 2 };
  });
  for (const { value, name, more, wanted } of long) {
    if (!wanted) { more?.remove(); continue; }
    const button = more ?? element("button", { type: "button", class: "unclip" });
    const opened = open.has(name);
    button.setAttribute("aria-expanded", opened);
    button.textContent = opened ? "less" : "all of it";
    if (!more) value.after(button);
  }
}

/** The divider: dragged with the pointer or moved with the arrow keys, and remembered. */
function divide() {
  const divider = document.getElementById("divider");
  const root = document.documentElement;
  const set = (pixels) => {
    const width = Math.round(Math.min(Math.max(pixels, 220), innerWidth * 0.7));
    root.style.setProperty("--dragged", `${width}px`);
    divider.setAttribute("aria-valuenow", width);
    remember("panes", width);
  };
  divider.setAttribute("aria-valuenow", divider.parentElement.offsetWidth);
  if (recall("panes")) set(Number(recall("panes")));
  divider.addEventListener("pointerdown", (event) => divider.setPointerCapture(event.pointerId));
  divider.addEventListener("pointermove", (event) => { if (divider.hasPointerCapture(event.pointerId)) set(innerWidth - event.clientX); });
  divider.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: 24, ArrowRight: -24 }[event.key];
    if (!by) return;
    event.stopPropagation();
    set(divider.parentElement.offsetWidth + by);
  });
}
