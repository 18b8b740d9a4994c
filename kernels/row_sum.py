"""The sum of each row of a matrix, a reduction in tiles: the row need not fit into one block."""
# mypy: disable-error-code="untyped-decorator, no-untyped-def"

import torch
import triton
import triton.language as tl

from kernels.inputs import require_power_of_two, require_small, require_tensor


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
