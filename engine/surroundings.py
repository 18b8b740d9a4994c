"""What a lecture may have replaced of Python itself, or of the engine, and the engine relies on."""

import builtins
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any

_RELIED_ON = (
    "builtins", "codecs", "collections", "contextlib", "datetime", "hashlib", "inspect", "io", "json", "linecache",
    "os", "pathlib", "platform", "posix", "posixpath", "re", "signal", "sys", "tempfile", "threading", "time",
    "traceback", "_thread",
)  # fmt: skip

_LIMITS: tuple[int, ...] = ()
with suppress(ImportError):  # on Windows
    import resource

    _LIMITS = (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_AS, resource.RLIMIT_DATA)


class Surroundings:
    """The modules there are, the functions and classes of some of them, and all that the engine's own hold."""

    def __init__(self) -> None:
        self._sys = vars(sys)
        self._modules = sys.modules
        self._loaded = dict(sys.modules)
        self._before = [(vars(module), _callables(module)) for name, module in self._loaded.items()
                        if name in _RELIED_ON]  # fmt: skip
        self._engine = [(vars(module), dict(vars(module))) for name, module in self._loaded.items()
                        if name.partition(".")[0] == "engine"]  # fmt: skip

    def put_back(self) -> None:
        """Put back what was replaced or is gone. Calls no function of Python's but methods of dicts."""
        self._sys["modules"] = self._modules
        self._modules.update(self._loaded)
        for now, before in self._before:
            for name, value in before.items():
                if now.get(name) is not value:
                    now[name] = value
        self.put_engine_back()

    def put_engine_back(self) -> None:
        """Put back what is gone from the engine's own modules; like `put_back`."""
        for now, before in self._engine:
            for name, value in before.items():
                now.setdefault(name, value)


@contextmanager
def limits_kept() -> Iterator[None]:
    """Put back how many files may be open, and how long and large what is used may get."""
    before = {limit: resource.getrlimit(limit) for limit in _LIMITS}
    try:
        yield
    finally:
        for limit, amounts in before.items():
            with suppress(OSError, ValueError):  # the lecture has given the right to do so away
                resource.setrlimit(limit, amounts)


def keep_builtins() -> None:
    """Have the engine's modules use the builtins there are now, whatever a lecture puts in their place."""
    before = _callables(builtins)
    for name, module in list(sys.modules.items()):
        if name.startswith("engine."):
            for builtin, value in before.items():
                vars(module).setdefault(builtin, value)


def _callables(module: ModuleType) -> dict[str, Any]:
    """The functions and classes of a module; a lecture's hooks are its own affair, also at the end of the process."""
    return {name: value for name, value in vars(module).items() if callable(value) and not name.endswith("hook")}
