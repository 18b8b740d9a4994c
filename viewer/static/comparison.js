// The same stage of two compilations beside each other, with what differs.

import { bare, compare, ignored } from "./compare.js";
import { both } from "./counts.js";
import { explained, narrow, region, textOf } from "./listing.js";
import { element, number } from "./values.js";
import { mark as highlight, within } from "./within.js";

/** Alike lines shown around a difference; of a longer run the middle is folded away. */
const NEAR = 3;
const said = { "=": "Alike", "≠": "Differs", "−": "Only on the left", "+": "Only on the right" };

/** `left` and `right` are {name, stage}; `name` is what the stage is called, `stage` its key. */
export function comparison(left, right, stage, name, kinds) {
  const [a, b] = [left.stage, right.stage];
  const rows = compare(textOf(a), textOf(b), stage);
  const list = element("ol", {}, ...folded(rows).map((run) => (run.fold ? fold(run.rows, a, b) : line(run, a, b, stage))));
  const sides = element("div", { class: "sides" }, element("strong", {}, left.name), element("strong", {}, right.name));
  const box = region(`${name} of ${left.name} beside ${right.name}`, sides, ...summary(rows, stage, both(left.stage.counts, right.stage.counts, kinds)), list);
  box.classList.add("compared");
  return box;
}

/** Whether nothing differs between two texts of `stage`. */
export const alike = (one, two, stage) => compare(textOf(one), textOf(two), stage).every(({ mark }) => mark === "=");

/** What a row of a comparison is, in words. */
export const differs = (row) => said[row.dataset.mark];

/** The opcodes of a row of a comparison and what they do: of the left side, else of the right one. */
export function explain(row, left, right) {
  const one = explained(left, Number(row.dataset.left));
  return one.length ? one : explained(right, Number(row.dataset.right));
}

function summary(rows, stage, instructions) {
  const count = Object.fromEntries(Object.keys(said).map((mark) => [mark, rows.filter((row) => row.mark === mark).length]));
  const different = rows.length - count["="];
  const parts = ["≠ changed", "− only on the left", "+ only on the right"].map((words) => words.replace(" ", ` ${number(count[words[0]])} `));
  const text = different ? `${number(different)} of ${number(rows.length)} lines differ: ${parts.join(" · ")}.` : `All ${number(rows.length)} lines are alike.`;
  const lines = element("p", { class: "facts" }, `${text} Ignored: ${ignored(stage)}.`);
  return instructions ? [element("p", { class: "facts" }, `Instructions, left and right: ${instructions}.`), lines] : [lines];
}

/** The rows, long runs of alike ones as one {fold, rows}. */
function folded(rows) {
  const out = [];
  for (let at = 0; at < rows.length;) {
    let end = at;
    while (end < rows.length && rows[end].mark === "=") end++;
    if (end === at) { out.push(rows[at++]); continue; }
    const [from, to] = [at ? at + NEAR : at, end < rows.length ? end - NEAR : end];
    if (to - from > 2) out.push(...rows.slice(at, from), { fold: true, rows: rows.slice(from, to) }, ...rows.slice(to, end));
    else out.push(...rows.slice(at, end));
    at = end;
  }
  return out;
}

function fold(rows, a, b) {
  const button = element("button", { type: "button" }, `${number(rows.length)} alike lines`);
  const row = element("li", { class: "fold" }, button);
  button.addEventListener("click", () => row.replaceWith(...rows.map((one) => line(one, a, b))));
  return row;
}

function line({ mark, left, right }, a, b, stage) {
  const row = element("li", { "data-mark": mark, "data-left": left, "data-right": right });
  const [one, two] = [side(a, left), side(b, right)];
  row.append(one, element("i", { title: said[mark] }, mark === "=" ? "" : mark), two);
  if (mark === "≠") {
    const [gone, come] = within(one.textContent, two.textContent, (word) => bare(word, stage));
    highlight(one, gone);
    highlight(two, come);
  }
  return row;
}

function side({ html }, n) {
  const code = element("code", n ? { "data-n": n } : {});
  if (n) code.innerHTML = narrow(html[n - 1]); // coloured and escaped by the viewer
  return code;
}
