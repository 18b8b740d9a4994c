"""Has the engine compile a kernel anew whose files were saved, in a process of its own that stays ready for the next.

What they compile to lies apart from the recording, whose folder may be kept in a repository or be read only.
"""

import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path

import msgspec

import engine.trace
from engine.errors import TraceError
from engine.trace import Variant, write_whole

ROOT = Path(engine.trace.__file__).parents[1]
"Where `python -m engine` finds the engine, wherever the server was started."
COMMAND = ("-m", "engine", "recompile")
MADE = Path("var", "renewed")
"Under the author's folder: the store of what was compiled anew, which the next server finds again."


class Recompiler:
    """The process, which is started when it is first needed. For several threads."""

    def __init__(self, store: Path, root: Path) -> None:
        """`store` is the recordings', `root` the author's folder."""
        self.store = store
        self.root = root
        self.ends = ExitStack()
        self.lock = threading.Lock()
        self.process: subprocess.Popen[bytes] | None = None

    @cached_property
    def made(self) -> Path:
        """The store of what was compiled anew: where nothing can be written, one that goes when the server ends."""
        try:
            write_whole(b"*\n", self.root / MADE / ".gitignore")
        except TraceError:
            return Path(self.ends.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        return self.root / MADE

    def compile(self, key: str, texts: dict[str, str], until: str = "") -> Variant:
        """The variant kept under `key`, compiled with the files that now hold other `texts`, by path; it is in `made`.

        `until` is the last stage wanted, `ptx`, where that is not SASS, which takes as long as all the rest.

        Where that cannot be, a variant with the reason, in the compiler's own words where it has spoken.
        """
        request = msgspec.json.encode({"key": key, "texts": texts, "until": until}) + b"\n"
        with self.lock:
            answer = self._answer(request)
        try:
            return msgspec.json.decode(answer, type=Variant)
        except msgspec.MsgspecError:
            return Variant("", "compiled", "", reason="the engine's process ended; save the file again to try again")

    def _answer(self, request: bytes) -> bytes:
        """The line that answers; nothing where the process ends instead."""
        if self.process is None or self.process.poll() is not None:
            command = [sys.executable, *COMMAND, str(self.store), str(self.made)]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write(request)
            self.process.stdin.flush()
            return self.process.stdout.readline()
        except OSError:
            return b""

    def close(self) -> None:
        """End the process, if there is one, and take away what was kept for this server alone."""
        with self.ends:
            if self.process is not None:
                _end(self.process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process; it ends what it has started."""
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
