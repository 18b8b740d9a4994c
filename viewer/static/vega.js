// Vega-Lite charts: no address in a specification is ever asked for, its expressions are interpreted, and what a few
// words of it can make out of nothing (rows, bins, ticks) is held to a number of them.

import { element, grouped } from "./values.js";

const MOST = 20_000;
/** Of Vega's transforms that make things out of nothing: how many, from their parameters. */
const sizes = {
  sequence: ({ start = 0, stop, step = 1 }) => (stop - start) / step,
  kde: ({ steps, maxsteps = 0 }) => steps ?? maxsteps,
  quantile: ({ step = 1 }) => 1 / step,
  graticule: ({ step, stepMinor = step ?? [10, 10] }) => 360 / stepMinor[0] + 180 / stepMinor[1],
  bin: ({ maxbins = 0, extent, step }) => (step ? (extent[1] - extent[0]) / step : maxbins),
  axisticks: ({ count }) => Number(count),
  legendentries: ({ count }) => Number(count),
};
let limited = false;

export async function make(box, spec, colour) {
  if (!limited) limit(globalThis.vega);
  limited = true;
  let view = await show(box, spec, colour);
  const room = box.clientWidth;
  if ((spec.mark || spec.layer) && box.firstChild.clientWidth > room) {
    view.finalize();
    view = await show(box, { ...spec, width: room, autosize: { type: "fit-x", contains: "padding" } }, colour);
  }
  return () => view.finalize();
}

/** The limit stands where the numbers are used, since an expression may make them. */
function limit(vega) {
  for (const [name, size] of Object.entries(sizes)) {
    const kind = vega.transforms[name].prototype;
    const { transform } = kind;
    kind.transform = function bounded(parameters, pulse) {
      bound(size(parameters));
      return transform.call(this, parameters, pulse);
    };
  }
  const [sequence, pad] = ["sequence", "pad"].map((name) => vega.expressionFunction(name));
  vega.expressionFunction("sequence", (start, stop, step = 1) => {
    bound(stop === undefined ? start : (stop - start) / step);
    return stop === undefined ? sequence(start) : sequence(start, stop, step);
  });
  vega.expressionFunction("pad", (text, length, ...how) => { bound(length); return pad(text, length, ...how); });
}

function bound(count) {
  if (Math.abs(count) > MOST) throw Object.assign(new Error(`it asks for ${grouped(Math.ceil(Math.abs(count)))} items made from nothing, and at most ${grouped(MOST)} are`), { refused: true });
}

async function show(box, spec, colour) {
  const { vega } = globalThis;
  let fault = null;
  const quiet = vega.logger(vega.None);
  quiet.error = (...said) => { fault ??= said.find((each) => each instanceof Error) ?? new Error(said.join(" ")); return quiet; };
  const refuse = async (address) => { quiet.error(`asks for ${address}`); throw fault; };
  const compiled = globalThis.vegaLite.compile(spec, { config: config(spec, colour), logger: quiet }).spec;
  JSON.stringify(compiled, (key, value) => { if (key === "count") bound(value); return value; }); // colours of a scheme
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
