"""Times of an operation, and how they are taken."""

import statistics
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from engine import sink

FLUSH_BYTES, FLUSHES = 256 * 2**20, 4
"Written before each run on a GPU, and how often: more than its L2 cache holds, for longer than a launch is prepared."


class Timing(float):
    """Times of one operation. As a number it is the median, in milliseconds: it compares, divides and formats.

    `f"{t}"` is `4.21 ms`, `f"{t:.1f}"` the bare number, `slow / fast` how many times faster.
    """

    name: str
    samples: tuple[float, ...]
    "Milliseconds of each timed run, in order."
    device: str
    method: str
    "`CUDA events` or `wall clock`."

    def __new__(cls, name: str, samples: tuple[float, ...], device: str, method: str) -> "Timing":
        self = super().__new__(cls, statistics.median(samples))
        self.name, self.samples, self.device, self.method = name, samples, device, method
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.name, self.samples, self.device, self.method

    @property
    def median(self) -> float:
        """The middle one of the samples, in milliseconds."""
        return float(self)

    @property
    def mean(self) -> float:
        """Milliseconds."""
        return statistics.fmean(self.samples)

    @property
    def min(self) -> float:
        """The fastest run, in milliseconds."""
        return min(self.samples)

    @property
    def stdev(self) -> float:
        """Standard deviation of the samples in milliseconds, 0 for a single one."""
        return statistics.stdev(self.samples) if len(self.samples) > 1 else 0.0

    def __str__(self) -> str:
        return f"{significant(self)} ms"

    def __repr__(self) -> str:
        return f"{self} (median of {len(self.samples)}, {self.method}, {self.device})"

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)


def significant(number: float) -> str:
    """`number` with three significant digits or all those before the point, never in exponents: `4.21`, `1235`."""
    if abs(number) >= 100:
        return f"{float(number):.0f}"
    plain = f"{float(f'{number:.3g}'):.9f}".rstrip("0").rstrip(".")
    return plain or "0"


def untraced() -> AbstractContextManager[None]:
    """Nothing that runs in there on this thread is recorded, so that times are of the work and not of the recorder."""
    return nullcontext() if sink.current is None else sink.current.paused()


def cuda() -> Any:
    """`torch.cuda` when the lecture has imported torch and there is a GPU, else None. Imports nothing."""
    torch = sys.modules.get("torch")
    return torch.cuda if torch is not None and torch.cuda.is_available() else None


def device_name() -> str:
    """The current GPU's name, else the processor's."""
    gpu = cuda()
    if gpu is not None:
        return str(gpu.get_device_name())
    import platform

    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    except OSError:
        named = []
    return (named or [platform.processor()])[0] or platform.machine() or "CPU"


def measure(name: str, run: Callable[[], object], warmups: int, trials: int) -> Timing:
    """Time `run()` `trials` times, after `warmups` runs that are not timed. What `run` raises goes to the caller."""
    gpu = cuda()
    with untraced():
        for _ in range(warmups):
            run()
        if gpu is None:
            samples, method = tuple(_wall(run) for _ in range(trials)), "wall clock"
        else:
            samples, method = _events(run, trials, gpu), "CUDA events"
        return Timing(name, samples, device_name(), method)


def _wall(run: Callable[[], object]) -> float:
    start = time.perf_counter_ns()
    run()
    return (time.perf_counter_ns() - start) / 1e6


def _events(run: Callable[[], object], trials: int, gpu: Any) -> tuple[float, ...]:
    """Milliseconds on the GPU's own clock, from before the first kernel of each run to after its last.

    The L2 cache is overwritten before each run, so that no input is found there. Meanwhile the CPU prepares the launch,
    for which an idle GPU would wait between the two events; and nothing waits for the GPU before the end.
    """
    torch = sys.modules["torch"]
    try:
        filler = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")
    except gpu.OutOfMemoryError:
        filler = torch.empty(1, dtype=torch.uint8, device="cuda")
    pairs = []
    for _ in range(trials):
        for _ in range(FLUSHES):
            filler.zero_()
        start, end = gpu.Event(enable_timing=True), gpu.Event(enable_timing=True)
        start.record()
        run()
        end.record()
        pairs.append((start, end))
    gpu.synchronize()
    return tuple(float(start.elapsed_time(end)) for start, end in pairs)
