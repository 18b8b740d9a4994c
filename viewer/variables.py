"""Columns from which the variables of any frame at any step are found by binary search.

Events (a name got a value, or was cleared) are sorted by frame, then name, then step. A *series* is the run of events
of one name in one frame. The variables of a frame at step N are, for each of its series, the last event at or before
N: the cost depends on how many names the frame has, not on N.
"""

from dataclasses import dataclass

from engine.trace import Recording

CLEARED = -1


@dataclass(frozen=True)
class Variables:
    """Columns of series and of events."""

    frame: list[int]
    "Frame of each series, ascending."
    name: list[int]
    "Its name's number, in order of first appearance within the frame."
    start: list[int]
    "Its first event; one more entry than series."
    step: list[int]
    "Step of each event."
    value: list[int]
    "Number of the value, CLEARED when the name was cleared."


def variables(recording: Recording) -> Variables:
    """The columns of `recording`."""
    series: dict[int, dict[int, list[tuple[int, int]]]] = {}
    for step, name, value in _events(recording):
        frame = recording.frame[recording.activation[step]]
        series.setdefault(frame, {}).setdefault(name, []).append((step, value))
    found = Variables([], [], [0], [], [])
    for frame in sorted(series):
        for name, events in series[frame].items():
            found.frame.append(frame)
            found.name.append(name)
            found.step.extend(step for step, _ in events)
            found.value.extend(value for _, value in events)
            found.start.append(len(found.step))
    return found


def _events(recording: Recording) -> list[tuple[int, int, int]]:
    """(step, name, value) of all that happened to names, in order of steps; clearing comes after inspecting."""
    events = [(step, name, value) for step, pairs in recording.inspected.items() for name, value in pairs]
    events += [(step, name, CLEARED) for step, names in recording.cleared.items() for name in names]
    return sorted(events, key=lambda event: (event[0], event[2] == CLEARED))
