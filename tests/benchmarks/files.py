"""What a recording takes in memory and on disk, how long writing and opening it takes, and starting."""

import os
import resource
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from engine.trace import Recording, read, write
from tests.benchmarks.workloads import HOT_LOOP, steps_of
from tests.recordings import ROOT

LECTURE = "import os\nfrom engine import text\ndef main():\n    text('said')\n    os._exit(0)\n"
"Ends at once, so that what is measured ends with its first lines."
T = TypeVar("T")


@dataclass(frozen=True)
class Kept:
    """What a recording of the hot loop takes. Times are seconds of the processor."""

    steps: int
    memory: float
    "Bytes a step while recording."
    disk: float
    "Bytes a step in the file."
    finishing: float
    "From the columns to the file on disk."
    opening: float
    "From the file to the stack of its last step."


def kept(folder: Path, passes: int) -> Kept:
    """Record `passes` passes of the hot loop, write the trace and open it."""
    memory = _memory(folder, passes // 10)
    recorder = steps_of(HOT_LOOP, folder, passes)
    path = folder / "hot.json"
    finishing, _ = _timed(lambda: write(recorder.finish("ok", "", {}), path))
    opening, steps = _timed(lambda: _last_stack(path))
    return Kept(steps, memory, path.stat().st_size / steps, finishing, opening)


def _memory(folder: Path, passes: int) -> float:
    """Bytes that are held for each step, of what was taken while recording."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        recorder = steps_of(HOT_LOOP, folder, passes)
        return (tracemalloc.get_traced_memory()[0] - before) / len(recorder.builder)
    finally:
        tracemalloc.stop()


def _last_stack(path: Path) -> int:
    recording = Recording(read(path))
    assert recording.stack(len(recording) - 1)
    return len(recording)


def _timed(call: Callable[[], T]) -> tuple[float, T]:
    started = time.process_time()
    result = call()
    return time.process_time() - started, result


def starting(folder: Path, rounds: int) -> dict[str, float]:
    """Least seconds of the processor to start Python alone, with a lecture up to its first lines, with the viewer.

    Modules are there compiled, as after any first start, whatever the environment says of writing them.
    """
    lecture = folder / "first.py"
    lecture.write_text(LECTURE)
    commands = {
        "python": ["-c", "pass"],
        "lecture": ["-m", "engine", str(lecture), "-o", str(folder)],
        "show": ["-c", "import engine.show"],
        "export": ["-c", "import viewer.export"],
        "viewer": ["-c", "import uvicorn, viewer.app"],
    }
    environment = os.environ | {"PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    least = dict.fromkeys(commands, float("inf"))
    for measured in range(rounds + 1):
        for name, arguments in commands.items():
            spent = _child(arguments, environment)
            least[name] = min(least[name], spent) if measured else least[name]
    return least


def _child(arguments: list[str], environment: Mapping[str, str]) -> float:
    """Seconds of the processor that another Python takes; infinite where it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        return float("inf")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
