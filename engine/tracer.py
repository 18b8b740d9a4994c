"""What was executed: turns the interpreter's events into steps of statements.

It knows nothing of files, values or formats: a `Listener` tells it which code is visible and is told of steps.
The tracer never raises into the lecture, except to end it (`Listener.step` may raise), and never imports anything
but the standard library.

A step begins when execution arrives at a statement. The statement is found from the instruction, not from the line,
so that a call over seven lines is one step. A visit is new when
- the instruction is one at which this statement has begun before, or
- another statement of the frame was current, unless that one stands inside it and it is no loop: then it is only being
  finished, as a `with` that is left or a `try` that looks for its `except`.
"""

import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from sys import _getframe, gettrace, settrace  # a lecture may replace them
from threading import current_thread, get_ident
from threading import gettrace as gettrace_of_threads
from threading import settrace as settrace_of_threads
from types import CodeType, FrameType, TracebackType
from typing import Any, Protocol

from engine.bare_threads import BareThread
from engine.instructions import InstructionEvents
from engine.other_tracers import OtherTracers
from engine.scope import Scope, operations_named
from engine.statements import Statement

TraceFunction = Callable[[FrameType, str, Any], Any]


_RETURNS = operations_named("RETURN_VALUE", "RETURN_CONST")
_DRAWS = operations_named("FOR_ITER", "SEND", "END_SEND", "END_ASYNC_FOR", "CLEANUP_THROW")
"Instructions to which StopIteration is an answer, not a failure."

_ITERATORS = operations_named("GET_ITER", "GET_AITER")

LIFELINE_DEPTH = 64
"Every so many visible calls deep, a frame carries a lifeline that switches a lost tracer on again."


class Listener(Protocol):
    """What the tracer tells."""

    def look_up(self, code: CodeType) -> Scope | None:
        """The scope of a code object of a visible file; None where it is not to be seen. Asked once for each."""

    def activation(self, caller: int, frame: int, thread: str) -> int:
        """A new activation; `frame` is -1 for a new frame."""

    def place(self, scope: Scope, statement: Statement, resumed: bool) -> int:
        """Number of the place of the steps that stand for `statement`. Asked once for each."""

    def step(self, place: int, activation: int) -> int:
        """A new step; its number."""

    def completed(self, frame: FrameType, state: "FrameState", statement: Statement) -> None:
        """`statement` is done and its values can be looked at; they belong to step `state.step`."""

    def entering(self, frame: FrameType, state: "FrameState", statement: Statement) -> None:
        """`statement` begins as the first one of its function, whose arguments `statement.entering` asks for."""

    def vanishing(self, frame: FrameType, state: "FrameState", statement: Statement) -> None:
        """`statement` begins, and the values of `statement.vanishing` may be gone before it is seen to be over."""

    def flush(self, state: "FrameState") -> None:
        """Attach the outputs in `state.pending` to step `state.step`."""

    def broken(self, error: Exception) -> None:
        """The tracer or the listener itself failed, which is no concern of the lecture's."""

    def displaced(self) -> None:
        """The lecture has set a trace function of its own."""

    def gap(self, path: str, line: int) -> None:
        """From the place named on, up to the next step, statements ran unseen."""


class ThreadState:
    """What one thread is doing."""

    __slots__ = ("last", "muted", "name", "paused", "raised", "thread", "top")

    def __init__(self, thread: threading.Thread | BareThread) -> None:
        self.thread = weakref.ref(thread)
        self.name = thread.name
        self.top: FrameState | None = None
        "The innermost visible frame."
        self.last = -1
        "The latest step."
        self.muted = False
        "Whether a statement that is stepped over is being executed."
        self.paused = False
        "Whether the tracer is off on purpose, for a measurement."
        self.raised: tuple[int, FrameState, int] = (0, None, -1)  # type: ignore[assignment]
        "Identity of the latest exception, and the state and statement it was first seen at."


