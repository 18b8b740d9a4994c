"""Signals while a lecture is recorded: their handlers run amid the lecture's own code, never amid the recorder's.

A handler that raises (Ctrl-C, a time limit of the lecture's) would else end the work of the tracer half done, and
CPython takes a trace function away that raises. So each handler has a doorkeeper. Where the tracer is at work, that
sends the signal once more: it arrives again at the next place where Python looks for signals, until that is in the
lecture.

While the code of a value's author runs (a `__repr__`, a property that was asked for), what that raises is no Ctrl-C;
a true one ends that code, and then arrives in the lecture.
"""

import signal
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from signal import getsignal, set_wakeup_fd
from signal import signal as set_handler
from threading import get_ident, main_thread  # a lecture may replace them
from types import FrameType
from typing import Any, TypeVar, cast

from engine import instructions, monitoring, tracer
from engine.patches import Patches

T = TypeVar("T")

_WATCHERS = {module.__file__ for module in (instructions, monitoring, tracer)}
"Files whose functions the interpreter calls between a lecture's instructions."


class Interrupted(BaseException):
    """Ends an author's code that runs for a value when Ctrl-C is pressed."""


class _Authors:
    """Whether code of a value's author runs in the main thread, and a Ctrl-C may end it."""

    running = False


def ask_author(call: Callable[[], T]) -> T:
    """`call()`, code of a value's author; Ctrl-C meanwhile ends it by `Interrupted`."""
    if get_ident() != main_thread().ident:
        return call()
    before, _Authors.running = _Authors.running, True
    try:
        return call()
    finally:
        _Authors.running = before


class _Doorkeeper:
    """Stands before a handler."""

    def __init__(self, handler: Callable[[int, FrameType | None], Any]) -> None:
        self.handler = handler

    def __call__(self, number: int, frame: FrameType | None) -> Any:
        if not _is_watching(frame):
            return self.handler(number, frame)
        descriptor = set_wakeup_fd(-1)  # whoever reads it has been told of the signal already
        ending = _Authors.running and self.handler is signal.default_int_handler
        _send_again[cast("signal.Signals", number)]
        _set_descriptor[descriptor]
        if ending:
            _Authors.running = False
            raise Interrupted
        return None


def _is_watching(frame: FrameType | None) -> bool:
    """Whether the tracer is at work in `frame` or in one that called it."""
    while frame is not None:
        if frame.f_code.co_filename in _WATCHERS:
            return True
        frame = frame.f_back
    return False


# In square brackets, since behind a call Python looks for signals again, and would find this one.
class _SendAgain:
    __getitem__ = staticmethod(interrupt_main)


class _SetDescriptor:
    __getitem__ = staticmethod(set_wakeup_fd)


_send_again, _set_descriptor = _SendAgain(), _SetDescriptor()


def _behind(handler: Any) -> Any:
    """The handler that a lecture knows of."""
    return handler.handler if type(handler) is _Doorkeeper else handler


def _guarded(handler: Any) -> Any:
    """What is really set for a lecture's handler."""
    return _Doorkeeper(handler) if callable(handler) and type(handler) is not _Doorkeeper else handler


def _set(signalnum: int, handler: Any) -> Any:
    return _behind(set_handler(signalnum, _guarded(handler)))


def _get(signalnum: int) -> Any:
    return _behind(getsignal(signalnum))


@contextmanager
def signals_kept_out() -> Iterator[None]:
    """Keep all handlers, those there are and those set meanwhile, out of the tracer's work; in the main thread only."""
    if get_ident() != main_thread().ident:
        yield
        return
    patches = Patches()
    patches.replace(signal, "signal", _set)
    patches.replace(signal, "getsignal", _get)
    _exchange(_guarded)
    try:
        yield
    finally:
        patches.undo()
        _exchange(_behind)


def _exchange(change: Callable[[Any], Any]) -> None:
    for number in signal.valid_signals():
        handler = getsignal(number)
        if callable(handler) and change(handler) is not handler:
            set_handler(number, change(handler))
