"""Arrays and tensors of every element type and kind, from a lecture through its trace to what is shown of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.recordings import ROOT, run_engine, show

SAMPLES = ROOT / "tests/samples/dtypes"
SHAPELESS = {"nested"}
"Tensors that have no shape."
TEXTS = {"scalar bytes_", "scalar str_"}
"What numpy makes of Python's own strings, shown as such."


def recorded(name: str, folder: Path) -> tuple[list[Any], list[Any], list[dict[str, Any]]]:
    """What a sample says of its arrays and of itself, and the values recorded."""
    run = run_engine(SAMPLES / name, "-o", folder)
    assert run.returncode == 0, run.stderr
    said = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("[")]
    header, steps = show(folder / f"{Path(name).stem}.json")
    assert header["status"] == "ok" and header["warnings"] == []
    values = [step["values"]["y"] for step in steps if "y" in step["values"]]
    return [s for s in said if s[0] != "taken"], [s[1:] for s in said if s[0] == "taken"], values


def differing(said: list[Any], values: list[dict[str, Any]]) -> set[str]:
    """Names of the arrays that are shown as something else than what they are."""
    return {
        name for (name, *facts), value in zip(said, values, strict=False)
        if [value["type"], value.get("shape"), value.get("dtype")] != facts or not value["text"]
    }  # fmt: skip


def test_every_array_of_numpy(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    said, taken, values = recorded("every_numpy.py", tmp_path)
    assert len(said) >= 150 and len(values) == len(said) + len(taken)
    assert differing(said, values) == TEXTS
    assert all(value["text"] for value in values)
    assert len(taken) == 5 and max(n for (n,) in taken) < 1_000_000  # of 32 MB each


def test_every_tensor_of_torch(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    said, taken, values = recorded("every_torch.py", tmp_path)
    assert len(said) >= 190 and len(values) == len(said) + 2
    assert differing(said, values) == SHAPELESS
    assert taken == [[[], True, False]]  # no operator ran, nothing moved, nothing was pinned
