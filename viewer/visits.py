"""Which statements there are, when each was executed, and what each execution showed.

A *spot* is a statement's place in the text, a (file, line). A *visit* is one execution of it: a `line` step. The
`resume` or `error` step that ends the statement belongs to the visit that began it.
"""

from dataclasses import dataclass, field

from engine.trace import Recording

NO_GROUP = -1


@dataclass
class Spot:
    """A statement and its executions."""

    file: int
    line: int
    end_line: int
    enters: bool = False
    "Whether it called other visible statements."
    steps: list[int] = field(default_factory=list)
    "The step that begins each visit, in order."
    groups: list[tuple[int, ...]] = field(default_factory=list)
    "The distinct sets of outputs (numbers in the table of outputs) its visits showed, in order of appearance."
    errors: list[int] = field(default_factory=list)
    "The steps at which it raised."
    group: list[int] = field(default_factory=list)
    "For each visit, its number in `groups`, NO_GROUP where it showed nothing."


@dataclass(frozen=True)
class Visits:
    """All spots of a recording, and the spot of each place and of each step."""

    spots: list[Spot]
    of_place: list[int]
    "Number of the spot of each place."
    by_line: dict[tuple[int, int], int]
    "Number of the spot at (file, line)."


def visits(recording: Recording) -> Visits:
    """The spots of `recording` with their visits."""
    found = _spots(recording)
    shown = _executions(recording, found)
    for spot, outputs in zip(found.spots, shown, strict=True):
        numbers: dict[tuple[int, ...], int] = {}
        for items in outputs:
            key = tuple(items)
            spot.group.append(numbers.setdefault(key, len(numbers)) if key else NO_GROUP)
        spot.groups = list(numbers)
    return found


def first_passes(recording: Recording, found: Visits) -> list[int]:
    """The steps of the first visit of each statement: a lecture walked along these repeats nothing.

    A `resume` step is among them when it completes such a visit.
    """
    steps: list[int] = []
    counted = [0] * len(found.spots)
    begun: dict[tuple[int, int], int] = {}
    for step, place in enumerate(recording.trace.steps.place):
        number = found.of_place[place]
        key = (recording.frame[recording.activation[step]], number)
        if recording.trace.places.kind[place] == "line" or key not in begun:
            begun[key] = counted[number]
            counted[number] += 1
        if begun[key] == 0:
            steps.append(step)
    return steps


def _spots(recording: Recording) -> Visits:
    places = recording.trace.places
    spots: list[Spot] = []
    of_place: list[int] = []
    by_line: dict[tuple[int, int], int] = {}
    for kind, file, line, end_line in zip(places.kind, places.file, places.line, places.end_line, strict=True):
        number = by_line.setdefault((file, line), len(spots))
        if number == len(spots):
            spots.append(Spot(file, line, max(line, end_line)))
        spots[number].enters |= kind == "resume"
        of_place.append(number)
    return Visits(spots, of_place, by_line)


def _executions(recording: Recording, found: Visits) -> list[list[list[int]]]:
    """For each spot, the outputs of each visit; fills in the steps that begin visits."""
    trace, outputs = recording.trace, recording.outputs
    shown: list[list[list[int]]] = [[] for _ in found.spots]
    begun: dict[tuple[int, int], int] = {}
    for step, place in enumerate(trace.steps.place):
        number = found.of_place[place]
        key = (recording.frame[recording.activation[step]], number)
        if trace.places.kind[place] == "line" or key not in begun:
            begun[key] = len(shown[number])
            found.spots[number].steps.append(step)
            shown[number].append([])
        shown[number][begun[key]].extend(outputs.get(step, ()))
        if step in trace.errors:
            found.spots[number].errors.append(step)
    return shown
