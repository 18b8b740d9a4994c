// Charts that answer to the pointer, drawn over the recorded drawing, which stays where a library fails or is still loading.

import { whenNear } from "./near.js";
import { element } from "./values.js";

const makers = { "vega-lite": () => import("./vega.js"), plotly: () => import("./plotly.js") };
const ended = new Map();
const scripts = new Map();

export function listen() {
  whenNear("[data-plot]", draw);
  document.addEventListener("theme", () => { for (const figure of ended.keys()) draw(figure); });
}

async function draw(figure) {
  const { plot, library, scripts: needed } = figure.dataset;
  const box = element("div", { class: "chart" });
  try {
    const { make } = await makers[library]();
    for (const address of needed.split(" ")) await run(address);
    const spec = await read(plot);
    figure.append(box);
    const end = await make(box, spec, (name) => { box.style.color = `var(--${name})`; return getComputedStyle(box).color; });
    ended.get(figure)?.();
    ended.set(figure, () => { end(); box.remove(); });
    figure.classList.add("drawn");
  } catch (error) {
    box.remove();
    console.info(`${library}: ${error.message}`);
    const card = figure.querySelector(":scope > .missing");
    if (card || error.refused) (card ?? figure).append(element("p", { class: "cut" }, `It is not drawn here: ${error.message}.`));
  }
}

/** The element of the page that holds what is at `address`, where the page holds it itself. */
const held = (address) => (address.startsWith("#") ? document.getElementById(address.slice(1)) : null);

async function read(address) {
  if (held(address)) return JSON.parse(held(address).textContent);
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer.json();
}

function run(address) {
  if (!scripts.has(address)) scripts.set(address, new Promise((done, failed) => {
    const script = document.createElement("script");
    script.onload = done;
    script.onerror = () => failed(new Error(`${address} could not be loaded`));
    if (held(address)) { script.textContent = held(address).textContent; done(); } else script.src = address;
    document.head.append(script);
  }));
  return scripts.get(address);
}
