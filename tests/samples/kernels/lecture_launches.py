"""Runs kernels the ways a lecture does; tests/engine/test_launches.py watches it."""

import torch
from pointwise import ones_kernel, scale_kernel

x = torch.arange(100.0)
y = torch.empty_like(x)


def main() -> None:
    for _ in range(2):
        scale_kernel[(4,)](x, y, 100, BLOCK=32)
    assert torch.equal(y, 3 * x)
    scale_kernel[lambda meta: (-(-100 // meta["BLOCK"]),)](x, y, 100, BLOCK=64)
    tuned()


def tuned() -> None:
    ones = torch.zeros(100)
    ones_kernel[lambda meta: (2, 1)](ones, 100)
    assert ones.sum() == 100