class FrameState:
    """One visible frame: which statement it is at, and which step stands for that."""

    __slots__ = (
        "activation", "activations", "before", "caller", "current", "depth", "early", "frame", "mark", "pending",
        "raised", "scope", "seen", "step", "thread", "tracer",
    )  # fmt: skip

    def __init__(self, tracer: "Tracer", scope: Scope, thread: ThreadState) -> None:
        self.tracer = tracer
        self.scope = scope
        self.thread = thread
        self.current = -1
        "Number of the statement being executed, -1 before the first."
        self.step = -1
        "The step that stands for it, -1 for none."
        self.mark = -1
        "The thread's latest step when the statement began or was come back to; a later one calls for a resume."
        self.raised = False
        "Whether an exception passed since the statement began."
        self.pending: list[Any] | None = None
        "Outputs made since other steps were taken; they wait for the resume."
        self.early: dict[str, int] | None = None
        "Value numbers of the expressions that may vanish with an `except` clause."
        self.seen: dict[str, int] | None = None
        "Value numbers by name, where all values are recorded and only changes are kept."
        self.before = 0
        "The instruction executed before, where code is watched instruction by instruction."
        self.activation = -1
        self.depth = 0
        self.activations: dict[int, int] | None = None
        "Of a generator: its activations by their callers' ones; the first one names the frame."
        self.caller: FrameState | None = None
        self.frame: FrameType | None = None
        "The frame, while it runs, for tracers that have no other way to tell."
        self.enter()

    def enter(self) -> None:
        """Become the innermost frame of the thread, called or resumed by the frame that was."""
        thread = self.thread
        caller = self.caller = thread.top
        thread.top = self
        above = caller.activation if caller is not None else -1
        self.depth = caller.depth + 1 if caller is not None else 0
        if self.activations is None:
            self.activation = self.tracer.listener.activation(above, -1, thread.name)
            if self.scope.generator:
                self.activations = {above: self.activation}
        elif above in self.activations:
            self.activation = self.activations[above]
        else:
            first = next(iter(self.activations.values()))
            self.activation = self.activations[above] = self.tracer.listener.activation(above, first, thread.name)

    def trace(self, frame: FrameType, event: str, arg: Any) -> TraceFunction:
        """The local trace function of the frame."""
        try:
            if event == "line":
                scope, thread = self.scope, self.thread
                quick = scope.quick[frame.f_lasti >> 1]
                if quick is not None and scope.quiet[self.current] and self.pending is None and thread.top is self:
                    # what `at` does where that is just a step, or two: most of what a recording costs is spent here
                    step, current = self.tracer.listener.step, self.current
                    if self.mark != thread.last and current >= 0 and not self.raised:
                        step(scope.resumes.get(current) or self.place(current, True), self.activation)
                    self.current, place = quick
                    self.raised = False
                    thread.last = self.step = self.mark = step(place, self.activation)
                else:
                    self.at(frame, frame.f_lasti >> 1)
            elif event == "opcode":
                self.at_each(frame, frame.f_lasti >> 1)
            elif event == "return":
                self.left(frame, frame.f_lasti >> 1)
            elif event == "exception":
                self.failed(frame.f_lasti >> 1, arg)
        except RecursionError:
            raise  # see Lifeline
        except Exception as error:
            self.step = -1  # it may be another statement's
            self.tracer.listener.broken(error)
        return self.trace

    def at(self, frame: FrameType, instruction: int) -> None:
        """Execution has arrived at `instruction`."""
        scope = self.scope
        number = scope.table[instruction]
        if number < 0:
            return
        if scope.entries[instruction]:
            if scope.quick[instruction] is None and number in scope.places:
                scope.begins_at(instruction, number)
            self.begin(frame, number)
        elif number != self.current:
            self.arrive(frame, number, instruction)

    def at_each(self, frame: FrameType, instruction: int) -> None:
        """Execution has arrived at `instruction`, of code that is watched instruction by instruction."""
        before, self.before = self.before, instruction
        number = self.scope.table[instruction]
        if number != self.current:
            self.at(frame, instruction)
        elif instruction in self.scope.heads and self.scope.instructions[before << 1] not in _ITERATORS:
            self.begin(frame, number)

    def arrive(self, frame: FrameType, number: int, instruction: int) -> None:
        """Execution has come from another statement to an instruction not yet known to begin one."""
        statement = self.scope.statements[number]
        if statement.contains(self.current) and not statement.loop:
            self.complete(frame)
            self.current, self.step, self.mark = number, -1, self.thread.last
            self.raised = False
        elif instruction in self.scope.tails:
            return
        elif instruction not in self.scope.endings:
            self.scope.entries[instruction] = 1
            self.begin(frame, number)
        elif statement.after[0] <= self.current <= statement.after[1]:
            self.begin(frame, number)

    def begin(self, frame: FrameType, number: int) -> None:
        """A statement begins: complete the one before and take a step."""
        first = self.current < 0
        if not first:
            self.complete(frame)
        thread = self.thread
        if thread.top is not self:
            self.enter()
        statement = self.scope.statements[number]
        self.current = number
        self.raised = False
        self.early = None
        thread.last = self.step = self.mark = self.tracer.listener.step(self.place(number, False), self.activation)
        if statement.directives.stepover:
            thread.muted = True
        if first and statement.entering:
            self.tracer.listener.entering(frame, self, statement)
        if statement.vanishing:
            self.tracer.listener.vanishing(frame, self, statement)

    def complete(self, frame: FrameType) -> None:
        """The current statement is over, by itself or by an exception."""
        statement = self.scope.statements[self.current]
        thread = self.thread
        if statement.directives.stepover:
            thread.muted = False
        done = not self.raised
        if self.pending or (done and self.mark != thread.last):
            self.resume()
        if done and self.step >= 0 and not self.scope.quiet[self.current]:
            self.tracer.listener.completed(frame, self, statement)

    def place(self, number: int, resumed: bool) -> int:
        """The place of a step."""
        scope = self.scope
        places = scope.resumes if resumed else scope.places
        if number not in places:
            places[number] = self.tracer.listener.place(scope, scope.statements[number], resumed)
        return places[number]

    def resume(self) -> None:
        """Take a second step for a statement during which other steps were taken."""
        listener = self.tracer.listener
        self.thread.last = self.step = self.mark = listener.step(self.place(self.current, True), self.activation)
        if self.pending:
            listener.flush(self)

    def left(self, frame: FrameType, instruction: int) -> None:
        """The frame is left: by a return, a yield or an exception."""
        offset = instruction << 1
        if self.scope.generator and not self.raised and self.scope.yields(offset):
            self.tracer.suspended[id(frame)] = self
            if self.current >= 0 and self.scope.statements[self.current].directives.stepover:
                self.thread.muted = False
        elif self.current >= 0:
            self.raised = self.scope.instructions[offset] not in _RETURNS
            if self.mark != self.thread.last or self.pending is not None or not self.scope.quiet[self.current]:
                self.complete(frame)
            self.current = -1
        if self.thread.top is self:
            self.thread.top = self.caller
        self.caller = None

    def failed(self, instruction: int, arg: Any) -> None:
        """An exception passes through the frame."""
        kind, error, traceback = arg
        if kind in (StopIteration, StopAsyncIteration) and self.scope.instructions[instruction << 1] in _DRAWS:
            return
        self.raised = True
        if self.thread.raised[0] != id(error) or self.raises(instruction << 1, traceback):
            self.thread.raised = (id(error), self, self.current)

    def raises(self, offset: int, traceback: TracebackType | None) -> bool:
        """Whether an exception with that traceback comes from here, and from no visible frame before.

        One that is caught is soon gone, and the next one raised is then often at its address.
        """
        inner = traceback.tb_next if traceback is not None else None
        while inner is not None and self.tracer.scope_of(inner.tb_frame.f_code) is None:
            inner = inner.tb_next
        return traceback is not None and inner is None and traceback.tb_lasti == offset


