"""Whole programs of every kind of control flow: each executed statement is one step, and the result is the same."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.engine.interpreters import VERSIONS, interpreter
from tests.recordings import ROOT

PROGRAMS = sorted((ROOT / "tests/samples/programs").glob("*.py"))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_every_executed_statement_is_a_step(program: Path, version: str) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"Python {version} is not set up here")
    if program.stem.endswith("_312") and version == "3.11":
        pytest.skip("the syntax of this program begins with Python 3.12")
    run = subprocess.run([python, "-m", "tests.engine.executed", program], cwd=ROOT, capture_output=True, text=True,
                         check=False)  # fmt: skip
    assert run.returncode == 0, run.stderr
    expected, found = json.loads(run.stdout)
    assert found == expected
    assert sum(map(len, found[2].values())) > 15
