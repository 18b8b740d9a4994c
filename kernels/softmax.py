"""Softmax over the rows of a matrix: a reduction whose row fits into one block, and one in two sweeps over the row."""
# mypy: disable-error-code="untyped-decorator, no-untyped-def"

import math

import torch
import triton
import triton.language as tl

from kernels.inputs import require_columns, require_small, require_tensor

MAX_ROW = 65536
"""The longest row `softmax` takes: its program instance holds the whole row at once."""

MAX_TILE = 32768
"""The most elements that `softmax_fast` has in its tile: 32 for each of 1024 threads in float32."""

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
def softmax_fast_kernel(
    x_ptr, y_ptr, x_row_stride, y_row_stride, N, ALIGN: tl.constexpr, DEPTH: tl.constexpr, WIDTH: tl.constexpr
):
    # ALIGN divides N and the strides. Said like this, the compiler knows it, and loads as many elements at once
    row = tl.program_id(axis=0).to(tl.int64)
    x_ptr += row * (x_row_stride // ALIGN * ALIGN)
    y_ptr += row * (y_row_stride // ALIGN * ALIGN)
    end = N // ALIGN * ALIGN

    # A program instance sweeps over its row twice, in tiles of DEPTH x WIDTH elements. A thread owns whole columns of a
    # tile, so within a sweep no thread waits for another: each column has its own max, and its own sum relative to it
    offsets = tl.arange(0, DEPTH)[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
    column_max = tl.full([WIDTH], LOWEST, dtype=tl.float32)
    column_sum = tl.zeros([WIDTH], dtype=tl.float32)
    for start in range(0, N, DEPTH * WIDTH):
        cols = start + offsets
        # evict_last: keep it in the cache, for the second sweep
        x = tl.load(x_ptr + cols, mask=cols < end, other=float("-inf"), eviction_policy="evict_last").to(tl.float32)
        new_max = tl.maximum(column_max, tl.max(x, axis=0))
        numerator = tl.exp2((x - new_max[None, :]) * LOG2_E)
        column_sum = column_sum * tl.exp2((column_max - new_max) * LOG2_E) + tl.sum(numerator, axis=0)
        column_max = new_max

    row_max = tl.max(column_max, axis=0)
    scale = 1.0 / tl.sum(column_sum * tl.exp2((column_max - row_max) * LOG2_E), axis=0)

    for start in range(0, N, DEPTH * WIDTH):
        cols = start + offsets
        x = tl.load(x_ptr + cols, mask=cols < end, other=float("-inf"), eviction_policy="evict_first").to(tl.float32)
        tl.store(y_ptr + cols, tl.exp2((x - row_max) * LOG2_E) * scale, mask=cols < end)


def fast_tile(N: int, element_size: int) -> tuple[int, int, int]:
    """DEPTH, WIDTH and number of warps for `softmax_fast` on rows of `N` elements of `element_size` bytes.

    A thread has 16 bytes in each of the tile's DEPTH rows. What is chosen is what was fastest on an H200: the power of
    two above N, or the one below where the row would fill less than three quarters of it (in 16 bits half of that,
    where no tile fits exactly). DEPTH is 2 for short rows (4 in 16 bits), grows to 8 once there are 16 warps (8), and
    for still longer ones there are more warps.
    """
    above: int = triton.next_power_of_2(N)
    tile = above if N / above >= 0.75 else above // 2
    if element_size == 2 and above > N:
        tile //= 2
    of_a_warp = 32 * (16 // element_size)
    pieces = max(min(tile, MAX_TILE) // of_a_warp, 1)
    few = 2 if element_size == 4 else 4
    num_warps = max(min(pieces // few, 32 // few), pieces // 8, 1)
    return pieces // num_warps, num_warps * of_a_warp, num_warps


def softmax_fast(x: torch.Tensor) -> torch.Tensor:
    """Softmax of each row of `x` [M, N], however long, in two sweeps: one for max and sum, one to write.

    The first is the online softmax of Milakov and Gimelshein, arXiv:1805.02867. A row whose elements do not lie side by
    side is copied first. Raises ValueError for an input it cannot take.
    """
    require_tensor("softmax_fast", "x", x, ndim=2)
    require_columns("softmax_fast", "x", x)
    x = x if x.stride(1) == 1 else x.contiguous()
    M, N = x.shape
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    by_itself = N % 16 == 0 and x.stride(0) % 16 == 0  # Triton tells the compiler which numbers are multiples of 16
    align = 1 if by_itself else math.gcd(16 // x.element_size(), N, x.stride(0))
    depth, width, num_warps = fast_tile(N, x.element_size())
    softmax_fast_kernel[(M,)](
        x, y, x.stride(0), y.stride(0), N, ALIGN=align, DEPTH=depth, WIDTH=width, num_warps=num_warps
    )
    return y
