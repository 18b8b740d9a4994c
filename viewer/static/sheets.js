// On a phone the outline and the panes are sheets over the lecture; one is open at a time, and a swipe steps.

export class Sheets {
  constructor(state) {
    this.buttons = [...document.querySelectorAll("[data-sheet-open]")];
    for (const button of this.buttons) button.addEventListener("click", () => this.open(button.dataset.sheetOpen));
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") this.open(null); });
    document.getElementById("outline").addEventListener("click", (event) => { if (event.target.closest("a")) this.open(null); });
    swipe(document.getElementById("lecture"), (direction) => state.move(direction));
  }

  open(name) {
    const { body } = document;
    if (!name || body.dataset.sheet === name) delete body.dataset.sheet;
    else body.dataset.sheet = name;
    for (const button of this.buttons) button.setAttribute("aria-expanded", button.dataset.sheetOpen === body.dataset.sheet);
  }
}

/** Calls `step` for a mostly horizontal swipe that did not begin in something that scrolls sideways itself. */
function swipe(box, step) {
  let from = null;
  box.addEventListener("touchstart", (event) => {
    const { clientX: x, clientY: y } = event.touches[0];
    from = event.touches.length === 1 && !scrollsSideways(event.target, box) ? { x, y, at: event.timeStamp } : null;
  }, { passive: true });
  box.addEventListener("touchend", (event) => {
    if (!from) return;
    const { clientX, clientY } = event.changedTouches[0];
    const [across, down] = [clientX - from.x, clientY - from.y];
    if (Math.abs(across) > 60 && Math.abs(across) > 2 * Math.abs(down) && event.timeStamp - from.at < 700) step(across < 0 ? "next" : "previous");
    from = null;
  }, { passive: true });
}

function scrollsSideways(node, box) {
  for (let at = node; at && at !== box; at = at.parentElement) if (at.scrollWidth > at.clientWidth + 1 && getComputedStyle(at).overflowX !== "visible") return true;
  return false;
}
