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
  const shown = { ...layout, template: template(layout, colour), autosize: true };
  if (layout.width > box.clientWidth) delete shown.width;
  const thumb = matchMedia("(pointer: coarse)").matches; // it scrolls the page
  if (thumb) shown.dragmode = false;
  await Plotly.newPlot(box, { data, layout: shown, frames, config: { responsive: true, displaylogo: false, displayModeBar: thumb ? false : "hover" } });
  return () => Plotly.purge(box);
}

function template(layout, colour) {
  const given = layout.template ?? {};
  if (layout.paper_bgcolor || layout.plot_bgcolor) return given;
  const [ink, quiet, line] = ["ink", "quiet", "grid"].map(colour);
  const axis = { gridcolor: line, zerolinecolor: line, linecolor: line };
  const { layout: own = {} } = given;
  return { ...given, layout: {
    ...own, paper_bgcolor: "transparent", plot_bgcolor: "transparent", font: { ...own.font, color: ink },
    modebar: { bgcolor: "transparent", color: quiet, activecolor: ink },
    xaxis: { ...own.xaxis, ...axis }, yaxis: { ...own.yaxis, ...axis },
  } };
}
