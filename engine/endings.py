"""Ends that a lecture comes to without returning from `main()`: the recording is written all the same."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from os import _exit as end_process
from os import getpid
from typing import Any

from engine.errors import EngineError
from engine.interrupts import Interrupts
from engine.patches import Patches
from engine.recorder import Recorder
from engine.trace import Status, Trace

PATIENCE = 10.0
"Seconds that a lecture has to end after the step limit before the recording is written without it."


@contextmanager
def thread_failures(recorder: Recorder) -> Iterator[None]:
    """Record the exceptions that end threads."""
    before = threading.excepthook

    def hook(arguments: Any) -> None:
        ignored = arguments.exc_value is None or issubclass(arguments.exc_type, SystemExit)  # as Python does
        if not ignored and getpid() == recorder.pid:
            recorder.failed(arguments.exc_value)
        before(arguments)

    threading.excepthook = hook
    try:
        yield
    finally:
        threading.excepthook = before


@contextmanager
def impatience(recorder: Recorder, save: Callable[[Status, str], Trace]) -> Iterator[None]:
    """Write the recording and end the process when a lecture catches the step limit and goes on."""
    over = threading.Event()

    def wait() -> None:
        while not recorder.limit_reached:
            if over.wait(0.5):
                return
        if not over.wait(PATIENCE):
            try:
                save("stopped", f"stopped at the limit of {recorder.max_steps} steps, after which the lecture went on")
            finally:
                end_process(1)

    thread = threading.Thread(target=wait, name="step limit", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()


@contextmanager
def sudden_end(
    recorder: Recorder, save: Callable[[Status, str], Trace], interrupts: Interrupts
) -> Iterator[None]:
    """Write the recording before the lecture leaves with `os._exit()` or puts another program in its place."""
    patches = Patches()

    def replacing(name: str) -> Callable[..., None]:
        execute = getattr(os, name)

        def put_in_place(*arguments: Any) -> None:
            if getpid() == recorder.pid:
                with suppress(EngineError):
                    save("stopped", f"the lecture put another program in its place through os.{name}()")
            execute(*arguments)  # which comes back, by an exception, where there is no such program

        return put_in_place

    def exit_now(status: int) -> None:
        if getpid() == recorder.pid:
            interrupts.ignore()
            recorder.stop(SystemExit(status))
            with suppress(EngineError):  # there is nobody left to be told
                save("error" if status else "ok", f"the lecture left through os._exit({status})")
        end_process(status)

    patches.replace(os, "_exit", exit_now)
    for name in ("execv", "execve"):
        patches.replace(os, name, replacing(name))
    try:
        yield
    finally:
        patches.undo()
