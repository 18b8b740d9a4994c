"""The tracer on `sys.monitoring` (Python 3.12 and later): code that is not visible costs nothing.

What is a step is decided in engine/tracer.py. Here the interpreter's events are turned on for the visible code objects
only; for all other code the interpreter asks once per place and is told not to ask again.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from sys import _getframe  # a lecture may replace these
from threading import current_thread, get_ident, main_thread
from threading import enumerate as running_threads
from types import CodeType, FrameType, ModuleType
from typing import Any, Protocol

from engine.errors import UsageError
from engine.scope import Scope
from engine.tracer import FrameState, Listener, ThreadState, Tracer

TOOL = "lecture-trace"
_TRACEBACK = BaseException.__dict__["__traceback__"].__get__  # a class may have one of its own
_IDS = (4, 3, 2, 5, 1, 0)
"Tool numbers, first those that Python reserves for nobody."


class Monitoring(Protocol):
    """Of the module `sys.monitoring`, what is used here."""

    DISABLE: Any
    events: Any

    def get_tool(self, tool: int) -> str | None: ...
    def use_tool_id(self, tool: int, name: str) -> None: ...
    def free_tool_id(self, tool: int) -> None: ...
    def register_callback(self, tool: int, event: int, call: Any) -> Any: ...
    def set_events(self, tool: int, events: int) -> None: ...
    def set_local_events(self, tool: int, code: CodeType, events: int) -> None: ...
    def restart_events(self) -> None: ...


def monitoring() -> Monitoring:
    """`sys.monitoring`. Raises UsageError where this Python has none."""
    module: ModuleType | None = getattr(sys, "monitoring", None)
    if module is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise UsageError(f"--backend monitoring needs Python 3.12 or later, this is {version}; use --backend settrace")
    return module


def free_tool() -> int:
    """A tool number that nobody uses. Raises UsageError where there is none."""
    module = monitoring()
    number = next((number for number in _IDS if module.get_tool(number) is None), None)
    if number is None:
        names = ", ".join(str(module.get_tool(number)) for number in sorted(_IDS))
        raise UsageError(f"--backend monitoring finds all tool numbers taken ({names}); use --backend settrace")
    return number


class MonitoringTracer(Tracer):
    """Watches the visible code of a process through `sys.monitoring`.

    A state knows its frame here, since the interpreter does not hand out what it was told of a frame.
    """

    def __init__(self, listener: Listener) -> None:
        """Raises UsageError where this cannot be done."""
        super().__init__(listener)
        self.monitoring = monitoring()
        self.tool = -1
        free_tool()
        self.events = self.monitoring.events
        self.disable = self.monitoring.DISABLE
        self.scopes: dict[int, tuple[CodeType, int]] = {}
        "The code objects watched and their events, by identity."
        self.switched: set[int] = set()
        "Identities of the code objects that may become visible again."
        self.older: set[threading.Thread] = set()
        "Threads that ran before the recording began; they are not watched."

    # -- which code is watched

    def watch(self, filename: str) -> None:
        """See `Tracer.watch`; code of the file that has run before is asked for again."""
        super().watch(filename)
        if self.tool >= 0:
            self.monitoring.restart_events()

    def look_up(self, code: CodeType, scopes: dict[int, Scope | None]) -> Scope | None:
        """See `Tracer.look_up`."""
        scope = super().look_up(code, scopes)
        if scope is not None:
            self._listen(code, scope)
        return scope

    def set_scope(self, code: CodeType, scope: Scope | None) -> None:
        """See `Tracer.set_scope`."""
        super().set_scope(code, scope)
        self.switched.add(id(code))
        self._listen(code, scope)

    def _listen(self, code: CodeType, scope: Scope | None) -> None:
        """Have the interpreter tell of what happens in `code`."""
        events = self.events
        wanted = events.PY_RETURN | events.PY_YIELD | (events.INSTRUCTION if scope and scope.opcodes else events.LINE)
        self.scopes[id(code)] = code, wanted if scope is not None else 0
        if self.tool >= 0:
            self.monitoring.set_local_events(self.tool, code, self.scopes[id(code)][1])

    # -- start and stop

    def start(self) -> None:
        """See `Tracer.start`."""
        self.tool = free_tool()
        self.monitoring.use_tool_id(self.tool, TOOL)
        self.older = set(running_threads()) - {current_thread()}
        self.active = True
        for event, call in self._callbacks():
            self.monitoring.register_callback(self.tool, event, call)
        self._switch(True)

    def stop(self) -> None:
        """Give back what was taken."""
        self.active = False
        if self.tool < 0:
            return
        self._switch(False)
        for event, _ in self._callbacks():
            self.monitoring.register_callback(self.tool, event, None)
        self.monitoring.free_tool_id(self.tool)
        self.tool = -1

    def lost(self) -> bool:
        """Never: whatever a lecture does to `sys.settrace`, and whatever is raised, goes past this tracer."""
        return False

    def begin_thread(self) -> None:
        """Nothing needs to be done: all threads are watched."""

    def let_go(self) -> None:
        """See `Tracer.let_go`; all threads are let go of."""
        self.stop()

    def rearm(self) -> None:
        """There is nothing to be done: see `lost`."""

    @contextmanager
    def paused(self) -> Iterator[None]:
        """See `Tracer.paused`. The interpreter is at full speed meanwhile, unless another thread is being watched."""
        thread = self.thread()
        before = thread.paused, thread.muted
        thread.paused = thread.muted = True
        alone = self.tool >= 0 and not any(other.top for other in self.threads.values() if other is not thread)
        if alone:
            self._switch(False)
        try:
            yield
        finally:
            thread.paused, thread.muted = before
            if alone and self.tool >= 0:
                self._switch(True)

    def _switch(self, on: bool) -> None:
        events = self.events
        everywhere = events.PY_START | events.PY_RESUME | events.PY_THROW | events.PY_UNWIND | events.RAISE
        for code, wanted in self.scopes.values():
            self.monitoring.set_local_events(self.tool, code, wanted if on else 0)
        self.monitoring.set_events(self.tool, everywhere if on else 0)

    def _callbacks(self) -> list[tuple[int, Any]]:
        events = self.events
        return [
            (events.PY_START, self._started), (events.PY_RESUME, self._started), (events.PY_THROW, self._thrown),
            (events.PY_RETURN, self._left), (events.PY_YIELD, self._left), (events.PY_UNWIND, self._left),
            (events.RAISE, self._raised), (events.LINE, self._line), (events.INSTRUCTION, self._instruction),
        ]  # fmt: skip

    # -- what the interpreter tells

    def _started(self, code: CodeType, _offset: int) -> Any:
        """A call of Python code, or the resumption of a generator."""
        scopes = self.files.get(code.co_filename)
        if scopes is None:
            return self.disable
        try:
            seen = self._enters(_getframe(1), scopes)
            return self.disable if not seen and scopes[id(code)] is None and id(code) not in self.switched else None
        except RecursionError:
            raise
        except Exception as error:
            self.listener.broken(error)
        return None

    def _thrown(self, code: CodeType, _offset: int, _error: BaseException) -> None:
        """The resumption of a generator by an exception."""
        scopes = self.files.get(code.co_filename)
        if scopes is not None:
            try:
                self._enters(_getframe(1), scopes)
            except RecursionError:
                raise
            except Exception as error:
                self.listener.broken(error)

    def _enters(self, frame: FrameType, scopes: dict[int, Scope | None]) -> bool:
        """Whether a frame that is called or resumed is to be seen; its state then knows it."""
        state = self.entered(frame, scopes)
        if state is None:
            return False
        state.frame = frame
        return True

    def _line(self, _code: CodeType, _number: int) -> None:
        try:
            frame = _getframe(1)
            thread = self.threads.get(get_ident())
            state = thread.top if thread is not None else None
            if state is None or state.frame is not frame:
                state = self._state(frame)
                if state is None:
                    return
        except RecursionError:
            raise
        except Exception as error:
            self.listener.broken(error)
            return
        state.trace(frame, "line", None)

    def _instruction(self, _code: CodeType, _offset: int) -> None:
        self._tell("opcode", None)

    def _left(self, code: CodeType, _offset: int, _what: Any) -> None:
        """The frame is left: by a return, a yield or an exception."""
        if code.co_filename in self.files:
            self._tell("return", None)

    def _raised(self, code: CodeType, _offset: int, error: BaseException) -> None:
        """An exception is raised in, or comes back to, a frame."""
        if code.co_filename in self.files:
            self._tell("exception", error)

    def _tell(self, event: str, error: BaseException | None) -> None:
        """Tell the state of the frame that called the callback, which sees to faults of the recorder's."""
        try:
            frame = _getframe(2)
            state = self._state(frame)
            arg = None if error is None else (type(error), error, _TRACEBACK(error))
        except RecursionError:
            raise
        except Exception as fault:
            self.listener.broken(fault)
            return
        if state is not None:
            if event == "return":
                state.frame = None
            state.trace(frame, event, arg)

    # -- whose event it is

    def _state(self, frame: FrameType) -> FrameState | None:
        """The state of a frame; None for one that is not watched.

        Frames above it that are still thought to run had their end missed: a RecursionError came between.
        """
        thread = self.threads.get(get_ident())
        state = top = thread.top if thread is not None else None
        while state is not None and state.frame is not frame:
            state = state.caller
        if state is not top and state is not None and thread is not None:
            thread.top = state
        return state

    def thread(self) -> ThreadState:
        """See `Tracer.thread`. Those that C code started, or that ran before the recording, are not watched."""
        ident = get_ident()
        if ident in self.bare:
            return super().thread()
        running = next((thread for thread in running_threads() if thread.ident == ident), None)
        if running is not None and running not in self.older:
            return super().thread()
        stranger = ThreadState(main_thread())
        stranger.muted = True
        return stranger
