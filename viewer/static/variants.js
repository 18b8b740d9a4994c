// What is said of a kernel's compilations: where each comes from, what it costs, and what tells them apart.

import { arithmetic, occupancy } from "./occupancy.js";
import { element, number } from "./values.js";

/** What tells compilations for the same target apart, in words. */
export function specialisation(variant) {
  const constants = Object.entries(variant.constants ?? {}).map(([name, value]) => `${name} = ${value}`);
  return [...constants, variant.num_warps ? `${variant.num_warps} warps` : "", variant.num_stages ? `${variant.num_stages} stages` : "", variant.origin]
    .filter(Boolean).join(", ");
}

/** Choices of specialisations, each named by what not all of them share. */
export function options(names) {
  return unshared(names).map((name, i) => element("option", { value: names[i] }, name));
}

/** What compilations are called beside each other, and beside `also`: target and specialisation, without what all of them share. */
export function named(variants, also = null) {
  const names = [...variants, ...(also ? [also] : [])].map((variant) => `${variant.target}, ${specialisation(variant)}`);
  return unshared(names).slice(0, variants.length).map((name, i) => name || variants[i].target);
}

function unshared(names) {
  const parts = names.map((name) => name.split(", "));
  const shared = (part) => parts.every((other) => other.includes(part));
  return parts.map((own) => own.filter((part) => !shared(part)).join(", "));
}

/** Of several compilations, first the one that was launched, then sm_90. */
export function preferred(kernel) {
  const launched = kernel.variants.findIndex(({ origin }) => origin === "launched");
  if (launched >= 0) return launched;
  return Math.max(0, kernel.variants.findIndex(({ target, stages }) => target === "sm_90" && stages?.length));
}

/** Of the variants `numbers`, the one that is `shown`, else one for its target, else the preferred one. */
export function likeliest(kernel, shown, numbers) {
  const of = (test) => numbers.find((number) => kernel.variants[number] && test(kernel.variants[number], number));
  return of((variant) => variant === shown) ?? of(({ target }) => target === shown?.target)
    ?? of((_, number) => number === preferred(kernel)) ?? numbers[0];
}

export function originOf(variant) {
  if (!variant.stages?.length && variant.origin !== "launched") return `not compiled for ${variant.target}`;
  if (variant.origin === "launched") return variant.device ? `launched on ${variant.device}` : "launched";
  return `compiled for ${variant.target} without a GPU`;
}

export function launches(kernel) {
  const { grid, interpreted } = kernel.launches[0];
  const count = kernel.launches.length;
  const times = count > 1 ? `${number(count)}${kernel.truncated ? " or more" : ""} launches, first ` : "";
  const over = grid.length ? `grid ${grid.join(" × ")}` : "called as a function";
  return `${times}${over}${interpreted ? ", run in the interpreter" : ""}`;
}

export function costs(variant) {
  if (!variant) return element("div", { class: "costs" });
  const facts = [
    variant.num_warps && `${variant.num_warps} warps`, variant.num_stages && `${variant.num_stages} stages`,
    variant.registers !== undefined && `${variant.registers} registers`, variant.spills !== undefined && `${variant.spills} spills`,
    variant.shared !== undefined && `${number(variant.shared)} B shared`, occupancy(variant),
    ...Object.entries(variant.constants ?? {}).map(([name, value]) => `${name} = ${value}`),
  ].filter(Boolean);
  const words = facts.join(" · ");
  if (!variant.residency) return element("div", { class: "costs", title: words }, words);
  return element("details", { class: "costs" }, element("summary", { title: "How the occupancy is computed" }, words), arithmetic(variant));
}

export function why(variant) {
  if (!variant) return "This kernel was not compiled, so there is nothing to show beside its source.";
  return variant.reason || `Nothing was compiled for ${variant.target}.`;
}
