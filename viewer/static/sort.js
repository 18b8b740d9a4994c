// A profile's table, sorted by any of its columns: numbers as numbers, with their units, the largest first.

import { whenNear } from "./near.js";
import { element } from "./values.js";

const units = { "": 1, "%": 1, ns: 1e-9, us: 1e-6, "µs": 1e-6, "μs": 1e-6, ms: 1e-3, s: 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9 };

export function listen() {
  whenNear(".profile", (box) => {
    for (const head of box.querySelectorAll("thead th")) head.replaceChildren(element("button", { type: "button" }, head.textContent));
  });
  document.addEventListener("click", (event) => {
    const head = event.target.closest(".profile th:has(> button)");
    if (head) sort(head.closest(".profile"), head.cellIndex, head.getAttribute("aria-sort"));
  });
}

/** Sort all rows of `box`, also those that are folded away: as many as before stand in each of its tables. */
function sort(box, column, order) {
  const bodies = [...box.querySelectorAll("tbody")];
  const rows = bodies.flatMap((body) => [...body.rows]).map((row) => ({ row, key: amount(row.cells[column].textContent) }));
  const words = rows.every(({ key }) => typeof key === "string");
  const falling = order ? order === "ascending" : !words;
  rows.sort((a, b) => (falling ? -1 : 1) * compare(a.key, b.key) || 0);
  const counts = bodies.map((body) => body.rows.length);
  bodies.forEach((body, i) => body.append(...rows.splice(0, counts[i]).map(({ row }) => row)));
  for (const head of box.querySelectorAll("th")) {
    if (head.cellIndex === column) head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
}

/** What a cell is sorted by: its number in seconds or bytes or whatever it counts, else its words. */
function amount(text) {
  const [, digits, unit] = /^([-+]?[\d,]*\.?\d+(?:e[-+]?\d+)?)\s*([a-zµμ%]*)$/i.exec(text.trim()) ?? [];
  const factor = units[unit?.toLowerCase()];
  return factor ? Number(digits.replaceAll(",", "")) * factor : text;
}

/** Words stand before numbers, as the least of them. */
function compare(a, b) {
  if (typeof a === typeof b) return typeof a === "string" ? a.localeCompare(b) : a - b;
  return typeof a === "string" ? -1 : 1;
}
