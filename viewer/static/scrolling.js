// Scrolling within one box, so that the page itself stays where it is.

/** Scroll `box` until `node` is in it; nothing moves when it is already. */
export function keepInView(node, box) {
  const [inner, outer] = [node.getBoundingClientRect(), box.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top - outer.height / 3;
}

/** Scroll `box` so that `first` to `last` are in it, `first` at the top where they need it; nothing moves when they are. */
export function atTop(first, last, box) {
  const [top, bottom, outer] = [first.getBoundingClientRect().top, last.getBoundingClientRect().bottom, box.getBoundingClientRect()];
  if (top < outer.top || bottom > outer.bottom) box.scrollTop += top - outer.top - 4;
}
