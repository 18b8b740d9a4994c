"""Times every version of an operation beside PyTorch's own, torch.compile's, and what the GPU can do at most."""

import contextlib
import datetime
import functools
import json
import math
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
import triton

from kernels import cuda
from kernels.catalog import Version
from kernels.check import run as check_run
from kernels.tasks import Run, Task, tasks
from kernels.timing import FLUSH_BYTES, Timing, time_in_turns

RESULTS = Path("var/bench")
"""Where the figures are written, relative to the folder the program is started in."""

METHOD = (
    f"CUDA events around each run; {FLUSH_BYTES >> 20} MiB written before it, so that the L2 cache holds none of it; "
    "the versions take turns; median of all rounds; random inputs; each result checked against float64 before."
)


@dataclass
class Figure:
    """One version's figures: `of_ceiling` is its rate over that of the ceiling measured in the same rounds.

    Times in milliseconds: the median, and what 10 % and 90 % of the runs did not exceed. `error` is relative to
    float64; `wrong` says why a version was not timed.
    """

    name: str
    by: str
    error: float | None = None
    milliseconds: float | None = None
    fastest_tenth: float | None = None
    slowest_tenth: float | None = None
    tb_per_s: float | None = None
    tflop_per_s: float | None = None
    of_ceiling: float | None = None
    wrong: str | None = None
    samples: list[float] = field(default_factory=list)


@dataclass
class Measurement:
    """An operation on one input: the bytes it must move, each element once, and the floating-point operations."""

    operation: str
    dtype: str
    size: str
    bytes: int
    flops: int
    rounds: int
    ceiling: str
    figures: list[Figure] = field(default_factory=list)


def contenders(task: Task) -> list[Version]:
    """Our versions that take the task's inputs, and PyTorch's as versions of their own."""
    can = cuda.missing() is None
    ours = [
        version
        for version in task.operation.versions
        if task.dtype in version.dtypes and version.takes(task.tensors) and (can or version.language != "cuda")
    ]
    loose = 1e-2 if task.dtype == torch.float32 and task.flops else None
    return ours + [Version(name, "torch", run, tolerance=loose) for name, run in task.others.items()]


def measure(task: Task) -> Measurement:
    """Check every contender on the task's inputs, then time those that are right together with the ceiling."""
    dtype = str(task.dtype).removeprefix("torch.")
    measurement = Measurement(
        task.operation.name, dtype, task.size, task.bytes, task.flops, task.rounds, task.ceiling
    )
    right: dict[str, tuple[Figure, Run]] = {}
    for version in contenders(task):
        result = check_run(task.operation, version, task.tensors)
        figure = Figure(version.name, version.language, error=result.error, wrong=result.mismatch)
        measurement.figures.append(figure)
        if result.mismatch is None:
            right[f"{version.name} {version.language}"] = figure, version.run
    ceiling = Figure(task.ceiling, "ceiling")
    measurement.figures.append(ceiling)
    right[task.ceiling] = ceiling, task.limit
    torch.cuda.empty_cache()  # the references' float64 tensors
    runs = {name: functools.partial(run, *task.tensors) for name, (_, run) in right.items()}
    for name, timing in time_in_turns(runs, task.rounds).items():
        fill(right[name][0], timing, task)
    for figure in measurement.figures:
        if figure.milliseconds and ceiling.milliseconds:
            figure.of_ceiling = rate(figure, task) / rate(ceiling, task)
    return measurement


def rate(figure: Figure, task: Task) -> float:
    """What the task's ceiling limits: floating-point operations, or bytes, in a second."""
    return (figure.tflop_per_s if task.flops else figure.tb_per_s) or 0.0


def fill(figure: Figure, timing: Timing, task: Task) -> None:
    """Write the times and the rates into `figure`; a copy reads and writes the whole matrix."""
    whole = 2 * task.tensors[0].nbytes if figure.by == "ceiling" and not task.flops else task.bytes
    figure.samples = [round(sample, 5) for sample in timing.samples]
    figure.milliseconds = timing.median
    figure.fastest_tenth, figure.slowest_tenth = timing.quantile(0.1), timing.quantile(0.9)
    figure.tb_per_s = whole / timing.median / 1e9
    figure.tflop_per_s = task.flops / timing.median / 1e9 if task.flops else None


def product_by_size(dtype: torch.dtype = torch.bfloat16) -> list[dict[str, float]]:
    """Times of PyTorch's product of two square matrices from 16 to 16384: how it scales, and where its floor lies."""
    sizes = [2**power for power in range(4, 15)]
    pairs = {size: [torch.randn(size, size, device="cuda").to(dtype) for _ in range(2)] for size in sizes}
    timings = time_in_turns({str(size): functools.partial(torch.matmul, *pair) for size, pair in pairs.items()}, 30)
    medians = {size: timings[str(size)].median for size in sizes}
    return [{"size": size, "milliseconds": ms, "tflop_per_s": 2 * size**3 / ms / 1e9} for size, ms in medians.items()]


