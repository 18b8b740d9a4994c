"""Threads that go on when `main()` has ended, and processes that a lecture starts."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import Any

from engine.imports import after_import
from engine.patches import Patches

PATIENCE = 10.0
"Seconds that threads have to end when `main()` has, before the recording is written without them."

CHILD = "what the process started here prints and executes is not recorded"


def wait_for_threads(before: set[threading.Thread], seconds: float = PATIENCE) -> None:
    """Wait for the threads that are not in `before`, as Python does at the end of a program.

    Daemons it leaves to themselves, and the threads of pools, which wait for work and end with the process.
    """
    pools = sys.modules.get("concurrent.futures.thread")
    idle = set(getattr(pools, "_threads_queues", ()))
    end = time.monotonic() + seconds
    for thread in threading.enumerate():
        if not (thread.daemon or thread in before or thread in idle or thread is threading.current_thread()):
            thread.join(max(end - time.monotonic(), 0))


@contextmanager
def children_said(warn: Callable[[str], None]) -> Iterator[None]:
    """Warn of each process that is started meanwhile and writes to the terminal by itself."""
    children = _Children(warn)
    try:
        with after_import({"multiprocessing.process": children.watch_processes, "subprocess": children.watch_commands}):
            yield
    finally:
        children.patches.undo()


def _by_a_library() -> bool:
    """Whether an installed library calls, whose helper processes are its own affair (torch.compile's, say)."""
    standard, frame = str(Path(os.__file__).parent), sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if "site-packages" in name or "dist-packages" in name:
            return True
        if name != __file__ and not name.startswith((standard, "<frozen")):
            return False
        frame = frame.f_back  # type: ignore[assignment]
    return False


class _Children:
    """Hears of processes before they are started."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        self.warn = warn
        self.patches = Patches()
        self._before(os, "system", self._command)
        for spawn in ("posix_spawn", "posix_spawnp"):
            self._before(os, spawn, self._spawned)

    def watch_processes(self, module: Any) -> None:
        """Hear of the processes of `multiprocessing`."""
        self._before(module.BaseProcess, "start", self._process)

    def watch_commands(self, module: Any) -> None:
        """Hear of the processes of `subprocess`."""
        self._before(module.Popen, "__init__", self._popen)

    def _process(self, *_: Any, **__: Any) -> None:
        self.warn(CHILD)

    def _spawned(self, *_: Any, **__: Any) -> None:
        by_subprocess = sys._getframe(2).f_globals.get("__name__") == "subprocess"  # heard of before, as a command
        if not (by_subprocess or _by_a_library()):
            self.warn(CHILD)

    def _command(self, command: Any) -> None:
        name = command if isinstance(command, str | bytes | os.PathLike) else next(iter(command), "")
        self.warn(f"what {os.fsdecode(name)!r} prints is not recorded; capture it, or use system_text()")

    def _popen(self, _: Any, *arguments: Any, **options: Any) -> None:
        options |= zip(("args", "bufsize", "executable", "stdin", "stdout"), arguments, strict=False)
        target = options.get("stdout")
        shown = target is None or any(target is stream for stream in (1, 2, sys.stdout, sys.stderr))
        if shown and not _by_a_library():
            self._command(options["args"])

    def _before(self, owner: Any, name: str, tell: Callable[..., None]) -> None:
        """Have `tell` called with the arguments of each call of `owner.name`."""
        call = getattr(owner, name)

        @wraps(call)
        def calling(*arguments: Any, **options: Any) -> Any:
            with suppress(Exception):  # arguments that make no sense are refused by the function itself
                tell(*arguments, **options)
            return call(*arguments, **options)

        self.patches.replace(owner, name, calling)
