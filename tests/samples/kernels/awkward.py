"""Kernels that are hard to compile away from where they were made."""

import enum
from typing import NamedTuple

import helpers
import triton
import triton.language as tl
from helpers import mean as average

FACTOR = 3
TABLE = {"a": 1}


@triton.jit
def through_module_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=cols < n, other=0.0)
    tl.store(y_ptr + cols, x - helpers.mean(x, n), mask=cols < n)


def make(shift: tl.constexpr):
    @triton.jit
    def closed_over_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr = 16):
        cols = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n, other=0.0)
        tl.store(y_ptr + cols, x - average(x, n) + shift, mask=cols < n)

    return closed_over_kernel


@triton.jit
def plain_global_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=cols < n)
    tl.store(y_ptr + cols, x * FACTOR, mask=cols < n)


@triton.jit
def table_kernel(x_ptr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(x_ptr + cols, TABLE["a"] * 1.0)


class Mode(enum.IntEnum):
    TWICE = 2


class Row(NamedTuple):
    pointer: object
    stride: object


MODE = tl.constexpr(Mode.TWICE)
WIDTH = 16


@triton.jit(debug=True)
def parts_kernel(pair, row: Row, shift, BLOCK: tl.constexpr = WIDTH):
    cols = tl.arange(0, BLOCK)
    x = tl.load(pair[0] + cols) * pair[1]
    tl.device_assert(x >= 0.0, "negative")
    if shift is not None:
        x += shift
    if MODE == 2:
        x *= 2
    tl.store(row.pointer + cols * row.stride, x)


@triton.jit
def nested_error_kernel(x_ptr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(x_ptr + cols, helpers.flipped(tl.load(x_ptr + cols), 3))
