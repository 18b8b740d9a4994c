// How many instructions of which kind: in the margin of the source, all together, and of two compilations beside each other.

import { element, number } from "./values.js";

const total = (counts, kind) => Object.values(counts[kind] ?? {}).reduce((sum, count) => sum + count, 0);
const words = (count, [, word, meaning]) => `${word}: ${number(count)} (${meaning})`;

/** What line `line` of the source became, in a few letters. */
export function counts(counted, kinds, line) {
  const found = Object.keys(kinds).filter((kind) => counted[kind]?.[line]).map((kind) => [counted[kind][line], kinds[kind]]);
  if (!found.length) return [];
  const title = found.map(([count, kind]) => words(count, kind)).join(", ");
  return [element("span", { class: "counts", role: "img", title, "aria-label": title }, found.map(([count, [letter]]) => `${count}${letter}`).join(" "))];
}

/** What the letters mean, with the whole stage's counts. */
export function legend(counted, kinds) {
  const found = Object.keys(kinds).filter((kind) => total(counted, kind));
  if (!found.length) return [];
  const parts = found.map((kind) => {
    const [letter, word] = kinds[kind];
    return element("span", { title: words(total(counted, kind), kinds[kind]) }, element("b", {}, letter), ` ${word} ${number(total(counted, kind))}`);
  });
  return [element("p", { class: "legend" }, ...parts)];
}

/** The counts of two stages in words, those that differ marked. */
export function both(left, right, kinds) {
  const parts = Object.keys(kinds).map((kind) => [kinds[kind][1], total(left, kind), total(right, kind)]).filter(([, one, two]) => one || two);
  return parts.map(([word, one, two]) => `${word} ${number(one)} ${one === two ? "=" : "≠"} ${number(two)}`).join(" · ");
}
