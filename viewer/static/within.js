// What differs within two lines that stand in the place of one another.

import { diffArrays } from "./vendor/diff.js";

/** Words, modifiers by themselves (`.v4`), registers and labels with what marks them; comments and locations as one. */
const PART = /\bloc\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\/\*.*?\*\/|\/\/.*$|<\d+>|\d+\.\d+|@!?|[%$#!]*\.?\w+|\s+|./g;
/** Of lines that share less than this of their words, marking the rest would say nothing. */
const SHARED = 0.4;

/** Where `left` and `right` differ: of each, [start, end] of characters. `bare` is a word without what does not count. */
export function within(left, right, bare) {
  const [a, b] = [parts(left, bare), parts(right, bare)];
  const found = [[], []];
  let [i, j, shared] = [0, 0, 0];
  for (const { count, added, removed } of diffArrays(a.map(({ word }) => word), b.map(({ word }) => word))) {
    if (removed) found[0].push([a[i].start, a[i + count - 1].end]);
    else if (added) found[1].push([b[j].start, b[j + count - 1].end]);
    else shared += count;
    [i, j] = [added ? i : i + count, removed ? j : j + count];
  }
  return 2 * shared < SHARED * (a.length + b.length) ? [[], []] : found;
}

/** The words of a line that count, and where they stand. */
function parts(line, bare) {
  const all = [...line.matchAll(PART)].map(({ 0: text, index }) => ({ word: bare(text).trim(), start: index, end: index + text.length }));
  return all.filter(({ word }) => word);
}

/** Put <mark> around the characters of `box` in `ranges`, whatever elements they lie in. */
export function mark(box, ranges) {
  const texts = [];
  for (const walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT); walk.nextNode();) texts.push(walk.currentNode);
  let at = 0;
  for (const text of texts) {
    const begin = at;
    at += text.length;
    for (const [start, end] of ranges.toReversed()) {
      const [from, to] = [Math.max(start - begin, 0), Math.min(end - begin, text.length)];
      if (from >= to) continue;
      const part = text.splitText(from);
      part.splitText(to - from);
      const around = document.createElement("mark");
      part.replaceWith(around);
      around.append(part);
    }
  }
}
