// Plotly charts, in the page's colours unless the figure asks for its own background.

// Plotly adds rules to a style element of its own and sets styles as attributes, which the page's policy forbids. The same
// is allowed through a sheet and through the object model, so these stand ready before Plotly is run.
const stand = Object.assign(document.createElement("meta"), { id: "plotly.js-style-global", sheet: new CSSStyleSheet() });
document.adoptedStyleSheets.push(stand.sheet);
document.head.append(stand);
const { setAttribute } = SVGElement.prototype;
SVGElement.prototype.setAttribute = function set(name, value) {
  if (name === "style") this.style.cssText = value;
  else setAttribute.call(this, name, value);
};

export async function make(box, { data, layout, frames }, colour) {
  const { Plotly } = globalThis;
  const deep = data.some(({ type }) => type && Plotly.PlotSchema.get().traces[type]?.categories?.includes("gl3d"));
  if (deep && !document.createElement("canvas").getContext("webgl")) throw new Error("this browser draws nothing in three dimensions (WebGL is off)");
  const shown = { ...layout, template: template(layout, colour, box.clientWidth < 480 ? 2.1 : 1.5), autosize: true };
  if (layout.width > box.clientWidth) delete shown.width;
  if (deep) box.addEventListener("wheel", (event) => event.stopPropagation(), { capture: true, passive: true }); // Plotly would hold it
  if (deep) shown.margin = { l: 0, r: 0, b: 0, t: layout.title ? 48 : 0, ...layout.margin };
  const thumb = matchMedia("(pointer: coarse)").matches; // it scrolls the page
  if (thumb) shown.dragmode = false;
  await Plotly.newPlot(box, { data, layout: shown, frames, config: { responsive: true, displaylogo: false, scrollZoom: false, displayModeBar: thumb ? false : "hover" } });
  if (deep) box.append(Object.assign(new Image(), { className: "still", alt: "", src: await Plotly.toImage(box, { format: "png" }) })); // on paper, a canvas of WebGL is empty
  return () => Plotly.purge(box);
}

/** The page's colours as the figure's defaults; `far` is how far the eye stands from a space of three dimensions. */
function template(layout, colour, far) {
  const given = layout.template ?? {};
  if (layout.paper_bgcolor || layout.plot_bgcolor) return given;
  const [ink, quiet, line] = ["ink", "quiet", "grid"].map(colour);
  const axis = { gridcolor: line, zerolinecolor: line, linecolor: line };
  const { layout: own = {} } = given;
  const scene = Object.fromEntries(["xaxis", "yaxis", "zaxis"].map((name) => [name, { ...own.scene?.[name], ...axis, showbackground: false }]));
  return { ...given, layout: {
    ...own, paper_bgcolor: "transparent", plot_bgcolor: "transparent", font: { ...own.font, color: ink },
    modebar: { bgcolor: "transparent", color: quiet, activecolor: ink },
    xaxis: { ...own.xaxis, ...axis }, yaxis: { ...own.yaxis, ...axis }, scene: { camera: { eye: { x: far, y: far, z: 1.25 } }, ...own.scene, ...scene, bgcolor: "transparent" },
  } };
}
