// Vega-Lite charts: no address in a specification is ever asked for, and its expressions are interpreted.

import { element } from "./values.js";

export async function make(box, spec, colour) {
  let view = await show(box, spec, colour);
  const room = box.clientWidth;
  if ((spec.mark || spec.layer) && box.firstChild.clientWidth > room) {
    view.finalize();
    view = await show(box, { ...spec, width: room, autosize: { type: "fit-x", contains: "padding" } }, colour);
  }
  return () => view.finalize();
}

async function show(box, spec, colour) {
  const { vega } = globalThis;
  let fault = null;
  const quiet = vega.logger(vega.None);
  quiet.error = (...said) => { fault ??= said.find((each) => each instanceof Error) ?? new Error(said.join(" ")); return quiet; };
  const refuse = async (address) => { quiet.error(`asks for ${address}`); throw fault; };
  const compiled = globalThis.vegaLite.compile(spec, { config: config(spec, colour), logger: quiet }).spec;
  const view = new vega.View(vega.parse(compiled, null, { ast: true }), {
    expr: globalThis.vegaInterpreter, loader: { load: refuse, sanitize: refuse, http: refuse, file: refuse },
    logger: quiet, renderer: "svg", container: box, hover: true, tooltip: tooltip(box),
  });
  await view.runAsync();
  if (fault) { view.finalize(); throw fault; }
  return view;
}

/** The page's colours, beneath what the chart itself asks for; a chart with a background of its own keeps its own. */
function config(spec, colour) {
  if (spec.background || spec.config?.background) return { mark: { tooltip: true } };
  const [ink, quiet, line] = ["ink", "quiet", "grid"].map(colour);
  const text = { labelColor: quiet, titleColor: ink };
  return {
    background: null, view: { stroke: line }, axis: { ...text, domainColor: quiet, tickColor: line, gridColor: line },
    legend: text, header: text, title: { color: ink, subtitleColor: quiet }, style: { "guide-label": { fill: quiet }, "guide-title": { fill: ink } },
    text: { color: ink }, mark: { color: colour("accent"), tooltip: true },
  };
}

function tooltip(box) {
  const tip = element("div", { class: "tip", hidden: "" });
  return (_, event, item, value) => {
    tip.hidden = value === null || value === undefined || value === "";
    if (tip.hidden) return;
    tip.textContent = typeof value === "object" ? Object.entries(value).map((pair) => pair.join(": ")).join("\n") : value;
    const from = box.getBoundingClientRect();
    box.append(tip);
    tip.style.left = `${Math.min(event.clientX - from.left + 12, box.clientWidth - tip.offsetWidth)}px`;
    tip.style.top = `${event.clientY - from.top + 12}px`;
  };
}
