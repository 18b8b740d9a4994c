"""`--watch`: the lecture is recorded again after each change, and a failure leaves the last good trace."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.trace import read
from tests.recordings import ROOT

SECONDS = 60.0


def until(holds: Callable[[], bool], what: str) -> None:
    """Wait until `holds()`."""
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end, f"not within {SECONDS:.0f} s: {what}"
        time.sleep(0.1)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """A lecture that is being watched, and its trace."""
    lecture, trace = tmp_path / "lecture.py", tmp_path / "traces/lecture.json"
    lecture.write_text("def main():\n    a = 1  # @inspect a\n")
    command = [sys.executable, "-m", "engine", lecture, "-o", trace.parent, "--watch"]
    run = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    assert run.stderr is not None
    try:
        while "watching" not in (line := run.stderr.readline()):
            assert line, "the command ended"
        time.sleep(0.5)  # until the file system is watched
        yield lecture, trace
    finally:
        run.send_signal(signal.SIGINT)
        assert run.wait(SECONDS) == 0
        run.stderr.close()


def value(trace: Path) -> str:
    recorded = read(trace)
    return recorded.values[recorded.inspected.value[0]].text


def test_a_change_is_recorded_and_a_failure_is_noted_beside_the_last_good_trace(watched: tuple[Path, Path]) -> None:
    lecture, trace = watched
    note = trace.with_suffix(".failed")
    assert value(trace) == "1"
    lecture.write_text("def main():\n    a = 22  # @inspect a\n")
    until(lambda: value(trace) == "22", "the change is recorded")
    time.sleep(1)
    lecture.write_text("def main(:\n")
    until(note.exists, "the failure is noted")
    assert "lecture.py:1 is not valid Python" in note.read_text() and value(trace) == "22"
    time.sleep(1)
    lecture.write_text("def main():\n    a = 333  # @inspect a\n")
    until(lambda: value(trace) == "333" and not note.exists(), "it is mended")
