// A flame graph of a profile's stacks: what a function cost is its width, what it called stands below it.

import { whenNear } from "./near.js";
import { element } from "./values.js";

const DEEPEST = 60;
const NARROWEST = 0.0015;

/** Open each flame graph when it comes near the window, and draw it when it is opened for the first time. */
export function listen() {
  whenNear("[data-stacks]", (box) => { box.open = true; });
  document.addEventListener("toggle", (event) => {
    const box = event.target;
    if (box.open && box.dataset?.stacks && box.children.length === 1) draw(box);
  }, true);
}

async function draw(box) {
  const chart = element("div", { class: "flames", role: "tree", "aria-label": "Flame graph" });
  box.append(chart);
  try {
    const answer = await fetch(box.dataset.stacks);
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
    const root = tree(await answer.text());
    show(chart, root, [root]);
  } catch (error) {
    chart.replaceChildren(element("p", { class: "missing" }, `The stacks could not be loaded: ${error.message}`));
  }
}

/** Lines `a;b;c 12` as nodes {name, cost, children}; a node's cost includes its children's. */
export function tree(text) {
  const root = { name: "all", cost: 0, children: new Map() };
  for (const line of text.split("\n")) {
    const space = line.lastIndexOf(" ");
    const cost = Number(line.slice(space + 1));
    if (space < 0 || !(cost > 0)) continue;
    let node = root;
    node.cost += cost;
    for (const name of line.slice(0, space).split(";")) {
      if (!node.children.has(name)) node.children.set(name, { name, cost: 0, children: new Map() });
      node = node.children.get(name);
      node.cost += cost;
    }
  }
  return root;
}

/** Fill `chart` with the last node of `path` at full width, its callers above it and what it called below. */
function show(chart, root, path) {
  const node = path.at(-1);
  const rows = [];
  const place = (each, left, width, depth, way) => {
    const button = element("button", { type: "button", role: "treeitem", "aria-level": depth + 1, title: `${each.name}\n${time(each.cost)}, ${share(each, root)}` }, each.name);
    Object.assign(button.style, { left: `${100 * left}%`, width: `${100 * width}%`, top: `${1.35 * depth}rem` });
    button.dataset.tone = tone(each.name);
    button.addEventListener("click", () => show(chart, root, way));
    rows[depth] = true;
    chart.append(button);
  };
  const below = (each, left, width, depth, way) => {
    let at = left;
    for (const child of [...each.children.values()].sort((a, b) => b.cost - a.cost)) {
      const part = width * (child.cost / each.cost);
      if (part >= NARROWEST && depth < DEEPEST) {
        place(child, at, part, depth, [...way, child]);
        below(child, at, part, depth + 1, [...way, child]);
      }
      at += part;
    }
  };
  chart.replaceChildren();
  path.forEach((each, depth) => place(each, 0, 1, depth, path.slice(0, depth + 1)));
  below(node, 0, 1, path.length, path);
  chart.style.height = `${1.35 * rows.length}rem`;
  chart.setAttribute("aria-label", `Flame graph of ${node.name}, ${time(node.cost)}`);
}

const time = (microseconds) => (microseconds >= 1000 ? `${(microseconds / 1000).toFixed(2)} ms` : `${microseconds} µs`);
const share = (node, root) => `${((100 * node.cost) / root.cost).toFixed(1)} %`;

/** A steady choice of six tones by name, so that a function looks the same wherever it stands. */
function tone(name) {
  let sum = 0;
  for (let i = 0; i < name.length; i++) sum = (sum * 31 + name.charCodeAt(i)) >>> 0;
  return sum % 6;
}
