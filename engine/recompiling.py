"""Compiles kernels anew as their files are saved, for whoever shows them: a request a line, an answer a line.

The compilers stay loaded between requests, so that all but the first take as long as the compilation itself.
"""

import contextlib
import shutil
import sys
from pathlib import Path
from typing import BinaryIO, Literal

import msgspec

from engine.compile import recompile
from engine.errors import UsageError
from engine.workers import Workers

KEPT = 200
"Compilations that are kept for the next server: some twenty megabytes. The oldest beyond go first."


class Asked(msgspec.Struct):
    """A line of standard input."""

    key: str
    "Folder under `kernels/` of the compilation to be made anew."
    texts: dict[str, str]
    "What stands now in those files it was compiled from that have changed, by their paths as in `File.path`."
    until: Literal["", "ptx"] = ""
    "As for `TritonRequest`."


def answer_all(store: Path, made: Path, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer each request with a `Variant` as JSON, until there are no more. What comes of one is kept in `made`.

    Raises UsageError for a line that is no request; whatever goes wrong with a kernel is a variant's reason.
    """
    with Workers() as workers:
        for line in requests:
            try:
                asked = msgspec.json.decode(line, type=Asked)
            except msgspec.MsgspecError as error:
                raise UsageError(f"a line of standard input is no request ({error}); see engine.recompiling") from error
            variant = recompile(store, made, asked.key, asked.texts, workers, asked.until)
            answers.write(msgspec.json.encode(variant) + b"\n")
            answers.flush()


def _thin_out(folder: Path) -> None:
    """Keep what was compiled last. Another server may be doing the same."""
    with contextlib.suppress(OSError):
        latest = sorted(folder.iterdir(), key=lambda kept: kept.stat().st_mtime, reverse=True)
        for old in latest[KEPT:]:
            shutil.rmtree(old)


def main(store: Path, made: Path) -> int:
    """Answer on the standard streams."""
    _thin_out(made / "kernels")
    answer_all(store, made, sys.stdin.buffer, sys.stdout.buffer)
    return 0
