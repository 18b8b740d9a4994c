// The keys, those of the original viewer: letters for hands on the home row, arrows for everyone.

const plain = {
  ArrowRight: "next", l: "next", ArrowLeft: "previous", h: "previous", j: "over", k: "back", u: "out",
  r: "raw", a: "animate", e: "env", n: "notes", o: "contents", c: "fold", p: "presenter", f: "fullscreen", g: "go", "/": "search", "?": "help", "+": "larger", "-": "smaller",
};
const shifted = { ArrowRight: "over", ArrowLeft: "back" };

export function listen(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest("input:not([type=range]), textarea, select, [contenteditable], dialog[open], video")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const name = (event.shiftKey && shifted[event.key]) || plain[key];
    if (!name || !actions[name]) return;
    event.preventDefault();
    actions[name]();
  });
}
