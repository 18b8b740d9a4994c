"""Where each key leads from each step: over, back and out. Computed once, and only here.

Everything is a column with one number per step, so that moving costs the same at any step.
"""

from dataclasses import dataclass

from engine.trace import Recording

NOWHERE = -1


@dataclass(frozen=True)
class Moves:
    """Columns: for each step, the step a key leads to, NOWHERE where it leads nowhere."""

    over: list[int]
    "The next step of the same thread that is no deeper: past whatever this statement calls."
    back: list[int]
    "The step before, in the same way."
    out: list[int]
    "The next step of the same thread that is less deep: where the caller goes on."


def moves(recording: Recording) -> Moves:
    """The moves from each step of `recording`."""
    depth = [recording.depth[activation] for activation in recording.activation]
    thread = [recording.thread[activation] for activation in recording.activation]
    found = Moves(*([NOWHERE] * len(recording) for _ in range(3)))
    latest: dict[str, list[int]] = {}
    for step, level in enumerate(depth):
        _take(step, level, depth, latest.setdefault(thread[step], []), found)
    _way_out_is_shared(found, depth)
    _end_of_threads(found, thread)
    return found


def _take(step: int, level: int, depth: list[int], latest: list[int], found: Moves) -> None:
    """Let `step` follow `latest`, the last step of each depth that is still open in its thread, outermost first."""
    while latest and depth[latest[-1]] > level:
        deeper = latest.pop()
        found.over[deeper] = found.out[deeper] = step
    if latest:
        found.back[step] = latest[-1]
        if depth[latest[-1]] == level:
            found.over[latest.pop()] = step
    latest.append(step)


def _way_out_is_shared(found: Moves, depth: list[int]) -> None:
    for step in range(len(depth) - 1, -1, -1):
        following = found.over[step]
        if following != NOWHERE and depth[following] == depth[step]:
            found.out[step] = found.out[following]


def _end_of_threads(found: Moves, thread: list[str]) -> None:
    """Where nothing follows, over leads to the thread's last step, and from there to whatever happened next."""
    last = {name: step for step, name in enumerate(thread)}
    for step, name in enumerate(thread):
        if found.over[step] == NOWHERE and step + 1 < len(thread):
            found.over[step] = last[name] if last[name] > step else step + 1
