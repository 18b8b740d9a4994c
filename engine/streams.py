"""Standard output and error while a lecture is recorded: they reach the terminal and the trace."""

import codecs
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Protocol, TextIO

from engine.progress import StatusLine
from engine.trace import Stderr, Stdout


class Ear(Protocol):
    """Hears what is printed."""

    def emit(self, output: Stdout | Stderr) -> None:
        """`output` was printed."""

    def looking(self) -> bool:
        """Whether this thread is looking at a value for the recording: what that prints, the lecture did not."""


class Tee:
    """Passes what is written on to `stream`, and tells an ear. All else is the stream's own."""

    def __init__(self, stream: TextIO, kind: type[Stdout] | type[Stderr], ear: Ear, line: StatusLine) -> None:
        self._stream = stream
        self._line = line
        self._kind = kind
        self._ear = ear
        self._closed = False

    def write(self, text: str) -> int:
        """Write `text` to both."""
        if self._ear.looking():
            return len(text)
        self._check()
        if not text:
            return self._stream.write(text)
        self._line.make_way()
        written = self._stream.write(text)
        self._line.printed(text)
        self._ear.emit(self._kind(text))
        return written

    def writelines(self, lines: Any) -> None:
        """Write each of `lines`."""
        for line in lines:
            self.write(line)

    @property
    def buffer(self) -> "_Bytes":
        """The stream of bytes underneath, which is heard too."""
        return _Bytes(self, self._stream.buffer, self._stream.encoding)

    @property
    def closed(self) -> bool:
        """Whether the lecture has closed the stream."""
        return self._closed or self._stream.closed

    def close(self) -> None:
        """Refuse further text. The terminal stays open: what comes of the recording is still to be said there."""
        if not self.closed:
            self._stream.flush()
        self._closed = True

    def flush(self) -> None:
        """Write out what the stream holds back."""
        self._check()
        self._stream.flush()

    def _check(self) -> None:
        if self._closed:
            raise ValueError("I/O operation on closed file.")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._stream)

    def __enter__(self) -> "Tee":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Bytes:
    """The stream of bytes under a `Tee`."""

    def __init__(self, tee: Tee, stream: Any, encoding: str) -> None:
        self._tee = tee
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)("backslashreplace")

    def write(self, data: Any) -> int:
        """Write `data` to both; the recording has what it says in the stream's encoding."""
        if self._tee._ear.looking():
            return memoryview(data).nbytes
        self._tee._check()
        self._tee._line.make_way()
        written: int = self._stream.write(data)
        if text := self._decoder.decode(bytes(data)):
            self._tee._ear.emit(self._tee._kind(text))
        return written

    def writelines(self, lines: Any) -> None:
        """Write each of `lines`."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def heard_by(ear: Ear, line: StatusLine) -> Iterator[None]:
    """Let `ear` hear what is printed meanwhile; `line` makes way for it."""
    before = {name: getattr(sys, name) for name in ("stdout", "__stdout__", "stderr", "__stderr__")}
    with _terminal_kept():
        tees = {id(stream): Tee(stream, Stdout if "out" in name else Stderr, ear, line)
                for name, stream in before.items() if stream is not None}  # fmt: skip
        for name, stream in before.items():
            setattr(sys, name, tees.get(id(stream)))
        try:
            yield
        finally:
            # a stream that the lecture put there itself, and left, is not ours to close or keep
            for name, stream in before.items():
                setattr(sys, name, stream)


@contextmanager
def _terminal_kept() -> Iterator[None]:
    """Open the terminal's descriptors again where the lecture closed them, lest the next file opened gets them."""
    kept = {}
    for number in (1, 2):
        with suppress(OSError):
            kept[number] = os.dup(number)
    try:
        yield
    finally:
        for number, copy in kept.items():
            with suppress(OSError):  # the lecture has closed the copy too
                try:
                    os.fstat(number)
                except OSError:
                    os.dup2(copy, number)
                os.close(copy)
