"""Kernels for the tests of engine.launches and engine.compile."""

import triton
import triton.language as tl

SCALE = tl.constexpr(3.0)


@triton.jit
def scaled(x):
    y = x * SCALE
    return y


@triton.jit
def scale_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(
        y_ptr + offsets,
        scaled(x),
        mask=mask,
    )


@triton.autotune(
    configs=[triton.Config({"BLOCK": 64}, num_warps=2), triton.Config({"BLOCK": 32})],
    key=["n"],
)
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def ones_kernel(x_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(x_ptr + offsets, 1.0)
    else:
        tl.store(x_ptr + offsets, 1.0, mask=offsets < n)
