"""Times functions that run on the GPU against each other, so that all of them meet the same GPU."""

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch

FLUSH_BYTES = 256 * 2**20
"""Written before each timed run, so that none finds its input in the L2 cache (50 MB on an H100, 126 MB on a B200)."""


@dataclass(frozen=True)
class Timing:
    """The times of all runs of one function, in milliseconds."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        """Half of the runs took no longer, in milliseconds."""
        return statistics.median(self.samples)

    def quantile(self, fraction: float) -> float:
        """The time that this fraction of the runs did not exceed, in milliseconds."""
        ordered = sorted(self.samples)
        return ordered[min(int(fraction * len(ordered)), len(ordered) - 1)]


def time_in_turns(runs: Mapping[str, Callable[[], object]], rounds: int, warmups: int = 5) -> dict[str, Timing]:
    """Time each of `runs` once in each round, by CUDA events around it and with the L2 cache overwritten before it.

    They take turns, and another one begins each round, because a GPU under load lowers its clock as it warms up: timed
    one after the other, the first would win. Nothing waits for the GPU in between, so the launches stay ahead of it
    and the events enclose no launch.
    """
    flush = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")
    for _ in range(warmups):
        for run in runs.values():
            run()
    events: dict[str, list[tuple[torch.cuda.Event, torch.cuda.Event]]] = {name: [] for name in runs}
    names = list(runs)
    for turn in range(rounds):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            flush.zero_()
            events[name].append(_around(runs[name]))
    torch.cuda.synchronize()
    return {name: Timing(tuple(start.elapsed_time(end) for start, end in pairs)) for name, pairs in events.items()}


def _around(run: Callable[[], object]) -> tuple[torch.cuda.Event, torch.cuda.Event]:
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    run()
    end.record()
    return start, end
