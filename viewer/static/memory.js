// What the reader's browser remembers from page to page; in a private window, nothing.

export function recall(name) {
  try { return localStorage.getItem(`viewer.${name}`); } catch { return null; }
}

export function remember(name, value) {
  try { localStorage.setItem(`viewer.${name}`, value); } catch { /* it lasts as long as the page */ }
}
