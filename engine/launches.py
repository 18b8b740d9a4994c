"""Notes each kernel a lecture launches, while the lecture runs: on a GPU, or in Triton's interpreter without one.

Triton is never imported here. What watches it is put in place when the lecture imports it, and taken away afterwards.
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Literal

import msgspec

from engine.binaries import kernel_of, of_inductor, of_triton
from engine.captured import Captured
from engine.compile import Wanted
from engine.definition import definition
from engine.device import usable_gpu
from engine.imports import after_import
from engine.interpreted import FIRST, Grid, Instances, InterpreterHooks
from engine.jit_hooks import JitHooks, TunerHooks
from engine.patches import Patches
from engine.sink import Sink
from engine.source_hooks import ExtensionHooks, InductorHooks
from engine.trace import Access, Kernel, Tensor, Tuning

Language = Literal["triton", "inductor"]

_chosen: dict[Callable[..., Any], Instances] = {}
"Program instances to step through, by the kernel's plain function."
_current: list["Launches"] = []
"What watches at present, the innermost last."


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


@contextmanager
def unwatched() -> Iterator[None]:
    """Let launches inside run at full speed and unrecorded, as timing needs them."""
    restarts = [launches.pause() for launches in _current]
    try:
        yield
    finally:
        for restart in restarts:
            restart()


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
        self.captured = Captured(lambda path: sink.display_path(os.path.realpath(path)))
        self.binaries: dict[int, Any] = {}
        "Binaries seen so far, by identity."
        self.generated: dict[int, tuple[Any, int | None]] = {}
        "What torch.compile wrote: its tuner, and the kernel's number in the recording, by the tuner's identity."
        self.store = sink.store
        self.lecture = os.path.realpath(sink.lecture)
        self.stepped: set[tuple[Callable[..., Any], CodeType, int]] = set()
        self.active = True
        self.paused = 0
        self.lock = threading.RLock()

    def number(self, function: Callable[..., Any], language: Language = "triton") -> int:
        """The kernel's number in the recording."""
        with self.lock:
            if function not in self.numbers:
                self.numbers[function] = self.sink.kernel(self._describe(function, language))
            return self.numbers[function]

    def _describe(self, function: Callable[..., Any], language: Language) -> Kernel:
        path, line = function.__code__.co_filename, function.__code__.co_firstlineno
        end_line = line
        try:
            end_line = definition(function).end_line
        except LookupError as error:
            self.sink.warn(f"{error}: was it changed since the lecture began? Record it again")
        return Kernel(function.__name__, language, self.sink.display_path(os.path.realpath(path)), line, end_line)

    def wanted(self, kernels: Sequence[Kernel], real: Callable[[str], str]) -> dict[int, list[Wanted]]:
        """What `compile_all` shall compile of the recording's kernels, by their numbers, when the lecture has ended.

        `real` gives the path of the file that the recording calls so.
        """
        return self.captured.all_wanted(kernels, real)

    def warnings(self, kernels: Sequence[Kernel]) -> list[tuple[str, str, int]]:
        """Message, path and line of what the author should know of the kernels."""
        return self.captured.warnings(kernels)

    # -- told by the hooks

    def noted(self, kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        """See `Watch`."""
        number = self.number(kernel.fn)
        with self.lock:
            self.captured.add(number, kernel, (args, kwargs))
        return number

    def launched(self, kernel: int, grid: Grid, interpreted: bool) -> None:
        """See `Watch`."""
        self.sink.launched(kernel, grid, interpreted)

    def launched_binary(
        self, kernel: Any, compiled: Any, grid: Grid, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """See `JitWatch`."""
        number = self.number(kernel.fn)
        if id(compiled) not in self.binaries:
            with self.lock:
                self.binaries[id(compiled)] = compiled
                self.captured.add_binary(number, kernel, lambda: of_triton(compiled))
                self.captured.add(number, kernel, (args, kwargs))
        self.sink.launched(number, grid, False)

    def tuned(self, function: Callable[..., Any], tuning: Tuning) -> None:
        """See `JitWatch`."""
        self.sink.tuned(self.number(function), tuning)

    def launched_generated(self, tuner: Any) -> None:
        """See `SourceWatch`."""
        with self.lock:
            if id(tuner) not in self.generated:
                self.generated[id(tuner)] = tuner, self._generated(tuner)
            _, number = self.generated[id(tuner)]
        if number is not None:
            self.sink.launched(number, (), False)

    def _generated(self, tuner: Any) -> int | None:
        try:
            kernel = kernel_of(tuner)
            number = self.number(kernel.fn, "inductor")
        except Exception as error:  # torch's insides, which every release may change: no reason to end the lecture
            self.warn(f"a kernel that torch.compile wrote is not shown: {type(error).__name__}: {error}")
            return None
        self.captured.add_binary(number, kernel, lambda: of_inductor(tuner))
        return number

    def built(self, kernel: Kernel, file: Path) -> int:
        """See `SourceWatch`."""
        with self.lock:
            path = self.sink.display_path(str(file))
            return self.sink.kernel(msgspec.structs.replace(kernel, path=path))

    def step_inside(self, code: CodeType, inside: bool) -> None:
        """See `Watch`."""
        self.sink.step_inside(code, inside)

    def entered(self, kernel: int, index: Grid, grid: Grid, tensors: tuple[Tensor, ...]) -> None:
        """See `Watch`."""
        self.sink.entered(kernel, index, grid, tensors)

    def accessed(self, tensor: int, access: Access) -> None:
        """See `MemoryWatch`."""
        self.sink.accessed(tensor, access)

    def left(self) -> None:
        """See `Watch`."""
        self.sink.left()

    def warn(self, message: str) -> None:
        """See `Watch`."""
        self.sink.warn(message)

    def pause(self) -> Callable[[], None]:
        """See `JitWatch`."""
        self._paused(1)
        return lambda: self._paused(-1)

    def _paused(self, change: int) -> None:
        with self.lock:
            self.paused += change
            self.active = self.paused == 0

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
            if _real(above.f_code.co_filename) == self.lecture:
                return above.f_code, above.f_lineno
            above = above.f_back
        return frame.f_code, frame.f_lineno


@lru_cache(maxsize=1024)
def _real(path: str) -> str:
    return os.path.realpath(path)


@contextmanager
def watching(sink: Sink, instances: Instances = FIRST) -> Iterator[Launches]:
    """Tell `sink` of each kernel launched while inside; what is to be compiled of them is then in `captured`.

    `instances` are the program instances stepped through of a kernel for which the author chose no others: of its first
    launch by each statement of the lecture.
    """
    launches = Launches(sink, instances)
    patches = Patches()
    callbacks = {
        "triton.runtime.interpreter": InterpreterHooks(launches, patches).install,
        "triton.runtime.jit": JitHooks(launches, patches).install,
        "triton.runtime.autotuner": TunerHooks(launches, patches).install,
        "torch.utils.cpp_extension": ExtensionHooks(launches, patches).install,
        "torch._inductor.graph": InductorHooks(launches, patches).install_graph,
        "torch._inductor.runtime.triton_heuristics": InductorHooks(launches, patches).install_heuristics,
    }
    _current.append(launches)
    try:
        with after_import(callbacks):
            yield launches
    finally:
        launches.pause()
        _current.remove(launches)
        patches.undo()
        _chosen.clear()
