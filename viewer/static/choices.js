// What can be chosen in the kernel pane: the kernel, the stage, the target, the specialisation, and what to compare with.

import { download, textOf } from "./listing.js";
import { element } from "./values.js";
import { launches, named, options, originOf, specialisation } from "./variants.js";

const languages = { triton: "Triton", cuda: "CUDA", inductor: "torch.compile" };
export const stageNames = { ttir: "TTIR", ttgir: "TTGIR", llir: "LLIR", ptx: "PTX", sass: "SASS" };
/** How each stage is to be read, for someone who sees it the first time. */
export const guides = {
  ttir: "Triton IR: operations on whole blocks; nothing is said yet of threads.",
  ttgir: "Triton GPU IR: the same, with layouts such as #blocked that say which thread holds which elements.",
  llir: "LLVM IR: what one thread does, each value named once; nothing is said yet of real registers.",
  ptx: "What each thread does, in NVIDIA's assembly: opcode, result, operands. %r, %rd, %f are registers; @%p1: only where %p1 holds.",
  sass: "The machine code of this architecture: opcode, result, operands. R are registers, UR a warp's; @P0: only where P0 holds.",
};
export const stageName = (stage) => stageNames[stage] ?? stage;

/** What a kernel is called where others may have the same name. */
export function kernelName(kernels, { name, language }) {
  return kernels.filter((other) => other.name === name).length > 1 ? `${name} (${languages[language]})` : name;
}

export function head(view) {
  const { kernels } = view.data;
  const { kernel, variant } = view;
  const origin = element("span", { class: `origin ${variant?.origin ?? ""}` }, variant ? originOf(variant) : "not compiled");
  const launched = kernel.launches?.length ? element("span", { class: "facts", title: launches(kernel) }, launches(kernel)) : null;
  const close = element("button", { type: "button", class: "quiet", "aria-label": "Close the kernel pane" }, "×");
  close.addEventListener("click", () => view.pane.close());
  const names = kernels.map((other, i) => element("option", { value: i }, kernelName(kernels, other)));
  const choice = choose("Kernel", names, view.number, (value) => view.pane.choose(Number(value)));
  return element("div", { class: "kernel-head" }, kernels.length > 1 ? choice : element("strong", {}, kernel.name),
    element("span", { class: "facts" }, languages[kernel.language]), origin, launched, close);
}

/** The stages of this variant, the targets of its specialisation, the other specialisations, and others to compare with. */
export function tabs(view) {
  const { kernel, variant } = view;
  const bar = element("div", { class: "tabs", role: "group", "aria-label": "Stage and target" });
  for (const stage of variant?.stages ?? []) bar.append(tab(stageName(stage), stage === view.stage, () => view.change({ stage }), guides[stage]));
  const base = succeeded(view);
  const groups = Map.groupBy(kernel.variants.filter((other) => other.stages?.length || other === base), specialisation);
  const mine = base ? groups.get(specialisation(base)) : [];
  const failed = kernel.variants.filter((other) => !other.stages?.length && !mine.some(({ target }) => target === other.target));
  const targets = element("span", { class: "targets" });
  for (const other of [...mine, ...failed]) targets.append(tab(other.target, other === variant, () => view.change({ variant: other })));
  bar.append(targets, filter(view));
  if (groups.size > 1) {
    const same = (words) => groups.get(words).find(({ target }) => target === variant.target) ?? groups.get(words)[0];
    bar.append(choose("Specialisation", options([...groups.keys()]), specialisation(base), (words) => view.change({ variant: same(words) })));
  }
  if (variant?.stages?.length) bar.append(comparing(view), download(variant.key, view.stage, () => view.sides?.[0] && `${textOf(view.sides[0]).join("\n")}\n`));
  return bar;
}

/** Of a variant that failed nobody knows the specialisation: it stands beside those of the last one that did not fail. */
function succeeded({ kernel, variant, good }) {
  if (!variant || variant.stages?.length) return variant;
  return kernel.variants.includes(good) ? good : kernel.variants.find(({ stages }) => stages?.length) ?? variant;
}

function filter(view) {
  return tab("Code only", view.codeOnly, () => view.filter(!view.codeOnly), "Leave out directives and debug sections");
}

/** Everything that has the stage: first this kernel's other variants, then other kernels' for the same target. */
function comparing(view) {
  const groups = [element("option", { value: "" }, view.other ? "Stop comparing" : "Compare with …")];
  const { kernels } = view.data;
  if (view.fresh?.variant.stages.includes(view.stage)) groups.push(element("option", { value: "saved" }, "beside the saved code"));
  for (const kernel of [view.kernel, ...kernels.filter((other) => other !== view.kernel)]) {
    const own = kernel === view.kernel;
    const found = kernel.variants.map((variant, i) => ({ variant, i })).filter(({ variant }) => variant !== view.variant
      && variant.stages?.includes(view.stage) && (own || variant.target === view.variant.target));
    const names = named(found.map(({ variant }) => variant), own ? view.variant : null);
    const choices = found.map(({ i }, at) => element("option", { value: `${kernels.indexOf(kernel)}.${i}` }, `beside ${names[at]}`));
    if (choices.length) groups.push(element("optgroup", { label: kernelName(kernels, kernel) }, ...choices));
  }
  const { other } = view;
  const value = !other ? "" : other === view.fresh ? "saved" : `${kernels.indexOf(other.kernel)}.${other.kernel.variants.indexOf(other.variant)}`;
  return choose("Compare with", groups, value, (chosen) => {
    const [kernel, variant] = chosen.split(".").map(Number);
    if (chosen === "saved") view.change({ other: view.fresh });
    else view.change({ other: chosen ? { kernel: kernels[kernel], variant: kernels[kernel].variants[variant] } : null });
  });
}

function tab(label, pressed, choose, title = null) {
  const button = element("button", { type: "button", "aria-pressed": pressed, title }, label);
  button.addEventListener("click", choose);
  return button;
}

function choose(label, choices, value, then) {
  const select = element("select", { "aria-label": label }, ...choices);
  select.value = value;
  select.addEventListener("change", () => then(select.value));
  return select;
}
