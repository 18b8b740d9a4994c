"""Recording stays cheap: ratios to untraced code and to the bare `sys.settrace` floor, in one run, at small sizes.

The bounds leave room for a busy machine and catch a recording that has become twice as slow; README.md has the figures
measured at full size, `python -m tests.benchmarks` measures them.
"""

import subprocess
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.benchmarks.files import kept, starting
from tests.benchmarks.workloads import (
    HOT_LOOP,
    INSPECTING,
    LIBRARY,
    RAISING_LIBRARY,
    RECURSION,
    Workload,
    recorded,
    steps_of,
    times,
)
from tests.clocks import least
from tests.engine.interpreters import interpreter
from tests.recordings import ROOT

ROUNDS = 5


@pytest.mark.parametrize(
    ("workload", "size", "bound"),
    [(HOT_LOOP, 3_000, 7.0), (RECURSION, 8, 10.0), (LIBRARY, 4, 1.4), (RAISING_LIBRARY, 1, 1.4)],
    ids=lambda value: value.name if isinstance(value, Workload) else "",
)
def test_against_the_floor(workload: Workload, size: int, bound: float, tmp_path: Path) -> None:
    def ratio() -> float:
        spent = times(workload, tmp_path, size, ROUNDS)
        return spent["settrace"] / spent["floor"]

    assert least(ratio, bound) <= bound


def test_an_inspected_value_costs_less_than_a_hundred_bare_events(tmp_path: Path) -> None:
    def ratio() -> float:
        spent = times(INSPECTING, tmp_path, 500, ROUNDS)
        return spent["settrace"] / spent["floor"]

    assert least(ratio, 100) <= 100


LIBRARY_COST = """
import pathlib, sys
from tests.benchmarks.workloads import LIBRARY, times
spent = times(LIBRARY, pathlib.Path(sys.argv[1]), 150, 4)
print(spent["monitoring"] / spent["untraced"])
"""


@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_library_code_is_untouched_by_monitoring(version: str, tmp_path: Path) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"Python {version} is not set up here")

    def ratio() -> float:
        command = [python, "-c", LIBRARY_COST, tmp_path]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        return float(run.stdout)

    assert least(ratio, 1.15) <= 1.15


def test_steps_are_small_and_quickly_written_and_read(tmp_path: Path) -> None:
    def of_the_time_allowed() -> float:
        found = kept(tmp_path, 20_000)
        assert found.steps > 120_000
        assert found.memory <= 64 and found.disk <= 16
        return max(found.finishing / 3, found.opening / 2) / (found.steps / 1_000_000)

    assert least(of_the_time_allowed, 1) <= 1


def test_starting(tmp_path: Path) -> None:
    """Python itself starts in about 15 ms on a machine that does nothing else; 0.25 s and 1 s are allowed."""
    def ratio() -> float:
        spent = starting(tmp_path, 3)
        return max(spent["lecture"] / spent["python"], spent["viewer"] / spent["python"] / 4)

    assert least(ratio, 16) <= 16


def test_hot_loop(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    path, main = HOT_LOOP.load(tmp_path)
    benchmark.pedantic(recorded, args=(path, main, 2_000), rounds=3)
    assert len(steps_of(HOT_LOOP, tmp_path, 2_000).builder) > 12_000
