// What the page is showing: the step and the toggles. Parts of the page listen; nobody else keeps state.

import { recall, remember } from "./memory.js";

export const toggles = ["raw", "animate", "notes", "env", "contents", "fold"];
const remembered = ["env", "contents"];

export class State {
  constructor(data) {
    this.data = data;
    this.step = 0;
    this.on = { raw: false, animate: false, notes: false, env: true, contents: true, fold: false };
    for (const name of remembered) if (recall(name)) this.on[name] = recall(name) === "true";
    this.listeners = [];
  }

  listen(listener) { this.listeners.push(listener); }

  /** Every part of the page hears of every change, also when one of them fails: the page stays of one step. */
  tell(change) {
    for (const listener of this.listeners) {
      try { listener(this, change); } catch (error) { reportError(error); }
    }
  }

  /** Go to `step`, clamped. `how` tells listeners why, so that only some ways of going there scroll. */
  go(step, how = "jump") {
    const from = this.step;
    this.step = this.data.clamp(step);
    this.tell({ step: true, from, how });
  }

  /** The step that a key leads to. */
  leads(how) { return this.on.fold ? this.data.moveFolded(this.step, how) : this.data.move(this.step, how); }

  move(how) {
    const to = this.leads(how);
    if (to !== this.step) this.go(to, how);
  }

  set(name, value) {
    this.on[name] = value;
    if (remembered.includes(name)) remember(name, value);
    this.tell({ toggle: name });
  }
  toggle(name) { this.set(name, !this.on[name]); }
}
