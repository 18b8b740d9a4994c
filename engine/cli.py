"""The command line of the engine. Exit codes: 0 ended, 1 the lecture failed or was stopped, 2 usage."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.errors import EngineError, UsageError

SHOW, RECOMPILE = "show", "recompile"


def main(arguments: Sequence[str]) -> int:
    """Run the command that `arguments` name; the exit code."""
    try:
        if arguments and arguments[0] == SHOW:
            return _show(_show_parser().parse_args(arguments[1:]))
        if arguments and arguments[0] == RECOMPILE:
            from engine.recompiling import main as recompiling

            asked = _recompile_parser().parse_args(arguments[1:])
            return recompiling(asked.store, asked.made)
        return _record(_record_parser().parse_args(arguments))
    except EngineError as error:
        print(f"engine: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        print("engine: interrupted before there was anything to record", file=sys.stderr)
        return 1


def _record_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m engine",
        description="Record lectures: Python programs with a main(). See also: python -m engine show TRACE.json",
    )
    parser.add_argument("lectures", nargs="+", metavar="LECTURE.py", type=Path, help="a Python program with a main()")
    parser.add_argument("-o", dest="out", metavar="FOLDER", type=Path, default=Path("var/traces"),
                        help="where traces are written (var/traces)")  # fmt: skip
    parser.add_argument("-I", "--inspect-all", action="store_true", help="record all local variables")
    parser.add_argument("--max-steps", type=_count, metavar="N", default=None,
                        help="stop the lecture after N steps (1,000,000)")  # fmt: skip
    parser.add_argument("--target", action="append", dest="targets", metavar="sm_90",
                        help="compile kernels for it; may be repeated (sm_80, sm_90, sm_100)")  # fmt: skip
    parser.add_argument("--visible", action="append", metavar="FILE.py", default=[],
                        help="record the statements of this file too; may be repeated")  # fmt: skip
    parser.add_argument("--serve", action="store_true", help="serve the viewer when the recording is done")
    parser.add_argument("--host", default="127.0.0.1", help="address that --serve listens on (127.0.0.1)")
    parser.add_argument("--port", type=_port, default=8000, metavar="N",
                        help="port that --serve listens on, 0 for any free one (8000)")  # fmt: skip
    parser.add_argument("--watch", action="store_true", help="record again whenever a file of the lecture changes")
    parser.add_argument("--reproducible", action="store_true", help="leave out what differs between identical runs")
    parser.add_argument("--backend", choices=["settrace", "monitoring"], default="settrace",
                        help="what watches the lecture; monitoring (Python 3.12+) spares library code")  # fmt: skip
    return parser


def _show_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m engine show", description="Show a recording as text.")
    parser.add_argument("trace", type=Path, metavar="TRACE.json", help="a recording")
    parser.add_argument("--step", type=int, metavar="N", help="only this step, counted from 0")
    parser.add_argument("--jsonl", action="store_true", help="one JSON object a line: the header, then every step")
    return parser


def _recompile_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m engine recompile",
        description="Compile kernels anew, for the viewer: a JSON request a line in, a JSON answer a line out.",
    )
    parser.add_argument("store", type=Path, metavar="STORE", help="the folder with kernels/ of the recording (var)")
    parser.add_argument("made", type=Path, metavar="MADE", help="the folder whose kernels/ gets what they compile to")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; give a number from 0 to 65535")
    return int(text)


def _show(arguments: argparse.Namespace) -> int:
    from engine.show import jsonl, lines
    from engine.trace import read

    trace = read(arguments.trace)
    steps = len(trace.steps.place)
    if arguments.step is not None and not 0 <= arguments.step < steps:
        raise UsageError(f"{str(arguments.trace)!r} has no step {arguments.step}; its {steps} steps count from 0")
    try:
        if arguments.jsonl:
            for line in jsonl(trace, arguments.step):
                sys.stdout.buffer.write(line + b"\n")
        else:
            sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
            for text in lines(trace, arguments.step):
                print(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python would try once more when it ends
        raise EngineError(f"cannot write to standard output: {error.strerror}") from error
    return 0


def _record(arguments: argparse.Namespace) -> int:
    if arguments.watch or arguments.serve or len(arguments.lectures) > 1:
        from engine.processes import run_processes

        return run_processes(arguments)
    return record_one(arguments)


def record_one(arguments: argparse.Namespace) -> int:
    """Record one lecture in this process and say how it went."""
    from engine.runner import DEFAULT_STEPS, Options, record

    outcome = record(
        arguments.lectures[0],
        Options(
            out=arguments.out,
            inspect_all=arguments.inspect_all,
            max_steps=arguments.max_steps or DEFAULT_STEPS,
            targets=arguments.targets or (),
            reproducible=arguments.reproducible,
            visible=arguments.visible,
            backend=arguments.backend,
        ),
    )
    trace = outcome.trace
    for warning in trace.warnings:
        print(f"warning: {warning.path}:{warning.line}: {warning.message}", file=sys.stderr)
    for error in trace.errors.values():
        print(error.traceback, file=sys.stderr, end="")
    if trace.status != "ok":
        print(f"engine: {trace.lecture}: {trace.reason}; what was recorded until then is kept", file=sys.stderr)
    steps = len(trace.steps.place)
    print(f"recorded {outcome.path}: {steps:,} steps in {outcome.seconds:.1f} s", file=sys.stderr)
    return outcome.exit_code


