"""Measuring in a lecture: how long an operation takes, and where the time goes."""

import math
import operator
from collections.abc import Callable
from typing import Any

from engine import sink
from engine.profiles import Profile, record
from engine.timing import Timing, measure
from engine.trace import BenchmarkResult
from engine.words import clean

__all__ = ["benchmark", "profile"]


def benchmark(
    name: str,
    run: Callable[[], object],
    *,
    warmups: int = 1,
    trials: int = 5,
    floor: float | None = None,
    floor_source: str = "",
    show: bool = True,
) -> Timing:
    """Time `run()` and show the result: `trials` times after `warmups` runs that do not count.

    With torch imported and a GPU there the times are the GPU's own (CUDA events, the L2 cache overwritten before each
    run), else of the wall clock. Nothing `run` does is recorded, so that the recorder is not measured.

    Returns the times; as a number they are the median in milliseconds. `floor` is the least milliseconds the device
    allows and `floor_source` says where that figure comes from. Raises TypeError or ValueError for arguments that
    cannot be, and whatever `run` raises.
    """
    call = _check("benchmark", name, run)
    warmups, trials = _whole(call, "warmups", warmups, 0), _whole(call, "trials", trials, 1)
    least = _floor(call, floor)  # seen before anything runs, which may take long
    result = measure(str(name), run, warmups, trials)
    if show:
        source = clean(str(floor_source))
        shown = BenchmarkResult(clean(result.name), result.samples, result.device, result.method, least, source)
        sink.emit(shown, f"{result.name}: {result!r}")
    return result


def profile(
    name: str, run: Callable[[], object], with_stack: bool = False, *, warmups: int = 1, show: bool = True
) -> Profile:
    """Run `run()` under torch's profiler and show its operators, those that take the most time themselves first.

    With a GPU its kernels are profiled too. `with_stack` also keeps which lines of Python called them, for a flame
    graph. The Chrome trace is kept beside the recording. Nothing `run` does is recorded.

    Returns the table; `str()` of it is for a terminal. Raises EngineError without torch or within another profile,
    TypeError or ValueError for arguments that cannot be, and whatever `run` raises.
    """
    warmups = _whole(_check("profile", name, run), "warmups", warmups, 0)
    result = record(str(name), run, with_stack, warmups)
    if show:
        sink.emit(result.output(), str(result))
    return result


def _check(function: str, name: object, run: object) -> str:
    """The call as its complaints name it. Raises TypeError for a `run` that is no function."""
    if not callable(run):
        raise TypeError(f"{function}() takes a function to run, not {type(run).__name__}; put `lambda: ` before it")
    return f"{function}({name!r:.80})"


def _whole(call: str, argument: str, value: Any, least: int) -> int:
    """`value`, if it is a whole number from `least` on, NumPy's too. Raises TypeError or ValueError."""
    said = f"{call}: {argument}={value!r:.80}; give a whole number from {least} on"
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(said) from None
    if number < least:
        raise ValueError(said)
    return number


def _floor(call: str, value: Any) -> float | None:
    """`value` as a number, if there is one. Raises TypeError or ValueError for what is no time."""
    if value is None:
        return None
    said = f"{call}: floor={value!r:.80}; give milliseconds, a number from 0 on, or leave it out"
    try:
        floor = float(value)
    except (TypeError, ValueError):
        raise TypeError(said) from None
    if not 0 <= floor < math.inf:
        raise ValueError(said)
    return floor
