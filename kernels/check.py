"""Checks every version of an operation against its float64 reference, on inputs drawn anew at each run."""

import contextlib
import dataclasses
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch

from kernels import cuda
from kernels.catalog import Operation, Tensors, Version
from kernels.inputs import INTERPRETED

Layout = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Case:
    """A shape [M, N] and how it lies in memory: `spread` returns the same values at other strides."""

    M: int
    N: int
    label: str = ""
    spread: Layout = torch.Tensor.contiguous

    def __str__(self) -> str:
        return f"[{self.M}, {self.N}]{' ' + self.label if self.label else ''}"


def _by_columns(x: torch.Tensor) -> torch.Tensor:
    return x.t().contiguous().t()


def _every_second(x: torch.Tensor) -> torch.Tensor:
    wide = torch.zeros((x.shape[0], 2 * x.shape[1]), dtype=x.dtype, device=x.device)
    wide[:, ::2] = x
    return wide[:, ::2]


def _inside(x: torch.Tensor) -> torch.Tensor:
    large = torch.zeros((x.shape[0] + 2, x.shape[1] + 8), dtype=x.dtype, device=x.device)
    large[1:-1, 3:-5] = x
    return large[1:-1, 3:-5]


CASES = (
    Case(1, 1), Case(1, 31), Case(31, 1), Case(1, 1000), Case(1000, 1), Case(64, 64), Case(257, 1024), Case(1823, 781),
    Case(3, 5000), Case(2, 40000), Case(1823, 781, "stored by columns", _by_columns),
    Case(97, 300, "every second column", _every_second), Case(97, 300, "inside a larger matrix", _inside),
)  # fmt: skip
"""Awkward shapes: one element, one row, one column, sizes that no block divides, rows longer than a block, strides."""


@dataclass(frozen=True)
class Result:
    """What one case showed: the relative error of the whole result, and the first mismatch as a sentence, if any."""

    error: float
    mismatch: str | None = None


@contextlib.contextmanager
def poisoned() -> Iterator[None]:
    """Make PyTorch fill every new, uninitialised tensor with NaN, so that an element nobody wrote is seen."""
    before, filled = torch.are_deterministic_algorithms_enabled(), torch.utils.deterministic.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = True
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)
        torch.utils.deterministic.fill_uninitialized_memory = filled


def draw(operation: Operation, case: Case, dtype: torch.dtype, device: str, scale: float = 1.0) -> Tensors:
    """Random inputs for `operation`: one [M, N], and for a product a second one, [N, 100]."""
    shapes = [(case.M, case.N), (case.N, 100)][: len(operation.inputs)]
    return tuple(case.spread((scale * torch.randn(shape, device=device)).to(dtype)) for shape in shapes)


def compare(
    name: str, result: torch.Tensor, expected: torch.Tensor, allowed: float, addends: torch.Tensor | None = None
) -> Result:
    """How far `result` lies from the float64 `expected`; a mismatch says element, value and expected value.

    An element may differ by `allowed` times (its size + the root mean square of all), by the distance of the smallest
    numbers of its dtype, by 1e-15, since the reference rounds too, and by 2^-22 of its `addends`: float32 has 24 bits,
    and where terms cancel, as in 1 + tanh(a) for a negative a, it is theirs that count.
    """
    if result.shape != expected.shape:
        return Result(math.inf, f"{name} has shape {tuple(result.shape)} and must have {tuple(expected.shape)}")
    difference = (result.double() - expected).abs()
    error = (difference.norm() / expected.norm().clamp_min(1e-300)).item()
    size = expected.abs() + expected.square().mean().sqrt()
    least = torch.finfo(result.dtype).smallest_normal * torch.finfo(result.dtype).eps  # 6e-8 in float16
    limit = allowed * size + max(least, 1e-15) + (0 if addends is None else addends * 2**-22)
    wrong = ~(difference <= limit)  # so that NaN is wrong too
    if not wrong.any():
        return Result(error)
    index = tuple(wrong.nonzero()[0].tolist())
    of = f"{int(wrong.sum())} of {wrong.numel()} elements"
    where = f"{name}[{', '.join(map(str, index))}]"
    values = f"is {result[index].item():.9g} and must be {expected[index].item():.9g}"
    return Result(error, f"{where} {values} ({of} are off by more than {allowed:g} of their size)")


def run(operation: Operation, version: Version, tensors: Tensors) -> Result:
    """One launch on `tensors`: its output poisoned and compared with the reference, its inputs still what they were."""
    before = [x.clone() for x in tensors]
    poison = contextlib.nullcontext() if version.language == "torch" else poisoned()  # makes torch choose otherwise
    with poison, warnings.catch_warnings():
        # NumPy's, and right: x / (1 + inf) is 0, and so is 2 to the power -inf
        warnings.filterwarnings("ignore", "overflow encountered in (exp|multiply)")
        result = version.run(*tensors)
    if result.dtype != tensors[0].dtype:
        return Result(math.inf, f"{operation.output} has {result.dtype} and must have {tensors[0].dtype}")
    for name, x, was in zip(operation.inputs, tensors, before, strict=True):
        if not torch.equal(x, was):
            return Result(math.inf, f"the input {name} was changed")
    addends = None if operation.addends is None else operation.addends(*tensors)
    return compare(operation.output, result, operation.reference(*tensors), version.allowed(tensors[0].dtype), addends)


@dataclass
class Report:
    """What all cases of one version showed."""

    version: Version
    cases: int = 0
    error: float = 0.0
    mismatch: str | None = None
    skipped: str | None = None

    def __str__(self) -> str:
        head = f"{self.version.name:<22} {self.version.language:<7}"
        if self.skipped is not None:
            return f"{head} not checked: {self.skipped}"
        if self.mismatch is not None:
            return f"{head} WRONG: {self.mismatch}"
        return f"{head} right in {self.cases} cases, largest relative error of a result {self.error:.1e}"


def cases_for(operation: Operation) -> tuple[Case, ...]:
    """The cases, smaller ones where the interpreter runs the kernels, each once."""
    if not INTERPRETED:
        return CASES
    M, N = operation.interpreted
    small = (dataclasses.replace(case, M=min(case.M, M), N=min(case.N, N)) for case in CASES)
    return tuple(dict.fromkeys(small))


def check_version(operation: Operation, version: Version, device: str) -> Report:
    """Run `version` on every case, dtype and scale it takes, until one is wrong."""
    report = Report(version)
    if version.language == "cuda" and (reason := cuda.missing()) is not None:
        report.skipped = reason
        return report
    for dtype in version.dtypes:
        for case in cases_for(operation):
            for scale in operation.scales:
                tensors = draw(operation, case, dtype, device, scale)
                if not version.takes(tensors):
                    continue
                result = run(operation, version, tensors)
                report.cases += 1
                report.error = max(report.error, result.error)
                if result.mismatch is not None:
                    report.mismatch = f"{dtype} {case} scaled by {scale:g}: {result.mismatch}"
                    return report
    return report
