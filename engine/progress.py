"""One line on the terminal that says how far a recording is."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

INTERVAL = 0.2
"Seconds between two looks."

_ERASE = "\r\x1b[2K"

Where = Callable[[], tuple[int, str, str, int]]
"Gives steps, path, function and line."


class StatusLine:
    """The last line of a terminal, which makes way for what the lecture prints. On anything else it is never shown."""

    def __init__(self, stream: TextIO | None) -> None:
        self.stream = stream
        self.active = stream is not None and stream.isatty()
        self.lock = threading.RLock()
        self.shown = False
        self.within = False
        "Whether the lecture has begun a line and not ended it."

    def show(self, text: str) -> None:
        """Put `text` there, as much of it as fits."""
        with self.lock:
            if self.active and self.stream is not None and not self.within:
                width = os.get_terminal_size(self.stream.fileno()).columns or 80
                self.stream.write(_ERASE + text[: width - 1])
                self.stream.flush()
                self.shown = True

    def make_way(self) -> None:
        """The lecture is about to print something."""
        with self.lock:
            self.hide()
            self.within = True

    def printed(self, text: str) -> None:
        """The lecture has printed `text`."""
        self.within = not text.endswith("\n")

    def hide(self) -> None:
        """Take the line away."""
        with self.lock:
            if self.shown and self.stream is not None:
                self.stream.write(_ERASE)
                self.stream.flush()
                self.shown = False


@contextmanager
def progress(line: StatusLine, where: Where) -> Iterator[None]:
    """Say in `line` how far the recording is, meanwhile."""
    if not line.active:
        yield
        return
    over = threading.Event()
    thread = threading.Thread(target=_show, args=(line, where, over), name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        line.hide()


def _show(line: StatusLine, where: Where, over: threading.Event) -> None:
    started = time.monotonic()
    while not over.wait(INTERVAL):
        steps, path, place, number = where()
        seconds = time.monotonic() - started
        line.show(f"recording: {steps:,} steps, {seconds:.0f} s, {path}:{number} in {place}")
