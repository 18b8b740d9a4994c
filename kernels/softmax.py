"""Softmax over the rows of a matrix, a reduction whose row fits into one block."""
# mypy: disable-error-code="untyped-decorator, no-untyped-def"

import torch
import triton
import triton.language as tl

from kernels.inputs import require_small, require_tensor

MAX_ROW = 65536
"""The longest row `softmax` takes: its program instance holds the whole row at once."""


def reference(x: torch.Tensor) -> torch.Tensor:
    """Softmax of each row of `x` [M, N] in float64: exp(x - max) / sum(exp(x - max)).

    The row's largest value is subtracted first, which changes nothing but keeps exp from overflowing (Goodfellow,
    Bengio and Courville, "Deep Learning", section 4.1).
    """
    x = x.double()
    numerator = torch.exp(x - x.max(dim=1, keepdim=True).values)
    return numerator / numerator.sum(dim=1, keepdim=True)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, N, BLOCK_SIZE: tl.constexpr):
    # Each program instance computes one row; BLOCK_SIZE >= N columns fit into its block
    row = tl.program_id(axis=0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < N

    # Read: N reads. Beyond the row stands -inf, and exp(-inf) = 0 adds nothing to the sum
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=float("-inf")).to(tl.float32)

    # Compute, all within the block
    x = x - tl.max(x, axis=0)
    numerator = tl.exp(x)
    denominator = tl.sum(numerator, axis=0)
    y = numerator / denominator

    # Write: N writes
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Softmax of each row of `x` [M, N], N <= 65536, by one program instance for each row.

    A row whose elements do not lie side by side is copied first. Raises ValueError for an input it cannot take.
    """
    require_tensor("softmax", "x", x, ndim=2)
    M, N = x.shape
    if N > MAX_ROW:
        raise ValueError(f"softmax: x has {N} columns; a row must fit into one block of {MAX_ROW}. Use softmax_fast.")
    x = x if x.stride(1) == 1 else x.contiguous()
    require_small("softmax", "x", x)
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    block_size = triton.next_power_of_2(N)
    softmax_kernel[(M,)](x, y, x.stride(0), y.stride(0), N, BLOCK_SIZE=block_size)
    return y
