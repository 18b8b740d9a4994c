// Draws a recorded value by its kind.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined && value !== null) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const cutMark = (value) => (value.truncated ? element("span", { class: "type", title: "the recording holds no more of it" }, " (cut)") : null);
/** A whole number with its thousands apart; the browser's own way takes tens of milliseconds the first time. */
export const grouped = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
export const number = (value) => (value === null ? "none" : Number.isInteger(value) ? grouped(value) : String(Number(value.toPrecision(5))));

/** An element that shows values[index]; containers draw their parts when they are opened. */
export function draw(values, index) {
  const value = values[index];
  if (value.kind === "array") return array(value);
  if (value.kind === "failed") return element("span", { class: "value failed" }, `${value.type}: ${value.text}`);
  if (parts(value).length) return container(values, value);
  return element("span", { class: "value" }, value.text, cutMark(value));
}

function parts(value) {
  if (value.kind === "sequence") return (value.items ?? []).map((item, i) => [String(i), item]);
  if (value.kind === "mapping") return value.items ?? [];
  if (value.kind === "object") return value.fields ?? [];
  return [];
}

function container(values, value) {
  const size = value.length === undefined ? "" : ` · ${grouped(value.length)}`;
  const made = element("details", { class: "value" }, element("summary", {}, element("span", { class: "words" }, value.text), element("span", { class: "type" }, ` ${value.type}${size}`)));
  made.addEventListener("toggle", () => { if (made.open && made.children.length === 1) made.append(list(values, value)); });
  return made;
}

function list(values, value) {
  const shown = parts(value);
  const made = element("ul", { class: "parts" }, ...shown.map(([key, item]) => {
    const name = typeof key === "number" ? values[key].text : key;
    return element("li", {}, element("span", { class: "key" }, `${name}: `), draw(values, item));
  }));
  const left = (value.length ?? shown.length) - shown.length;
  if (left > 0) made.append(element("li", { class: "cut" }, `${grouped(left)} more are not in the recording`));
  else if (value.truncated) made.append(element("li", { class: "cut" }, "cut here: the recording holds no more of it"));
  return made;
}

function array(value) {
  const shape = `[${value.shape.join(", ")}]`;
  const dtype = value.dtype.replace(/^torch\./, "");
  const kept = value.data !== undefined && value.data !== null;
  const kind = element("span", { class: "type" }, ` ${value.type}${value.device ? ` on ${value.device}` : ""}`);
  if (!value.shape.length && kept) return element("div", { class: "value" }, short(value.data), element("span", { class: "type" }, ` ${dtype}`), kind);
  const made = element("div", { class: "value array" }, element("span", {}, `${dtype} ${shape}`), kind);
  if (kept) made.append(elements(value.data, value.shape));
  else if (value.sample) made.append(heat(value.sample, value.stats, value.shape));
  if (value.stats) made.append(stats(value));
  if (value.truncated && !value.sample) made.append(element("span", { class: "cut" }, " (elements not recorded)"));
  return made;
}

function stats({ stats: s, shape }) {
  const all = shape.reduce((product, size) => product * size, 1);
  const odd = [s.nan ? `${number(s.nan)} nan` : "", s.inf ? `${number(s.inf)} inf` : ""].filter(Boolean);
  const seen = s.count < all ? `of ${number(s.count)} sampled` : "";
  const text = [`min ${number(s.min)}`, `mean ${number(s.mean)}`, `max ${number(s.max)}`, ...odd, seen].filter(Boolean).join(" · ");
  return element("div", { class: "type" }, text);
}

/** A small array: a table of its last two dimensions, one after the other for further ones. */
function elements(data, shape) {
  if (shape.length > 2) return element("div", {}, ...data.map((part, i) => element("div", {}, element("span", { class: "type" }, `[${i}]`), elements(part, shape.slice(1)))));
  const rows = shape.length === 1 ? [data] : data;
  return element("div", { class: "matrix", tabindex: "0" }, element("table", {}, ...rows.map((row) => element("tr", {}, ...row.map((item) => element("td", {}, short(item)))))));
}
const short = (item) => (typeof item === "number" && !Number.isInteger(item) ? String(Number(item.toPrecision(4))) : String(item));

/** A larger array: its sample as a picture, light for low and dark for high; the element under the pointer is named. */
function heat(recorded, stats, shape) {
  const sample = recorded.map((row) => row.map((item) => (typeof item === "boolean" ? Number(item) : item)));
  const [height, width] = [sample.length, sample[0]?.length ?? 0];
  if (!width) return element("div", { class: "type" }, "no elements");
  const canvas = element("canvas", { class: "heat", width, height, role: "img", "aria-label": `heat map of ${height} by ${width} evenly spaced elements` });
  const [low, high] = range(sample, stats);
  const context = canvas.getContext("2d");
  const ends = heatEnds();
  const pixels = context.createImageData(width, height);
  sample.forEach((row, y) => row.forEach((item, x) => pixels.data.set(colour(item, low, high, ends), 4 * (y * width + x))));
  context.putImageData(pixels, 0, 0);
  canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => {
    const at = (offset, size, count) => Math.min(count - 1, Math.max(0, Math.floor((offset / size) * count)));
    canvas.title = short(recorded[at(offsetY, canvas.clientHeight, height)][at(offsetX, canvas.clientWidth, width)]);
  });
  const of = shape.reduce((product, size) => product * size, 1);
  const seen = height * width < of ? `${number(height * width)} of ${number(of)} elements, evenly spaced` : `all ${number(of)} elements`;
  const odd = sample.flat().some((item) => typeof item !== "number") ? "; red: nan or inf" : "";
  return element("div", {}, canvas, element("div", { class: "cut" }, seen + odd));
}

function range(sample, stats) {
  const finite = sample.flat().filter((item) => typeof item === "number");
  return [Math.min(stats?.min ?? Infinity, ...finite), Math.max(stats?.max ?? -Infinity, ...finite)];
}

let ends = null;
document.addEventListener("theme", () => { ends = null; });
/** The colours of the lowest and the highest element, as the theme has them. */
function heatEnds() {
  if (!ends) {
    const probe = element("span", { class: "heat" });
    document.body.append(probe);
    const { backgroundColor, color } = getComputedStyle(probe);
    ends = [backgroundColor, color].map((text) => text.match(/[\d.]+/g).slice(0, 3).map(Number));
    probe.remove();
  }
  return ends;
}

function colour(item, low, high, [from, to]) {
  if (typeof item !== "number") return [200, 40, 40, 255];
  const share = high > low ? (item - low) / (high - low) : 0.5;
  return [0, 1, 2].map((i) => from[i] + (to[i] - from[i]) * share).concat(255);
}
