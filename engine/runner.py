"""Records one lecture: imports it, runs its `main()` under the recorder, and writes what came of it."""

import importlib.util
import inspect
import os
import platform
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from engine import compat, launches, sink
from engine.compile import compile_all, parse_targets
from engine.errors import UsageError
from engine.progress import StatusLine, progress
from engine.recorder import Recorder, StepLimit, describe
from engine.streams import heard_by
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
    exit_code: int = field(init=False)

    def __post_init__(self) -> None:
        self.exit_code = 0 if self.trace.status == "ok" else 1


def record(lecture: Path, options: Options) -> Outcome:
    """Record `lecture` and write its trace to `options.out`.

    Raises UsageError when the lecture cannot be run at all; what was recorded before is then as it was.
    """
    started = time.time()
    path = lecture.resolve()
    _check(path, lecture)
    targets = parse_targets(options.targets)
    recorder = Recorder(
        path, store(options.out.resolve()), root=Path.cwd(), inspect_all=options.inspect_all,
        max_steps=options.max_steps, backend=options.backend,
    )  # fmt: skip
    launches.prepare()
    target = options.out / f"{path.stem}.json"

    def save(status: Status, reason: str) -> Trace:
        trace = recorder.finish(status, reason, {} if options.reproducible else _run(started))
        write(trace, target)
        return trace

    line = StatusLine(sys.stderr)
    with _recording(recorder, path, line):
        main = _main_of(_imported(path, lecture), lecture)
        recorder.watch(str(path))
        _watch_visible(recorder, options.visible)
        with launches.watching(recorder) as captured, progress(line, lambda: _progress(recorder)):
            status, reason = _run_main(main, recorder, save)
    trace = save(status, reason)  # before compiling, which may take a while
    wanted = captured.wanted(recorder.builder.kernels, recorder.files.real)
    if wanted:
        recorder.set_variants(compile_all(wanted, targets, recorder.store))
    for warning in captured.warnings(recorder.builder.kernels):
        recorder.warn(*warning)
    if wanted or len(recorder.builder.warnings) != len(trace.warnings):
        trace = save(status, reason)
    return Outcome(target, trace, time.time() - started)


@contextmanager
def _recording(recorder: Recorder, path: Path, line: StatusLine) -> Iterator[None]:
    """Everything that must be put back afterwards."""
    with ExitStack() as stack:
        stack.enter_context(compat.installed(path.parent))
        stack.enter_context(_import_path(path))
        sink.current = recorder
        stack.callback(setattr, sink, "current", None)
        stack.enter_context(heard_by(recorder, line))
        os.register_at_fork(after_in_child=recorder.abandon)
        yield


@contextmanager
def _import_path(path: Path) -> Iterator[None]:
    before, arguments = list(sys.path), list(sys.argv)
    sys.path[:0] = [str(path.parent)]
    sys.argv = [str(path)]
    try:
        yield
    finally:
        sys.path[:], sys.argv = before, arguments


