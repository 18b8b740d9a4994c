"""What a lecture may have replaced of Python itself, and the engine relies on: functions of builtins and of modules."""

import builtins
import sys
from types import ModuleType
from typing import Any

_RELIED_ON = (
    "builtins", "contextlib", "datetime", "hashlib", "inspect", "json", "linecache", "os", "platform", "posix",
    "signal", "tempfile", "threading", "time", "traceback", "_thread",
)  # fmt: skip


class Surroundings:
    """Functions and classes as they are now."""

    def __init__(self) -> None:
        modules = [sys.modules[name] for name in _RELIED_ON if name in sys.modules]
        self._before = [(vars(module), _callables(module)) for module in modules]

    def put_back(self) -> None:
        """Put back those that were replaced. Calls no function of Python's but methods of dicts."""
        for now, before in self._before:
            for name, value in before.items():
                if now.get(name) is not value:
                    now[name] = value


def keep_builtins() -> None:
    """Have the engine's modules use the builtins there are now, whatever a lecture puts in their place."""
    before = _callables(builtins)
    for name, module in list(sys.modules.items()):
        if name.startswith("engine."):
            for builtin, value in before.items():
                vars(module).setdefault(builtin, value)


def _callables(module: ModuleType) -> dict[str, Any]:
    return {name: value for name, value in vars(module).items() if callable(value)}
