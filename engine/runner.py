"""Records one lecture: imports it, runs its `main()` under the recorder, and writes what came of it."""

import inspect
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from os import _exit as end_process
from os import getpid
from pathlib import Path
from typing import Any, cast

from engine import compat, launches, sink
from engine.bare_threads import bare_threads_watched
from engine.compile import Wanted, compile_all, parse_targets
from engine.errors import EngineError, UsageError
from engine.failures import describe
from engine.interrupts import Interrupts
from engine.leftovers import children_said
from engine.loading import check, import_path, imported, main_of
from engine.patches import Patches
from engine.progress import StatusLine, progress
from engine.provenance import machine, run_facts
from engine.recorder import Recorder, StepLimit
from engine.signals import signals_kept_out
from engine.streams import heard_by
from engine.surroundings import Surroundings, keep_builtins
from engine.trace import Status, Trace, store, write

DEFAULT_STEPS = 1_000_000
PATIENCE = 10.0
"Seconds that a lecture has to end after the step limit before the recording is written without it."


@dataclass(frozen=True)
class Options:
    """How to record."""

    out: Path = Path("var/traces")
    inspect_all: bool = False
    max_steps: int = DEFAULT_STEPS
    targets: Sequence[str] = ()
    reproducible: bool = False
    visible: Sequence[str] = ()
    backend: str = "settrace"


@dataclass
class Outcome:
    """How a recording went."""

    path: Path
    trace: Trace
    seconds: float
    compiled: bool
    "Whether nobody interrupted the compiling of kernels."

    @property
    def exit_code(self) -> int:
        """Of the command."""
        return 0 if self.trace.status == "ok" and self.compiled else 1


def record(lecture: Path, options: Options) -> Outcome:
    """Record `lecture` and write its trace to `options.out`. From then on Ctrl-C and SIGTERM are ignored.

    Raises UsageError when the lecture cannot be run at all; what was recorded before is then as it was.
    """
    started = time.time()
    path = lecture.resolve()
    check(path, lecture)
    targets = parse_targets(options.targets)
    recorder = Recorder(
        path, store(options.out.resolve()), root=Path.cwd(), inspect_all=options.inspect_all,
        max_steps=options.max_steps, backend=options.backend,
    )  # fmt: skip
    launches.prepare()
    name, folder = f"{lecture.stem}.json", options.out.resolve()  # the lecture may go to another folder
    made_on = machine()

    def save(status: Status, reason: str) -> Trace:
        trace = recorder.finish(status, reason, {} if options.reproducible else run_facts(started, made_on))
        write(trace, folder / name)
        return trace

    line, interrupts = StatusLine(sys.stderr), Interrupts()
    with _recording(recorder, path, line), launches.watching(recorder) as captured:
        main = main_of(imported(path, lecture), lecture)
        recorder.watch(str(path))
        _watch_visible(recorder, options.visible)
        _make_folder(folder)
        with progress(line, lambda: _progress(recorder)):
            status, reason = _run_main(main, recorder, save, interrupts)
    trace = save(status, reason)  # before compiling, which may take a while
    wanted = captured.wanted(recorder.builder.kernels, recorder.files.real)
    compiled = not wanted or _compile(wanted, targets, recorder, interrupts)
    recorder.settle()
    for warning in captured.warnings(recorder.builder.kernels):
        recorder.warn(*warning)
    if wanted or recorder.claims or len(recorder.builder.warnings) != len(trace.warnings):
        trace = save(status, reason)
    return Outcome(options.out / name, trace, time.time() - started, compiled)


def _compile(wanted: Mapping[int, Sequence[Wanted]], targets: Sequence[str], recorder: Recorder,
             interrupts: Interrupts) -> bool:  # fmt: skip
    """Compile the kernels that are `wanted`; whether that came to its end."""
    try:
        interrupts.catch()
        recorder.kernels.set_variants(compile_all(wanted, targets, recorder.store))
        interrupts.ignore()
    except KeyboardInterrupt:
        interrupts.ignore()
        recorder.warn("interrupted (Ctrl-C) while the kernels were compiled, so none of their stages is here; "
                      "record again", recorder.display_path(str(recorder.lecture)))  # fmt: skip
        return False
    return True


@contextmanager
def _recording(recorder: Recorder, path: Path, line: StatusLine) -> Iterator[None]:
    """Everything that must be put back afterwards."""
    with ExitStack() as stack:
        stack.enter_context(compat.installed(path.parent))
        stack.enter_context(import_path(path))
        sink.current = recorder
        stack.callback(setattr, sink, "current", None)
        stack.enter_context(heard_by(recorder, line))
        os.register_at_fork(after_in_child=recorder.abandon, after_in_parent=recorder.forked)
        stack.enter_context(children_said(recorder.warn))
        stack.enter_context(bare_threads_watched(recorder.tracer, recorder.failed))
        yield


