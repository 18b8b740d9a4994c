"""Record a small lecture as an author would, and read what `show --jsonl` says of it."""

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.show import jsonl
from engine.trace import read
from tests.once import once

ROOT = Path(__file__).resolve().parents[1]


NOWHERE = "http://127.0.0.1:9"
OFFLINE = {"HTTP_PROXY": NOWHERE, "HTTPS_PROXY": NOWHERE, "ALL_PROXY": NOWHERE, "NO_PROXY": ""}
"The environment with no proxy that listens, so that the network is out of reach."


@dataclass
class Recorded:
    """A recording and how it went."""

    exit_code: int
    stderr: str
    stdout: str
    trace: Path
    header: dict[str, Any] = field(default_factory=dict)
    steps: list[dict[str, Any]] = field(default_factory=list)

    def at(self, line: int) -> list[dict[str, Any]]:
        """The steps at a line of the lecture."""
        own = Path(self.header["lecture"]).name
        return [s for s in self.steps if s["line"] == line and Path(s["path"]).name == own]

    def value(self, line: int, expression: str) -> str:
        """The text of the last value recorded at a line."""
        return [s["values"][expression]["text"] for s in self.at(line) if expression in s["values"]][-1]

    def lines(self, function: str = "main") -> list[int]:
        """Lines of the executed statements of a function."""
        return [s["line"] for s in self.steps if s["function"] == function and s["kind"] == "line"]

    def texts(self) -> list[str]:
        """What `text` said."""
        return [o["markdown"] for s in self.steps for o in s["outputs"] if o["kind"] == "text"]

    def warnings(self) -> list[str]:
        """The warnings, each with its line."""
        return [f"{w['line']}: {w['message']}" for w in self.header["warnings"]]


def python_path(*folders: Path) -> str:
    """PYTHONPATH with `folders` before those that it names already."""
    return os.pathsep.join(filter(None, [*map(str, folders), os.environ.get("PYTHONPATH")]))


def run_engine(*arguments: str | Path, cwd: Path = ROOT, python: str = sys.executable,
               **environment: str) -> subprocess.CompletedProcess[str]:  # fmt: skip
    """`python -m engine ARGUMENTS`, from anywhere."""
    env = {**os.environ, "PYTHONPATH": python_path(ROOT), **environment}
    return subprocess.run(
        [python, "-m", "engine", *map(str, arguments)], cwd=cwd, env=env, capture_output=True, text=True,
        encoding="utf-8", stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip


def show(trace: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Header and steps of a trace, as `show --jsonl` prints them."""
    header, *steps = map(json.loads, jsonl(read(trace)))
    return header, steps


def recorded_once(name: str, lecture: str, run: Callable[[Path], subprocess.CompletedProcess[str]]) -> Recorded:
    """What `run` records of `lecture` into the folder it is called with, for all tests of this run; see `once`."""
    def make(folder: Path) -> None:
        done = run(folder)
        (folder / "run.json").write_text(json.dumps([done.returncode, done.stderr, done.stdout]))

    folder = once(name, make)
    recorded = Recorded(*json.loads((folder / "run.json").read_text()), folder / "traces" / f"{lecture}.json")
    recorded.header, recorded.steps = show(recorded.trace) if recorded.trace.exists() else ({}, [])
    return recorded


def record(folder: Path, source: str | bytes, *arguments: str, name: str = "lecture.py", python: str = sys.executable,
           **environment: str) -> Recorded:  # fmt: skip
    """Record `source` in `folder` and read the result."""
    lecture = folder / name
    lecture.write_bytes(source if isinstance(source, bytes) else textwrap.dedent(source).encode())
    out = folder / "traces"
    run = run_engine(lecture, "-o", out, *arguments, python=python, **environment)
    recorded = Recorded(run.returncode, run.stderr, run.stdout, out / f"{lecture.stem}.json")
    if recorded.trace.exists():
        recorded.header, recorded.steps = show(recorded.trace)
    return recorded
