"""The recorder: hears of steps from the tracer and of outputs from the authoring API, and keeps both."""

import gc
import re
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from os import getpid
from pathlib import Path
from threading import current_thread, get_ident, main_thread
from types import CodeType, FrameType
from typing import Any

import msgspec

from engine.builder import Builder
from engine.claims import CLAIMS, Claim
from engine.failures import describe
from engine.files import Files
from engine.frames import Variables, View
from engine.inside import Inside
from engine.kernel_table import TUNING_LIMIT, KernelTable
from engine.leftovers import CHILD, wait_for_threads
from engine.scope import Scope
from engine.statements import Statement
from engine.trace import (
    Access,
    Error,
    Failed,
    Kernel,
    Kind,
    Launch,
    Output,
    Status,
    Tensor,
    Text,
    Trace,
    Tuning,
)
from engine.tracer import FrameState, Tracer
from engine.unresolved import Unresolved
from engine.values import ValueTable
from engine.verdicts import verdict

LOCALS_LIMIT = 200
"Local variables recorded a step, where all of them are."

_HEADING = re.compile(r"\s*#{1,6}\s+(.+?)\s*#*\s*$", re.MULTILINE)
_MISSING = object()

Look = Callable[[FrameType, Variables, FrameState, Statement], None]


class StepLimit(KeyboardInterrupt):
    """Ends the lecture when it has taken all the steps it may. Not an `Exception`, so that few lectures catch it."""


