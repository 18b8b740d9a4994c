"""Notes each kernel a lecture launches, while the lecture runs: on a GPU, or in Triton's interpreter without one.

Triton is never imported here. What watches it is put in place when the lecture imports it, and taken away afterwards.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType, ModuleType
from typing import Any

from engine.definition import definition
from engine.device import usable_gpu
from engine.imports import after_import
from engine.interpreted import FIRST, Grid, Instances, InterpreterHooks, NotedGrid
from engine.patches import Patches
from engine.sink import Sink
from engine.trace import Kernel

_chosen: dict[Callable[..., Any], Instances] = {}
"Program instances to step through, by the kernel's plain function."


def prepare() -> None:
    """Choose, before the lecture is imported, how its Triton kernels run: without a GPU in the interpreter.

    A TRITON_INTERPRET that the user has set stays as it is.
    """
    if "TRITON_INTERPRET" not in os.environ and not usable_gpu():
        os.environ["TRITON_INTERPRET"] = "1"


def step_instances(kernel: Any, instances: Instances) -> None:
    """From now on let the reader step through these instances of a Triton kernel: `7`, `(0, 2)`, `first`, `last`.

    An empty sequence stands for none. It holds until the lecture ends.
    """
    _chosen[plain_function(kernel)] = tuple(instances)


def plain_function(kernel: Any) -> Callable[..., Any]:
    """The Python function under `@triton.jit`, `@triton.autotune` and `@triton.heuristics`.

    Raises TypeError for anything else.
    """
    function = kernel
    while not hasattr(function, "__code__") and hasattr(function, "fn"):
        function = function.fn
    if function is kernel or not hasattr(function, "__code__"):
        raise TypeError(f"{kernel!r} is no Triton kernel; decorate its function with @triton.jit")
    return function  # type: ignore[no-any-return]


class Launches:
    """What was launched so far. The lecture's threads share it."""

    def __init__(self, sink: Sink, instances: Instances = FIRST) -> None:
        self.sink = sink
        self.instances = instances
        self.numbers: dict[Callable[..., Any], int] = {}
        "Number of each kernel in the recording, by its plain function."
        self.lecture = os.path.realpath(sink.lecture)
        self.stepped: set[tuple[Callable[..., Any], CodeType, int]] = set()
        self.tuned: set[str] = set()
        self.active = True
        self.lock = threading.RLock()

    def number(self, function: Callable[..., Any]) -> int:
        """The kernel's number in the recording."""
        with self.lock:
            if function not in self.numbers:
                self.numbers[function] = self.sink.kernel(self._describe(function))
            return self.numbers[function]

    def _describe(self, function: Callable[..., Any]) -> Kernel:
        path, line = function.__code__.co_filename, function.__code__.co_firstlineno
        end_line = line
        try:
            end_line = definition(function).end_line
        except LookupError as error:
            self.sink.warn(f"{error}: was it changed since the lecture began? Record it again")
        return Kernel(function.__name__, "triton", self.sink.display_path(os.path.realpath(path)), line, end_line)

    def noted(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        """See `Watch`."""
        return self.number(function)

    def launched(self, kernel: int, grid: Grid, interpreted: bool) -> None:
        """See `Watch`."""
        self.sink.launched(kernel, grid, interpreted)

    def step_inside(self, code: CodeType, inside: bool) -> None:
        """See `Watch`."""
        self.sink.step_inside(code, inside)

    def warn(self, message: str) -> None:
        """See `Watch`."""
        self.sink.warn(message)

    def to_step(self, function: Callable[..., Any], frame: FrameType) -> Instances:
        """See `Watch`: once for each kernel and each statement of the lecture that leads to a launch of it.

        A benchmark's hundred launches would otherwise drown the one that the reader wants to see.
        """
        site = (function, *self._call_site(frame))
        if site in self.stepped:
            return ()
        self.stepped.add(site)
        return _chosen.get(function, self.instances)

    def _call_site(self, frame: FrameType) -> tuple[CodeType, int]:
        """Code and line of the innermost frame of the lecture's own file; else of the launch itself."""
        above: FrameType | None = frame
        while above is not None:
            if os.path.realpath(above.f_code.co_filename) == self.lecture:
                return above.f_code, above.f_lineno
            above = above.f_back
        return frame.f_code, frame.f_lineno


class _GpuHooks:
    """Replaces `JITFunction.run`, the one place that knows kernel, arguments and grid of a launch on a GPU.

    Triton's own launch hook is told neither the arguments nor the grid.
    """

    def __init__(self, launches: Launches, patches: Patches) -> None:
        self.launches = launches
        self.patches = patches

    def install(self, jit: ModuleType) -> None:
        """Hook into `triton.runtime.jit`."""
        self.patches.replace(jit.JITFunction, "run", self._run(jit.JITFunction.run))

    def _run(self, original: Callable[..., Any]) -> Callable[..., Any]:
        launches = self.launches

        def run(kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            if warmup or not launches.active:
                return original(kernel, *args, grid=grid, warmup=warmup, **kwargs)
            grid = NotedGrid(grid)
            compiled = original(kernel, *args, grid=grid, warmup=warmup, **kwargs)
            number = launches.noted(kernel.fn, args, kwargs)
            launches.launched(number, grid.value, False)
            return compiled

        return run


class _TunerHooks:
    """Lets autotuned kernels run without a GPU, where Triton would fail to measure: in their first configuration."""

    def __init__(self, launches: Launches, patches: Patches) -> None:
        self.launches = launches
        self.patches = patches

    def install(self, autotuner: ModuleType) -> None:
        """Hook into `triton.runtime.autotuner`."""
        self.driver = autotuner.driver
        self.knobs = autotuner.knobs
        self.patches.replace(autotuner.Autotuner, "run", self._run(autotuner.Autotuner.run))

    def _can_measure(self, tuner: Any) -> bool:
        if not self.knobs.runtime.interpret or getattr(tuner, "_do_bench", None) is not None:
            return True
        try:
            return self.driver.active is not None
        except RuntimeError:  # no driver
            return False

    def _run(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def run(tuner: Any, *args: Any, **kwargs: Any) -> Any:
            if len(tuner.configs) < 2 or self._can_measure(tuner):
                return original(tuner, *args, **kwargs)
            configurations = tuner.configs
            tuner.nargs = dict(zip(tuner.arg_names, args, strict=False))
            tuner.configs = tuner.prune_configs(kwargs)[:1]
            self._say(tuner.base_fn.__name__, tuner.configs[0])
            try:
                return original(tuner, *args, **kwargs)
            finally:
                tuner.configs = configurations

        return run

    def _say(self, name: str, configuration: Any) -> None:
        if name not in self.launches.tuned:
            self.launches.tuned.add(name)
            self.launches.warn(f"{name} is tuned on a GPU; here nothing was measured and {configuration} was taken")


@contextmanager
def watching(sink: Sink, instances: Instances = FIRST) -> Iterator[Launches]:
    """Tell `sink` of each kernel launched while inside.

    `instances` are the program instances stepped through of a kernel for which the author chose no others: of its first
    launch by each statement of the lecture.
    """
    launches = Launches(sink, instances)
    patches = Patches()
    callbacks = {
        "triton.runtime.interpreter": InterpreterHooks(launches, patches).install,
        "triton.runtime.jit": _GpuHooks(launches, patches).install,
        "triton.runtime.autotuner": _TunerHooks(launches, patches).install,
    }
    try:
        with after_import(callbacks):
            yield launches
    finally:
        launches.active = False
        patches.undo()
        _chosen.clear()