def _make_folder(folder: Path) -> None:
    """Make the folder of the trace before the lecture has spent its time."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write to {str(folder)!r}: {error.strerror}; name another folder with -o") from error


def _watch_visible(recorder: Recorder, visible: Sequence[str]) -> None:
    source = recorder.files.source(str(recorder.lecture))
    for statement in source.statements if source is not None else ():
        if statement.directives.visible:
            recorder.make_visible(statement.number, str(recorder.lecture))
    for name in visible:
        file = Path(name).resolve()
        if not file.is_file():
            raise UsageError(f"--visible {name!r}: there is no such file; name a Python file to record the steps of")
        recorder.watch(str(file))


def _run_main(main: Callable[[], Any], recorder: Recorder, save: Callable[[Status, str], Trace],
              interrupts: Interrupts) -> tuple[Status, str]:  # fmt: skip
    """Run the lecture to its end, whatever that is; how it ended and why. From then on Ctrl-C is ignored."""
    keep_builtins()
    interrupts.catch()
    with (
        _thread_failures(recorder), signals_kept_out(), _impatience(recorder, save),
        _sudden_end(recorder, save, interrupts),
    ):  # fmt: skip
        surroundings = Surroundings()
        end, over = None, False
        while not over:
            try:
                end = _called(main, recorder, surroundings) if end is None else end
                surroundings.put_back()
                interrupts.ignore()
                over = True
            except KeyboardInterrupt as late:  # it came when main() was just over
                end = late
        recorder.stop(end)
        _leave_if_forked(end, recorder)
        return _ended(end, recorder)


def _called(main: Callable[[], Any], recorder: Recorder, surroundings: Surroundings) -> BaseException | None:
    """What `main()` ended with under the recorder: an exception, or None."""
    try:
        recorder.start()
        result = main()
        surroundings.put_back()
        if inspect.iscoroutine(result):
            import asyncio  # a tenth of a second that other lectures need not wait

            asyncio.run(result)
        elif inspect.isgenerator(result) or inspect.isasyncgen(result):
            recorder.warn("main() is a generator, so nothing in it was executed; take its yield out")
        recorder.wait()
    except BaseException as error:
        return error
    return None


def _ended(end: BaseException | None, recorder: Recorder) -> tuple[Status, str]:
    """Status and reason of a recording."""
    kind = type(end)  # `isinstance` would ask what the exception's author says of its class
    if issubclass(kind, StepLimit) or (end is None and recorder.limit_reached):
        return "stopped", f"stopped at the limit of {recorder.max_steps} steps; raise it with --max-steps"
    if issubclass(kind, KeyboardInterrupt):
        return "interrupted", "interrupted (Ctrl-C)"
    if issubclass(kind, SystemExit):
        return _left(cast("SystemExit", end), recorder)
    if end is not None:
        said = recorder.failed(end)
        return "error", f"{said.type}: {said.message}"
    return "ok", ""


def _left(leave: SystemExit, recorder: Recorder) -> tuple[Status, str]:
    code = SystemExit.__dict__["code"].__get__(leave)
    if code is None or (type(code) is int and not code):
        return "ok", "the lecture left through sys.exit()"
    recorder.failed(leave)
    shown = recorder.values.values[recorder.values.add(code)].text
    return "error", f"the lecture left through sys.exit({shown})"


def _leave_if_forked(end: BaseException | None, recorder: Recorder) -> None:
    """A child that the lecture forked has come to the lecture's end: it ends as it would anyway and writes no trace."""
    if getpid() != recorder.pid:
        if end is not None and not issubclass(type(end), SystemExit):
            print(describe(end, recorder.lecture).traceback, file=sys.stderr, end="")
            sys.exit(1)
        raise SystemExit if end is None else end


@contextmanager
def _thread_failures(recorder: Recorder) -> Iterator[None]:
    """Record the exceptions that end threads."""
    before = threading.excepthook

    def hook(arguments: Any) -> None:
        ignored = arguments.exc_value is None or issubclass(arguments.exc_type, SystemExit)  # as Python does
        if not ignored and getpid() == recorder.pid:
            recorder.failed(arguments.exc_value)
        before(arguments)

    threading.excepthook = hook
    try:
        yield
    finally:
        threading.excepthook = before


@contextmanager
def _impatience(recorder: Recorder, save: Callable[[Status, str], Trace]) -> Iterator[None]:
    """Write the recording and end the process when a lecture catches the step limit and goes on."""
    over = threading.Event()

    def wait() -> None:
        while not recorder.limit_reached:
            if over.wait(0.5):
                return
        if not over.wait(PATIENCE):
            try:
                save("stopped", f"stopped at the limit of {recorder.max_steps} steps, after which the lecture went on")
            finally:
                end_process(1)

    thread = threading.Thread(target=wait, name="step limit", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()


@contextmanager
def _sudden_end(
    recorder: Recorder, save: Callable[[Status, str], Trace], interrupts: Interrupts
) -> Iterator[None]:
    """Write the recording before the lecture ends the process with `os._exit()`."""
    patches = Patches()

    def exit_now(status: int) -> None:
        if getpid() == recorder.pid:
            interrupts.ignore()
            recorder.stop(SystemExit(status))
            with suppress(EngineError):  # there is nobody left to be told
                save("error" if status else "ok", f"the lecture left through os._exit({status})")
        end_process(status)

    patches.replace(os, "_exit", exit_now)
    try:
        yield
    finally:
        patches.undo()


def _progress(recorder: Recorder) -> tuple[int, str, str, int]:
    builder = recorder.builder
    if not len(builder):
        return 0, recorder.lecture.name, "main", 0
    place = builder.steps.first[len(builder) - 1]
    places = builder.places
    return len(builder), builder.files[places.file[place]].path, places.function[place], places.line[place]
