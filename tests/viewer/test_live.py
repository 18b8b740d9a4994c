"""Open pages hear of every change, also of one that was made before the folders were watched."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest

from tests.clocks import SECONDS
from viewer import live


async def watches(
    *_: Path, stop_event: asyncio.Event, yield_on_timeout: bool = False, **__: object
) -> AsyncIterator[set[str]]:
    """As `awatch`, of folders in which nothing more changes."""
    if yield_on_timeout:
        yield set()
    await stop_event.wait()


def test_pages_are_told_once_the_folders_are_watched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(live, "awatch", watches)
    bell = live.Bell(lambda: {tmp_path})

    async def listen() -> None:
        rings = bell.rings(anyio.Event())
        await anext(rings)  # at the start
        async with bell.watching():
            await asyncio.wait_for(anext(rings), SECONDS)

    asyncio.run(listen())