class Lifeline:
    """The local trace function of a deep frame: switches the tracer on again when that frame is torn down without it.

    CPython switches a trace function off for good when it raises, and calling one at the recursion limit raises.
    Nothing but its frame holds a lifeline, so it goes when the frame goes.
    """

    __slots__ = ("__self__",)

    def __init__(self, state: FrameState) -> None:
        self.__self__ = state

    def __call__(self, frame: FrameType, event: str, arg: Any) -> TraceFunction:
        """See `FrameState.trace`."""
        self.__self__.trace(frame, event, arg)
        return self

    def __del__(self) -> None:
        if gettrace is not None and gettrace() is None:  # there is nothing left when Python ends
            self.__self__.tracer.rearm()


class Tracer:
    """Watches the visible code of a process."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.files: dict[str, dict[int, Scope | None]] = {}
        "By file name as code objects have it: the scopes found so far, by identity of the code object."
        self.threads: dict[int, ThreadState] = {}
        self.codes: list[CodeType] = []
        "Keeps the code objects alive whose identities are keys."
        self.bare: dict[int, BareThread] = {}
        "See `bare_threads.Watcher`."
        self.suspended: dict[int, FrameState] = {}
        "Of generators that have yielded, by identity of the frame."
        self.instructions = InstructionEvents(self.arrived)
        self.others = OtherTracers(self.dispatch, listener.displaced, self.regained)
        self.active = False
        self.before: tuple[Any, Any] | None = None
        "The trace functions of the thread that started this, and of new threads, until then."

    def watch(self, filename: str) -> None:
        """Make the code of a file visible."""
        self.files.setdefault(filename, {})

    def set_scope(self, code: CodeType, scope: Scope | None) -> None:
        """Make one code object visible or invisible, whatever its file."""
        self.codes.append(code)
        self.files.setdefault(code.co_filename, {})[id(code)] = scope

    def dispatch(self, frame: FrameType, event: str, arg: Any) -> TraceFunction | None:
        """The global trace function: called at every call of Python code."""
        scopes = self.files.get(frame.f_code.co_filename)
        if scopes is None or event != "call":
            return None
        try:
            state = self.entered(frame, scopes)
        except RecursionError:
            raise  # see Lifeline
        except Exception as error:
            self.listener.broken(error)
            return None
        if state is None:
            return None
        if state.scope.opcodes:
            self.instructions.wanted(frame)
        return Lifeline(state) if state.depth % LIFELINE_DEPTH == LIFELINE_DEPTH - 1 else state.trace

    def entered(self, frame: FrameType, scopes: dict[int, Scope | None]) -> FrameState | None:
        """The state of a frame of a visible file that is called or resumed; None for one that is not to be seen."""
        code = frame.f_code
        try:
            scope = scopes[id(code)]
        except KeyError:
            scope = self.look_up(code, scopes)
        if scope is None:
            return None
        thread = self.threads.get(get_ident())
        if thread is None or thread.top is None:
            thread = self.thread()
        if scope.generator and not scope.starts(frame.f_lasti):
            known = self.suspended.pop(id(frame), None)
            if known is not None and known.scope is scope:  # else of a frame that is gone
                return self.reenter(known, thread)
        return None if thread.muted else FrameState(self, scope, thread)

    def arrived(self, frame: FrameType, instruction: int) -> None:
        """An instruction event, of code whose statements share lines."""
        thread = self.threads.get(get_ident())
        if thread is not None and thread.top is not None and thread.top.scope.code is frame.f_code and self.active:
            thread.top.at_each(frame, instruction)

    def reenter(self, state: FrameState, thread: ThreadState) -> FrameState:
        """A generator or coroutine is resumed."""
        state.thread = thread
        state.enter()
        if state.current >= 0 and state.scope.statements[state.current].directives.stepover:
            thread.muted = True
        return state

    def look_up(self, code: CodeType, scopes: dict[int, Scope | None]) -> Scope | None:
        """Ask the listener for the scope of a code object, once."""
        self.codes.append(code)
        scope = scopes[id(code)] = self.listener.look_up(code)
        return scope

    def thread(self) -> ThreadState:
        """The state of the calling thread. The identity of a thread that is over may be another one's now."""
        ident = get_ident()
        state = self.threads.get(ident)
        thread = self.bare.get(ident) or current_thread()
        if state is None or state.thread() is not thread:
            state = self.threads[ident] = ThreadState(thread)
        return state

    def start(self) -> None:
        """Watch this thread from its next call on, and threads it starts."""
        self.before = gettrace(), gettrace_of_threads()
        self.active = True
        self.others.install()
        settrace_of_threads(self.dispatch)
        settrace(self.dispatch)

    def begin_thread(self) -> None:
        """Watch the calling thread, which `threading` did not start, from its next call on."""
        if self.active:
            settrace(self.dispatch)

    def stop(self) -> None:
        """Put back what was there before; nothing, where it was not started: Ctrl-C may come first."""
        if self.before is None:
            return
        self.active = False
        self.others.undo()
        if _is_ours(gettrace(), self):
            settrace(self.before[0])
        self.instructions.stop()
        settrace_of_threads(self.before[1])
        self.files = {}
        for frame in sys._current_frames().values():  # of threads that go on
            for visible in _frames_with_state(frame):
                visible.f_trace = None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Watch nothing that the calling thread runs meanwhile, so that its times are its own."""
        thread = self.thread()
        before = thread.paused, thread.muted, gettrace()
        thread.paused = thread.muted = True
        settrace(None)
        try:
            yield
        finally:
            thread.paused, thread.muted = before[:2]
            settrace(before[2])

    def lost(self) -> bool:
        """Whether the calling thread is no longer watched: its trace function was taken away."""
        return gettrace() is None

    def let_go(self) -> None:
        """Watch the calling thread no more."""
        settrace(None)

    def rearm(self) -> None:
        """Switch a lost tracer on again, and take the step of the statement that is being executed."""
        if not self.active or gettrace() is not None:
            return
        thread = self.thread()
        frames = self.visible_frames(_getframe(1))
        if not frames or thread.paused:
            return
        thread.top, thread.muted = None, False
        for frame, scope in frames:
            state = _state_of(frame)
            if state is None or state.tracer is not self:
                state = FrameState(self, scope, thread)
                frame.f_trace = state.trace
            else:
                state.caller, thread.top = thread.top, state
        frame, scope = frames[-1]
        self.listener.gap(frame.f_code.co_filename, frame.f_lineno)
        settrace(self.dispatch)
        if thread.top is not None:
            thread.top.at(frame, frame.f_lasti >> 1)

    def regained(self, frame: FrameType, event: str, arg: Any) -> TraceFunction | None:
        """The trace function of the frame in which a debugger has let go: watch that one and those around it again."""
        thread, known = self.thread(), []
        state, inner = thread.top, None
        while state is not None:
            known.append(state)
            state = state.caller
        thread.top, thread.muted = None, False
        around: FrameType | None = frame
        while around is not None:
            scope = self.scope_of(around.f_code)
            place = next((place for place, state in enumerate(known) if state.scope is scope), None)
            if scope is not None and place is not None:
                state, known = known[place], known[place + 1 :]
                around.f_trace = state.trace
                state.caller = None
                if inner is None:
                    thread.top = state
                    if state.pending and state.step >= 0:
                        self.listener.flush(state)
                    state.current, state.step, state.mark = -1, -1, thread.last  # what it was at is over, unseen
                else:
                    inner.caller = state
                inner = state
            around = around.f_back
        self.listener.gap(frame.f_code.co_filename, frame.f_lineno)
        return frame.f_trace(frame, event, arg) if _state_of(frame) is not None and frame.f_trace else None

    def visible_frames(self, frame: FrameType | None) -> list[tuple[FrameType, Scope]]:
        """The visible frames from the outermost down to `frame`."""
        found = []
        while frame is not None:
            scope = self.scope_of(frame.f_code)
            if scope is not None and _state_of(frame) is not None:
                found.append((frame, scope))
            frame = frame.f_back
        return found[::-1]

    def scope_of(self, code: CodeType) -> Scope | None:
        """The scope of a code object; None for one that is not visible, or has not been seen."""
        scopes = self.files.get(code.co_filename)
        return scopes.get(id(code)) if scopes is not None else None

    def unfinished(self) -> list[FrameState]:
        """Where the threads stand that have not been seen to leave their visible frames."""
        tops = [thread.top for thread in list(self.threads.values())]
        return [top for top in tops if top is not None]

    def stand(self) -> FrameState | None:
        """The innermost visible frame of the calling thread."""
        state = self.threads.get(get_ident())
        return state.top if state is not None else None


def _frames_with_state(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        if _state_of(frame) is not None:
            yield frame
        frame = frame.f_back


def _state_of(frame: FrameType) -> FrameState | None:
    state = getattr(frame.f_trace, "__self__", None)
    return state if type(state) is FrameState else None


def _is_ours(function: Any, tracer: Tracer) -> bool:
    return getattr(function, "__self__", None) is tracer
