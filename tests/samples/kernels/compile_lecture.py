"""Launches kernels in the interpreter, compiles them into the folder named, and prints what came of it as JSON."""

import contextlib
import json
import sys
from pathlib import Path

import msgspec

from engine import launches
from engine.compile import DEFAULT_TARGETS, compile_all
from engine.trace import Kernel
from silent import Silent

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
CUDA = HERE / "squares.cu"


class Notes(Silent):
    """A sink that knows the kernels."""

    lecture = HERE / "none.py"
    store = Path("unused")

    def __init__(self):
        self.kernels = []

    def display_path(self, path):
        return Path(path).relative_to(ROOT).as_posix()

    def kernel(self, kernel):
        self.kernels.append(kernel)
        return len(self.kernels) - 1


def attempt(function, *args, **kwargs):
    """Launch; what the interpreter cannot run, say a kernel that closes over a name, the compiler may well compile."""
    from triton.runtime.errors import InterpreterError

    with contextlib.suppress(InterpreterError):
        function(*args, **kwargs)


def of_the_project():
    import torch
    from kernels.gelu import gelu
    from kernels.matmul_relu import matmul_relu_kernel
    from kernels.row_sum import row_sum
    from kernels.softmax import softmax

    attempt(gelu, torch.randn(2048))
    attempt(softmax, torch.randn(2, 1024))
    attempt(row_sum, torch.randn(2, 2048))
    a = torch.randn(64, 64).half()
    attempt(
        matmul_relu_kernel[(1, 1)],
        a, a, torch.empty_like(a), 64, 64, 64, 64, 1, 64, 1, 64, 1,
        BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, PRECISION="tf32",
    )  # fmt: skip


def of_the_samples():
    import awkward
    import torch
    import triton.language as tl
    from pointwise import ones_kernel, scale_kernel

    x = torch.zeros(64)
    y = torch.zeros(64)
    attempt(scale_kernel[(2,)], x, y, 64, BLOCK=32, num_warps=8)
    attempt(scale_kernel[(2,)], x, y[1:], 1, BLOCK=32)
    for block in (2, 4, 8, 16):
        attempt(scale_kernel[(1,)], x, y, 2, BLOCK=block)
    attempt(ones_kernel[(1,)], x, 64)
    attempt(awkward.through_module_kernel[(1,)], x, y, 16, BLOCK=16)
    attempt(awkward.make(tl.constexpr(2))[(1,)], x, y, 16)
    attempt(awkward.plain_global_kernel[(1,)], x, y, 16, BLOCK=16)
    attempt(awkward.table_kernel[(1,)], x, BLOCK=16)
    attempt(awkward.parts_kernel[(1,)], (x, 3), awkward.Row(y, 2), None)
    attempt(awkward.nested_error_kernel[(1,)], x, BLOCK=16)


def compiled(captured, kernels, targets, store):
    return compile_all(captured.wanted(kernels, lambda path: str(ROOT / path)), targets, store)


def main():
    store = Path(sys.argv[1])
    launches.prepare()
    sys.path.insert(0, str(HERE))
    notes = Notes()
    with launches.watching(notes) as captured:
        of_the_project()
    variants = compiled(captured, notes.kernels, DEFAULT_TARGETS, store)
    with launches.watching(notes) as more:
        of_the_samples()
    notes.kernels.append(Kernel("squares", "cuda", CUDA.relative_to(ROOT).as_posix(), 9, 13))
    variants |= compiled(more, notes.kernels, ["sm_90"], store) | variants
    named = {kernel.name: variants[number] for number, kernel in enumerate(notes.kernels)}
    print(
        json.dumps(
            {
                "variants": msgspec.to_builtins(named),
                "kernels": msgspec.to_builtins(notes.kernels),
                "warnings": more.warnings(notes.kernels),
            }
        )
    )


main()
