"""How `python -m kernels` ends when it is stopped, when nobody reads on, and where nothing can be written."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kernels import __main__ as command
from tests.recordings import ROOT


def raising(error: BaseException) -> Callable[..., int]:
    def action(*_: object) -> int:
        raise error

    return action


@pytest.mark.parametrize("action", ["check", "bench", "ptx"])
def test_ctrl_c_is_one_sentence_and_exit_1(
    action: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, action, raising(KeyboardInterrupt()))
    try:
        code = command.main([action, "gelu"])
    except KeyboardInterrupt:  # it would end pytest
        pytest.fail("the command left it to Python")
    said = f"kernels {action}: interrupted; what it printed stands, the rest was not done.\n"
    assert (code, capsys.readouterr()) == (1, ("", said))


@pytest.mark.parametrize(("action", "code"), [("ptx", 0), ("check", 1)])
def test_a_reader_who_has_seen_enough_gets_no_traceback(action: str, code: int) -> None:
    """`python -m kernels ptx | head`; a check that was not done to its end is no success."""
    reading, writing = os.pipe()
    os.close(reading)
    finished = run_to(writing, action)
    assert (finished.returncode, finished.stderr) == (code, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_one_sentence_and_exit_1() -> None:
    finished = run_to(os.open("/dev/full", os.O_WRONLY), "check")
    said = "kernels check: cannot write to standard output: No space left on device.\n"
    assert (finished.returncode, finished.stderr) == (1, said)


def run_to(output: int, action: str) -> subprocess.CompletedProcess[str]:
    """The command about one operation, with its standard output to `output`, which is closed."""
    line = [sys.executable, "-m", "kernels", action, "row_sum"]
    with os.fdopen(output, "wb") as file:
        return subprocess.run(line, cwd=ROOT, stdout=file, stderr=subprocess.PIPE, text=True, check=False)
