"""Nothing is kept alive by being recorded: objects go when they would go without a recorder."""

import subprocess
from pathlib import Path

import pytest

from tests.engine.interpreters import VERSIONS, interpreter
from tests.recordings import ROOT, run_engine

SAMPLE = ROOT / "tests/samples/lifetimes.py"


@pytest.mark.parametrize("options", [[], ["-I"], ["--backend", "monitoring"]], ids=" ".join)
@pytest.mark.parametrize("version", VERSIONS)
def test_objects_go_when_they_would_go_anyway(version: str, options: list[str], tmp_path: Path) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"Python {version} is not set up here")
    if "monitoring" in options and version == "3.11":
        pytest.skip("sys.monitoring begins with Python 3.12")
    plain = subprocess.run([python, "-c", "import lifetimes; lifetimes.main()"], cwd=SAMPLE.parent, check=True,
                           capture_output=True, text=True)  # fmt: skip
    assert plain.stdout.count("del") > 10
    run = run_engine(SAMPLE, "-o", tmp_path, *options, python=str(python))
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == plain.stdout.splitlines()
