"""What several recordings of one lecture measured, side by side."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeVar

from engine.trace import BenchmarkResult, Table, Trace

Shown = TypeVar("Shown", BenchmarkResult, Table)


@dataclass(frozen=True)
class Timing:
    """A benchmark as one recording measured it."""

    result: BenchmarkResult
    median: float
    "Milliseconds."
    reached: float | None
    "The floor's part of the median, 1 at the device's limit: unlike times, it can be compared where sizes differ."


@dataclass(frozen=True)
class Measured:
    """By name, what each recording measured, in the order of the recordings; None where one has no such figure."""

    timings: dict[str, list[Timing | None]]
    tables: dict[str, list[Table | None]]
    "Tables with numbers that more than one recording shows, and not all of them the same."


def same_lecture(one: Trace, other: Trace) -> bool:
    """Whether both are of one lecture: of files of one name, wherever they lay."""
    return PurePosixPath(one.lecture).name == PurePosixPath(other.lecture).name


def measures(trace: Trace) -> bool:
    """Whether any benchmark of `trace` was timed."""
    return any(isinstance(output, BenchmarkResult) and output.samples for output in trace.output_table)


def measured(traces: list[Trace]) -> Measured:
    """The figures of `traces`."""
    results = _aligned([_named(trace, BenchmarkResult, lambda it: it.name if it.samples else "") for trace in traces])
    tables = _aligned([_named(trace, Table, lambda table: table.title if _counts(table) else "") for trace in traces])
    return Measured(
        {name: [_timing(result) if result else None for result in found] for name, found in results.items()},
        {title: found for title, found in tables.items() if _differ([table for table in found if table])},
    )


def _named(trace: Trace, kind: type[Shown], name: Callable[[Shown], str]) -> dict[str, Shown]:
    """What of `kind` the trace shows, by name; a name that comes again is told apart by a number."""
    found: dict[str, Shown] = {}
    for output in trace.output_table:
        if isinstance(output, kind) and (called := name(output)):
            times = sum(other == called or other.startswith(f"{called} (") for other in found)
            found[f"{called} ({times + 1})" if times else called] = output
    return found


def _aligned(each: list[dict[str, Shown]]) -> dict[str, list[Shown | None]]:
    """The figures of all recordings by name, in the order in which they first come."""
    names = dict.fromkeys(name for found in each for name in found)
    return {name: [found.get(name) for found in each] for name in names}


def _timing(result: BenchmarkResult) -> Timing:
    median = statistics.median(result.samples)
    return Timing(result, median, result.floor / median if result.floor and median else None)


def _differ(tables: list[Table]) -> bool:
    return any(table.rows != tables[0].rows for table in tables[1:])


def _counts(table: Table) -> bool:
    """Whether a table holds a number."""
    return any(isinstance(cell, int | float) and not isinstance(cell, bool) for row in table.rows for cell in row)
