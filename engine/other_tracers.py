"""`sys.settrace` and its kin as a lecture has them while it is recorded: None stands for the recorder's own tracer.

So a lecture finds no tracer there that it did not set itself, and gives the recorder its place back when it takes its
own away.
"""

import sys
import threading
from collections.abc import Callable
from typing import Any

from engine.patches import Patches

_OURS = (sys.settrace, sys.gettrace, threading.settrace, threading.gettrace)
"What Python itself has under these names."


class OtherTracers:
    """Stands between a lecture and the tracer functions of Python."""

    def __init__(self, own: Any, told: Callable[[], None]) -> None:
        """`own` is the recorder's trace function; `told` hears of another one that takes its place."""
        self.own = own
        self.told = told
        self.patches = Patches()

    def install(self) -> None:
        """From now on a lecture gets at Python's tracers through this."""
        for owner, set_name, get_name in ((sys, _OURS[0], _OURS[1]), (threading, _OURS[2], _OURS[3])):
            self.patches.replace(owner, "settrace", self._setter(set_name))
            self.patches.replace(owner, "gettrace", self._getter(get_name))

    def undo(self) -> None:
        """Leave Python's functions to themselves."""
        self.patches.undo()

    def _setter(self, really: Callable[[Any], None]) -> Callable[[Any], None]:
        def settrace(function: Any, /) -> None:
            if function is not None and function != self.own:
                self.told()
            really(self.own if function is None else function)

        return settrace

    def _getter(self, really: Callable[[], Any]) -> Callable[[], Any]:
        def gettrace() -> Any:
            found = really()
            return None if found == self.own else found

        return gettrace
