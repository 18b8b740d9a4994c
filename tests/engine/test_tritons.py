"""The project's kernels with every version of Triton that was installed beside: `python -m tests.engine.tritons`."""

import re
from pathlib import Path

import pytest

from tests.engine.compiled import Compiled, compiled
from tests.engine.test_compile import PROJECT, TARGETS
from tests.engine.tritons import VERSIONS, folder
from tests.recordings import record

STAGES = ("ttir", "ttgir", "llir", "ptx", "sass")
PRODUCTS = {"sm_80": r"\bmma\.sync", "sm_90": r"\bwgmma\.mma_async", "sm_100": r"\btcgen05\.mma\."}
"What `tl.dot` becomes."


@pytest.fixture(scope="module", params=VERSIONS)
def kernels(request: pytest.FixtureRequest) -> Compiled:
    if not folder(request.param).is_dir():
        pytest.skip(f"Triton {request.param} is not installed: python -m tests.engine.tritons")
    return compiled(folder(request.param))


def test_each_kernel_is_compiled_for_each_target_or_says_why_not(kernels: Compiled):
    for name in PROJECT:
        variants = kernels.variants[name]
        assert [variant.target for variant in variants] == TARGETS
        assert [(variant.stages, variant.reason) for variant in variants] == [(STAGES, "")] * 3, name


def test_loads_and_products_are_linked_to_their_lines(kernels: Compiled):
    for target, product in PRODUCTS.items():
        for name, words, pattern in (
            ("gelu_kernel", "tl.load(", r"ld\.global"), ("matmul_relu_kernel", "tl.dot(", product),
        ):  # fmt: skip
            text, lines = kernels.text(name, target, "ptx"), kernels.lines(name, target, "ptx").source
            found = {lines[number] for number, line in enumerate(text) if re.search(pattern, line)}
            assert found == {kernels.line_with(name, words)}, (name, target)


LECTURE = """
import torch
from kernels import row_sum

def main():
    y = row_sum.row_sum(torch.ones(2, 9), block_size=4).tolist()  # @inspect y
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_a_kernel_that_loops_is_recorded_in_the_interpreter(version: str, tmp_path: Path, monkeypatch):
    if not folder(version).is_dir():
        pytest.skip(f"Triton {version} is not installed: python -m tests.engine.tritons")
    monkeypatch.setenv("PYTHONPATH", str(folder(version)))
    run = record(tmp_path, LECTURE)
    assert (run.exit_code, run.header["run"]["versions"]["triton"]) == (0, version), run.stderr
    assert run.value(6, "y") == "[9.0, 9.0]"
