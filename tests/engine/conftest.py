"""Fixtures of the engine's tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.workers import Workers
from tests.engine.hearing import Hearing, hearing


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[Hearing]:
    """What the authoring API says, and under `var` what it keeps; the lecture would be in the same folder."""
    with hearing(tmp_path) as listening:
        yield listening


@pytest.fixture(scope="session")
def compilers() -> Iterator[Workers]:
    """A process that compiles, for all tests that are not about starting one: it loads Triton, which takes a second."""
    with Workers(1) as workers:
        yield workers
