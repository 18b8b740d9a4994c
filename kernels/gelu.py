"""GeLU, an element-wise operation: each element is read once, computed and written once."""
# mypy: disable-error-code="untyped-decorator, no-untyped-def"

import math

import torch
import triton
import triton.language as tl

from kernels.inputs import require_power_of_two, require_small, require_tensor


def reference(x: torch.Tensor) -> torch.Tensor:
    """GeLU in float64, by its tanh approximation: 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).

    Formula: Hendrycks and Gimpel, "Gaussian Error Linear Units", arXiv:1606.08415, section 2.
    """
    x = x.double()
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@triton.jit
def gelu_kernel(x_ptr, y_ptr, N, BLOCK_SIZE: tl.constexpr):
    # |   block 0   |   block 1   |   block 2   |  ...  |   Each program instance computes one block.
    #  <-BLOCK_SIZE->                                N

    # Who am I, and which elements are mine?
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)

    # The last block may reach beyond the end
    mask = offsets < N

    # Read
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)

    # Compute 0.5 x (1 + tanh(a)); there is no tl.tanh, but (1 + tanh(a)) / 2 = 1 / (1 + exp(-2a))
    a = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    y = x / (1 + tl.exp(-2 * a))

    # Write
    tl.store(y_ptr + offsets, y, mask=mask)


def gelu(x: torch.Tensor, block_size: int = 1024) -> torch.Tensor:
    """GeLU of `x` (any shape), by one program instance for each `block_size` elements.

    The elements are taken as one row; a tensor whose elements do not lie side by side is copied first.
    Raises ValueError for an input it cannot take.
    """
    require_tensor("gelu", "x", x)
    require_power_of_two("gelu", "block_size", block_size)
    x = x.contiguous()
    require_small("gelu", "x", x)
    y = torch.empty_like(x)
    N = x.numel()
    num_blocks = triton.cdiv(N, block_size)
    gelu_kernel[(num_blocks,)](x, y, N, BLOCK_SIZE=block_size)
    return y


@triton.jit
def gelu_fast_kernel(x_ptr, y_ptr, N, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0).to(tl.int64) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < N
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    a = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    tl.store(y_ptr + offsets, x / (1 + tl.exp(-2 * a)), mask=mask)


def gelu_fast(x: torch.Tensor) -> torch.Tensor:
    """GeLU of `x` (any shape and size), in blocks in which each thread reads 16 bytes at once and writes 16 bytes.

    Of the block sizes tried on an H200 this was the fastest (kernels/README.md). Raises ValueError for an input it
    cannot take.
    """
    require_tensor("gelu_fast", "x", x)
    x = x.contiguous()
    y = torch.empty_like(x)
    N = x.numel()
    num_warps = 8
    block_size = num_warps * 32 * (16 // x.element_size())
    gelu_fast_kernel[(triton.cdiv(N, block_size),)](x, y, N, BLOCK_SIZE=block_size, num_warps=num_warps)
    return y
