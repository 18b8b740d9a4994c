"""Records one lecture: imports it, runs its `main()` under the recorder, and writes what came of it."""

import errno
import inspect
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from mmap import ACCESS_COPY, mmap
from os import getpid
from pathlib import Path
from typing import Any, cast

from engine import compat, launches, sink
from engine.bare_threads import bare_threads_watched
from engine.compile import compile_all, parse_targets
from engine.endings import impatience, sudden_end, thread_failures
from engine.errors import UsageError
from engine.failures import describe
from engine.interrupts import Interrupts
from engine.leftovers import children_said
from engine.loading import check, import_path, imported, main_of
from engine.progress import StatusLine, progress
from engine.provenance import machine, run_facts
from engine.recorder import Recorder, StepLimit
from engine.signals import signals_kept_out
from engine.streams import heard_by
from engine.surroundings import Surroundings, keep_builtins, limits_kept
from engine.trace import Status, Trace, store, write

DEFAULT_STEPS = 1_000_000

RESERVE = 1 << 26
"Bytes."


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
    completed: bool
    "Whether nobody interrupted what is done after the lecture: compiling its kernels, checking what it claims of them."

    @property
    def exit_code(self) -> int:
        """Of the command."""
        return 0 if self.trace.status == "ok" and self.completed else 1


def record(lecture: Path, options: Options) -> Outcome:
    """Record `lecture` and write its trace to `options.out`. From then on interrupts are ignored.

    Raises UsageError when the lecture cannot be run at all; what was recorded before is then as it was.
    """
    started = time.time()
    root, path, folder = _whole(Path()), _whole(lecture), _whole(options.out)  # the lecture may go to another folder
    check(path, lecture)
    targets = parse_targets(options.targets)
    recorder = Recorder(
        path, store(folder), root=root, inspect_all=options.inspect_all,
        max_steps=options.max_steps, backend=options.backend,
    )  # fmt: skip
    launches.prepare()
    name = f"{lecture.stem}.json"
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
        _make_folder(folder, name)
        with progress(line, lambda: _progress(recorder)):
            status, reason = _run_main(main, recorder, save, interrupts)
    trace = save(status, reason)  # before compiling, which may take a while
    wanted = captured.wanted(recorder.builder.kernels, recorder.files.real)
    compiled = not wanted or _completed(
        lambda: recorder.kernels.set_variants(compile_all(wanted, targets, recorder.store, claimed=recorder.claimed())),
        recorder, interrupts, "the kernels were compiled, so none of their stages is here",
    )  # fmt: skip
    settled = not recorder.claims or _completed(
        recorder.settle, recorder, interrupts, "what the lecture observes was checked, so none of it is"
    )
    if not settled:
        recorder.leave_unsettled("interrupted (Ctrl-C)")
    for warning in captured.warnings(recorder.builder.kernels):
        recorder.warn(*warning)
    if wanted or recorder.claims or len(recorder.builder.warnings) != len(trace.warnings):
        trace = save(status, reason)
    return Outcome(options.out / name, trace, time.time() - started, compiled and settled)


def _completed(work: Callable[[], None], recorder: Recorder, interrupts: Interrupts, lost: str) -> bool:
    """Do `work`, which may take long; whether it came to its end. Where Ctrl-C ends it, `lost` says what that costs."""
    try:
        interrupts.catch()
        work()
        interrupts.ignore()
    except KeyboardInterrupt:
        interrupts.ignore()
        said = f"interrupted (Ctrl-C) while {lost}; record again"
        recorder.warn(said, recorder.display_path(str(recorder.lecture)))
        return False
    return True


@contextmanager
def _recording(recorder: Recorder, path: Path, line: StatusLine) -> Iterator[None]:
    """Everything that must be put back afterwards."""
    with ExitStack() as stack:
        stack.enter_context(limits_kept())
        stack.enter_context(compat.installed(path.parent))
        stack.enter_context(import_path(path))
        sink.current = recorder
        stack.callback(setattr, sink, "current", None)
        stack.enter_context(heard_by(recorder, line))
        os.register_at_fork(after_in_child=recorder.abandon, after_in_parent=recorder.forked)
        stack.enter_context(children_said(recorder.warn))
        stack.enter_context(bare_threads_watched(recorder.tracer, recorder.failed))
        yield


def _whole(path: Path) -> Path:
    """`path` from the root on, without links; one that leads in a circle is refused where it is used."""
    try:
        return Path(os.path.realpath(path))
    except FileNotFoundError as error:
        raise UsageError("the folder this was started in is no longer there; change to another one") from error


def _make_folder(folder: Path, name: str) -> None:
    """Make the folder of the trace, and see that a file can be made in it, before the lecture has spent its time."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        if (folder / name).is_dir():
            raise IsADirectoryError(errno.EISDIR, f"{name!r} in it is a folder")
    except OSError as error:
        raise UsageError(f"cannot write to {str(folder)!r}: {error.strerror}; name another folder with -o") from error


def _watch_visible(recorder: Recorder, visible: Sequence[str]) -> None:
    source = recorder.files.source(str(recorder.lecture))
    for statement in source.statements if source is not None else ():
        if statement.directives.visible:
            recorder.make_visible(statement.number, str(recorder.lecture))
    for name in visible:
        file = _whole(Path(name))
        try:
            file.open("rb").close()
        except OSError as error:
            said = f"--visible {name!r} cannot be read ({error.strerror}); name a Python file to record the steps of"
            raise UsageError(said) from error
        recorder.watch(str(file))


def _run_main(main: Callable[[], Any], recorder: Recorder, save: Callable[[Status, str], Trace],
              interrupts: Interrupts) -> tuple[Status, str]:  # fmt: skip
    """Run the lecture to its end, whatever that is; how it ended and why. From then on Ctrl-C is ignored."""
    keep_builtins()
    interrupts.catch()
    with (
        thread_failures(recorder), signals_kept_out(), impatience(recorder, save),
        sudden_end(recorder, save, interrupts),
    ):  # fmt: skip
        surroundings = Surroundings()
        recorder.mend = surroundings.put_engine_back
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
    reserve = _reserve()
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
    finally:
        del reserve
    return None


def _reserve() -> mmap | None:
    """Memory kept for the recording's end, where the lecture may hold all there is; untouched it costs none."""
    try:
        return mmap(-1, RESERVE, access=ACCESS_COPY)  # a bytearray is written: 40 ms, and as much memory in use
    except OSError:
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


def _progress(recorder: Recorder) -> tuple[int, str, str, int]:
    builder = recorder.builder
    if not len(builder):
        return 0, recorder.lecture.name, "main", 0
    place = builder.steps.first[len(builder) - 1]
    places = builder.places
    return len(builder), builder.files[places.file[place]].path, places.function[place], places.line[place]
