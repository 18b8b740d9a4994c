"""Softmax over the rows of a matrix, a reduction whose row fits into one block."""
# mypy: disable-error-code="untyped-decorator, no-untyped-def"

import torch
import triton
import triton.language as tl

from kernels.inputs import require_columns, require_small, require_tensor

MAX_ROW = 65536
"""The longest row `softmax` takes: its program instance holds the whole row at once."""

MAX_RESIDENT_ROW = 32768
"""The longest row `softmax_fast` keeps on the chip: 32 values for each of 1024 threads; a longer one is read twice."""

LOG2_E = tl.constexpr(1.4426950408889634)
"""exp(x) = 2^(x log2(e)), and a power of two is one instruction."""

LOWEST = tl.constexpr(-3.4028234663852886e38)
"""The lowest finite float32: a maximum that is at least this leaves -inf - max at -inf, and not at NaN."""


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


@triton.jit
def softmax_fast_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, N, TILES: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    # A row as [TILES, BLOCK_SIZE], a thread owning whole columns: along a column, max and sum need no other thread, so
    # each warp computes its exponentials as soon as its own part of the row has come. Only then do the threads meet.
    row = tl.program_id(axis=0).to(tl.int64)
    cols = tl.arange(0, TILES)[:, None] * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)[None, :]
    mask = cols < N
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=float("-inf")).to(tl.float32)

    column_max = tl.maximum(tl.max(x, axis=0), LOWEST)
    numerator = tl.exp2((x - column_max[None, :]) * LOG2_E)
    column_sum = tl.sum(numerator, axis=0)

    row_max = tl.max(column_max, axis=0)
    weight = tl.exp2((column_max - row_max) * LOG2_E)
    scale = weight / tl.sum(column_sum * weight, axis=0)
    tl.store(y_ptr + row * y_row_stride + cols, numerator * scale[None, :], mask=mask)


@triton.jit
def softmax_long_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, N, BLOCK_SIZE: tl.constexpr):
    # A row in tiles. The first sweep keeps each column's max and its sum, corrected whenever the max grows
    row = tl.program_id(axis=0).to(tl.int64)
    x_ptr += row * x_row_stride
    y_ptr += row * y_row_stride
    column_max = tl.full([BLOCK_SIZE], LOWEST, dtype=tl.float32)
    column_sum = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for start in range(0, N, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + cols, mask=cols < N, other=float("-inf"), eviction_policy="evict_last").to(tl.float32)
        new_max = tl.maximum(column_max, x)
        column_sum = column_sum * tl.exp2((column_max - new_max) * LOG2_E) + tl.exp2((x - new_max) * LOG2_E)
        column_max = new_max

    row_max = tl.max(column_max, axis=0)
    denominator = tl.sum(column_sum * tl.exp2((column_max - row_max) * LOG2_E), axis=0)

    # The second sweep finds the row in the L2 cache, where the first asked for it to stay
    for start in range(0, N, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + cols, mask=cols < N, eviction_policy="evict_first").to(tl.float32)
        y = tl.exp2((x - row_max) * LOG2_E) / denominator
        tl.store(y_ptr + cols, y, mask=cols < N, eviction_policy="evict_first")


def softmax_fast(x: torch.Tensor) -> torch.Tensor:
    """Softmax of each row of `x` [M, N], however large: rows up to 32768 are read once, longer ones twice, in tiles.

    The two sweeps are the online softmax of Milakov and Gimelshein, arXiv:1805.02867. Raises ValueError for an input it
    cannot take.
    """
    require_tensor("softmax_fast", "x", x, ndim=2)
    require_columns("softmax_fast", "x", x)
    x = x if x.stride(1) == 1 else x.contiguous()
    M, N = x.shape
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    if N > MAX_RESIDENT_ROW:
        softmax_long_kernel[(M,)](x, y, x.stride(0), y.stride(0), N, BLOCK_SIZE=4096, num_warps=4)
        return y
    padded = triton.next_power_of_2(N)
    num_warps = min(max(padded // 512, 1), 32)
    block_size = min(padded, num_warps * 32 * (16 // x.element_size()))
    softmax_fast_kernel[(M,)](
        x, y, x.stride(0), y.stride(0), N, TILES=padded // block_size, BLOCK_SIZE=block_size, num_warps=num_warps
    )
    return y
