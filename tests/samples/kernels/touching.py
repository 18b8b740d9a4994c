"""Kernels that reach memory in the ways the four kernels of the project do not."""

from typing import NamedTuple

import triton
import triton.language as tl


@triton.jit
def pick(x_ptr, offsets, n):
    """A helper that is stepped through: what it reads is read at its own line."""
    found = tl.load(x_ptr + offsets, mask=offsets < n)
    return found


@triton.jit
def helped_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    total = pick(x_ptr, offsets, n) + tl.load(y_ptr + offsets)
    quiet = pick(x_ptr, offsets + 1, n)  # @stepover
    tl.store(y_ptr + offsets, total + quiet)


@triton.jit
def histogram_kernel(x_ptr, counts_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0)
    tl.atomic_add(counts_ptr + x % 3, 1, mask=offsets < n)
    tl.atomic_cas(counts_ptr + 5, 0, 7)


@triton.jit
def strided_kernel(x_ptr, y_ptr, stride_row, stride_column, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + rows[:, None] * stride_row + rows[None, :] * 2 * stride_column)
    corner = tl.make_block_ptr(y_ptr, (5, 3), (3, 1), (4, 1), (2, 2), (1, 0))
    tl.store(corner, tl.zeros((2, 2), tl.float32) + tl.sum(x), boundary_check=(0, 1))


@triton.jit
def gather_kernel(rows_ptr, table_ptr, WIDTH: tl.constexpr):
    rows = tl.load(rows_ptr + tl.arange(0, 4))
    table = tl.load(table_ptr + rows[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :])
    tl.store(table_ptr, tl.max(table))


@triton.jit
def straying_kernel(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    y = tl.load(x_ptr.to(tl.int64).to(tl.pointer_type(tl.float32)) + 8 + offsets, mask=offsets < n)
    again = tl.load(x_ptr.to(tl.int64).to(tl.pointer_type(tl.float32)) + offsets + 2)
    tl.store(x_ptr + offsets, x + y + again, mask=offsets < 0)


@triton.jit
def same_kernel(x_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets))


class Row(NamedTuple):
    pointer: object
    stride: object


@triton.jit
def tuple_kernel(pair, row: Row, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(row.pointer + offsets * row.stride, tl.load(pair[1] + offsets))


@triton.jit
def repeating_kernel(x_ptr, BLOCK: tl.constexpr):
    x = sum([tl.load(x_ptr + tl.arange(0, BLOCK) + number // 2) for number in range(80)])
    tl.store(x_ptr + tl.arange(0, BLOCK), x)
