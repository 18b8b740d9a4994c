"""A lecture whose kernels are stepped inside: the four of the project at sizes where masks matter, then those of touching.py."""

import torch
from kernels import gelu, matmul_relu, row_sum, softmax
from touching import (
    Row,
    gather_kernel,
    helped_kernel,
    histogram_kernel,
    repeating_kernel,
    same_kernel,
    straying_kernel,
    strided_kernel,
    tuple_kernel,
)

from engine import benchmark, kernel


def main():
    torch.manual_seed(0)
    kernel(gelu.gelu_kernel, instances=["first", "last"])
    gelu.gelu(torch.randn(1000), block_size=256)
    gelu.gelu(torch.randn(10, 103), block_size=256)
    kernel(softmax.softmax_kernel, instances=[(5,)])
    softmax.softmax(torch.randn(7, 100)[:, :90])
    kernel(row_sum.row_sum_kernel, instances=[2])
    row_sum.row_sum(torch.randn(3, 10), block_size=4)
    kernel(matmul_relu.matmul_relu_kernel, instances=["first", (1, 1)])
    matmul_relu.matmul_relu(torch.randn(100, 70), torch.randn(50, 70).T, block=(64, 32, 32))
    kernel(matmul_relu.matmul_relu_fast_kernel, instances=["last"])
    matmul_relu.matmul_relu_fast(torch.randn(200, 50), torch.randn(50, 130))
    others()
    benchmark("gelu", lambda: gelu.gelu(torch.randn(4)), warmups=0, trials=1, show=False)
    gelu.gelu(torch.randn(4), block_size=4)  # @stepover


def others():
    helped_kernel[(1,)](torch.randn(6), torch.randn(8), 6, BLOCK=8)
    counts = torch.zeros(6, dtype=torch.int32)
    histogram_kernel[(1,)](torch.arange(5, dtype=torch.int32), counts, 5, BLOCK=8)
    wide = torch.randn(4, 10)[:, 1:9]
    strided_kernel[(1,)](wide, torch.zeros(5, 3), *wide.stride(), BLOCK=4)
    gather_kernel[(1,)](torch.tensor([7, 2, 3, 7]), torch.randn(9, 8), WIDTH=8)
    x = torch.randn(16)
    straying_kernel[(1,)](x[:3], 2, BLOCK=4)
    same_kernel[(1,)](x, x, BLOCK=4)
    same_kernel[(1,)](x.reshape(4, 4), x.reshape(4, 4).T, BLOCK=4)
    tuple_kernel[(1,)]((x, x[4:]), Row(torch.zeros(8), 2), BLOCK=4)
    repeating_kernel[(1,)](torch.zeros(64), BLOCK=4)
