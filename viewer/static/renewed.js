// What a kernel compiles to now that its code has been saved: on the author's own machine the server has it compiled.

import { element } from "./values.js";

/** What the variant kept under `key` becomes of the text whose digest this is: {variant, compiled}, with SASS or (sooner) without. */
export async function renewed(key, digest, sass) {
  try {
    const answer = await fetch(`../_renewed/${encodeURIComponent(key)}.json?until=${sass ? "" : "ptx"}&digest=${digest}`);
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
    const found = await answer.json();
    return { ...found, variant: { stages: [], ...found.variant } };
  } catch (error) {
    return { variant: { key: "", stages: [], reason: `The server cannot be asked: ${error.message}` }, compiled: { stages: {} } };
  }
}

/** What a recorded variant and what it becomes are called beside each other. */
export function sides(recorded, saved) {
  const registers = (variant) => (variant.registers === undefined ? "" : `, ${variant.registers} registers`);
  return [`As recorded${registers(recorded)}`, `As saved${registers(saved)}`];
}

/** Why the saved code does not compile, above what was recorded, which stays. */
export function failure(fresh) {
  if (!fresh?.variant.reason) return "";
  return element("div", { class: "missing failure", role: "alert" },
    element("strong", {}, `The saved code does not compile for ${fresh.of.target}. Below is what was recorded.`), element("pre", {}, fresh.variant.reason));
}
