// The address names the step. It is replaced, not pushed, so that the browser's back button leaves the page.

const names = { raw: ["raw", false], animate: ["animate", false], notes: ["showNotes", false], env: ["hideEnv", true] };

/** What the address asks for: {step, source, line, on}. */
export function asked(search = location.search) {
  const query = new URLSearchParams(search);
  const on = {};
  for (const [toggle, [name, inverted]] of Object.entries(names)) {
    if (query.has(name)) on[toggle] = (query.get(name) === "1" || query.get(name) === "true") !== inverted;
  }
  const step = query.has("step") ? Number.parseInt(query.get("step"), 10) : null;
  return { step: Number.isNaN(step) ? 0 : step, at: query.get("at"), source: query.get("source"), line: Number(query.get("line")) || 0, on };
}

/** `function.offset` of a step: what a link falls back to when the lecture was edited since. */
export function placeName(data, step) {
  const scope = data.scope(data.file(step), data.line(step));
  return scope ? `${scope[2]}.${data.line(step) - scope[0]}` : "";
}

export function address(state) {
  const query = new URLSearchParams({ step: state.step });
  const place = state.data.steps ? placeName(state.data, state.step) : "";
  if (place) query.set("at", place);
  for (const [toggle, [name, inverted]] of Object.entries(names)) if (state.on[toggle] === !inverted) query.set(name, "1");
  return `?${query}`;
}

let pending = 0;
let latest = "";
/** Browsers refuse more than some hundred replacements in ten seconds, so a held key replaces only now and then. */
export function show(state) {
  latest = address(state);
  if (pending) return;
  pending = setTimeout(() => { pending = 0; history.replaceState(null, "", latest); }, 120);
}
