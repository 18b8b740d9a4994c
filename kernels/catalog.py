"""The operations of this package: for each its reference, its versions, and what inputs to try them on."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import torch

from kernels import cuda, gelu, matmul_relu, row_sum, softmax
from kernels.inputs import DTYPES

Tensors = tuple[torch.Tensor, ...]

TOLERANCE = {torch.float32: 3e-5, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}
"""The error allowed for one element, relative to its size plus the result's root mean square. All arithmetic is
float32: 16-bit results differ by their rounding alone (2^-11, 2^-8), and exp multiplies the 2^-24 by its argument."""


FLOAT32 = (torch.float32,)


@dataclass(frozen=True)
class Version:
    """One way to compute an operation: its name, "triton" or "cuda", the launcher, and what it is able to take."""

    name: str
    language: str
    run: Callable[..., torch.Tensor]
    dtypes: tuple[torch.dtype, ...] = DTYPES
    takes: Callable[[Tensors], bool] = lambda tensors: True
    """Whether the version is made for such inputs; the others it refuses."""
    tolerance: float | None = None

    def allowed(self, dtype: torch.dtype) -> float:
        """The relative error allowed for results of that dtype."""
        return TOLERANCE[dtype] if self.tolerance is None else self.tolerance


@dataclass(frozen=True)
class Operation:
    """What is computed: the float64 reference, the versions from simple to fast, and the names of the tensors.

    `scales` are the standard deviations of the random inputs: the large one tries exp where it overflows. `interpreted`
    is the largest M and N to try in Triton's interpreter, which takes milliseconds for each program instance. `addends`
    gives for each element of the result the size of what is added up to it, in float64, where that may cancel.
    """

    name: str
    inputs: tuple[str, ...]
    output: str
    reference: Callable[..., torch.Tensor]
    versions: tuple[Version, ...]
    scales: tuple[float, ...]
    interpreted: tuple[int, int]
    addends: Callable[..., torch.Tensor] | None = None


def _tf32(name: str, launcher: Callable[..., torch.Tensor]) -> Version:
    return Version(f"{name} tf32", "triton", functools.partial(launcher, precision="tf32"), FLOAT32, tolerance=1e-2)


def _short_row_of_fours(tensors: Tensors) -> bool:
    N: int = tensors[0].shape[1]
    return N % 4 == 0 and N <= cuda.MAX_ROW

OPERATIONS = {
    operation.name: operation
    for operation in (
        Operation(
            "gelu", ("x",), "y", gelu.reference,
            (
                Version("gelu", "triton", gelu.gelu),
                Version("gelu_fast", "triton", gelu.gelu_fast),
                Version("gelu_double", "cuda", cuda.gelu_double, FLOAT32),
                Version("gelu", "cuda", cuda.gelu, FLOAT32),
                Version("gelu_fast", "cuda", cuda.gelu_fast, FLOAT32),
            ),
            scales=(2.0, 100.0), interpreted=(23, 5000),
            addends=lambda x: x.double().abs(),  # x / 2 + x / 2 tanh(..)
        ),
        Operation(
            "softmax", ("x",), "y", softmax.reference,
            (
                Version("softmax", "triton", softmax.softmax, takes=lambda t: t[0].shape[1] <= softmax.MAX_ROW),
                Version("softmax_fast", "triton", softmax.softmax_fast),
                Version("softmax", "cuda", cuda.softmax, FLOAT32),
                Version("softmax_fast", "cuda", cuda.softmax_fast, FLOAT32, _short_row_of_fours),
            ),
            scales=(2.0, 100.0), interpreted=(3, 40000),
        ),
        Operation(
            "row_sum", ("x",), "y", row_sum.reference,
            (
                Version("row_sum", "triton", row_sum.row_sum),
                Version("row_sum_fast", "triton", row_sum.row_sum_fast),
            ),
            scales=(2.0,), interpreted=(5, 40000),
            addends=lambda x: x.double().abs().sum(dim=1),
        ),
        Operation(
            "matmul_relu", ("a", "b"), "c", matmul_relu.reference,
            (
                Version("matmul_relu", "triton", matmul_relu.matmul_relu),
                _tf32("matmul_relu", matmul_relu.matmul_relu),
                Version("matmul_relu_fast", "triton", matmul_relu.matmul_relu_fast),
                _tf32("matmul_relu_fast", matmul_relu.matmul_relu_fast),
            ),
            scales=(1.0,), interpreted=(140, 130),
            addends=lambda a, b: a.double().abs() @ b.double().abs(),
        ),
    )
}  # fmt: skip
"""Every operation by the name the command line knows it by."""
