"""Notices the launches of compiled Triton kernels, and keeps autotuning from being recorded or from failing."""

from collections.abc import Callable
from types import ModuleType
from typing import Any, Protocol

from engine.interpreted import Grid, NotedGrid
from engine.patches import Patches


class JitWatch(Protocol):
    """What is told of launches on a GPU."""

    active: bool

    def launched_binary(
        self, kernel: Any, compiled: Any, grid: Grid, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """The binary `compiled` of `kernel` was launched with these arguments."""

    def pause(self) -> Callable[[], None]:
        """Stop looking, until what is returned is called."""

    def warn(self, message: str) -> None:
        """Tell the author."""


class JitHooks:
    """Replaces `JITFunction.run`, the one place that knows kernel, arguments and grid of a launch on a GPU.

    Triton's own launch hook is told neither the arguments nor the grid.
    """

    def __init__(self, watch: JitWatch, patches: Patches) -> None:
        self.watch = watch
        self.patches = patches

    def install(self, jit: ModuleType) -> None:
        """Hook into `triton.runtime.jit`."""
        self.patches.replace(jit.JITFunction, "run", self._run(jit.JITFunction.run))

    def _run(self, original: Callable[..., Any]) -> Callable[..., Any]:
        watch = self.watch

        def run(kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            if warmup or not watch.active:
                return original(kernel, *args, grid=grid, warmup=warmup, **kwargs)
            noted = NotedGrid(grid)
            compiled = original(kernel, *args, grid=noted, warmup=warmup, **kwargs)
            if compiled is not None:
                watch.launched_binary(kernel, compiled, noted.value, args, kwargs)
            return compiled

        return run


class TunerHooks:
    """Autotuning launches a kernel hundreds of times to measure: none of these launches is the lecture's.

    Without a GPU there is nothing to measure on, and Triton would fail; then the first configuration is taken.
    """

    def __init__(self, watch: JitWatch, patches: Patches) -> None:
        self.watch = watch
        self.patches = patches
        self.said: set[str] = set()

    def install(self, autotuner: ModuleType) -> None:
        """Hook into `triton.runtime.autotuner`."""
        self.driver = autotuner.driver
        self.knobs = autotuner.knobs
        tuner = autotuner.Autotuner
        self.patches.replace(tuner, "run", self._run(tuner.run))
        if hasattr(tuner, "_bench"):
            self.patches.replace(tuner, "_bench", self._bench(tuner._bench))

    def _bench(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def bench(tuner: Any, *args: Any, **kwargs: Any) -> Any:
            go_on = self.watch.pause()
            try:
                return original(tuner, *args, **kwargs)
            finally:
                go_on()

        return bench

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
        if name not in self.said:
            self.said.add(name)
            self.watch.warn(f"{name} is tuned on a GPU; here nothing was measured and {configuration} was taken")
