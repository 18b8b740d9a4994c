// Starts the page: loads the columns, lets every part listen, and goes where the address says.

import * as address from "./address.js";
import { load } from "./data.js";
import * as live from "./live.js";
import * as keys from "./keys.js";
import { History } from "./history.js";
import { remember } from "./memory.js";
import * as flame from "./flame.js";
import * as plots from "./plots.js";
import * as sort from "./sort.js";
import { Lecture } from "./lecture.js";
import { Pane } from "./pane.js";
import { Panes } from "./panes.js";
import { present } from "./presenter.js";
import { Scrubber } from "./scrubber.js";
import { Sheets } from "./sheets.js";
import { Search } from "./search.js";
import { State, toggles } from "./state.js";
import { Outline } from "./outline.js";

function follow(state) {
  const input = document.getElementById("step");
  const announcer = document.getElementById("announcer");
  let spoken = 0;
  state.listen((_, change) => {
    for (const button of document.querySelectorAll("[data-toggle]")) button.setAttribute("aria-pressed", state.on[button.dataset.toggle]);
    address.show(state);
    if (!state.data.steps) return;
    if (change.step) input.value = state.step;
    for (const button of document.querySelectorAll("[data-do]")) {
      const how = button.dataset.do;
      if (["next", "previous", "over", "back", "out"].includes(how)) button.disabled = state.leads(how) === state.step;
    }
    if (!change.step) return;
    clearTimeout(spoken);
    spoken = setTimeout(() => { announcer.textContent = sentence(state); }, 250);
  });
}

function sentence({ data, step }) {
  const shown = document.querySelector(".slot.current .text") ?? document.querySelector(".row.current code");
  const text = document.querySelector(".standin") ? "not shown" : shown?.textContent.trim().slice(0, 200) ?? "";
  const accesses = [...document.querySelectorAll("#accesses .now")].map((said) => `; ${said.textContent}`).join("");
  const values = data.variables(step, step).filter(({ changed }) => changed).map(({ name, value }) => `; ${name} is ${data.values[value].text.slice(0, 80)}`).join("");
  return `Step ${step} of ${data.last}, ${data.function(step)} line ${data.line(step)}: ${text}${values}${accesses}`;
}

function actions(state) {
  const input = document.getElementById("step");
  const found = { go: () => { input.focus(); input.select(); }, help: () => document.getElementById("help").showModal() };
  found.larger = () => resize(1.1);
  found.smaller = () => resize(1 / 1.1);
  found.menu = () => menu(document.getElementById("menu").hidden);
  found.print = () => print();
  found.said = said;
  document.addEventListener("click", (event) => { if (!event.target.closest(".view, .search")) menu(false); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") menu(false); });
  for (const how of ["next", "previous", "over", "back", "out"]) found[how] = () => state.move(how);
  for (const name of toggles) found[name] = () => state.toggle(name);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") input.value = state.step;
    if (event.key === "Enter") jump(state, input);
    if (event.key === "Enter" || event.key === "Escape") input.blur();
  });
  input.addEventListener("change", () => jump(state, input));
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do], [data-toggle]");
    if (!button) return;
    if (button.matches("a")) event.preventDefault();
    found[button.dataset.do ?? button.dataset.toggle]?.();
  });
  return found;
}

/** Go to the step that was typed, the nearest there is; where no number was typed, stay. */
function jump(state, input) {
  const wanted = input.valueAsNumber;
  if (Number.isNaN(wanted)) input.value = state.step;
  else if (state.data.clamp(wanted) === state.step) input.value = state.step;
  else state.go(wanted);
}

/** What the recording says of itself stands above the lecture: how it ended, and its warnings, opened. */
function said() {
  for (const box of document.querySelectorAll("#said details.warnings")) box.open = true;
  document.getElementById("said").focus({ preventScroll: true });
  scrollTo({ top: 0 });
}

function menu(open) {
  document.getElementById("menu").hidden = !open;
  document.body.classList.toggle("menu-open", open);
  document.querySelector("[data-do=menu]").setAttribute("aria-expanded", open);
  measure();
}

/** The size of all text, remembered. */
function resize(by) {
  const root = document.documentElement;
  const size = Math.min(2.5, Math.max(0.7, Number(root.style.getPropertyValue("--size") || 1) * by));
  root.style.setProperty("--size", size.toFixed(3));
  remember("size", size.toFixed(3));
  measure();
}

/** The step an address asks for: by number, or by place where the lecture has changed since the link was made. */
function target(data, wanted) {
  if (wanted.at && wanted.step !== null && address.placeName(data, data.clamp(wanted.step)) !== wanted.at) {
    const dot = wanted.at.lastIndexOf(".");
    const near = nearest(data, wanted.at.slice(0, dot), Number(wanted.at.slice(dot + 1)), wanted.step);
    if (near >= 0) return near;
  }
  if (wanted.step === null && wanted.source) return firstAt(data, wanted.source, wanted.line);
  return wanted.step ?? 0;
}

function nearest(data, name, offset, step) {
  let best = -1;
  let least = Infinity;
  for (let spot = 0; spot < data.spots.line.length; spot++) {
    const scope = data.scope(data.spots.file[spot], data.spots.line[spot]);
    if (scope?.[2] !== name || !data.visitCount(spot)) continue;
    const distance = Math.abs(data.spots.line[spot] - scope[0] - offset);
    if (distance < least) { least = distance; best = data.visitStep(spot, Math.max(0, data.visitAt(spot, step))); }
  }
  return best;
}

function firstAt(data, source, line) {
  const file = data.files.findIndex((path) => path === source || path.endsWith(`/${source}`));
  let best = 0;
  let least = Infinity;
  for (let spot = 0; spot < data.spots.line.length; spot++) {
    const distance = Math.abs(data.spots.line[spot] - line);
    if (data.spots.file[spot] === file && data.visitCount(spot) && distance < least) { least = distance; best = data.visitStep(spot, 0); }
  }
  return best;
}

function measure() {
  document.documentElement.style.setProperty("--bar", `${document.querySelector(".bar").offsetHeight}px`);
}

async function start() {
  measure();
  addEventListener("resize", measure);
  const data = await load(document.body.dataset.columns);
  const state = new State(data);
  const wanted = address.asked();
  Object.assign(state.on, wanted.on);
  new Pane(state);
  new Panes(state);
  const lecture = new Lecture(state);
  new Outline(state);
  new Sheets(state);
  new History(state);
  new Scrubber(state);
  follow(state);
  const found = actions(state);
  found.presenter = present(state);
  found.fullscreen = () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen());
  const search = new Search(state, lecture);
  keys.listen({ ...found, search: () => search.focus() });
  for (const name of toggles) state.tell({ toggle: name, how: "stay" });
  state.go(target(data, wanted), "first");
  flame.listen();
  plots.listen();
  sort.listen();
  live.restore(lecture);
  live.listen();
  document.body.dataset.ready = "";
}

start().catch((error) => {
  const said = document.createElement("p");
  said.className = "problem";
  said.setAttribute("role", "alert");
  said.textContent = `This page cannot step through the lecture: ${error.message}. Its text is below; reload to try again.`;
  document.getElementById("lecture").prepend(said);
  delete document.documentElement.dataset.script;
  throw error;
});
