"""Recordings in processes of their own: several lectures, serving the result, recording again after each change."""

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from engine.errors import EngineError
from engine.trace import read, write_whole

UNUSABLE = 2
"Exit code of a recording that could not even begin."
STOP_SECONDS = 5.0
"How long the viewer has to end by itself."


def run_processes(arguments: argparse.Namespace) -> int:
    """Record each lecture in its own process, then serve or watch as asked. The worst exit code."""
    code = _record_all(arguments, arguments.lectures)
    viewer = _serve(arguments.out) if arguments.serve else None
    try:
        if arguments.watch:
            for changed in _changes(arguments):
                code = _record_all(arguments, changed)
        elif viewer is not None:
            return viewer.wait()
    except KeyboardInterrupt:
        code = 0 if arguments.watch else code
    finally:
        if viewer is not None:
            _end(viewer)
    return code


def _record_all(arguments: argparse.Namespace, lectures: list[Path]) -> int:
    record = _record_watched if arguments.watch else _record
    return max(record(arguments, lecture) for lecture in lectures)


def _record(arguments: argparse.Namespace, lecture: Path) -> int:
    return subprocess.run(_command(arguments, lecture), check=False).returncode


def _record_watched(arguments: argparse.Namespace, lecture: Path) -> int:
    """Record; where the lecture cannot be run at all, leave a note for the open pages beside its last good trace."""
    run = subprocess.run(_command(arguments, lecture), stderr=subprocess.PIPE, check=False)
    said = run.stderr.decode(errors="replace")
    print(said, end="", file=sys.stderr, flush=True)
    note = arguments.out / f"{lecture.stem}.failed"
    if run.returncode == UNUSABLE:
        write_whole(said.strip().rpartition("\n")[2].encode(), note)
    else:
        note.unlink(missing_ok=True)
    return run.returncode


def _command(arguments: argparse.Namespace, lecture: Path) -> list[str]:
    command = [sys.executable, "-m", "engine", str(lecture), "-o", str(arguments.out)]
    if arguments.inspect_all:
        command.append("--inspect-all")
    if arguments.max_steps:
        command += ["--max-steps", str(arguments.max_steps)]
    if arguments.reproducible:
        command.append("--reproducible")
    command += ["--backend", arguments.backend]
    for target in arguments.targets or ():
        command += ["--target", target]
    for file in arguments.visible:
        command += ["--visible", file]
    return command


def _serve(traces: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "viewer", "serve", "--traces", str(traces)])


def _end(viewer: subprocess.Popen[bytes]) -> None:
    viewer.terminate()
    try:
        viewer.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        viewer.kill()


def _changes(arguments: argparse.Namespace) -> Iterator[list[Path]]:
    """For each change on disk: the lectures whose files it touched."""
    from watchfiles import watch

    while True:
        files = {lecture: _files(arguments.out, lecture) for lecture in arguments.lectures}
        folders = {file.parent for group in files.values() for file in group if file.parent.is_dir()}
        print(f"watching {', '.join(sorted(map(str, folders)))}; Ctrl-C ends", file=sys.stderr)
        for batch in watch(*folders, recursive=False, debounce=200, raise_interrupt=True):
            changed = {Path(name).resolve() for _, name in batch}
            if touched := [lecture for lecture, group in files.items() if group & changed]:
                yield touched
                break


def _files(out: Path, lecture: Path) -> set[Path]:
    """The lecture's file and those its last recording was made of."""
    try:
        recorded = [Path(file.path) for file in read(out / f"{lecture.stem}.json").files]
    except EngineError:
        recorded = []
    beside = [lecture.parent / path for path in recorded]
    return {path.resolve() for path in [lecture, *recorded, *beside] if path.is_file()}
