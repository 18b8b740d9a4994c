"""Measuring in a lecture: how long an operation takes, and where the time goes."""

from collections.abc import Callable

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
    _check("benchmark", run)
    if warmups < 0 or trials < 1:
        raise ValueError(f"benchmark({name!r}): needs warmups >= 0 and trials >= 1, not {warmups} and {trials}")
    result = measure(str(name), run, warmups, trials)
    if show:
        least = None if floor is None else float(floor)
        shown = BenchmarkResult(
            clean(result.name), result.samples, result.device, result.method, least, clean(floor_source)
        )
        sink.emit(shown, f"{result.name}: {result!r}")
    return result


def profile(
    name: str, run: Callable[[], object], with_stack: bool = False, *, warmups: int = 1, show: bool = True
) -> Profile:
    """Run `run()` under torch's profiler and show its operators, those that take the most time themselves first.

    With a GPU its kernels are profiled too. `with_stack` also keeps which lines of Python called them, for a flame
    graph. The Chrome trace is kept beside the recording. Nothing `run` does is recorded.

    Returns the table; `str()` of it is for a terminal. Raises EngineError without torch, TypeError when `run` cannot
    be called, and whatever `run` raises.
    """
    _check("profile", run)
    result = record(str(name), run, with_stack, warmups)
    if show:
        sink.emit(result.output(), str(result))
    return result


def _check(call: str, run: object) -> None:
    if not callable(run):
        raise TypeError(f"{call}() takes a function to run, not {type(run).__name__}; put `lambda: ` before it")
