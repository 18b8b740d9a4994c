// Scrolling within one box, so that the page itself stays where it is.

/** Scroll `box` until `node` is in it; nothing moves when it is already. */
export function keepInView(node, box) {
  const [inner, outer] = [node.getBoundingClientRect(), box.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top - outer.height / 3;
}
