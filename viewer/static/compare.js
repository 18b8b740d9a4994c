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
  const { gone, rules } = stages[stage] ?? plain;
  if (gone.test(line)) return "";
  return rules.reduce((text, [what, by]) => text.replace(what, by), line).replace(/\s+/g, " ").trim();
}

/**
 * Two texts of `stage`, as lists of lines, beside each other: rows {mark, left, right} with line numbers from 1, 0 for none.
 * Marks: "=" alike, "≠" in the place of one another, "−" only in the left one, "+" only in the right one.
 * Lines of which nothing is compared are left out.
 */
export function compare(left, right, stage) {
  const [a, b] = [essential(left, stage), essential(right, stage)];
  const runs = diffArrays(a.words, b.words, { maxEditLength: MOST_EDITS })
    ?? [{ removed: true, count: a.words.length }, { added: true, count: b.words.length }];
  const rows = [];
  let [i, j] = [0, 0];
  for (let at = 0; at < runs.length; at++) {
    const { count, added, removed } = runs[at];
    if (!added && !removed) {
      for (let n = 0; n < count; n++) rows.push({ mark: "=", left: a.numbers[i++], right: b.numbers[j++] });
      continue;
    }
    const next = runs[at + 1];
    const both = next && (next.added || next.removed);
    if (both) at++;
    const [gone, come] = removed ? [count, both ? next.count : 0] : [both ? next.count : 0, count];
    for (let n = 0; n < Math.max(gone, come); n++) {
      const mark = n < gone && n < come ? "≠" : n < gone ? "−" : "+";
      rows.push({ mark, left: n < gone ? a.numbers[i++] : 0, right: n < come ? b.numbers[j++] : 0 });
    }
  }
  return rows;
}

function essential(lines, stage) {
  const found = { words: [], numbers: [] };
  lines.forEach((line, at) => {
    const words = essence(line, stage);
    if (words) { found.words.push(words); found.numbers.push(at + 1); }
  });
  return found;
}
