// While the author works: when the lecture is recorded again the page shows the new recording at the same place; when
// the lecture fails the page says so and keeps what it has.

import { element } from "./values.js";

const key = `viewer.place:${location.pathname}`;

export function listen() {
  const { name, revision, live } = document.body.dataset;
  if (live === undefined) return;
  let source = null;
  const told = (changes) => {
    const mine = changes.find((change) => change.name === name);
    if (!mine) say("The recording is gone.");
    else if (mine.status === "failed" || mine.status === "broken") say(`The lecture could not be recorded again: ${mine.said}`);
    else if (mine.revision === revision) {
      say("");
      document.dispatchEvent(new CustomEvent("kernel:saved", { detail: mine.saved }));
    }
    else if (mine.status === "error" && !document.querySelector("main .problem")) say(`The lecture now fails: ${mine.said}. This is the last good recording.`, true);
    else again();
  };
  const connect = () => {
    if (document.hidden) { source?.close(); source = null; return; } // a browser allows few connections to one server
    if (source) return;
    source = new EventSource("../_events");
    source.addEventListener("changed", (event) => told(JSON.parse(event.data)));
  };
  document.addEventListener("visibilitychange", connect);
  connect();
}

/** Load the page anew; the address names the place, and the current line keeps its height in the window. */
function again() {
  const top = document.querySelector(".row.current, .slot.current")?.getBoundingClientRect().top;
  try { sessionStorage.setItem(key, JSON.stringify({ top })); } catch { /* then it is brought into view */ }
  setTimeout(() => location.reload(), 150);
}

/** After a reload of our own: the height at which the current statement stood. */
export function restore(lecture) {
  let kept = null;
  try { kept = JSON.parse(sessionStorage.getItem(key)); sessionStorage.removeItem(key); } catch { /* none */ }
  if (!kept || typeof kept.top !== "number" || !lecture.current) return;
  scrollBy({ top: lecture.current.getBoundingClientRect().top - kept.top, behavior: "instant" });
}

function say(text, more = false) {
  document.querySelector(".live")?.remove();
  if (!text) return;
  const banner = element("div", { class: "live problem", role: "alert" }, text);
  if (more) {
    const button = element("button", { type: "button", class: "quiet" }, "Show the new one");
    button.addEventListener("click", again);
    banner.append(" ", button);
  }
  document.getElementById("lecture").prepend(banner);
}