def _check(path: Path, shown: Path) -> None:
    if not path.exists():
        raise UsageError(f"there is no lecture {str(shown)!r}; name a Python file that defines main()")
    if not path.is_file():
        raise UsageError(f"{str(shown)!r} is a folder; name a Python file that defines main()")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {str(shown)!r}: {error.strerror}") from error
    try:
        compile(data, str(shown), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        line = f":{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        raise UsageError(f"{shown}{line} is not valid Python: {message}; correct it and record again") from error


def module_name(path: Path) -> str:
    """What the lecture's module is called: its file's name, where no other module has that."""
    name = path.stem
    ours = ("engine", "viewer", "kernels", "torch", "triton")
    if name in sys.modules or name in sys.stdlib_module_names or name in ours:
        return f"lecture_{name}"
    return name


def _imported(path: Path, shown: Path) -> ModuleType:
    name = module_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{str(shown)!r} is no Python file; name one that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        said = describe(error, path)
        raise UsageError(
            f"{shown} does not import: {said.type}: {said.message}{_place_in(error, path)}; "
            "correct it and record again (an earlier trace is unchanged)"
        ) from error
    return module


def _place_in(error: BaseException, path: Path) -> str:
    line, walk = 0, error.__traceback__
    while walk is not None:
        if walk.tb_frame.f_code.co_filename == str(path):
            line = walk.tb_lineno
        walk = walk.tb_next
    return f" (line {line})" if line else ""


def _main_of(module: ModuleType, shown: Path) -> Callable[[], Any]:
    main: Any = getattr(module, "main", None)
    if not callable(main):
        raise UsageError(f"{shown} defines no main(); add 'def main():' around what the lecture says")
    try:
        inspect.signature(main).bind()
    except TypeError as error:
        raise UsageError(f"{shown}: main() cannot be called without arguments ({error}); give them defaults") from error
    except ValueError:
        pass  # no signature to be had
    return cast("Callable[[], Any]", main)


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


def _run_main(main: Callable[[], Any], recorder: Recorder, save: Callable[[Status, str], Trace]) -> tuple[Status, str]:
    """Run the lecture to its end, whatever that is; how it ended and why."""
    with _thread_failures(recorder), _termination(), _impatience(recorder, save):
        try:
            recorder.start()
            try:
                result = main()
                if inspect.iscoroutine(result):
                    import asyncio  # a tenth of a second that other lectures need not wait

                    asyncio.run(result)
            finally:
                recorder.stop()
            _leave_if_forked(recorder)
        except StepLimit as limit:
            return "stopped", f"stopped at {limit}; raise it with --max-steps"
        except KeyboardInterrupt:
            return "interrupted", "interrupted (Ctrl-C)"
        except SystemExit as leave:
            _leave_if_forked(recorder)
            return _left(leave, recorder)
        except BaseException as error:
            _leave_if_forked(recorder)
            said = recorder.failed(error)
            return "error", f"{said.type}: {said.message}"
    if recorder.limit_reached:
        return "stopped", f"stopped at the limit of {recorder.max_steps} steps; raise it with --max-steps"
    return "ok", ""


def _left(leave: SystemExit, recorder: Recorder) -> tuple[Status, str]:
    if leave.code in (None, 0):
        return "ok", "the lecture left through sys.exit()"
    recorder.failed(leave)
    return "error", f"the lecture left through sys.exit({leave.code!r})"


def _leave_if_forked(recorder: Recorder) -> None:
    """A child that the lecture forked has come to the end of the lecture: it must not write the trace too."""
    if os.getpid() != recorder.pid:
        sys.stdout.flush()
        os._exit(0)


@contextmanager
def _thread_failures(recorder: Recorder) -> Iterator[None]:
    """Record the exceptions that end threads."""
    before = threading.excepthook

    def hook(arguments: Any) -> None:
        if arguments.exc_value is not None and os.getpid() == recorder.pid:
            recorder.failed(arguments.exc_value)
        before(arguments)

    threading.excepthook = hook
    try:
        yield
    finally:
        threading.excepthook = before


@contextmanager
def _termination() -> Iterator[None]:
    """Treat a request to terminate like Ctrl-C, so that the recording is kept."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


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
                os._exit(1)

    thread = threading.Thread(target=wait, name="step limit", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()


def _progress(recorder: Recorder) -> tuple[int, str, str, int]:
    builder = recorder.builder
    if not len(builder):
        return 0, recorder.lecture.name, "main", 0
    place = builder.steps.first[len(builder) - 1]
    places = builder.places
    return len(builder), builder.files[places.file[place]].path, places.function[place], places.line[place]


def _run(started: float) -> dict[str, Any]:
    """What differs between two identical runs."""
    versions = {
        name: module.__version__
        for name in ("torch", "triton", "numpy")
        if (module := sys.modules.get(name)) is not None and hasattr(module, "__version__")
    }
    torch = sys.modules.get("torch")
    device = torch.cuda.get_device_name() if torch is not None and torch.cuda.is_available() else "CPU"
    return {
        "started": datetime.fromtimestamp(started, UTC).isoformat(timespec="seconds"),
        "seconds": round(time.time() - started, 3),
        "host": platform.node(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "device": device,
        "versions": {name: str(version) for name, version in versions.items()},
    }


