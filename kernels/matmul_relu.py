"""ReLU of a matrix product, computed in tiles: C = relu(A B), A [M, K], B [K, N], C [M, N]."""
# mypy: disable-error-code="untyped-decorator, no-untyped-def"

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from kernels.inputs import INTERPRETED, MAX_GRID_Y, require_power_of_two, require_small, require_tensor

PRECISIONS = ("ieee", "tf32")
"""How float32 tiles are multiplied: in full (ieee), or by tensor cores that keep 10 bits of the fraction (tf32)."""


def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """relu(a b) in float64 for `a` [M, K] and `b` [K, N]: c[m, n] = max(0, sum over k of a[m, k] b[k, n])."""
    return torch.relu(a.double() @ b.double())


@triton.jit
def matmul_relu_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr,
):
    # Each program instance computes one tile of C:           N               BLOCK_N
    # it sweeps a row of tiles of A and a column                           B [  |  ]
    # of tiles of B, and adds up their products.              K     A [----] C [  *  ]  BLOCK_M
    m = tl.program_id(axis=0) * BLOCK_M + tl.arange(0, BLOCK_M)  # rows of A and C
    n = tl.program_id(axis=1) * BLOCK_N + tl.arange(0, BLOCK_N)  # columns of B and C
    k = tl.arange(0, BLOCK_K)

    # Element (i, j) lies i * stride(0) + j * stride(1) from the first
    a_ptrs = a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak
    b_ptrs = b_ptr + k[:, None] * stride_bk + n[None, :] * stride_bn

    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs, mask=(m[:, None] < M) & (start + k[None, :] < K), other=0.0)
        b = tl.load(b_ptrs, mask=(start + k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc, input_precision=PRECISION)
        a_ptrs += BLOCK_K * stride_ak  # the next tile of A, to the right
        b_ptrs += BLOCK_K * stride_bk  # the next tile of B, below

    # The tile is still on the chip: ReLU costs no further read or write
    c = tl.maximum(acc, 0.0, propagate_nan=tl.PropagateNan.ALL)  # as torch.relu: what is no number stays so
    c_ptrs = c_ptr + m[:, None] * stride_cm + n[None, :] * stride_cn
    tl.store(c_ptrs, c, mask=(m[:, None] < M) & (n[None, :] < N))


def require_product(function: str, a: torch.Tensor, b: torch.Tensor, precision: str) -> None:
    """Raise ValueError, naming `function`, unless `a` [M, K] and `b` [K, N] can be multiplied in that `precision`."""
    require_tensor(function, "a", a, ndim=2)
    require_tensor(function, "b", b, ndim=2)
    if a.shape[1] != b.shape[0]:
        shapes = f"a has shape {tuple(a.shape)} and b {tuple(b.shape)}"
        raise ValueError(f"{function}: {shapes}; a must have as many columns as b has rows.")
    if a.dtype != b.dtype or a.device != b.device:
        raise ValueError(f"{function}: a is {a.dtype} on {a.device} and b {b.dtype} on {b.device}; they must be alike.")
    if precision not in PRECISIONS:
        raise ValueError(f"{function}: precision={precision!r}; it must be one of {', '.join(PRECISIONS)}.")


def require_block(function: str, block: tuple[int, int, int], N: int) -> None:
    """Raise ValueError, naming `function`, unless tiles of that `block` can be made and one grid covers `N` columns."""
    names = ("BLOCK_M", "BLOCK_N", "BLOCK_K")
    if not isinstance(block, tuple | list) or len(block) != len(names):
        raise ValueError(f"{function}: block={block!r}; it must be ({', '.join(names)}).")
    for name, size in zip(names, block, strict=True):
        require_power_of_two(function, name, size, least=16)
    if triton.cdiv(N, block[1]) > MAX_GRID_Y:
        covers = f"a grid covers {MAX_GRID_Y * block[1]} with BLOCK_N={block[1]}"
        raise ValueError(f"{function}: b has {N} columns; {covers}. Use a larger BLOCK_N, or {function}_fast.")


def for_dot(x: torch.Tensor) -> torch.Tensor:
    """`x` as tl.dot takes it: Triton's interpreter mistakes bfloat16 for integers there; float32 holds it exactly."""
    return x.float() if INTERPRETED else x


def matmul_relu(
    a: torch.Tensor, b: torch.Tensor, block: tuple[int, int, int] = (64, 64, 32), precision: str = "ieee"
) -> torch.Tensor:
    """relu(a b) [M, N] of `a` [M, K] and `b` [K, N], by one program instance for each tile of the result.

    `block` is (BLOCK_M, BLOCK_N, BLOCK_K). Sums are kept in float32. `precision` says how float32 inputs
    are multiplied: "ieee" in full, "tf32" faster, with 10 bits of each fraction. Raises ValueError for an input
    it cannot take.
    """
    require_product("matmul_relu", a, b, precision)
    (M, K), N = a.shape, b.shape[1]
    require_block("matmul_relu", block, N)
    for name, x in (("a", a), ("b", b), ("c", torch.empty((M, N), device="meta"))):
        require_small("matmul_relu", name, x)
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    a, b = for_dot(a), for_dot(b)
    grid = (triton.cdiv(M, block[0]), triton.cdiv(N, block[1]))
    matmul_relu_kernel[grid](
        a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(),
        BLOCK_M=block[0], BLOCK_N=block[1], BLOCK_K=block[2], PRECISION=precision,
    )  # fmt: skip
    return c


@triton.jit
def matmul_relu_fast_kernel(
    a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr, PRECISION: tl.constexpr,
):
    # As many program instances as multiprocessors, each computing tile after tile; flatten lets the loads of its next
    # tile begin while the last products of this one run. a, b and c describe matrices to the copy engine (TMA), which
    # moves whole tiles, knows the matrices' edges, and leaves the threads to the tensor cores.
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(axis=0), tiles_m * tiles_n, tl.num_programs(axis=0), flatten=True):
        # Tiles computed at the same time lie in GROUP_M rows, so that they share tiles of A and B in the L2 cache
        group, within = tile // (GROUP_M * tiles_n), tile % (GROUP_M * tiles_n)
        rows = min(tiles_m - group * GROUP_M, GROUP_M)
        m = (group * GROUP_M + within % rows) * BLOCK_M
        n = (within // rows) * BLOCK_N

        acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
        for k in range(0, K, BLOCK_K):
            acc = tl.dot(a.load([m, k]), b.load([k, n]), acc, input_precision=PRECISION)
        c.store([m, n], tl.maximum(acc, 0.0, propagate_nan=tl.PropagateNan.ALL).to(c.dtype))


def with_aligned_rows(x: torch.Tensor) -> torch.Tensor:
    """`x` [M, N] if its rows lie as the copy engine wants them, each from a 16-byte boundary on; else such a copy."""
    elements = 16 // x.element_size()
    apart = x.stride(1) == 1 and x.stride(0) >= x.shape[1]  # rows of an expanded matrix lie on top of each other
    if apart and x.stride(0) % elements == 0 and x.data_ptr() % 16 == 0:
        return x
    padded = torch.empty((x.shape[0], triton.cdiv(x.shape[1], elements) * elements), dtype=x.dtype, device=x.device)
    return padded[:, : x.shape[1]].copy_(x)


def matmul_relu_fast(a: torch.Tensor, b: torch.Tensor, precision: str = "ieee") -> torch.Tensor:
    """relu(a b) [M, N] of `a` [M, K] and `b` [K, N], by tiles that a GPU's copy engine moves.

    Matrices whose rows do not begin at 16-byte boundaries are copied first. Sums and `precision` as in `matmul_relu`.
    Raises ValueError for an input it cannot take.
    """
    require_product("matmul_relu_fast", a, b, precision)
    (M, K), N = a.shape, b.shape[1]
    c = with_aligned_rows(torch.empty((M, N), dtype=a.dtype, device=a.device))
    a, b = with_aligned_rows(for_dot(a)), with_aligned_rows(for_dot(b))
    block_m, block_n, block_k = (128, 256, 64) if a.element_size() == 2 else (128, 128, 32)
    a_tiles = TensorDescriptor.from_tensor(a, [block_m, block_k])
    b_tiles = TensorDescriptor.from_tensor(b, [block_k, block_n])
    c_tiles = TensorDescriptor.from_tensor(c, [block_m, block_n])
    tiles = triton.cdiv(M, block_m) * triton.cdiv(N, block_n)
    processors = torch.cuda.get_device_properties(a.device).multi_processor_count if a.is_cuda else tiles
    matmul_relu_fast_kernel[(min(processors, tiles),)](
        a_tiles, b_tiles, c_tiles, M, N, K, BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_K=block_k,
        GROUP_M=8, PRECISION=precision, num_warps=8, num_stages=3,
    )  # fmt: skip
    return c.contiguous()
