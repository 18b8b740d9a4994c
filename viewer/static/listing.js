// The listings of the kernel pane, and where the stages come from.

import { element } from "./values.js";

export const region = (name, ...children) => element("div", { class: "listing", tabindex: "0", role: "region", "aria-label": name }, ...children);

export function sourceOf(kernel) {
  const list = element("ol");
  for (let line = kernel.line; line <= kernel.end; line++) {
    const code = document.getElementById(`f${kernel.file}L${line}`)?.querySelector("code").cloneNode(true);
    code?.querySelector(".chip")?.remove();
    const row = element("li", { "data-n": line });
    if (code) row.append(...code.childNodes);
    list.append(row);
  }
  return list;
}

/** A line without the blanks that put the parts of instructions below each other, for which a pane is too narrow. */
export const narrow = (html) => html.replace(/^\s+(?=\/\*)/, "").replace(/(?<=\S)[ \t]{2,}/g, " ");

/** The lines of a stage as plain text. */
export function textOf({ html }) {
  const probe = document.createElement("template");
  return html.map((line) => { probe.innerHTML = line; return probe.content.textContent; }); // coloured and escaped by the viewer
}

export function stageList(stage) {
  const list = document.createElement("ol");
  const asides = new Set(stage.asides);
  const shown = stage.texts.length ? narrow : (html) => html;
  list.innerHTML = stage.html.map((html, i) => `<li data-n="${i + 1}"${asides.has(i + 1) ? " data-aside" : ""}>${shown(html)}</li>`).join(""); // coloured and escaped by the viewer
  return list;
}

/** The opcodes of a line of a stage, counted from 1, and what they do; [] where there is nothing to say. */
export const explained = (stage, line) => stage.texts[stage.text[line - 1] ?? -1] ?? [];

/** A link to the text of a stage; `text` gives it where the page itself holds all there is. */
export function download(key, stage, text) {
  const inside = document.getElementById(`kernel-${key}`);
  const link = element("a", { class: "download", href: inside ? "#" : `../_kernels/${encodeURIComponent(key)}/${stage}`, download: `${key}.${stage}` }, "Download");
  if (inside) link.addEventListener("click", () => { link.href = `data:text/plain;charset=utf-8,${encodeURIComponent(text() ?? "")}`; });
  return link;
}

/** A compiler's message keeps its lines: they point with carets at what stands above. */
export const card = (text) => element(text.includes("\n") ? "pre" : "p", { class: "missing" }, text);

export async function fetchStages(key) {
  const inside = document.getElementById(`kernel-${key}`);
  if (inside) return JSON.parse(inside.textContent);
  if (!document.querySelector("link[rel=stylesheet]")) throw new Error("it is not in this page");
  const answer = await fetch(`../_kernels/${encodeURIComponent(key)}.json`);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer.json();
}
