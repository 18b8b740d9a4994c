"""What the benchmark measures: each operation's input, what PyTorch offers for it, and the GPU's ceiling for it."""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import torch

from kernels.catalog import OPERATIONS, Operation, Tensors

Run = Callable[..., torch.Tensor]


@dataclass(frozen=True)
class Task:
    """What to measure: an operation on its inputs, beside a ceiling and what PyTorch offers for it, by name.

    `bytes` counts each element read and written once, `flops` the floating-point operations (0 where memory is the
    limit), `rounds` how often everything is timed. `limit` is the run that shows the ceiling.
    """

    operation: Operation
    tensors: Tensors
    bytes: int
    flops: int
    rounds: int
    ceiling: str
    limit: Run
    others: dict[str, Run]

    @property
    def dtype(self) -> torch.dtype:
        """The dtype of the inputs."""
        return self.tensors[0].dtype

    @property
    def size(self) -> str:
        """The shapes of the inputs, as a reader writes them."""
        return " by ".join("x".join(map(str, x.shape)) for x in self.tensors)


def compiled(function: Run) -> Run:
    """`function` compiled as torch.compile does when it may try many versions and take the fastest."""
    best: Run = torch.compile(function, mode="max-autotune-no-cudagraphs")
    return best


def with_tf32(function: Run) -> Run:
    """`function`, while PyTorch's float32 products may use tensor cores that keep 10 bits of the fraction."""

    @functools.wraps(function)
    def run(*tensors: torch.Tensor) -> torch.Tensor:
        torch.backends.cuda.matmul.allow_tf32 = True
        try:
            return function(*tensors)
        finally:
            torch.backends.cuda.matmul.allow_tf32 = False

    return run


def gelu_by_operators(x: torch.Tensor) -> torch.Tensor:
    """GeLU as one writes it down in PyTorch: each operator is a kernel, and reads and writes the whole tensor."""
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def softmax_by_operators(x: torch.Tensor) -> torch.Tensor:
    """Softmax of each row as one writes it down in PyTorch, in five kernels."""
    numerator = torch.exp(x - x.max(dim=1, keepdim=True).values)
    return numerator / numerator.sum(dim=1, keepdim=True)


def gelu(x: torch.Tensor) -> torch.Tensor:
    """PyTorch's own GeLU."""
    return torch.nn.functional.gelu(x, approximate="tanh")


def softmax(x: torch.Tensor) -> torch.Tensor:
    """PyTorch's own softmax of each row."""
    return torch.softmax(x, dim=1)


def row_sum(x: torch.Tensor) -> torch.Tensor:
    """PyTorch's own sum of each row."""
    return x.sum(dim=1)


def matmul_relu(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """PyTorch's product and then its ReLU, two kernels."""
    return torch.relu(a @ b)


def rows_task(name: str, others: dict[str, Run], writes: int, size: int = 16384) -> Task:
    """An operation on one float32 matrix [size, size] that writes so many elements; the ceiling is a copy of it."""
    x = torch.randn(size, size, device="cuda")
    y = torch.empty_like(x)
    moved = x.element_size() * (x.numel() + writes)
    return Task(OPERATIONS[name], (x,), moved, 0, 100, "copy on the device", y.copy_, others)


def product_task(dtype: torch.dtype, size: int, others: dict[str, Run]) -> Task:
    """relu(a b) of two matrices [size, size]; the ceiling is PyTorch's product alone."""
    a, b = (torch.randn(size, size, device="cuda").to(dtype) for _ in range(2))
    moved = 3 * a.element_size() * a.numel()
    return Task(OPERATIONS["matmul_relu"], (a, b), moved, 2 * size**3, 60, "torch a @ b", torch.matmul, others)


def tasks(name: str) -> list[Task]:
    """What is measured for the operation called `name`."""
    if name == "gelu":
        others = {"torch, by operators": gelu_by_operators, "torch": gelu, "torch.compile": compiled(gelu_by_operators)}
        return [rows_task(name, others, writes=16384**2)]
    if name == "softmax":
        best = compiled(softmax_by_operators)
        others = {"torch, by operators": softmax_by_operators, "torch": softmax, "torch.compile": best}
        return [rows_task(name, others, writes=16384**2)]
    if name == "row_sum":
        return [rows_task(name, {"torch": row_sum, "torch.compile": compiled(row_sum)}, writes=16384)]
    return [
        product_task(torch.bfloat16, 8192, {"torch": matmul_relu, "torch.compile": compiled(matmul_relu)}),
        product_task(torch.float32, 4096, {"torch": matmul_relu, "torch tf32": with_tf32(matmul_relu)}),
    ]
