"""Fixtures of the engine's tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.hearing import Hearing, hearing


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[Hearing]:
    """What the authoring API says, and under `var` what it keeps; the lecture would be in the same folder."""
    with hearing(tmp_path) as listening:
        yield listening
