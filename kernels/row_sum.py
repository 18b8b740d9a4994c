"""The sum of each row of a matrix, a reduction in tiles: the row need not fit into one block."""
# mypy: disable-error-code="untyped-decorator, no-untyped-def"

import torch
import triton
import triton.language as tl

from kernels.inputs import require_columns, require_power_of_two, require_small, require_tensor


def reference(x: torch.Tensor) -> torch.Tensor:
    """The sum over the columns of `x` [M, N] in float64, one value a row: y[m] = sum over n of x[m, n]."""
    return x.double().sum(dim=1)


@triton.jit
def row_sum_kernel(x_ptr, y_ptr, x_row_stride, N, BLOCK_SIZE: tl.constexpr):
    # Each program instance sums one row, tile by tile:
    # |    tile 0    |    tile 1    |    tile 2    |  ...  |
    #  <-BLOCK_SIZE->                                     N
    row = tl.program_id(axis=0)

    # One accumulator for each column of a tile
    acc = tl.zeros([BLOCK_SIZE], dtype=tl.float32)

    for start in range(0, N, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < N, other=0.0)
        acc += x.to(tl.float32)

    # Only now do the accumulators meet: a vector becomes one number
    total = tl.sum(acc, axis=0)
    tl.store(y_ptr + row, total)


def row_sum(x: torch.Tensor, block_size: int = 1024) -> torch.Tensor:
    """The sums [M] of the rows of `x` [M, N], by one program instance for each row, in tiles of `block_size` columns.

    Sums are kept in float32 and rounded to the dtype of `x` at the end. A row whose elements do not lie side by side is
    copied first. Raises ValueError for an input it cannot take.
    """
    require_tensor("row_sum", "x", x, ndim=2)
    require_power_of_two("row_sum", "block_size", block_size)
    x = x if x.stride(1) == 1 else x.contiguous()
    require_small("row_sum", "x", x)
    M, N = x.shape
    y = torch.empty(M, dtype=x.dtype, device=x.device)
    row_sum_kernel[(M,)](x, y, x.stride(0), N, BLOCK_SIZE=block_size)
    return y


@triton.jit
def row_sum_fast_kernel(x_ptr, y_ptr, x_row_stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    # One long row, or several short ones, so that each tile gives every thread two reads of 16 bytes
    rows = tl.program_id(axis=0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    x_ptrs = x_ptr + rows[:, None] * x_row_stride
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for start in range(0, N, BLOCK_N):
        cols = start + tl.arange(0, BLOCK_N)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        acc += tl.load(x_ptrs + cols[None, :], mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + rows, tl.sum(acc, axis=1), mask=rows < M)


def row_sum_fast(x: torch.Tensor) -> torch.Tensor:
    """The sums [M] of the rows of `x` [M, N], however large, in tiles of 4096 elements by 512 threads.

    Sums as `row_sum` does. Raises ValueError for an input it cannot take.
    """
    require_tensor("row_sum_fast", "x", x, ndim=2)
    require_columns("row_sum_fast", "x", x)
    x = x if x.stride(1) == 1 else x.contiguous()
    M, N = x.shape
    y = torch.empty(M, dtype=x.dtype, device=x.device)
    block_n = min(triton.next_power_of_2(N), 4096)
    block_m = 4096 // block_n
    row_sum_fast_kernel[(triton.cdiv(M, block_m),)](
        x, y, x.stride(0), M, N, BLOCK_M=block_m, BLOCK_N=block_n, num_warps=16
    )
    return y
