"""Running a command for the lecture: what it writes, within a time and a length."""

import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
"Terminal control sequences: CSI (colours), OSC (titles) and the two-character ones, of ECMA-48."


@dataclass(frozen=True)
class Ran:
    """What became of a command."""

    output: str
    "What it wrote to standard output and standard error, in order, without terminal colours."
    problem: str = ""
    "Why it is not a success, as a phrase: `exit code 3`; empty for exit code 0."
    truncated: bool = False


def run(command: str | Sequence[str], seconds: float, characters: int) -> Ran:
    """Run `command`, a program with its arguments or a line for the shell, with nothing on its standard input.

    It is ended after `seconds`, or when it has written more than `characters`. Never raises for what it does.
    """
    if not command:
        return Ran("", "there is nothing to run")
    try:
        process = subprocess.Popen(
            command,
            shell=isinstance(command, str),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except FileNotFoundError:
        return Ran("", f"there is no program {command[0]!r} on this machine")
    except (OSError, ValueError) as error:
        return Ran("", f"it cannot be run: {error}")
    data, problem = _read(process, time.monotonic() + seconds, characters * 4)
    if not problem and process.returncode:
        problem = f"exit code {process.returncode}" if process.returncode > 0 else _signal(-process.returncode)
    elif problem == _LATE:
        problem = f"ended after {seconds:g} s, which is its time limit"
    text = _ESCAPES.sub("", data.decode("utf-8", "replace")).replace("\r\n", "\n")
    return Ran(text[:characters], "" if problem == _LONG else problem, problem == _LONG or len(text) > characters)


_LATE = "late"
_LONG = "long"


def _read(process: "subprocess.Popen[bytes]", deadline: float, size: int) -> tuple[bytes, str]:
    """What `process` writes until it ends, and which limit ended it."""
    assert process.stdout is not None
    data, problem = bytearray(), ""
    with process.stdout as pipe:
        while not problem:
            ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
            piece = os.read(pipe.fileno(), 65536) if ready else b""
            data += piece
            if not ready:
                problem = _LATE
            elif not piece:
                break
            elif len(data) > size:
                problem = _LONG
        problem = problem or _wait(process, deadline)
    if problem:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return bytes(data), problem


def _wait(process: "subprocess.Popen[bytes]", deadline: float) -> str:
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return _LATE
    return ""


def _signal(number: int) -> str:
    try:
        return f"ended by {signal.Signals(number).name}"
    except ValueError:
        return f"ended by signal {number}"
