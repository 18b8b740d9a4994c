"""The golden steps: the same trace, to the byte, on every supported version of Python.

The gold files are what `show` prints. `pytest tests/engine/test_steps.py --regenerate` writes them anew.
"""

from pathlib import Path

import pytest

from tests.engine.interpreters import VERSIONS, interpreter
from tests.recordings import ROOT, run_engine

SAMPLES = sorted((ROOT / "tests/samples/steps").glob("*.py"))
GOLD = ROOT / "tests/gold/steps"


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_golden_steps(sample: Path, version: str, tmp_path: Path, regenerate: bool) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"Python {version} is not set up here")
    run = run_engine(sample, "-o", tmp_path, "--reproducible", python=str(python))
    assert run.returncode == 0, run.stderr
    shown = run_engine("show", tmp_path / f"{sample.stem}.json", python=str(python)).stdout
    gold = GOLD / f"{sample.stem}.txt"
    if regenerate:
        gold.parent.mkdir(parents=True, exist_ok=True)
        gold.write_text(shown)
    assert shown == gold.read_text()
    trace = (tmp_path / f"{sample.stem}.json").read_bytes()
    assert run_engine(sample, "-o", tmp_path / "again", "--reproducible").returncode == 0
    assert trace == (tmp_path / "again" / f"{sample.stem}.json").read_bytes(), "traces differ between versions or runs"


def test_every_gold_file_has_its_sample() -> None:
    assert {path.stem for path in GOLD.glob("*.txt")} == {path.stem for path in SAMPLES}
