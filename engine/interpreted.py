"""Notices the launches that Triton's interpreter runs on the CPU, and which program instance runs at the moment.

The interpreter does not execute a kernel as it stands: it rewrites its syntax tree (the lines stay true) and calls the
result once per program instance. Everything here hangs on four of its functions: `InterpretedFunction.run` (a launch),
`InterpretedFunction.rewrite` (which code object executes), `InterpreterBuilder.set_grid_dim` and `set_grid_idx`
(how many instances there are, which is next). What an instance reads and writes is seen to in engine/memory_hooks.py.
"""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, Protocol

from engine.memory_hooks import MemoryHooks, MemoryWatch
from engine.patches import Patches
from engine.trace import Tensor

Grid = tuple[int, ...]
Instances = Sequence[int | Grid | str]
"Program instances: `7`, `(7,)`, `(0, 2)`, `first`, `last`."
FIRST: Instances = ("first",)


class Watch(MemoryWatch, Protocol):
    """What is told of interpreted launches."""

    active: bool
    "Whether launches are to be recorded at present."

    def noted(self, kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        """Number of the kernel, an object of `@triton.jit`; its arguments are looked at."""

    def launched(self, kernel: int, grid: Grid, interpreted: bool) -> None:
        """A launch begins."""

    def to_step(self, function: Callable[..., Any], frame: FrameType) -> Instances:
        """Which instances of the launch made at `frame` the reader shall step through."""

    def step_inside(self, code: CodeType, inside: bool) -> None:
        """Record, or no longer record, the statements of `code`."""

    def entered(self, kernel: int, index: Grid, grid: Grid, tensors: tuple[Tensor, ...]) -> None:
        """An instance that the reader steps through begins; it was given these tensors."""

    def left(self) -> None:
        """It is over."""


class NotedGrid:
    """A grid that remembers what it came to, where it is a function of the compile-time constants."""

    __slots__ = ("grid", "value")

    def __init__(self, grid: Any) -> None:
        self.grid = grid
        self.value: Grid = () if callable(grid) else as_grid(grid)

    def __call__(self, constants: dict[str, Any]) -> Any:
        """What the launcher asks of a grid."""
        grid = self.grid(constants) if callable(self.grid) else self.grid
        self.value = as_grid(grid)
        return grid


def as_grid(grid: Any) -> Grid:
    """The grid as a tuple of plain integers."""
    return tuple(int(size) for size in (grid if isinstance(grid, Iterable) else (grid,)))


def resolve(instances: Instances, grid: Grid) -> tuple[set[Grid], list[Any]]:
    """The program instances meant, as three coordinates each, and those that lie outside `grid`."""
    sizes = _three(grid)
    inside: set[Grid] = set()
    outside = []
    for instance in instances:
        if instance == "first":
            where: Grid = (0, 0, 0)
        elif instance == "last":
            where = tuple(size - 1 for size in sizes)
        else:
            where = _three(as_grid(instance), fill=0)
        if all(0 <= at < size for at, size in zip(where, sizes, strict=True)):
            inside.add(where)
        elif min(sizes) > 0:
            outside.append(instance)
    return inside, outside


def _three(numbers: Grid, fill: int = 1) -> Grid:
    return numbers + (fill,) * (3 - len(numbers))


class _Launch:
    """The launch under way."""

    def __init__(
        self, watch: Watch, memory: MemoryHooks, kernel: int | None, name: str, grid: NotedGrid, instances: Instances
    ) -> None:
        self.watch = watch
        self.memory = memory
        self.kernel = kernel
        "Its number; None where the launch is not to be recorded."
        self.name = name
        self.grid = grid
        self.asked = instances
        self.instances: set[Grid] = set()
        self.codes: list[CodeType] = []
        "What executes: the kernel's code and that of the author's helpers it called so far."
        self.inside = False

    def begin(self) -> None:
        if self.kernel is None:
            return
        self.watch.launched(self.kernel, self.grid.value, True)
        self.instances, outside = resolve(self.asked, self.grid.value)
        if outside:
            self.watch.warn(f"{self.name} has no program instance {outside[0]!r}: its grid is {self.grid.value}")

    def executes(self, code: CodeType) -> None:
        if code not in self.codes:
            self.codes.append(code)
            self.watch.step_inside(code, self.inside)

    def at(self, instance: Grid) -> None:
        self.leave()
        if instance in self.instances and self.kernel is not None:
            grid = self.grid.value
            self.watch.entered(self.kernel, instance[: len(grid)], grid, self.memory.tensors)
            self.step(True)
            self.memory.listen()

    def leave(self) -> None:
        if self.inside:
            self.memory.stop()
            self.step(False)
            self.watch.left()

    def step(self, inside: bool) -> None:
        self.inside = inside
        for code in self.codes:
            self.watch.step_inside(code, inside)


class InterpreterHooks:
    """The replaced functions. `install` makes them, `patches.undo` takes them away."""

    def __init__(self, watch: Watch, patches: Patches) -> None:
        self.watch = watch
        self.patches = patches
        self.memory = MemoryHooks(watch)
        self.launch: _Launch | None = None
        self.own = ""
        "Folder of Triton's own code, which is never stepped through."

    def install(self, interpreter: ModuleType) -> None:
        """Hook into `triton.runtime.interpreter`. A Triton that lacks one of the functions runs unwatched."""
        function: Any = getattr(interpreter, "InterpretedFunction", None)
        builder: Any = getattr(interpreter, "InterpreterBuilder", None)
        if not (_has(function, "run", "rewrite") and _has(builder, "set_grid_dim", "set_grid_idx")):
            self.watch.warn("this version of Triton has another interpreter: its launches are not recorded")
            return
        self.own = str(Path(interpreter.__file__ or "").parents[1]) + os.sep
        self.patches.replace(function, "run", self._run(function.run))
        self.patches.replace(function, "rewrite", self._rewrite(function.rewrite))
        self.patches.replace(builder, "set_grid_dim", self._set_grid_dim(builder.set_grid_dim))
        self.patches.replace(builder, "set_grid_idx", self._set_grid_idx(builder.set_grid_idx))
        self.memory.install(interpreter, self.patches)
        if _has(interpreter, "_patch_lang_tensor"):
            self.patches.replace(interpreter, "_patch_lang_tensor", self._with_index(interpreter._patch_lang_tensor))

    def _with_index(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Let a scalar be a loop's bound: Triton 3.6 has NumPy convert an array of one element, and 2.4 refuses to."""
        def patch(tensor: Any, *scope: Any) -> None:
            original(tensor, *scope)
            for until_the_launch_ends in scope:
                until_the_launch_ends.set_attr(tensor, "__index__", lambda scalar: int(scalar.handle.data.item()))

        return patch

    def _run(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def run(kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            if warmup:
                return original(kernel, *args, grid=grid, warmup=warmup, **kwargs)
            number: int | None = None
            instances: Instances = ()
            if self.watch.active:
                number = self.watch.noted(kernel, args, kwargs)
                instances = self.watch.to_step(kernel.fn, sys._getframe(1))
            noted = NotedGrid(grid)
            launch = self.launch = _Launch(self.watch, self.memory, number, kernel.fn.__name__, noted, instances)
            self.memory.launch(bool(instances))
            try:
                return original(kernel, *args, grid=noted, warmup=warmup, **kwargs)
            finally:
                launch.leave()
                self.launch = None
                self.memory.launch(False)

        return run

    def _rewrite(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def rewrite(kernel: Any) -> Any:
            function = original(kernel)
            code = getattr(function, "__code__", None)
            if self.launch is not None and code is not None and not code.co_filename.startswith(self.own):
                self.launch.executes(code)
            return function

        return rewrite

    def _set_grid_dim(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def set_grid_dim(builder: Any, *sizes: int) -> None:
            original(builder, *sizes)
            if self.launch is not None:
                self.launch.begin()

        return set_grid_dim

    def _set_grid_idx(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def set_grid_idx(builder: Any, *instance: int) -> None:
            original(builder, *instance)
            if self.launch is not None:
                self.launch.at(instance)

        return set_grid_idx


def _has(owner: Any, *names: str) -> bool:
    return all(callable(getattr(owner, name, None)) for name in names)
