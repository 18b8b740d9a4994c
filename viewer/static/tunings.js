// What autotuning found for a kernel: for each key the configurations, their times, and which one ran.

import { element, number } from "./values.js";

export function tunings(kernel) {
  const found = kernel.tunings ?? [];
  if (!found.length) return "";
  const last = found.at(-1);
  const ran = last.configs[last.ran];
  const summary = `Autotuned for ${found.length === 1 ? last.key.join(", ") : `${number(found.length)} keys`}: `
    + `${ran ? words(ran) : "another configuration"} ${verdict(last)}`;
  return element("details", { class: "tunings" }, element("summary", {}, summary), ...found.map(table));
}

const words = ({ constants = {}, num_warps, num_stages }) => [...Object.entries(constants).map(([name, value]) => `${name} = ${value}`),
  num_warps === undefined ? "" : `${num_warps} warps`, num_stages === undefined ? "" : `${num_stages} stages`].filter(Boolean).join(", ");

const verdict = ({ method }) => (method ? "was the fastest" : "ran, nothing was measured");

function table(found) {
  const cell = (text, name = "td") => element(name, {}, text);
  const rows = found.configs.map((config, i) => {
    const time = config.milliseconds === undefined ? config.reason ?? "not measured" : `${number(config.milliseconds)} ms`;
    return element("tr", i === found.ran ? { class: "ran" } : {}, cell(words(config)), cell(time), cell(i === found.ran ? verdict(found) : ""));
  });
  const caption = `${found.key.join(", ")} · ${found.method ? `times by ${found.method}` : "nothing was measured here"}`;
  const cut = found.truncated ? [element("tr", {}, cell("further configurations were left out"))] : [];
  return element("table", {}, element("caption", {}, caption), element("tbody", {}, ...rows, ...cut));
}
