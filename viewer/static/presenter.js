// The presenter's window: the same lecture with notes, the next section and a clock, in step with the audience's window.

import { element, grouped } from "./values.js";

/** Joins this window to the others of the same lecture, and makes it the presenter's when the address says so. */
export function present(state) {
  const channel = new BroadcastChannel(`viewer:${location.pathname}`);
  let heard = -1;
  channel.addEventListener("message", ({ data }) => {
    if (data.step === state.step) return;
    heard = data.step;
    state.go(data.step, "jump");
  });
  state.listen((_, change) => {
    if (!change.step || change.how === "first" || !joined()) return;
    if (state.step !== heard) channel.postMessage({ step: state.step });
    heard = -1;
  });
  const mine = new URLSearchParams(location.search).has("presenter");
  if (mine) desk(state);
  const joined = () => mine || opened;
  let opened = false;
  channel.addEventListener("message", () => { opened = true; });
  return () => {
    opened = true;
    open(`${location.pathname}?step=${state.step}&presenter=1`, "presenter", "popup,width=1100,height=800");
  };
}

/** The presenter's desk at the foot of the window: what comes next, the time of day, and the time since the start. */
function desk(state) {
  document.body.classList.add("presenter");
  state.set("notes", true);
  const clock = element("output", { class: "clock" });
  const spent = element("output", { class: "clock" });
  const next = element("p", { class: "next-section" });
  const reset = element("button", { type: "button", class: "quiet" }, "Start again");
  let start = Date.now();
  const tick = () => {
    clock.textContent = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    const seconds = Math.floor((Date.now() - start) / 1000);
    spent.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  };
  reset.addEventListener("click", () => { start = Date.now(); tick(); });
  setInterval(tick, 1000);
  tick();
  state.listen((_, change) => {
    if (!change.step) return;
    const { data, step } = state;
    const section = data.sections[data.sectionAt(step) + 1];
    next.textContent = section ? `Next: ${section.title}, in ${grouped(section.step - step)} steps` : "This is the last section.";
  });
  document.body.append(element("aside", { class: "desk", "aria-label": "For the presenter" }, next, spent, reset, clock));
}
