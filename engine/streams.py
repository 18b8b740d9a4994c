"""Standard output and error while a lecture is recorded: they reach the terminal and the trace."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from engine.sink import Sink
from engine.trace import Stderr, Stdout


class Tee:
    """Passes what is written on to `stream`, and tells `heard` of it. All else is the stream's own."""

    def __init__(self, stream: TextIO, heard: Callable[[str], None]) -> None:
        self._stream = stream
        self._heard = heard

    def write(self, text: str) -> int:
        """Write `text` to both."""
        written = self._stream.write(text)
        if text:
            self._heard(text)
        return written

    def writelines(self, lines: Any) -> None:
        """Write each of `lines`."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._stream)

    def __enter__(self) -> "Tee":
        return self

    def __exit__(self, *_: object) -> None:
        self.flush()


@contextmanager
def heard_by(sink: Sink) -> Iterator[None]:
    """Let `sink` hear what is printed meanwhile."""
    before = sys.stdout, sys.stderr
    tees = (
        Tee(before[0], lambda text: sink.emit(Stdout(text))),
        Tee(before[1], lambda text: sink.emit(Stderr(text))),
    )
    sys.stdout, sys.stderr = tees
    try:
        yield
    finally:
        # a stream that the lecture put there itself, and left, is not ours to close or keep
        sys.stdout, sys.stderr = before