class Recorder:
    """Records what runs between `start` and `stop`; implements `tracer.Listener` and `sink.Sink`."""

    def __init__(self, lecture: Path, store: Path, *, root: Path, inspect_all: bool, max_steps: int,
                 backend: str = "settrace") -> None:  # fmt: skip
        """Raises UsageError where `backend`, `settrace` or `monitoring`, cannot be had."""
        self.lecture = lecture
        self.store = store
        self.inspect_all = inspect_all
        self.max_steps = max_steps
        self.limit_reached = False
        self.builder = Builder()
        self.values = ValueTable()
        self.tracer = Tracer(self)
        if backend == "monitoring":
            from engine.monitoring import MonitoringTracer  # most recordings go without

            self.tracer = MonitoringTracer(self)
        self.files = Files(self.builder, root, lecture.parent)
        self.watched: set[str] = set()
        "Files whose statements are steps; of others a kernel that is stepped through may be seen, and nothing else."
        self.expressions: dict[str, tuple[int, CodeType, bool]] = {}
        "Number, code and whether it is a mere name, of each expression inspected."
        self.unresolved = Unresolved()
        self.early: list[Output] = []
        "Outputs made before the first step; they belong to it."
        self.kernels = KernelTable(self.builder, store)
        self.claims: list[Claim] = []
        "Observations that wait for the kernels to be compiled."
        self.inside = Inside(self.builder)
        self.pid = getpid()
        self.older: set[threading.Thread] = set()
        "Threads that ran before the recording began."
        self.mend: Callable[[], None] = lambda: None
        "Puts back what a lecture took from the engine's modules; called where something fails for which it may be why."
        self._broken = False
        self._looking: set[int] = set()
        "Identities of the threads that are looking at values."
        self.activation = self.builder.activation
        self.step = self.builder.steps.add
        self.builder.steps.call_at(0, self._first_step)

    # -- control

    def start(self) -> None:
        """Record this thread, from its next call on, and the threads it starts."""
        self.older = set(threading.enumerate())
        self.tracer.start()

    def wait(self) -> None:
        """Let the threads end that the lecture has started, as Python does at the end of a program."""
        wait_for_threads(self.older)

    def stop(self, end: BaseException | None = None) -> None:
        """Put the previous tracer back, and say what goes on without it; `end` is what `main()` ended with."""
        early = self.limit_reached or issubclass(type(end), (KeyboardInterrupt, SystemExit))
        lost = self.tracer.lost() or self.tracer.stand() is not None
        running = self.tracer.unfinished() if self.tracer.active else []
        self.tracer.stop()
        for state in running:
            self._say_running(state)
        if lost and not early and len(self.builder):
            path, line = self.where()
            self.warn("nothing was recorded from here to the end: the lecture, or a RecursionError, "
                      "switched the tracer off", path, line)  # fmt: skip

    def _say_running(self, state: FrameState) -> None:
        thread = state.thread.thread()
        if thread is not None and thread.is_alive() and thread is not current_thread() and state.step >= 0:
            self.warn(f"thread {state.thread.name!r} was still running when main() had ended; what it did from here "
                      "on is not recorded", *self._where(state.step))  # fmt: skip

    def forked(self) -> None:
        """A child process has been forked off."""
        if self.tracer.active:
            self.warn(CHILD)

    def abandon(self) -> None:
        """In a forked child: record nothing, write nothing."""
        self.tracer.stop()

    def watch(self, path: str) -> None:
        """Make the statements of the file `path` steps."""
        if self.files.source(path) is None:
            self.warn("this is no Python that can be read, so none of its statements are steps",
                      self.display_path(path), 1)  # fmt: skip
        self.watched.add(path)
        self.tracer.watch(path)

    # -- what the tracer tells

    def look_up(self, code: CodeType) -> Scope | None:
        """The scope of a code object of a visible file, None for comprehensions, lambdas and strangers."""
        source = self.files.source(code.co_filename) if code.co_filename in self.watched else None
        if source is None or not source.is_own(code):
            return None
        return self._scope(code, all_values=self.inspect_all)

    def _scope(self, code: CodeType, all_values: bool) -> Scope | None:
        source = self.files.source(code.co_filename)
        scope = source.scope_of(code) if source is not None else None
        if source is None or scope is None:
            return None
        table = source.table(code, scope)
        return Scope(
            code, table, source.statements, endings=source.endings(code), tails=source.tails(code, table),
            heads=source.heads(code, table), opcodes=source.shares_lines(scope), all_values=all_values,
        )  # fmt: skip

    def place(self, scope: Scope, statement: Statement, resumed: bool) -> int:
        """Number of a place."""
        return self._place("resume" if resumed else "line", scope, statement)

    def _first_step(self) -> None:
        """Give the first step what was said before it, and see to the limit."""
        early, self.early = self.early, []
        for output in early:
            self.builder.output(0, output)
        self.builder.steps.call_at(self.max_steps - 1, self._enough)
        if self.max_steps <= 1:
            self._enough()

    def _place(self, kind: Kind, scope: Scope, statement: Statement) -> int:
        file = self.files.number(scope.code.co_filename)
        return self.builder.place(kind, file, statement.line, statement.end_line, scope.function)

    def _enough(self) -> None:
        """There have been as many steps as there may be. Raises StepLimit in the main thread."""
        self.limit_reached = True
        self.tracer.active = False
        if get_ident() == main_thread().ident:
            self.tracer.let_go()
            raise StepLimit(f"the limit of {self.max_steps} steps")
        self.tracer.let_go()

    def completed(self, frame: FrameType, state: FrameState, statement: Statement) -> None:
        """Record the values a statement asks for, where the stack has room to look at them."""
        self._look(self._complete, frame, state, statement)

    def _complete(self, frame: FrameType, variables: Variables, state: FrameState, statement: Statement) -> None:
        directives = statement.directives
        for expression in directives.inspect:
            value = self._inspect(frame, variables, state, statement.line, expression)
            if state.scope.all_values and expression in variables:
                state.seen = (state.seen or {}) | {expression: value}
        for name in directives.clear:
            self.builder.clear(state.step, self.builder.name(name))
        if state.scope.all_values:
            self._inspect_locals(variables, state)
        if directives.visible:
            self.make_visible(statement.number, frame.f_code.co_filename)

    def entering(self, frame: FrameType, state: FrameState, statement: Statement) -> None:
        """Record the arguments that are asked for beside a function's `def`."""
        self._look(self._enter, frame, state, statement)

    def _enter(self, frame: FrameType, variables: Variables, state: FrameState, statement: Statement) -> None:
        for expression in statement.entering:
            self._inspect(frame, variables, state, frame.f_code.co_firstlineno, expression)

    def vanishing(self, frame: FrameType, state: FrameState, statement: Statement) -> None:
        """Look at values now that an `except` clause will take away."""
        self._look(self._keep, frame, state, statement)

    def _keep(self, frame: FrameType, variables: Variables, state: FrameState, statement: Statement) -> None:
        state.early = {expression: self._value(frame, variables, expression) for expression in statement.vanishing}

    def _look(self, look: Look, frame: FrameType, state: FrameState, statement: Statement) -> None:
        """Look at values. What objects print or say meanwhile is not the lecture's, and nothing is stepped into."""
        thread, ident = state.thread, get_ident()
        muted, thread.muted = thread.muted, True
        view = View(frame)
        collects = gc.isenabled()
        gc.disable()  # what a `__del__` or a callback says when something is collected is the lecture's
        self._looking.add(ident)
        try:
            look(frame, view.variables, state, statement)
        except RecursionError:
            self.warn("the stack was too deep to look at values here")
        except Exception as error:
            self.broken(error)
        finally:
            self._looking.discard(ident)
            thread.muted = muted
            if collects:
                gc.enable()
            view.close()

    def looking(self) -> bool:
        """Whether the calling thread is looking at a value."""
        return get_ident() in self._looking

    def _inspect(self, frame: FrameType, variables: Variables, state: FrameState, line: int, expression: str) -> int:
        """Record the value that `expression`, asked for at `line`, has in `frame`; its number."""
        value = self._value(frame, variables, expression)
        if state.early and isinstance(self.values.values[value], Failed):
            value = state.early.get(expression, value)
        self.builder.inspect(state.step, self.expressions[expression][0], value)
        place, code = (frame.f_code.co_filename, line, expression), frame.f_code
        self.unresolved.note(place, self.values.values[value], lambda: [
            *code.co_varnames, *code.co_cellvars, *code.co_freevars, *variables, *frame.f_globals,
        ])  # fmt: skip
        return value

    def _value(self, frame: FrameType, variables: Variables, expression: str) -> int:
        """Number of the value that `expression` has in `frame`."""
        known = self.expressions.get(expression)
        if known is None:
            code = compile(expression, "<inspect>", "eval", dont_inherit=True)
            known = self.expressions[expression] = self.builder.name(expression), code, expression.isidentifier()
        if known[2] and (value := variables.get(expression, _MISSING)) is not _MISSING:
            return self.values.add(value)
        return self.values.add_expression(lambda: eval(known[1], frame.f_globals, variables))

    def _inspect_locals(self, variables: Variables, state: FrameState) -> None:
        if state.seen is None:
            state.seen = {}
        for name, value in list(variables.items())[:LOCALS_LIMIT]:
            number = self.values.add(value)
            if state.seen.get(name) != number:
                state.seen[name] = number
                self.builder.inspect(state.step, self.builder.name(name), number)

    def make_visible(self, statement: int, filename: str) -> None:
        """Make the modules visible that an import marked `@visible` has imported."""
        source = self.files.source(filename)
        for name in source.imports.get(statement, ()) if source is not None else ():
            file = getattr(sys.modules.get(name), "__file__", None)
            if file and file.endswith(".py"):
                self.watch(file)

    def flush(self, state: FrameState) -> None:
        """Attach what waited for a statement's resume."""
        for made in state.pending or ():
            self._attach(state.step, made)
        state.pending = None

    def broken(self, error: Exception) -> None:
        """Say once that something is wrong with the recorder; the lecture goes on."""
        self.mend()
        if not self._broken:
            self._broken = True
            self.warn(f"the recorder failed here ({type(error).__name__}: {error}) and steps or values may be missing; "
                      "please report it")  # fmt: skip

    def displaced(self) -> None:
        """Say that statements may run unseen."""
        self.warn("a trace function of the lecture's own is set here; functions that are called while it is there "
                  "are not recorded")  # fmt: skip

    def gap(self, path: str, line: int) -> None:
        """Say that statements before this place ran unseen."""
        self.warn("the tracer had been switched off, by a RecursionError or by the lecture; "
                  "the statements before this one were not recorded", self.display_path(path), line)  # fmt: skip

    # -- what the authoring API says

    def emit(self, output: Output) -> None:
        """Attach an output to the statement the calling thread is executing."""
        if getpid() != self.pid or self.looking():
            return
        self.tracer.rearm()
        state = self.tracer.stand()
        if not len(self.builder):
            self.early.append(output)
        elif state is None or state.current < 0:
            self.builder.output(len(self.builder) - 1, output)
        else:
            self._made(state, output)

    def _made(self, state: FrameState, made: Output | Access) -> None:
        """The statement that `state` is at did something; where others took steps meanwhile it waits for the resume."""
        if state.mark == state.thread.last and state.step >= 0:
            self._attach(state.step, made)
        else:
            state.pending = [*(state.pending or ()), made]

    def _attach(self, step: int, made: Output | Access) -> None:
        if isinstance(made, Access):
            self.inside.add(step, made)
        else:
            self.builder.output(step, made)

    def observe(self, claim: Claim) -> None:
        """Attach an observation, and keep what it claims until the kernels are compiled."""
        path, line = self.where()
        self.emit(claim.observation)
        if len(self.claims) < CLAIMS:
            self.claims.append(replace(claim, path=path, line=line))
        else:
            self.warn(f"more than {CLAIMS:,} observations; the later ones are not checked")

    def warn(self, message: str, path: str = "", line: int = 0) -> None:
        """Tell the author something; place defaults to the current statement."""
        if not path:
            path, line = self.where()
        self.builder.warn(message, path, line)

    def display_path(self, path: str) -> str:
        """How the recording calls a file, whose source it takes in."""
        return self.files.display(path)

    def kernel(self, kernel: Kernel) -> int:
        """Number of a kernel."""
        return self.kernels.number(kernel)

    def launched(self, kernel: int, grid: tuple[int, ...], interpreted: bool) -> None:
        """The current statement launched a kernel."""
        self.kernels.launched(kernel, Launch(self.current_step(), tuple(grid), interpreted))

    def tuned(self, kernel: int, tuning: Tuning) -> None:
        """Note what autotuning found for a kernel."""
        if not self.kernels.tuned(kernel, tuning):
            name = self.builder.kernels[kernel].name
            self.warn(f"{name} was tuned for more than {TUNING_LIMIT} keys; the first ones are shown")

    def paused(self) -> AbstractContextManager[None]:
        """Record nothing that the calling thread runs meanwhile; what it says still belongs to its statement."""
        return self.tracer.paused()

    def step_inside(self, code: CodeType, inside: bool) -> None:
        """From now on record (or no longer record) the statements of a kernel."""
        self.tracer.set_scope(code, self._scope(code, all_values=True) if inside else None)

    def entered(self, kernel: int, index: tuple[int, ...], grid: tuple[int, ...], tensors: tuple[Tensor, ...]) -> None:
        """A program instance begins; one whose statements are stepped over is not recorded."""
        if not self.tracer.thread().muted:
            self.inside.enter(kernel, index, grid, tensors)

    def left(self) -> None:
        """The program instance is over."""
        self.inside.leave()

    def accessed(self, tensor: int, access: Access) -> None:
        """The current statement of the program instance accessed a tensor of its launch."""
        state = self.tracer.stand()
        if self.inside.now and state is not None and not self.looking():
            self._made(state, self.inside.of_launch(tensor, access))

    # -- where things stand

    def current_step(self) -> int:
        """The step of the statement the calling thread is executing, else the latest."""
        state = self.tracer.stand()
        return state.step if state is not None and state.step >= 0 else max(len(self.builder) - 1, 0)

    def where(self) -> tuple[str, int]:
        """Path and line of the current step, or of the lecture when there is none."""
        if not len(self.builder):
            return self.display_path(str(self.lecture)), 0
        return self._where(self.current_step())

    def _where(self, step: int) -> tuple[str, int]:
        place = self.builder.steps.first[step]
        return self.builder.files[self.builder.places.file[place]].path, self.builder.places.line[place]

    # -- the end

    def failed(self, error: BaseException) -> Error:
        """Record the exception that ended the lecture or a thread, at the statement it came from; its description."""
        said = describe(error, self.lecture)
        identity, state, number = self.tracer.thread().raised
        if identity == id(error) and number >= 0:
            place = self._place("error", state.scope, state.scope.statements[number])
            activation = state.activation
        elif len(self.builder):
            last = len(self.builder) - 1
            places, at = self.builder.places, self.builder.steps.first[last]
            place = self.builder.place(
                "error", places.file[at], places.line[at], places.end_line[at], places.function[at]
            )
            activation = self.builder.steps.second[last]
        else:
            return said
        step = self.builder.steps.add_silently(place, activation)
        self.builder.errors[step] = said
        return said

    def claimed(self) -> dict[int, list[str]]:
        """The targets that claims name, in order, by the number of their kernel."""
        targets: dict[int, list[str]] = {}
        for claim in self.claims:
            named = targets.setdefault(claim.observation.kernel, [])
            named.extend(target for target in claim.targets if target not in named)
        return targets

    def settle(self) -> None:
        """Hold what was claimed against what the kernels were compiled to."""
        settled: dict[int, Output] = {}
        for claim in self.claims:
            found, complaints = verdict(claim, self.builder.kernels, self.kernels.stage_text, self.kernels.source_text)
            settled[id(claim.observation)] = found
            for complaint in complaints:
                self.builder.warn(complaint, claim.path, claim.line)
        self.builder.replace(settled)

    def leave_unsettled(self, reason: str) -> None:
        """Say of all that was claimed why it was not checked."""
        claimed = [claim.observation for claim in self.claims]
        self.builder.replace({id(one): msgspec.structs.replace(one, reason=reason) for one in claimed})

    def finish(self, status: Status, reason: str, run: dict[str, Any]) -> Trace:
        """The recording."""
        self.kernels.finish()
        self.files.close()
        for said, path, line in self.unresolved.warnings():
            self.warn(said, self.display_path(path), line)
        lecture = self.display_path(str(self.lecture))
        trace = self.builder.finish(
            title=self._title(), lecture=lecture, status=status, reason=reason, values=self.values.values, run=run
        )
        trace.tensors, trace.access_table, trace.instances = self.inside.finish()
        return trace

    def _title(self) -> str:
        """The first heading that the lecture said, else its file's name."""
        for step in sorted(self.builder.outputs):
            for output in self.builder.outputs[step]:
                if isinstance(output, Text) and (heading := _HEADING.match(output.markdown)):
                    return heading[1]
        return self.lecture.stem
