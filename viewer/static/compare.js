// What differs between two texts of the same stage of compilation.

import { diffArrays } from "./vendor/diff.js";

/** Edits after which two texts count as different throughout: finding them takes time that grows with their square. */
const MOST_EDITS = 4000;

const mlir = {
  gone: /^\s*#loc|^\s*$/,
  rules: [[/ ?loc\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g, ""], [/%(\w*?)_?\d+\b/g, "%$1"], [/\^bb\d+/g, "^bb"]],
  ignored: "numbers of values and blocks, and source locations",
};
const stages = {
  ttir: mlir,
  ttgir: mlir,
  llir: {
    gone: /^\s*;|^!|^\s*#dbg_|^\s*$/,
    rules: [[/, !dbg !\d+|;.*$/g, ""], [/%\d+\b/g, "%"], [/^\d+:/, ":"], [/[#!]\d+/g, ""]],
    ignored: "numbers of values, and debug data",
  },
  ptx: {
    gone: /^\s*(\/\/|\.(loc|file|section|b8|b16|b32|b64)\b|$)/,
    rules: [[/\/\/.*$/g, ""], [/%([a-z]+)\d+/g, "%$1"], [/\$L[\w$]+/g, "$L"], [/<\d+>/g, "<>"]],
    ignored: "numbers of registers and labels, source locations, debug sections and comments",
  },
  sass: {
    gone: /^\s*(\/\/|\.(?!L|text)|$)/,
    rules: [[/\/\*.*?\*\//g, ""], [/\.reuse\b/g, ""], [/\b(U?[RP]|B)\d+\b/g, "$1"], [/\.L_x_\d+/g, ".L"]],
    ignored: "numbers of registers and labels, addresses, reuse hints and directives",
  },
};
const plain = { gone: /^\s*$/, rules: [], ignored: "blank lines" };

/** In words, what `compare` takes no notice of in a stage. */
export const ignored = (stage) => (stages[stage] ?? plain).ignored;

/** A line without what differs from one compilation to the next for no reason; empty where nothing of it is compared. */
export function essence(line, stage) {
  return (stages[stage] ?? plain).gone.test(line) ? "" : bare(line, stage).trim();
}

/** Some text of a stage without what is not compared, blanks as one. */
export const bare = (text, stage) => (stages[stage] ?? plain).rules.reduce((rest, [what, by]) => rest.replace(what, by), text).replace(/\s+/g, " ");

/** What a line is about: of an instruction the opcode, behind its guard or the name of its result. */
const subject = (words) => words.replace(/^@!?\S+ |^[^"=]* = /, "").match(/^[^\s.(]*/)[0];

/**
 * Two texts of `stage`, as lists of lines, beside each other: rows {mark, left, right} with line numbers from 1, 0 for none.
 * Marks: "=" alike, "≠" in the place of one another, "−" only in the left one, "+" only in the right one.
 * Lines of which nothing is compared are left out.
 */
export function compare(left, right, stage) {
  const [a, b] = [essential(left, stage), essential(right, stage)];
  const rows = [];
  let [i, j] = [0, 0];
  const add = (mark, gone, come) => rows.push({ mark, left: gone ? a.numbers[i++] : 0, right: come ? b.numbers[j++] : 0 });
  for (const [same, gone, come] of runs(a.words, b.words)) {
    for (let n = 0; n < same; n++) add("=", true, true);
    const [ours, theirs] = [a.words.slice(i, i + gone).map(subject), b.words.slice(j, j + come).map(subject)];
    for (const [alike, more, others] of runs(ours, theirs)) { // those about the same thing stand beside each other
      for (let n = 0; n < alike; n++) add("≠", true, true);
      for (let n = 0; n < Math.max(more, others); n++) add(n < more && n < others ? "≠" : n < more ? "−" : "+", n < more, n < others);
    }
  }
  return rows;
}

/** Two lists as runs [alike, only in the first, only in the second]. */
function runs(left, right) {
  const found = [];
  for (const { count, added, removed } of diffArrays(left, right, { maxEditLength: MOST_EDITS }) ?? [{ removed: true, count: left.length }, { added: true, count: right.length }]) {
    const last = found.at(-1);
    const run = last && !last[0] && (added || removed) ? last : [0, 0, 0];
    if (run !== last) found.push(run);
    run[removed ? 1 : added ? 2 : 0] += count;
  }
  return found;
}

function essential(lines, stage) {
  const found = { words: [], numbers: [] };
  lines.forEach((line, at) => {
    const words = essence(line, stage);
    if (words) { found.words.push(words); found.numbers.push(at + 1); }
  });
  return found;
}
