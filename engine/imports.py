"""Do something to a module right after it has been imported, without importing it."""

import importlib.abc
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

Callback = Callable[[ModuleType], None]


class _Watcher(importlib.abc.MetaPathFinder):
    """Lets the other finders find a module, and has its callback run when the module has been executed."""

    def __init__(self, callbacks: Mapping[str, Callback]) -> None:
        self.callbacks = dict(callbacks)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        callback = self.callbacks.get(name)
        if callback is None:
            return None
        spec = self._ask_others(name, path, target)
        if spec is not None and spec.loader is not None:
            _run_after(spec.loader, callback)
        return spec

    def _ask_others(self, name: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
        for finder in sys.meta_path:
            if finder is not self and (spec := finder.find_spec(name, path, target)) is not None:
                return spec
        return None


def _run_after(loader: Any, callback: Callback) -> None:
    """Have `loader` run `callback` once; the loader stays itself, since others ask modules for it."""
    execute = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        del loader.exec_module
        execute(module)
        callback(module)

    loader.exec_module = exec_module


@contextmanager
def after_import(callbacks: Mapping[str, Callback]) -> Iterator[None]:
    """While inside, call `callbacks[name](module)` when module `name` is imported, at once where it already is.

    What a callback raises reaches whoever imports the module.
    """
    watcher = _Watcher(callbacks)
    sys.meta_path.insert(0, watcher)
    try:
        for name, callback in callbacks.items():
            if name in sys.modules:
                callback(sys.modules[name])
        yield
    finally:
        sys.meta_path.remove(watcher)
