"""What a launcher asks of its inputs, checked in Python before the launch: a kernel itself can only fail silently."""

import numpy
import torch
import triton

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
"""Element types every kernel takes; each computes in float32 and rounds once, at the store."""

INTERPRETED = bool(triton.knobs.runtime.interpret)
"""Whether Triton's interpreter runs the kernels (TRITON_INTERPRET=1 at triton's import): CPU tensors then work."""

MAX_TILE = 2**20
"""The most elements of a Triton tile (triton._utils.TRITON_MAX_TENSOR_NUMEL)."""

MAX_OFFSET = 2**31 - MAX_TILE
"""The largest element offset for a kernel that counts in 32 bits; the last tile may count beyond it."""

MAX_GRID_Y = 65535
"""The most blocks along a grid's second axis; along the first there may be 2^31 - 1."""


def interpreter_problem() -> str | None:
    """Why Triton's interpreter cannot run the kernels with this NumPy, as a sentence; None if it can."""
    old_triton = tuple(map(int, triton.__version__.split(".")[:2])) < (3, 7)
    if INTERPRETED and old_triton and tuple(map(int, numpy.__version__.split(".")[:2])) >= (2, 4):
        versions = f"Triton {triton.__version__} cannot loop with NumPy {numpy.__version__}"
        return f"The interpreter of {versions}; pip install 'numpy<2.4', or a newer PyTorch."
    return None


def require_tensor(function: str, name: str, x: torch.Tensor, ndim: int | None = None) -> None:
    """Raise ValueError, naming `function` and `name`, unless `x` is dense, not empty, and of a dtype in `DTYPES`.

    It must also lie where kernels run. `ndim` is the number of dimensions wanted, None for any.
    """
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{function}: {name} is a {type(x).__name__}; give a torch.Tensor.")
    if x.dtype not in DTYPES:
        wanted = ", ".join(map(str, DTYPES))
        raise ValueError(f"{function}: {name} has dtype {x.dtype}; it must be one of {wanted}.")
    if x.layout != torch.strided:
        raise ValueError(f"{function}: {name} has the layout {x.layout}; give a dense tensor: {name}.to_dense().")
    if ndim is not None and x.ndim != ndim:
        raise ValueError(f"{function}: {name} has shape {tuple(x.shape)}; it must have {ndim} dimensions.")
    if x.numel() == 0:
        raise ValueError(f"{function}: {name} has shape {tuple(x.shape)}, no element; a launch needs at least one.")
    if not (x.is_cuda or (INTERPRETED and x.is_cpu)):
        raise ValueError(
            f"{function}: {name} is on {x.device}; move it to a GPU, or to the CPU with TRITON_INTERPRET=1 set before "
            "triton is imported."
        )
    if x.is_cuda and x.device.index != torch.cuda.current_device():
        current = f"cuda:{torch.cuda.current_device()}"
        raise ValueError(
            f"{function}: {name} is on {x.device} and kernels are launched on {current}; launch within "
            f"`with torch.cuda.device({name}.device):`."
        )


def require_small(function: str, name: str, x: torch.Tensor) -> None:
    """Raise ValueError if an element of `x`, or of a contiguous tensor of its shape, lies beyond `MAX_OFFSET`.

    The second is the result's: an expanded tensor is small in memory, what is computed from it is not.
    """
    reach = sum((size - 1) * stride for size, stride in zip(x.shape, x.stride(), strict=True))
    span = max(reach + 1, x.numel())
    if span > MAX_OFFSET:
        counts = f"{span} elements; this kernel counts in 32 bits"
        raise ValueError(f"{function}: {name} spans {counts}. Use {function}_fast.")


def require_columns(function: str, name: str, x: torch.Tensor) -> None:
    """Raise ValueError if the matrix `x` has more columns than the tiles of a row can be counted to in 32 bits."""
    if x.shape[1] > MAX_OFFSET:
        raise ValueError(f"{function}: {name} has {x.shape[1]} columns; a row may have {MAX_OFFSET}.")


def require_power_of_two(function: str, name: str, value: int, least: int = 1) -> None:
    """Raise ValueError unless `value` is a power of two from `least` to `MAX_TILE`, as a length of a Triton tile is."""
    if not isinstance(value, int) or not least <= value <= MAX_TILE or value & (value - 1):
        raise ValueError(f"{function}: {name}={value!r}; it must be a power of two from {least} to {MAX_TILE}.")
