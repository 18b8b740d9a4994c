"""What a command writes is shown, and how it ended where it did not end well."""

import sys
from types import SimpleNamespace

import pytest

from engine import commands, system_text
from engine.trace import Verbatim
from tests.engine.hearing import Hearing


def test_a_command_that_ends_well(heard: Hearing):
    system_text([sys.executable, "-c", "print('\\x1b[31mred\\x1b[0m'); import sys; print('err', file=sys.stderr)"])
    system_text("echo one | tr o 0")
    assert sorted(heard.outputs[0].text.split("\n")) == ["err", "red"]
    assert (heard.outputs[1:], heard.warnings) == ([Verbatim("0ne")], [])


@pytest.mark.parametrize(
    ("command", "limit", "shown", "warning"),
    [
        ("echo out; exit 3", 9, "out\n[exit code 3]", "system_text('echo out; exit 3'): exit code 3"),
        ("kill -9 $$", 9, "[ended by SIGKILL]", "system_text('kill -9 $$'): ended by SIGKILL"),
        (
            ["no-such-program", "-x"], 9, "[there is no program 'no-such-program' on this machine]",
            "system_text('no-such-program -x'): there is no program 'no-such-program' on this machine",
        ),
        ([], 9, "[there is nothing to run]", "system_text(''): there is nothing to run"),
    ],
)  # fmt: skip
def test_a_command_that_does_not(heard: Hearing, command, limit, shown, warning):
    system_text(command, timeout=limit)
    assert (heard.outputs, heard.warnings) == ([Verbatim(shown)], [warning])


def test_a_command_that_does_not_end_in_time(heard: Hearing, monkeypatch: pytest.MonkeyPatch):
    """By a clock that stands still until the command has written something, and then has little left."""
    clock = iter([0.0, 0.0, 99.9, 99.9])
    monkeypatch.setattr(commands, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    system_text("echo first; sleep 3600", timeout=100)
    assert heard.outputs == [Verbatim("first\n[ended after 100 s, which is its time limit]")]
    assert heard.warnings == ["system_text('echo first; sleep 3600'): ended after 100 s, which is its time limit"]


def test_a_command_that_never_stops_writing(heard: Hearing):
    system_text("yes", timeout=30)
    assert (heard.outputs, heard.warnings) == ([Verbatim(("y\n" * 100_000).rstrip("\n"), truncated=True)], [])
