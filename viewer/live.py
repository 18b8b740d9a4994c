"""Tells open pages, over server-sent events, when a recording in the traces folder has changed.

One watcher serves all pages. A page that connects, also again after a break, is told the state of every recording
first, so nothing is missed. Beside a recording NAME.json, whoever records may leave a file NAME.failed with a sentence
on why the lecture could not be recorded at all; pages show it and keep what they have.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import msgspec
from watchfiles import awatch

from viewer.library import Entry, Library
from viewer.saved import Workshop


@dataclass(frozen=True)
class Change:
    """What a page is told about a recording."""

    name: str
    revision: str
    status: str
    "As in the trace; `broken` for a file that cannot be shown."
    said: str
    "Why it ended or cannot be shown; with a file NAME.failed, what that says."
    saved: dict[str, str] = field(default_factory=dict)
    "By key, a digest of the files of each variant that have been saved since with other texts."


def state(library: Library, workshop: Workshop | None) -> list[Change]:
    """Every recording as it is now; with a workshop, also which of its kernels' files have been saved since."""
    entries = library.entries()
    changes = [_change(entry) for entry in entries]
    if workshop is None:
        return changes
    return [replace(change, saved=workshop.saved(entry.trace)) for change, entry in zip(changes, entries, strict=True)]


def _change(entry: Entry) -> Change:
    if failed := entry.failed():
        return Change(entry.name, entry.revision, "failed", failed)
    if entry.trace is None:
        return Change(entry.name, entry.revision, "broken", entry.problem)
    return Change(entry.name, entry.revision, entry.trace.status, entry.trace.reason)


class Bell:
    """Rings for every page that listens whenever one of the folders changes, which may be others after each change."""

    def __init__(self, folders: Callable[[], set[Path]]) -> None:
        self.folders = folders
        self._listeners: set[asyncio.Event] = set()

    @contextlib.asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Watch for as long as the server runs."""
        stop = asyncio.Event()
        task = asyncio.create_task(self._watch(stop))
        try:
            yield
        finally:
            stop.set()
            await task

    async def _watch(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            watched = await asyncio.to_thread(self.folders)
            missed = True  # what changed until now was not heard
            async for changes in awatch(*watched, stop_event=stop, debounce=200, step=50, recursive=False,
                                        yield_on_timeout=True, rust_timeout=500):  # fmt: skip
                if not changes and not missed:
                    continue
                missed = False
                for listener in self._listeners:
                    listener.set()
                if await asyncio.to_thread(self.folders) != watched:
                    break

    async def rings(self, stop: anyio.Event) -> AsyncIterator[None]:
        """Once at the start, then after each change, until `stop`; changes while the listener is busy ring once."""
        listener = asyncio.Event()
        listener.set()
        self._listeners.add(listener)
        ending = asyncio.create_task(stop.wait())
        ending.add_done_callback(lambda _: listener.set())
        try:
            while await listener.wait() and not stop.is_set():
                listener.clear()
                yield
        finally:
            self._listeners.discard(listener)
            ending.cancel()


def encode(changes: list[Change]) -> str:
    """The data of one event."""
    return msgspec.json.encode(changes).decode()
