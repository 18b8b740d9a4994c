"""A kernel is shown where it stands in its file."""

from pathlib import Path

import pytest

from engine import kernel
from engine.trace import KernelCard
from tests.engine.hearing import Hearing

CUDA = """\
// __global__ void commented_out(float* x) {}
__device__ float twice(float x) { return 2 * x; }

__global__ void first(const float* x,
                      float* y) {
  if (x[0] > 0) { y[0] = twice(x[0]); }
}

template <int N>
__global__ void __launch_bounds__(256) second(float* x) { x[0] = N; }
"""


def test_a_cuda_kernel(heard: Hearing, tmp_path: Path):
    (tmp_path / "k.cu").write_text(CUDA)
    kernel("k.cu")
    kernel("k.cu", name="second")
    assert heard.outputs == [KernelCard(0), KernelCard(1)]
    assert [(found.name, found.language, found.path, found.line, found.end_line) for found in heard.kernels] == [
        ("first", "cuda", "k.cu", 4, 7),
        ("second", "cuda", "k.cu", 10, 10),
    ]


@pytest.mark.parametrize(
    ("source", "name", "warning"),
    [
        ("k.cu", "third", "'k.cu' has no kernel 'third'; it has first, second"),
        ("none.cu", "", "'none.cu': there is no such file, neither beside the lecture nor in the working folder"),
        ("empty.cu", "", "'empty.cu' has no __global__ function"),
    ],
)
def test_what_is_no_kernel_is_said(heard: Hearing, tmp_path: Path, source, name, warning):
    (tmp_path / "k.cu").write_text(CUDA)
    (tmp_path / "empty.cu").write_text("int x;")
    kernel(source, name)
    assert (heard.outputs, heard.warnings) == ([], [f"kernel(): {warning}"])


def test_a_plain_function_is_no_kernel(heard: Hearing):
    kernel(test_a_cuda_kernel)
    kernel(5)
    assert heard.outputs == []
    assert [warning.split(" is no ")[1] for warning in heard.warnings] == [
        "Triton kernel; decorate its function with @triton.jit"
    ] * 2


def test_a_triton_kernel_is_where_its_launches_are(heard: Hearing):
    """Decorators included, as `Launches` describes it, so that the card and the launches are of one kernel."""
    pytest.importorskip("triton")
    from engine.launches import Launches
    from kernels.gelu import gelu_kernel

    kernel(gelu_kernel)
    Launches(heard).number(gelu_kernel.fn)
    assert (heard.outputs, heard.warnings) == ([KernelCard(0)], [])
    [found] = heard.kernels
    assert (found.name, found.language, found.path) == ("gelu_kernel", "triton", "gelu.py")
