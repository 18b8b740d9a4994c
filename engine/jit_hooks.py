"""Notices the launches of compiled Triton kernels, and keeps autotuning from being recorded or from failing."""

from collections.abc import Callable
from types import ModuleType
from typing import Any, Protocol

from engine.captured import device_name
from engine.interpreted import Grid, NotedGrid
from engine.patches import Patches
from engine.trace import Tuning
from engine.tuning import FROM_CACHE, OWN_BENCHMARK, key_of, tuning


class JitWatch(Protocol):
    """What is told of launches on a GPU."""

    active: bool

    def launched_binary(
        self, kernel: Any, compiled: Any, grid: Grid, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """The binary `compiled` of `kernel` was launched with these arguments."""

    def tuned(self, function: Callable[..., Any], tuning: Tuning) -> None:
        """A kernel, given by its plain function, was launched as autotuning chose."""

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

    Without a GPU there is nothing to measure on, and Triton would fail; then the first configuration is taken. What was
    found, also while nobody was watching, is told with the first launch that uses it.
    """

    def __init__(self, watch: JitWatch, patches: Patches) -> None:
        self.watch = watch
        self.patches = patches
        self.said: set[str] = set()
        self.found: dict[tuple[Any, Any], tuple[dict[Any, Any], str]] = {}
        "Times by configuration, and what took them, by tuner and key."
        self.told: set[tuple[Any, Any]] = set()
        self.benches = 0
        "How many configurations were measured so far."

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
            self.benches += 1
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
            if len(tuner.configs) < 2:
                return original(tuner, *args, **kwargs)
            if not self._can_measure(tuner):
                return self._unmeasured(original, tuner, args, kwargs)
            before, benches = getattr(tuner, "configs_timings", None), self.benches
            result = original(tuner, *args, **kwargs)
            timings = getattr(tuner, "configs_timings", None)
            fresh = timings if timings is not before else None
            self._tell(tuner, args, kwargs, tuner.best_config, fresh, self._method(tuner, self.benches > benches))
            return result

        return run

    def _unmeasured(
        self, original: Callable[..., Any], tuner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        configurations = tuner.configs
        tuner.nargs = dict(zip(tuner.arg_names, args, strict=False))
        tuner.configs = tuner.prune_configs(kwargs)[:1]
        [taken] = tuner.configs
        self._say(tuner.base_fn.__name__, taken)
        try:
            return original(tuner, *args, **kwargs)
        finally:
            tuner.configs = configurations
            self._tell(tuner, args, kwargs, taken)

    def _method(self, tuner: Any, measured: bool) -> str:
        """What took the times: just now, or in an earlier run."""
        if not measured:
            return FROM_CACHE
        own = getattr(tuner, "_do_bench", None) is not None
        return OWN_BENCHMARK if own else f"Triton's benchmark on {device_name() or 'this GPU'}"

    def _tell(
        self, tuner: Any, args: tuple[Any, ...], kwargs: dict[str, Any], ran: Any, fresh: Any = None, method: str = ""
    ) -> None:
        """Keep times that are `fresh`; and tell, once, of what is known for the key of these arguments."""
        try:
            place = tuner, key_of(tuner, args, kwargs)
            if fresh is not None:
                self.found[place] = dict(fresh), method
            if self.watch.active and place not in self.told:
                self.told.add(place)
                self.watch.tuned(tuner.base_fn, tuning(tuner, args, kwargs, *self.found.get(place, ({}, "")), ran))
        except Exception as error:  # another Triton may keep it otherwise, and the launch has been made
            self.watch.warn(f"what autotuning found cannot be read: {type(error).__name__}: {error}")

    def _say(self, name: str, configuration: Any) -> None:
        if name not in self.said:
            self.said.add(name)
            self.watch.warn(f"{name} is tuned on a GPU; here nothing was measured and {configuration} was taken")
