"""Programs to record, and what it costs to run them: untraced, under the least that a tracer can do, and recorded.

Times are of the processor, not of the clock, and those that are compared are taken in turns: machines differ, and so
does one machine from minute to minute.
"""

import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from engine.recorder import Recorder

Main = Callable[[int], Any]


@dataclass(frozen=True)
class Workload:
    """A lecture whose `main` takes how many times to do its work."""

    name: str
    source: str
    size: int
    "Times for a measurement that takes about a second."

    def load(self, folder: Path) -> tuple[Path, Main]:
        """Write the program into `folder` and import it."""
        path = folder / f"{self.name.replace(' ', '_')}.py"
        source = textwrap.dedent(self.source)
        path.write_text(source)
        namespace: dict[str, Any] = {"__name__": path.stem}
        exec(compile(source.encode(), str(path), "exec", dont_inherit=True), namespace)
        return path, namespace["main"]


HOT_LOOP = Workload("hot loop with calls", """
    def add(a, b):
        c = a + b
        return c
    def main(n):
        total = 0
        for i in range(n):
            total = add(total, i)
            if total > 1000000:
                total = 0
        return total
""", 20_000)  # fmt: skip
LIBRARY = Workload("library code", """
    from _pydecimal import Decimal
    def main(n):
        for i in range(n):
            logarithms = list(map(Decimal.ln, map(Decimal, range(i + 2, i + 12))))
""", 500)  # fmt: skip
RAISING_LIBRARY = Workload("library code with exceptions", """
    import ast
    from pathlib import Path
    TREE = ast.parse(Path(ast.__file__).read_text()).body[:60]
    def main(n):
        for i in range(n):
            text = [ast.unparse(node) for node in TREE]
""", 8)  # fmt: skip
INSPECTING = Workload("inspecting loop", """
    def main(n):
        seen = []
        for i in range(n):  # @inspect i
            square = i * i  # @inspect square
            name = f"item {i % 7}"  # @inspect name seen
            seen = [*seen[-5:], square % 11]  # @inspect seen len(seen)
""", 4_000)  # fmt: skip
RECURSION = Workload("deep recursion", """
    def down(n):
        if n == 0:
            return 0
        return 1 + down(n - 1)
    def main(n):
        for i in range(n):
            down(400)
""", 60)  # fmt: skip
WORKLOADS = (HOT_LOOP, LIBRARY, RAISING_LIBRARY, INSPECTING, RECURSION)


def recorder_for(path: Path, backend: str = "settrace") -> Recorder:
    """A recorder of the program at `path`."""
    recorder = Recorder(path, path.parent, root=path.parent, inspect_all=False, max_steps=10**8, backend=backend)
    recorder.watch(str(path))
    return recorder


def untraced(path: Path, main: Main, size: int) -> float:
    """Seconds that `main(size)` takes by itself."""
    started = time.process_time()
    main(size)
    return time.process_time() - started


def floor(path: Path, main: Main, size: int) -> float:
    """Seconds with a tracer that only appends a tuple: for each event of the program, and for each call elsewhere."""
    events: list[tuple[str, int]] = []
    append, name = events.append, str(path)

    def local(frame: FrameType, event: str, arg: Any) -> Any:
        append((event, frame.f_lineno))
        return local

    def every_call(frame: FrameType, event: str, arg: Any) -> Any:
        append((event, frame.f_lineno))
        return local if frame.f_code.co_filename == name else None

    before = sys.gettrace()
    started = time.process_time()
    sys.settrace(every_call)
    try:
        main(size)
    finally:
        sys.settrace(before)
    return time.process_time() - started


def recorded(path: Path, main: Main, size: int, backend: str = "settrace") -> float:
    """Seconds with the recorder."""
    recorder = recorder_for(path, backend)
    started = time.process_time()
    recorder.start()
    try:
        main(size)
    finally:
        recorder.stop()
    return time.process_time() - started


def monitored(path: Path, main: Main, size: int) -> float:
    """Seconds with the recorder on `sys.monitoring`."""
    return recorded(path, main, size, "monitoring")


WAYS = {"untraced": untraced, "floor": floor, "settrace": recorded} | (
    {"monitoring": monitored} if sys.version_info >= (3, 12) else {}
)


def times(workload: Workload, folder: Path, size: int, rounds: int) -> dict[str, float]:
    """The least seconds of each way to run a workload, out of `rounds` in which all have their turn."""
    least = dict.fromkeys(WAYS, float("inf"))
    for _ in range(rounds):
        for name, way in WAYS.items():
            path, main = workload.load(folder)
            least[name] = min(least[name], way(path, main, size))
    return least


def steps_of(workload: Workload, folder: Path, size: int) -> Recorder:
    """A recorder that has recorded a workload."""
    path, main = workload.load(folder)
    recorder = recorder_for(path)
    recorder.start()
    try:
        main(size)
    finally:
        recorder.stop()
    return recorder
