"""Small drawings made of numbers alone: the dots of a benchmark, the matrix of an array."""

import statistics
from dataclasses import dataclass

from engine.trace import BenchmarkResult, Plot

WIDTH, HEIGHT, MARGIN = 480, 64, 8


@dataclass(frozen=True)
class Dots:
    """Timed runs along a bar from 0 to their median, and the roofline, in units of a `WIDTH` by `HEIGHT` drawing."""

    points: list[tuple[float, float]]
    middle: float
    floor: float | None
    least: float
    "Milliseconds of the fastest run."
    median: float
    "Milliseconds, the number that the lecture computes with."
    most: float
    scale: float
    "Milliseconds at the right end."


def dots(result: BenchmarkResult) -> Dots | None:
    """The drawing of `result`; None where nothing was measured."""
    samples = result.samples
    if not samples:
        return None
    full = max(*samples, result.floor or 0, 1e-12)
    scale = (WIDTH - 2 * MARGIN) / full
    median = statistics.median(samples)
    spread = [(index * 7) % 5 for index in range(len(samples))]
    return Dots(
        points=[(round(MARGIN + ms * scale, 1), 16 + 6.0 * row) for ms, row in zip(samples, spread, strict=True)],
        middle=round(MARGIN + median * scale, 1),
        floor=None if result.floor is None else round(MARGIN + result.floor * scale, 1),
        least=min(samples),
        median=median,
        most=max(samples),
        scale=full,
    )


def caption(plot: Plot) -> str:
    """What `plot` shows, in words: the lecture's own, else the title in its specification, else nothing."""
    title = plot.spec.get("title") if isinstance(plot.spec, dict) else ""
    if not title and plot.library == "plotly" and isinstance(plot.spec, dict):
        layout = plot.spec.get("layout")
        title = layout.get("title") if isinstance(layout, dict) else ""
    if isinstance(title, dict):
        title = title.get("text")
    return plot.alt or (title if isinstance(title, str) else "")
