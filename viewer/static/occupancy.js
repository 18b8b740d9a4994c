// How many warps of a kernel are resident on a multiprocessor, with the arithmetic. The figures are the recording's.

import { element, number } from "./values.js";

const percent = (fraction) => `${Number((fraction * 100).toPrecision(3))} %`;
const least = ({ limits }) => limits.reduce((best, limit) => (limit.blocks < best.blocks ? limit : best));

/** The occupancy in a few words, and what limits it. */
export function occupancy({ occupancy: fraction, residency, num_warps: warps, registers }) {
  if (fraction === undefined) return registers === undefined || warps !== undefined ? "" : "occupancy is up to the launch, which chooses the threads of a block";
  return `occupancy ${percent(fraction)}${residency && fraction < 1 ? `, limited by ${least(residency).name}` : ""}`;
}

/** How it is computed, a line for each thing that limits it. */
export function arithmetic(variant) {
  const { residency } = variant;
  const { warps, max_warps: most, limits } = residency;
  const { name, blocks } = least(residency);
  const rows = limits.map((limit) => element("li", limit.blocks === blocks ? { class: "least" } : {},
    `${limit.blocks === blocks ? "▸ " : ""}${(steps[limit.name] ?? plain)(limit, warps, variant)} → `, element("strong", {}, count(limit.blocks, "block"))));
  const result = `${count(blocks, "block")} × ${count(warps, "warp")} = ${number(blocks * warps)} of ${number(most)} warps = ${percent(variant.occupancy)}`;
  return element("div", { class: "arithmetic", tabindex: "0", role: "region", "aria-label": "How the occupancy is computed" }, element("p", {}, `A block is ${count(warps, "warp")} of 32 threads. By each thing a multiprocessor has, so many fit:`),
    element("ul", {}, ...rows), element("p", {}, `The least counts: ${result}, limited by ${name}.`));
}

const count = (many, what) => `${number(many)} ${what}${many === 1 ? "" : "s"}`;
const plain = ({ name, need, room }) => `${name}: ${number(room)} ÷ ${number(need)} a block`;

const steps = {
  warps: ({ room }, warps) => `warps: ${number(room)} ÷ ${number(warps)} a block`,
  blocks: ({ room }) => `blocks: at most ${number(room)}`,
  registers: ({ need, room, parts }, warps, { registers }) => {
    const rounded = registers * 32 === need ? "" : `, rounded up to ${number(need)}`;
    const fit = Math.floor(room / need);
    return `registers: ${number(registers)} × 32 threads = ${number(registers * 32)} a warp${rounded}; ${number(room)} ÷ ${number(need)} = ${count(fit, "warp")} `
      + `in each of ${number(parts)} parts, ${number(fit * parts)} ÷ ${number(warps)} a block`;
  },
  "shared memory": ({ need, room }, _, { shared }) => `shared memory: ${number(shared)} B and ${number(need - shared)} B of the system's = ${number(need)} B a block; `
    + `${number(room)} ÷ ${number(need)}`,
};
