"""Has the engine compile a kernel anew whose file was saved, in a process of its own that stays ready for the next."""

import subprocess
import sys
import threading
from pathlib import Path

import msgspec

import engine.trace
from engine.trace import Variant

ROOT = Path(engine.trace.__file__).parents[1]
"Where `python -m engine` finds the engine, wherever the server was started."
COMMAND = ("-m", "engine", "recompile")


class Recompiler:
    """The process, which is started when it is first needed. For several threads."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self.lock = threading.Lock()
        self.process: subprocess.Popen[bytes] | None = None

    def compile(self, key: str, path: str, text: str, until: str = "") -> Variant:
        """The variant kept under `key`, compiled from `text`, which now stands in its file `path`; it is in the store.

        `until` is the last stage wanted, `ptx`, where that is not SASS, which takes as long as all the rest.

        Where that cannot be, a variant with the reason, in the compiler's own words where it has spoken.
        """
        request = msgspec.json.encode({"key": key, "path": path, "text": text, "until": until}) + b"\n"
        with self.lock:
            answer = self._answer(request)
        try:
            return msgspec.json.decode(answer, type=Variant)
        except msgspec.MsgspecError:
            return Variant("", "compiled", "", reason="the engine's process ended; save the file again to try again")

    def _answer(self, request: bytes) -> bytes:
        """The line that answers; nothing where the process ends instead."""
        if self.process is None or self.process.poll() is not None:
            command = [sys.executable, *COMMAND, str(self.store)]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write(request)
            self.process.stdin.flush()
            return self.process.stdout.readline()
        except OSError:
            return b""

    def close(self) -> None:
        """End the process, if there is one; it ends what it has started."""
        if self.process is None:
            return
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
