"""`sys.settrace` and its kin as a lecture has them while it is recorded: None stands for the recorder's own tracer.

So a lecture finds no tracer there that it did not set itself, and gives the recorder its place back when it takes its
own away.
"""

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from engine.patches import Patches

_OURS = (sys.settrace, sys.gettrace, threading.settrace, threading.gettrace)
"What Python itself has under these names."


class OtherTracers:
    """Stands between a lecture and the tracer functions of Python."""

    def __init__(self, own: Any, told: Callable[[], None], regained: Callable[[FrameType, str, Any], Any]) -> None:
        """`own` is the recorder's trace function; `told` hears of another one that takes its place.

        `regained` is the trace function of the frame in which a debugger has let go.
        """
        self.own = own
        self.told = told
        self.regained = regained
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
            before = _OURS[1]()
            if function is not None and function != self.own:
                self.told()
            really(self.own if function is None else function)
            if function is None:
                self._follow(before)

        return settrace

    def _follow(self, before: Any) -> None:
        """Take over from a debugger of Python's own kind (`pdb`) that lets the program run on.

        It has taken the trace functions of all frames away, and answers the interpreter once more: that its method
        `trace_dispatch` is to watch the frame it stopped in. There the recorder's function stands then.
        """
        debugger, bdb = getattr(before, "__self__", None), sys.modules.get("bdb")
        if bdb is None or not isinstance(debugger, bdb.Bdb):
            return

        def trace_dispatch(frame: FrameType, event: str, arg: Any) -> Any:
            vars(debugger).pop("trace_dispatch", None)
            return self.regained(frame, event, arg)

        vars(debugger)["trace_dispatch"] = trace_dispatch

    def _getter(self, really: Callable[[], Any]) -> Callable[[], Any]:
        def gettrace() -> Any:
            found = really()
            return None if found == self.own else found

        return gettrace