def about() -> dict[str, Any]:
    """The device and the versions the figures belong to."""
    properties = torch.cuda.get_device_properties(0)
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader", "--id=0"]
    found = shutil.which(query[0]) is not None  # a container may lack it
    driver = subprocess.run(query, capture_output=True, text=True, check=False).stdout.strip() if found else "unknown"
    return {
        "device": properties.name,
        "multiprocessors": properties.multi_processor_count,
        "capability": f"{properties.major}.{properties.minor}",
        "memory_gb": round(properties.total_memory / 1e9),
        "date": datetime.date.today().isoformat(),
        "versions": {
            "python": platform.python_version(), "torch": torch.__version__, "triton": triton.__version__,
            "cuda": torch.version.cuda, "driver": driver,
        },
        "method": METHOD,
    }  # fmt: skip


def show(measurement: Measurement) -> None:
    """Print one measurement as a table, the fastest first, then what was wrong."""
    print(f"\n{measurement.operation}, {measurement.dtype}, {measurement.size}")
    print(f"  {'version':<24}{'by':<9}{'ms':>9}{'TB/s':>8}{'TFLOP/s':>9}{'of ceiling':>12}{'error':>10}")
    for figure in sorted(measurement.figures, key=lambda figure: figure.milliseconds or math.inf):
        if figure.milliseconds is None:
            print(f"  {figure.name:<24}{figure.by:<9}not timed, it is WRONG: {figure.wrong}")
            continue
        flops = "" if figure.tflop_per_s is None else f"{figure.tflop_per_s:.1f}"
        error = "" if figure.error is None else f"{figure.error:.1e}"
        rates = f"{figure.tb_per_s:>8.3f}{flops:>9}{figure.of_ceiling:>12.3f}{error:>10}"
        print(f"  {figure.name:<24}{figure.by:<9}{figure.milliseconds:>9.4f}{rates}")


def require_writable(path: Path) -> None:
    """Raise OSError unless a file can be written at `path`, its folder made if need be; what is there stays."""
    there = path.exists()
    with contextlib.suppress(FileExistsError):  # of a file where the folder should be; opening says it better
        path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a"):
        pass
    if not there:
        path.unlink()


def write(path: Path, report: dict[str, Any]) -> None:
    """Write `report` as JSON. Where that fails it is said: the figures are on the terminal, and others may follow."""
    try:
        path.write_text(json.dumps(report, indent=1) + "\n")
    except OSError as error:
        print(f"kernels bench: cannot write {path}: {error.strerror}; copy the figures from here.", file=sys.stderr)


def without_samples(report: dict[str, Any]) -> dict[str, Any]:
    """The report, its figures rounded to four digits and without the single runs: small enough for the repository."""
    text = json.dumps(report, default=str)
    slim = json.loads(text, parse_float=lambda number: float(f"{float(number):.4g}"))
    for measurement in slim["measurements"]:
        for figure in measurement["figures"]:
            del figure["samples"]
    slim_report: dict[str, Any] = slim
    return slim_report


def main(names: list[str], summary: Path | None = None) -> int:
    """Measure the operations called `names`, print and write the figures.

    1 if a version was wrong, 2 if the figures cannot be written where they should.
    """
    report = about()
    path = RESULTS / f"{re.sub(r'[^A-Za-z0-9]+', '_', report['device'])}.json"
    for file in (path,) if summary is None else (path, summary):
        try:
            require_writable(file)
        except OSError as error:  # now, and not when all is measured
            print(f"kernels bench: cannot write {file}: {error.strerror}; nothing was measured.", file=sys.stderr)
            return 2
    print(f"{report['device']}, {report['date']}, {report['versions']}\n{report['method']}")
    print(f"After each operation its figures are written to {path}")
    if (reason := cuda.missing()) is not None:
        print(f"The .cu kernels are not measured: {reason}")
    report["product_by_size"] = product_by_size() if "matmul_relu" in names else []
    report["measurements"] = []
    for task in (task for name in names for task in tasks(name)):
        measurement = measure(task)
        show(measurement)
        report["measurements"].append(asdict(measurement))
        write(path, report)  # after each, so that an interruption costs one
        if summary is not None:
            write(summary, without_samples(report))
        torch.cuda.empty_cache()
    return int(any(figure["wrong"] for measurement in report["measurements"] for figure in measurement["figures"]))
