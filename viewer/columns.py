"""The data file of a lecture's page: everything that changes from step to step, as columns of plain numbers.

Ascending columns are stored as differences, which are short in JSON; the page turns all of them into typed arrays.
"""

from itertools import pairwise
from typing import Any

import msgspec

from engine.trace import Kernel, Recording, Scalar, Value
from viewer.accesses import inside
from viewer.kernels import in_play
from viewer.navigation import NOWHERE, moves
from viewer.outline import Section
from viewer.statements import Layout
from viewer.variables import variables
from viewer.visits import Visits, first_passes

VERSION = 2


def encode(recording: Recording, visits: Visits, sections: list[Section], layouts: list[Layout]) -> bytes:
    """The data file of `recording` as JSON."""
    trace = recording.trace
    return msgspec.json.encode(
        {
            "version": VERSION,
            "steps": _steps(recording),
            "activations": _activations(recording),
            "places": {"kind": trace.places.kind, "spot": visits.of_place, "function": trace.places.function},
            "spots": _spots(visits),
            "first": differences(first_passes(recording, visits)),
            "slots": {number: spot.group for number, spot in enumerate(visits.spots) if spot.groups},
            "sections": [[section.step, section.level, section.title] for section in sections],
            "variables": _variables(recording),
            "names": trace.names,
            "values": [_value(value) for value in trace.values],
            "errors": trace.errors,
            "files": [file.path for file in trace.files],
            "functions": [layout.functions for layout in layouts],
            "play": list(in_play(recording, sections)),
            "kernels": [_kernel(recording, kernel) for kernel in trace.kernels],
            "inside": inside(recording),
        }
    )


def _value(value: Value) -> Value | tuple[str, str]:
    """Whole scalars, of which there are the most, as (type, text), which a browser reads faster."""
    return (value.type, value.text) if isinstance(value, Scalar) and not value.truncated else value


def differences(numbers: list[int]) -> list[int]:
    """Each number less the one before it."""
    return [after - before for before, after in pairwise([0, *numbers])]


def _steps(recording: Recording) -> dict[str, list[int]]:
    found = moves(recording)
    return {
        "place": recording.trace.steps.place,
        "activation": recording.trace.steps.activation,
        "call": _distance(recording.call_step),
        "over": _distance(found.over),
        "back": _distance(found.back),
        "out": _distance(found.out),
    }


def _distance(targets: list[int]) -> list[int]:
    """How far each step's target is from it, 0 for none."""
    return [0 if target == NOWHERE else abs(target - step) for step, target in enumerate(targets)]


def _activations(recording: Recording) -> dict[str, Any]:
    threads = list(dict.fromkeys(recording.thread))
    number = {name: index for index, name in enumerate(threads)}
    return {
        "frame": differences(recording.frame),
        "depth": recording.depth,
        "thread": [number[name] for name in recording.thread] if len(threads) > 1 else [],
        "threads": threads,
    }


def _spots(visits: Visits) -> dict[str, list[int]]:
    spots = visits.spots
    return {
        "file": [spot.file for spot in spots],
        "line": [spot.line for spot in spots],
        "end": [spot.end_line for spot in spots],
        "count": [len(spot.steps) for spot in spots],
        "visit": [step for spot in spots for step in differences(spot.steps)],
    }


def _variables(recording: Recording) -> dict[str, list[int]]:
    found = variables(recording)
    return {
        "frame": differences(found.frame),
        "name": found.name,
        "start": differences(found.start),
        "step": differences(found.step),
        "value": found.value,
    }


def _kernel(recording: Recording, kernel: Kernel) -> dict[str, Any]:
    """What the pane shows of a kernel besides its stages."""
    paths = [file.path for file in recording.trace.files]
    return {
        "name": kernel.name,
        "language": kernel.language,
        "file": paths.index(kernel.path) if kernel.path in paths else -1,
        "line": kernel.line,
        "end": kernel.end_line,
        "variants": kernel.variants,
        "launches": kernel.launches,
        "truncated": kernel.truncated,
        "tunings": kernel.tunings,
    }
