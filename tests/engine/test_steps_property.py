"""Any program computes the same with and without the recorder, and every executed statement is one step."""

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from engine.recorder import Recorder
from tests.engine.invisible import NAMES
from tests.engine.programs import Program, programs

EXAMPLES = 400


def names(hit: Any) -> dict[str, Any]:
    def passes(line: int, items: range) -> Any:
        for item in items:
            hit(line)
            yield item
        hit(line)

    return {**NAMES, "hit": hit, "passes": passes}


def outcome(namespace: dict[str, Any]) -> Any:
    try:
        return namespace["main"]()
    except (ArithmeticError, LookupError, TypeError, RuntimeError, NameError) as error:
        return type(error), str(error)


def executed(program: Program) -> tuple[Any, list[int]]:
    """What the program returns, and the lines of the statements it executes, by its own report."""
    lines: list[int] = []
    namespace = names(lines.append)
    exec("\n".join(program.reporting), namespace)
    return outcome(namespace), lines


def recorded(program: Program, path: Path) -> tuple[Any, list[int]]:
    """What it returns under the recorder, and the lines of its steps."""
    source = "\n".join(program.plain) + "\n"
    path.write_text(source)
    namespace = names(None)
    exec(compile(source.encode(), str(path), "exec", dont_inherit=True), namespace)
    recorder = Recorder(path, path.parent, root=path.parent, inspect_all=False, max_steps=100_000)
    recorder.watch(str(path))
    recorder.start()
    try:
        result = outcome(namespace)
    finally:
        recorder.stop()
    places, (columns, _) = recorder.builder.places, recorder.builder.steps.columns()
    return result, [places.line[place] for place in columns if places.kind[place] == "line"]


@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(programs())
def test_any_program(program: Program) -> None:
    before = sys.gettrace()
    expected = executed(program)
    found = recorded(program, FOLDER / "program.py")
    assert found == expected, "\n".join(f"{i + 1:3} {line}" for i, line in enumerate(program.plain))
    assert sys.gettrace() is before


FOLDER: Path


@pytest.fixture(autouse=True, scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    global FOLDER
    FOLDER = tmp_path_factory.mktemp("programs")
