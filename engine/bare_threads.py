"""Threads that a lecture starts through `_thread`, past `threading`: they are watched like all others.

`threading` knows nothing of such a thread, and asking it for one would make it up, which the lecture could see.
"""

import _thread
import itertools
from _thread import get_ident
from _thread import start_new_thread as really_start
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from engine.patches import Patches


class BareThread:
    """What is known of one of them while it runs."""

    def __init__(self, number: int) -> None:
        self.name = f"_thread-{number}"
        self.running = True

    def is_alive(self) -> bool:
        """Whether it has not come to its end."""
        return self.running


class Watcher(Protocol):
    """Watches threads: a tracer."""

    bare: dict[int, BareThread]
    "By thread identity, those that run."

    def begin_thread(self) -> None:
        """Watch the calling thread from its next call on, where threads are watched."""


class _Start:
    """What such a thread is started with; reads as the lecture's own function where Python complains of it."""

    def __init__(self, function: Callable[..., Any], watcher: Watcher, thread: BareThread,
                 failed: Callable[[BaseException], Any]) -> None:  # fmt: skip
        self.function = function
        self.watcher = watcher
        self.thread = thread
        self.failed = failed

    def __repr__(self) -> str:
        return repr(self.function)

    def __call__(self, *arguments: Any, **options: Any) -> None:
        self.watcher.bare[get_ident()] = self.thread
        try:
            self.watcher.begin_thread()
            self.function(*arguments, **options)
        except SystemExit:
            raise
        except BaseException as error:
            self.failed(error)
            raise
        finally:
            self.thread.running = False
            del self.watcher.bare[get_ident()]


@contextmanager
def bare_threads_watched(watcher: Watcher, failed: Callable[[BaseException], Any]) -> Iterator[None]:
    """Have `watcher` watch the threads that `_thread` starts meanwhile; `failed` is told what ends one."""
    numbers, patches = itertools.count(1), Patches()

    def start_new_thread(function: Callable[..., Any], args: Any, *kwargs: Any) -> int:
        if not callable(function):
            return really_start(function, args, *kwargs)  # which says so
        return really_start(_Start(function, watcher, BareThread(next(numbers)), failed), args, *kwargs)

    patches.replace(_thread, "start_new_thread", start_new_thread)
    patches.replace(_thread, "start_new", start_new_thread)
    try:
        yield
    finally:
        patches.undo()
