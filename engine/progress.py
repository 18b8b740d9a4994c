"""One line on the terminal that says how far a recording is."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

INTERVAL = 0.2
"Seconds between two looks."

Where = Callable[[], tuple[int, str, str, int]]
"Gives steps, path, function and line."


@contextmanager
def progress(where: Where) -> Iterator[None]:
    """Show a progress line on standard error meanwhile, where that is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    over = threading.Event()
    thread = threading.Thread(target=_show, args=(where, over), name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _show(where: Where, over: threading.Event) -> None:
    started = time.monotonic()
    if over.wait(INTERVAL):
        return
    from rich.console import Console  # a tenth of a second, so only once there is something to wait for

    console = Console(file=sys.__stderr__)
    with console.status("recording") as status:
        while not over.wait(INTERVAL):
            steps, path, function, line = where()
            status.update(
                f"recording: {steps:,} steps, {time.monotonic() - started:.0f} s, {path}:{line} in {function}",
            )
