"""`--watch`: the lecture is recorded again after each change, and a failure leaves the last good trace."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.trace import read
from tests.clocks import SECONDS, until
from tests.recordings import ROOT, run_engine


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """A lecture that is being watched, and its trace."""
    lecture, trace = tmp_path / "lecture.py", tmp_path / "traces/lecture.json"
    lecture.write_text("def main():\n    a = 1  # @inspect a\n")
    command = [sys.executable, "-m", "engine", lecture, "-o", trace.parent, "--watch"]
    run = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        until(trace.exists, "the first recording")
        yield lecture, trace
    finally:
        run.send_signal(signal.SIGINT)
        assert run.wait(SECONDS) == 0


def value(trace: Path) -> str:
    recorded = read(trace)
    return recorded.values[recorded.inspected.value[0]].text


def test_a_change_is_recorded_and_a_failure_is_noted_beside_the_last_good_trace(watched: tuple[Path, Path]) -> None:
    lecture, trace = watched
    note = trace.with_suffix(".failed")
    assert value(trace) == "1"
    lecture.write_text("def main():\n    a = 22  # @inspect a\n")
    until(lambda: value(trace) == "22", "the change is recorded")
    lecture.write_text("def main(:\n")
    until(note.exists, "the failure is noted")
    assert "lecture.py:1 is not valid Python" in note.read_text() and value(trace) == "22"
    lecture.write_text("def main():\n    a = 333  # @inspect a\n")
    until(lambda: value(trace) == "333" and not note.exists(), "it is mended")


def test_a_change_abandons_a_recording_that_does_not_end(watched: tuple[Path, Path], tmp_path: Path) -> None:
    lecture, trace = watched
    lecture.write_text(f"def main():\n    open({str(tmp_path / 'began')!r}, 'w').close()\n    while True: pass\n")
    until((tmp_path / "began").exists, "the endless lecture runs")
    lecture.write_text("def main():\n    a = 4444  # @inspect a\n")
    until(lambda: value(trace) == "4444", "the next one is recorded")


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize("more", [[], ["--watch"]], ids=["serve", "watch"])
def test_asked_to_terminate_it_takes_the_viewer_along(tmp_path: Path, more: list[str]) -> None:
    (tmp_path / "lecture.py").write_text("def main():\n    a = 1\n")
    command = [sys.executable, "-m", "engine", tmp_path / "lecture.py", "-o", tmp_path, "--serve", "--port", "0", *more]
    run = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert run.stdout is not None
    port = int(run.stdout.readline().split(":")[2].split("/")[0])
    assert answers(port)
    run.terminate()
    assert run.wait(SECONDS) == 0 and not answers(port)
    run.stdout.close()


def test_asked_to_terminate_the_lecture_that_runs_keeps_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(
        f"def main():\n    open({str(tmp_path / 'began')!r}, 'w').close()\n    while True: pass\n"
    )
    (tmp_path / "two.py").write_text("def main():\n    a = 1\n")
    command = [sys.executable, "-m", "engine", tmp_path / "one.py", tmp_path / "two.py", "-o", tmp_path]
    run = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    until((tmp_path / "began").exists, "the first lecture runs")
    run.terminate()
    assert run.wait(SECONDS) == 1
    assert read(tmp_path / "one.json").status == "interrupted" and not (tmp_path / "two.json").exists()


def test_a_lecture_that_is_not_there_cannot_be_watched(tmp_path: Path) -> None:
    run = run_engine(tmp_path / "nowhere.py", "--watch")
    assert run.returncode == 2 and "nowhere.py' to watch" in run.stderr


def test_serving_where_a_port_is_in_use_ends(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        (tmp_path / "lecture.py").write_text("def main():\n    a = 1\n")
        port = str(taken.getsockname()[1])
        for more in ([], ["--watch"]):
            run = run_engine(tmp_path / "lecture.py", "-o", tmp_path, "--serve", "--port", port, *more)
            assert run.returncode == 2
            assert run.stderr == (
                f"engine: cannot serve on 127.0.0.1 port {port}: it is in use; choose another with --port, "
                "or record without --serve\n"
            )
            assert not (tmp_path / "lecture.json").exists(), "it is said before the recording"
