"""`--watch`: a lecture is recorded anew, in a process of its own, whenever one of its files changes."""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from engine.errors import EngineError, UsageError
from engine.processes import command
from engine.trace import read, write_whole

POLL = 0.2
"Seconds between two looks at the files, and at a recording that runs."
UNUSABLE = 2
"Exit code of a recording that could not even begin."


Stamp = tuple[int, int, int] | None
"What differs when a file was saved; None where there is none."


class Recording:
    """A lecture that is being recorded."""

    def __init__(self, arguments: argparse.Namespace, lecture: Path) -> None:
        print(f"recording {lecture}", file=sys.stderr)
        self.lecture = lecture
        self.note = arguments.out / f"{lecture.stem}.failed"
        self.said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115, it ends with the recording
        self.process = subprocess.Popen(command(arguments, lecture), stderr=self.said)

    def abandon(self) -> None:
        """End it at once; it writes nothing, and the last good trace stands."""
        self.process.kill()
        self.process.wait()
        self.said.close()

    def finish(self) -> None:
        """Pass on what it said; where it could not begin, leave a note for the open pages beside the last trace."""
        self.said.seek(0)
        said = self.said.read().decode(errors="replace")
        self.said.close()
        print(said, end="", file=sys.stderr, flush=True)
        if self.process.returncode == UNUSABLE:
            write_whole(said.strip().rpartition("\n")[2].encode(), self.note)
        else:
            self.note.unlink(missing_ok=True)


def watch_lectures(arguments: argparse.Namespace, viewer: subprocess.Popen[bytes] | None) -> int:
    """Record the lectures, and each one again when a file of its changes, until Ctrl-C or until the viewer ends.

    A change while a lecture is being recorded abandons that recording. Returns the viewer's exit code.
    """
    for lecture in arguments.lectures:
        if not lecture.is_file():
            raise UsageError(f"there is no lecture {str(lecture)!r} to watch; name a Python file that defines main()")
    queue, running = list(arguments.lectures), None
    stamps: dict[Path, Stamp] = {}
    try:
        while True:
            files = {lecture: _files(arguments.out, lecture) for lecture in arguments.lectures}
            for changed in _changes(set().union(*files.values()), stamps):
                touched = [lecture for lecture, group in files.items() if group & changed]
                queue = list(dict.fromkeys([*queue, *touched]))
                if viewer is not None and viewer.poll() is not None:
                    return viewer.returncode
                if running is not None and running.lecture in touched:
                    running.abandon()
                    running = None
                elif running is not None and running.process.poll() is not None:
                    running.finish()
                    running = None
                    if not queue:
                        break  # and look which files it is made of now
                if running is None and queue:
                    running = Recording(arguments, queue.pop(0))
    finally:
        if running is not None:
            running.abandon()


def _changes(files: set[Path], stamps: dict[Path, Stamp]) -> Iterable[set[Path]]:
    """Those of `files` that have changed since the last look, again and again; `stamps` go from one call to the next.

    Looked at, not listened for: between the end of one watch and the begin of the next, a change would not be heard.
    """
    print(f"watching {', '.join(sorted({str(file.parent) for file in files}))}; Ctrl-C ends", file=sys.stderr)
    while True:
        now = {file: _stamp(file) for file in files}
        changed = {file for file in files if stamps.get(file, now[file]) != now[file]}
        stamps |= now
        yield changed
        time.sleep(POLL)


def _stamp(file: Path) -> Stamp:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _files(out: Path, lecture: Path) -> set[Path]:
    """The lecture's file and those its last recording was made of."""
    try:
        recorded = [Path(file.path) for file in read(out / f"{lecture.stem}.json").files]
    except EngineError:
        recorded = []
    beside = [lecture.parent / path for path in recorded]
    return {lecture.resolve(), *(path.resolve() for path in [*recorded, *beside] if path.is_file())}
