// The columns of a recording, and what is looked up in them. Every look-up costs the same at any step.

const typed = (list) => Int32Array.from(list);

function sums(list) {
  const out = new Int32Array(list.length);
  let total = 0;
  for (let i = 0; i < list.length; i++) out[i] = total += list[i];
  return out;
}

/** How many of the ascending numbers array[low..high) are at most `value`, counted from `low`. */
export function upTo(array, low, high, value) {
  const first = low;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (array[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - first;
}

function visits(counts, differences) {
  const start = new Int32Array(counts.length + 1);
  const step = new Int32Array(differences.length);
  let next = 0;
  counts.forEach((count, spot) => {
    start[spot] = next;
    for (let total = 0, end = next + count; next < end; next++) step[next] = total += differences[next];
    start[spot + 1] = next;
  });
  return { start, step };
}

export class Data {
  constructor(json) {
    this.place = typed(json.steps.place);
    this.activation = sums(json.steps.activation);
    this.steps = this.place.length;
    for (const name of ["call", "over", "back", "out"]) this[name] = typed(json.steps[name]);
    this.frame = sums(json.activations.frame);
    this.depth = typed(json.activations.depth);
    this.thread = json.activations.thread;
    this.threads = json.activations.threads;
    this.kind = json.places.kind;
    this.functions = json.places.function;
    this.spotOfPlace = typed(json.places.spot);
    this.spots = { file: typed(json.spots.file), line: typed(json.spots.line), end: typed(json.spots.end) };
    this.first = sums(json.first);
    this.visits = visits(json.spots.count, json.spots.visit);
    this.slots = new Map(Object.entries(json.slots).map(([spot, groups]) => [Number(spot), typed(groups)]));
    this.sections = json.sections.map(([step, level, title]) => ({ step, level, title }));
    this.sectionSteps = typed(json.sections.map(([step]) => step));
    const { frame, name, start, step, value } = json.variables;
    this.series = { frame: sums(frame), name: typed(name), start: sums(start), step: sums(step), value: typed(value) };
    this.values = json.values.map((value) => (Array.isArray(value) ? { kind: "scalar", type: value[0], text: value[1] } : value));
    Object.assign(this, { names: json.names, errors: json.errors, files: json.files });
    Object.assign(this, { scopes: json.functions, kernels: json.kernels, inside: json.inside });
    this.play = { step: typed(json.play.map(([at]) => at)), kernel: json.play.map(([, kernel]) => kernel) };
  }

  get last() { return Math.max(0, this.steps - 1); }
  clamp(step) { return Number.isFinite(step) ? Math.min(Math.max(0, Math.trunc(step)), this.last) : 0; }
  spot(step) { return this.spotOfPlace[this.place[step]]; }
  file(step) { return this.spots.file[this.spot(step)]; }
  line(step) { return this.spots.line[this.spot(step)]; }
  /** [first line, last line, name] of the function that a line of a file is in, undefined outside any. */
  scope(file, line) { return this.scopes[file].findLast(([first, last]) => first <= line && line <= last); }
  function(step) { return this.functions[this.place[step]]; }

  /** The step that a key leads to from `step`, `step` itself where it leads nowhere. */
  move(step, how) {
    if (!this.steps) return 0;
    if (how === "next") return Math.min(step + 1, this.last);
    if (how === "previous") return Math.max(step - 1, 0);
    const distance = this[how][step];
    return how === "back" ? step - distance : step + distance;
  }

  /** The same along the first passes only: whatever repeats is passed over. */
  moveFolded(step, how) {
    const { first } = this;
    const to = this.move(step, how);
    if (how === "previous" || how === "back") {
      const before = upTo(first, 0, first.length, to) - 1;
      return before < 0 ? step : first[before];
    }
    const after = upTo(first, 0, first.length, to - 1);
    return to === step || after >= first.length ? step : first[after];
  }

  /** Number of the visit of `spot` that has begun by `step`, -1 before the first. */
  visitAt(spot, step) {
    return upTo(this.visits.step, this.visits.start[spot], this.visits.start[spot + 1], step) - 1;
  }
  visitCount(spot) { return this.visits.start[spot + 1] - this.visits.start[spot]; }
  visitStep(spot, visit) { return this.visits.step[this.visits.start[spot] + visit]; }

  /** From the innermost frame outwards, the step at which each stands. */
  stack(step) {
    const out = [step];
    while (this.call[step]) out.push(step -= this.call[step]);
    return out;
  }

  /** The variables of the frame of `at` as they are at `step`: [{name, value, since, changed, series}]. */
  variables(at, step) {
    const { frame, name, start, step: steps, value } = this.series;
    const wanted = this.frame[this.activation[at]];
    const out = [];
    for (let i = upTo(frame, 0, frame.length, wanted - 1); i < frame.length && frame[i] === wanted; i++) {
      const event = start[i] + upTo(steps, start[i], start[i + 1], step) - 1;
      if (event < start[i] || value[event] < 0) continue;
      const before = event > start[i] ? value[event - 1] : -1;
      const changed = steps[event] === step && value[event] !== before;
      out.push({ name: this.names[name[i]], value: value[event], since: steps[event], changed, fresh: before < 0, series: i });
    }
    return out;
  }

  sectionAt(step) { return upTo(this.sectionSteps, 0, this.sectionSteps.length, step) - 1; }
  kernelAt(step) {
    const change = upTo(this.play.step, 0, this.play.step.length, step) - 1;
    return change < 0 ? -1 : this.play.kernel[change];
  }
}

/** The recording of this page: from inside it where it was exported as a single file, else from beside it. */
export async function load(address) {
  const inside = document.getElementById("columns");
  if (inside) return new Data(JSON.parse(inside.textContent));
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return new Data(await answer.json());
}
