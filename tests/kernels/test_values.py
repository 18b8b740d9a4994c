"""Values that a random draw never meets: infinities, NaN, the largest numbers, rows that lie on top of each other."""

import json
from collections.abc import Callable

import pytest
import torch

from kernels import cuda, softmax
from tests.kernels.processes import output

VALUES = """
import json
import torch
from kernels import gelu, matmul_relu, row_sum, softmax

inf, nan, most = float("inf"), float("nan"), torch.finfo(torch.float32).max
rows = torch.tensor([
    [1, 2, 3, 4, 5], [-inf, 0, 1, 2, 3], [-inf, -inf, -inf, -inf, 2], [-inf] * 5, [inf, 0, 0, 0, 0],
    [inf, -inf, 0, 0, 0], [nan, 0, 0, 0, 0], [-most] * 5, [most] * 5,
])
far = torch.tensor([[-most, -most, 0, 1, most], [-most, -most, -most, 0, 1]])
long = torch.full((4, 40000), -inf)
long[0, 39999], long[1], long[2, 7], long[2, 9] = 2, -most, 1, 3
stacked = torch.randn(1, 48).expand(5, 48), torch.randn(5, 1).expand(5, 48)
matrix = torch.randn(48, 20)
matrix[3, 4], matrix[5, 6] = nan, inf
cases = {
    "gelu": [rows], "gelu_fast": [rows], "softmax": [rows, far, *stacked],
    "softmax_fast": [rows, far, long, *stacked],
    "row_sum": [rows, *stacked], "row_sum_fast": [rows, long, *stacked],
}
found = {}
for name, inputs in cases.items():
    module = {"gelu": gelu, "softmax": softmax, "row_sum": row_sum}[name.removesuffix("_fast")]
    found[name] = [(getattr(module, name)(x).tolist(), module.reference(x).tolist()) for x in inputs]
for function in (matmul_relu.matmul_relu, matmul_relu.matmul_relu_fast):
    found[function.__name__] = [
        (function(a, matrix).tolist(), matmul_relu.reference(a, matrix).tolist()) for a in stacked
    ]
print(json.dumps(found))
"""


Found = dict[str, list[tuple[list[float], list[float]]]]


@pytest.fixture(scope="module")
def found() -> Found:
    """By launcher: its results in the interpreter, each beside the reference's."""
    results: Found = json.loads(output("-W", "ignore", "-c", VALUES, interpret=True))
    return results


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch sees no NVIDIA GPU")
@pytest.mark.parametrize("launcher", [cuda.softmax, cuda.softmax_fast])
def test_cudas_softmax_comes_out_as_the_reference_has_it(launcher: Callable[[torch.Tensor], torch.Tensor]) -> None:
    """A row of 8 leaves most of a warp's places empty."""
    inf, nan, most = float("inf"), float("nan"), torch.finfo(torch.float32).max
    firsts = ([-inf] * 8, [-most] * 8, [most] * 8, [inf] + [0.0] * 7, [nan] + [0.0] * 7, [-inf] * 7 + [2.0])
    x = torch.tensor(firsts, device="cuda")
    torch.testing.assert_close(launcher(x), softmax.reference(x).float(), equal_nan=True)


LAUNCHERS = (
    "gelu", "gelu_fast", "softmax", "softmax_fast", "row_sum", "row_sum_fast", "matmul_relu", "matmul_relu_fast",
)  # fmt: skip


@pytest.mark.parametrize("name", LAUNCHERS)
def test_they_come_out_as_the_reference_has_them(found: Found, name: str) -> None:
    for got, expected in found[name]:
        in_float32 = torch.tensor(expected, dtype=torch.float64).float()
        torch.testing.assert_close(torch.tensor(got), in_float32, rtol=1e-4, atol=1e-5, equal_nan=True)
