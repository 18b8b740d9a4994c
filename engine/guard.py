"""Calling `repr` and `str` of somebody else's class: whatever happens there costs a line of text and at most 0.2 s.

In the main thread the limit is a SIGALRM, which interrupts Python code, waiting (`time.sleep`, a lock) and C code that
looks after signals, as `repr` of the built-in containers does. In another thread it is an exception that a watcher
sends into the thread, which arrives when it next executes Python code. What neither can interrupt, a C function that
never returns to the interpreter, or code that swallows every exception and carries on for ever, is waited for.
"""

import _thread
import signal
import weakref
from _thread import start_new_thread  # as it is without engine/bare_threads.py
from collections.abc import Callable
from contextlib import suppress
from signal import getsignal  # as it is without the doorkeepers of engine/signals.py
from signal import signal as set_handler
from threading import get_ident, main_thread
from time import monotonic  # a lecture may replace it
from types import FrameType
from typing import Any

from engine import anatomy, display
from engine.signals import Interrupted, ask_author

SECONDS = 0.2
"What all displays within one snapshot may take together."
_AGAIN = 0.05
"Seconds until the alarm rings again for code that has swallowed it."
_SLOW = SECONDS / 2
"A class whose display took all the time there was left, and at least this long, is not asked again."


class _Late(BaseException):
    """The time is over. Not an Exception, so that an ordinary handler in a `__repr__` does not swallow it."""


class _Alarm:
    """A handler for SIGALRM that raises in whatever is running, as long as it is armed."""

    def __init__(self, end: float) -> None:
        self.end = end
        "When it is to ring, by `time.monotonic`."
        self.armed = True
        self.early = False
        "Whether a signal came before that, which was meant for the lecture."

    def ring(self, _number: int, _frame: FrameType | None) -> None:
        if monotonic() < self.end:
            self.early = True
        elif self.armed:
            raise _Late


def _with_alarm(call: Callable[[Any], Any], value: object, seconds: float, before: Any) -> Any:
    """`call(value)` under an alarm; the lecture's own handler (`before`) and timer are put back."""
    started = monotonic()
    alarm = _Alarm(started + seconds)
    set_handler(signal.SIGALRM, alarm.ring)
    remaining, interval = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        try:
            return call(value)
        finally:
            alarm.armed = False
    finally:
        alarm.armed = False  # the alarm may have rung before the line above
        signal.setitimer(signal.ITIMER_REAL, 0)
        set_handler(signal.SIGALRM, before)
        if remaining:
            signal.setitimer(signal.ITIMER_REAL, max(remaining - (monotonic() - started), 1e-6), interval)
        if alarm.early:
            _thread.interrupt_main(signal.SIGALRM)


class _Watcher:
    """Sends `_Late` into the thread that made it, once, unless that has called `stop` in time."""

    def __init__(self, seconds: float) -> None:
        import ctypes  # rarely needed, and slow to import

        self.seconds = seconds
        self.send = ctypes.pythonapi.PyThreadState_SetAsyncExc
        self.target = ctypes.c_ulong(_thread.get_ident())
        self.late = ctypes.py_object(_Late)
        self.lock = _thread.allocate_lock()
        self.armed = True
        self.sent = False
        self.done = _thread.allocate_lock()
        self.done.acquire()
        start_new_thread(self._watch, ())

    def _watch(self) -> None:
        if not self.done.acquire(timeout=self.seconds):
            with self.lock:
                if self.armed:
                    self.sent = True
                    self.send(self.target, self.late)

    def stop(self) -> None:
        """Send none from now on, and take in one that was sent and has not arrived.

        Taking it back instead, by sending None, leaves Python 3.11 believing for ever that one is to be delivered,
        and then a function that is traced and called never gets past its first instruction.
        """
        with self.lock:
            self.armed = False
        if self.sent:
            with suppress(_Late):
                for _ in range(100):  # each pass looks for what is to be delivered
                    pass


def _with_watcher(call: Callable[[Any], Any], value: object, seconds: float) -> Any:
    watcher = _Watcher(seconds)
    try:
        try:
            return call(value)
        finally:
            watcher.stop()
    finally:
        watcher.done.release()


def call_within(seconds: float, call: Callable[[Any], Any], value: object) -> Any:
    """`call(value)`, ended by an exception of this module when it takes longer than `seconds`."""
    if main_thread().ident == get_ident() and hasattr(signal, "SIGALRM"):
        before = getsignal(signal.SIGALRM)
        if before is not None:  # else C code installed a handler, which could not be put back
            return _with_alarm(call, value, seconds, before)
    return _with_watcher(call, value, seconds)


class Displays:
    """Asks objects for their own text, and remembers the classes that took too long."""

    def __init__(self) -> None:
        self._slow: dict[int, weakref.ref[type]] = {}

    def ask(self, call: Callable[[Any], str], value: object, deadline: float) -> tuple[str, bool]:
        """`call(value)`, `call` being `repr` or `str`, on one line, and whether it was cut.

        Never raises; `deadline` is a time of `time.monotonic`. Where there is no text to be had, the answer says why in
        angle brackets.
        """
        cls = type(value)
        seconds = deadline - monotonic()
        if self._is_slow(cls) or seconds <= 0:
            return f"<{anatomy.class_name(cls)} object, not shown: its {call.__name__} takes too long>", True
        started = monotonic()
        try:
            return display.one_line(str.__str__(ask_author(lambda: call_within(seconds, call, value))))
        except Interrupted:
            return f"<{anatomy.class_name(cls)} object, not shown: interrupted>", True
        except _Late:
            return f"<{anatomy.class_name(cls)} object, {call.__name__} took longer than {SECONDS} s>", True
        except BaseException as error:
            return self._complaint(value, call, error)
        finally:
            if monotonic() - started >= max(seconds, _SLOW):
                self._slow[id(cls)] = weakref.ref(cls)

    def _is_slow(self, cls: type) -> bool:
        known = self._slow.get(id(cls))
        return known is not None and known() is cls

    @staticmethod
    def _complaint(value: object, call: Callable[[Any], str], error: BaseException) -> tuple[str, bool]:
        """What is shown for an object whose display raised."""
        arguments = BaseException.__dict__["args"].__get__(error)
        message = arguments[0] if arguments and type(arguments[0]) is str else ""
        said = f"{call.__name__} raised {anatomy.class_name(type(error))}"
        return display.one_line(f"<{anatomy.class_name(type(value))} object, {said}{': ' if message else ''}{message}>")
