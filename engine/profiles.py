"""Profiles: torch's profiler as a table, collapsed stacks and a timeline."""

import gzip
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import assets, sink
from engine.errors import EngineError
from engine.tables import as_text
from engine.timing import cuda, device_name, untraced
from engine.trace import ProfileTable, Table
from engine.words import clean

ROWS = 100
"The most operators kept."
_PYTHON = re.compile(r"\(\d+\): |^<built-in ")
"How the profiler names events that are Python calls and not operators: `file.py(12): name`."
_PROFILERS_OWN = frozenset({"Activity Buffer Request", "Buffer Flush", "Instrumentation", "Resource"})
"""What CUPTI says of its own work, as if it were an operator (CUpti_ActivityOverheadKind). A kernel that is launched at
that moment is counted as its too, and so twice for all operators around it."""
_ADDRESS = re.compile(r" (?:object )?at 0x[0-9a-f]+")


@dataclass(frozen=True)
class Profile:
    """Where the time of one operation went. `str()` of it is its table for a terminal."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | bool | None, ...], ...]
    "One an operator, the one that took the most time itself first."
    device: str
    stacks: str = ""
    "Collapsed stacks, `outer;inner 12` a line, in microseconds."
    timeline: bytes = b""
    "The Chrome trace, compressed with gzip."
    truncated: bool = False

    def __str__(self) -> str:
        return as_text(Table(self.columns, self.rows[:20], f"{self.name} ({self.device})"))

    def output(self) -> ProfileTable:
        """What a recording keeps: the table, and the names of the other two under `files/`."""
        stacks = assets.save_again("stacks", self.name, ".txt", self.stacks.encode()) if self.stacks else ""
        timeline = assets.save_again("timeline", self.name, ".json.gz", self.timeline) if self.timeline else ""
        return ProfileTable(
            clean(self.name), self.columns, self.rows, self.device, stacks, timeline, truncated=self.truncated
        )


def record(name: str, run: Callable[[], object], with_stack: bool, warmups: int) -> Profile:
    """Profile `run()` after `warmups` runs.

    Raises EngineError without torch and within another profile, and whatever `run` raises.
    """
    try:
        import torch.profiler
    except ImportError as error:
        raise EngineError(f"profile({name!r}) needs torch, which is not installed; pip install torch") from error
    if torch.autograd._profiler_enabled():  # torch would begin anew, and leave the other with nothing
        raise EngineError(f"profile({name!r}) is called within another profile; torch takes one at a time")
    with untraced():
        for _ in range(warmups):
            run()
        prof = _profiled(run, with_stack, torch)
        clocks = [("CPU", "cpu")] if cuda() is None else [("CPU", "cpu"), ("GPU", "device")]
        events = prof.events()
        columns, rows = _rows(prof.key_averages(), _counted_twice(events), *clocks)
        stacks = _stacks(events) if with_stack else ""
        timeline = _timeline(prof) if sink.current is not None else b""
    return Profile(name, columns, rows[:ROWS], device_name(), stacks, timeline, truncated=len(rows) > ROWS)


def _profiled(run: Callable[[], object], with_stack: bool, torch: Any) -> Any:
    activities = [torch.profiler.ProfilerActivity.CPU]
    gpu = cuda()
    if gpu is not None:
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    verbose = torch._C._profiler._ExperimentalConfig(verbose=True) if with_stack else None  # else it keeps no stacks
    prof = torch.profiler.profile(activities=activities, with_stack=with_stack, acc_events=True,
                                  experimental_config=verbose)  # fmt: skip
    with _muted():
        prof.start()
    try:
        _measured(run)
        if gpu is not None:
            gpu.synchronize()
    finally:
        with _muted():
            prof.stop()
    return prof


def _measured(run: Callable[[], object]) -> None:
    """The frame below which stacks are the lecture's own."""
    run()


def _counted_twice(events: Any) -> Counter[str]:
    """Microseconds of kernels that the profiler's own work has taken for its own, by each operator around it."""
    twice: Counter[str] = Counter()
    for event in events:
        around = event.cpu_parent if event.name in _PROFILERS_OWN else None
        while around is not None:
            twice[around.key] += event.device_time_total
            around = around.cpu_parent
    return twice


def _rows(
    averages: Any, twice: Counter[str], *clocks: tuple[str, str]
) -> tuple[tuple[str, ...], tuple[tuple[str | int | float, ...], ...]]:
    """Columns and rows of the operators; `clocks` are (shown name, name in the profiler), the deciding one last.

    On a GPU an operator and the kernels it launched are rows of their own, as in torch's table; 100 % is all kernels.
    """
    decides = f"self_{clocks[-1][1]}_time_total"
    operators = [event for event in averages if not _PYTHON.search(event.key) and event.key not in _PROFILERS_OWN]
    operators.sort(key=lambda event: (-getattr(event, decides), event.key))
    counted = [event for event in operators if (event.device_type.name == "CPU") == (clocks[-1][0] == "CPU")]
    total = sum(getattr(event, decides) for event in counted) or 1
    columns = ["operator", "calls", f"self {clocks[-1][0]} %"]
    for shown, _ in reversed(clocks):
        columns += [f"self {shown} ms", f"{shown} ms"]
    rows = []
    for event in operators:
        row = [clean(event.key), int(event.count), round(100 * getattr(event, decides) / total, 2)]
        for _, name in reversed(clocks):
            own, whole = (getattr(event, f"{part}{name}_time_total") for part in ("self_", ""))
            if name == "device" and event.device_type.name == "CPU":
                whole -= twice[event.key]
            row += [round(own / 1e3, 4), round(whole / 1e3, 4)]
        rows.append(tuple(row))
    return tuple(columns), tuple(rows)


def _stacks(events: Any) -> str:
    """Collapsed stacks below `_measured`: https://github.com/brendangregg/FlameGraph says what they look like."""
    times: Counter[str] = Counter()
    clock = "self_device_time_total" if cuda() is not None else "self_cpu_time_total"
    for event in events:
        frames = [*reversed(event.stack), event.name]
        inside = [place for place, frame in enumerate(frames) if frame.endswith(": _measured")]
        if inside and inside[0] + 1 < len(frames) and event.name not in _PROFILERS_OWN:
            path = ";".join(_ADDRESS.sub("", frame).replace(";", ",") for frame in frames[inside[0] + 1 :])
            times[path] += round(getattr(event, clock))
    return clean("".join(f"{path} {time}\n" for path, time in sorted(times.items()) if time > 0))


def _timeline(prof: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        prof.export_chrome_trace(str(path))
        return gzip.compress(path.read_bytes(), mtime=0)


@contextmanager
def _muted() -> Iterator[None]:
    """Keep the profiler's start and stop notices off the terminal; what else is written to standard error gets there.

    They are written by C++ to file descriptor 2 at a level that KINETO_LOG_LEVEL does not turn off.
    """
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as written:
        os.dup2(written.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            written.seek(0)
            os.write(2, b"".join(line for line in written if not line.startswith(b"USDT:")))
