"""What a launcher asks of its inputs, checked in Python before the launch: a kernel itself can only fail silently."""

import torch
import triton

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
"""Element types every kernel takes; each computes in float32 and rounds once, at the store."""

INTERPRETED = bool(triton.knobs.runtime.interpret)
"""Whether Triton's interpreter runs the kernels (TRITON_INTERPRET=1 at triton's import): CPU tensors then work."""

MAX_OFFSET = 2**31 - 2**20
"""The largest element offset for a kernel that counts in 32 bits; the last block may count up to 2^20 beyond it."""


def require_tensor(function: str, name: str, x: torch.Tensor, ndim: int | None = None) -> None:
    """Raise ValueError, naming `function` and `name`, unless `x` is non-empty, of a known dtype and where kernels run.

    `ndim` is the number of dimensions wanted, None for any.
    """
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{function}: {name} is a {type(x).__name__}; give a torch.Tensor.")
    if x.dtype not in DTYPES:
        wanted = ", ".join(map(str, DTYPES))
        raise ValueError(f"{function}: {name} has dtype {x.dtype}; it must be one of {wanted}.")
    if ndim is not None and x.ndim != ndim:
        raise ValueError(f"{function}: {name} has shape {tuple(x.shape)}; it must have {ndim} dimensions.")
    if x.numel() == 0:
        raise ValueError(f"{function}: {name} has shape {tuple(x.shape)}, no element; a launch needs at least one.")
    if not (x.is_cuda or INTERPRETED):
        raise ValueError(
            f"{function}: {name} is on {x.device}; move it to a GPU, or set TRITON_INTERPRET=1 before importing triton."
        )


def require_small(function: str, name: str, x: torch.Tensor) -> None:
    """Raise ValueError if an element of `x` lies further than `MAX_OFFSET` from its first."""
    reach = sum((size - 1) * abs(stride) for size, stride in zip(x.shape, x.stride(), strict=True))
    if reach > MAX_OFFSET:
        raise ValueError(
            f"{function}: {name} spans {reach + 1} elements; this kernel counts in 32 bits. Use {function}_fast."
        )


def require_power_of_two(function: str, name: str, value: int, least: int = 1) -> None:
    """Raise ValueError unless `value` is a power of two, as every length of a Triton tile is, and at least `least`."""
    if value < least or value & (value - 1):
        raise ValueError(f"{function}: {name}={value}; it must be a power of two and at least {least}.")
