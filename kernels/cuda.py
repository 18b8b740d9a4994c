"""The CUDA C++ kernels of gelu.cu and softmax.cu, built where they run and kept in var/build by their source's hash."""

import functools
import hashlib
import importlib.util
import os
import shutil
from pathlib import Path
from types import ModuleType

import torch

from kernels.inputs import require_small, require_tensor

SOURCES = Path(__file__).parent
BUILD = Path("var/build")
"""Where built extensions are kept, relative to the folder the program is started in."""

MAX_ROW = 32768
"""The longest row `softmax_fast` takes: 128 KB of shared memory, which a block can have on every GPU since A100."""


class CudaUnavailable(RuntimeError):
    """A .cu kernel cannot be built or run here; the text says what is missing and what to do."""


def missing() -> str | None:
    """What keeps the .cu kernels from running on this machine, as a sentence; None if nothing does."""
    if not torch.cuda.is_available():
        return "PyTorch sees no NVIDIA GPU; run this on a machine that has one."
    if shutil.which("nvcc") is None:
        return "No nvcc on the PATH; install the CUDA toolkit, or add its bin folder to the PATH."
    compiler = os.environ.get("CXX", "c++")
    if shutil.which(compiler) is None:
        return f"No C++ compiler {compiler!r} on the PATH; install one, or name it in CXX."
    if shutil.which("ninja") is None and importlib.util.find_spec("ninja") is None:
        return "No ninja to drive the build; pip install ninja."
    return None


def build_folder(name: str, capability: tuple[int, int]) -> Path:
    """Where the extension of `name`.cu for that compute capability is kept: a changed source or PyTorch builds anew."""
    source = (SOURCES / f"{name}.cu").read_bytes()
    about = f"{torch.__version__} {torch.version.cuda} {capability}".encode()
    return BUILD / f"{name}-{hashlib.sha256(source + about).hexdigest()[:16]}"


@functools.cache
def load(name: str) -> ModuleType:
    """The compiled extension of `name`.cu ("gelu" or "softmax"); the first call builds it, which takes a minute.

    Raises CudaUnavailable where there is no GPU, nvcc or C++ compiler, and where the build fails.
    """
    reason = missing()
    if reason is not None:
        raise CudaUnavailable(f"{name}.cu: {reason}")
    from torch.utils import cpp_extension  # imported here: it looks for a CUDA toolkit, and says so when there is none

    capability = torch.cuda.get_device_capability()
    folder = build_folder(name, capability)
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "{}.{}".format(*capability))
    try:
        module: ModuleType = cpp_extension.load(
            name=f"kernels_{name}", sources=[str(SOURCES / f"{name}.cu")], build_directory=str(folder),
            extra_cuda_cflags=["-O3", "-lineinfo"],
        )  # fmt: skip
    except (RuntimeError, ImportError, OSError) as error:
        raise CudaUnavailable(f"{name}.cu does not build in {folder}: {error}") from error
    return module


def _checked(function: str, x: torch.Tensor, ndim: int | None = None) -> torch.Tensor:
    """`x` with its elements side by side and its first at a 16-byte boundary; ValueError unless float32 on a GPU."""
    if not x.is_cuda or x.dtype != torch.float32:
        raise ValueError(f"{function}: x is {x.dtype} on {x.device}; the CUDA kernels take torch.float32 on a GPU.")
    require_tensor(function, "x", x, ndim)
    x = x.contiguous()
    require_small(function, "x", x)
    return x if x.data_ptr() % 16 == 0 else x.clone()


def _gelu(function: str, x: torch.Tensor) -> torch.Tensor:
    x = _checked(function, x)
    y = torch.empty_like(x)
    getattr(load("gelu"), function)(x, y)
    return y


def gelu_double(x: torch.Tensor) -> torch.Tensor:
    """GeLU of `x` (any shape, float32) by gelu.cu's version whose literals make it compute in double precision."""
    return _gelu("gelu_double", x)


def gelu(x: torch.Tensor) -> torch.Tensor:
    """GeLU of `x` (any shape, float32) by gelu.cu's simple version, one element a thread."""
    return _gelu("gelu", x)


def gelu_fast(x: torch.Tensor) -> torch.Tensor:
    """GeLU of `x` (any shape, float32) by gelu.cu's fast version, 16 bytes at a time."""
    return _gelu("gelu_fast", x)


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Softmax of each row of `x` [M, N] (float32) by softmax.cu's simple version, a block a row."""
    x = _checked("softmax", x, ndim=2)
    y = torch.empty_like(x)
    load("softmax").softmax(x, y)
    return y


def softmax_fast(x: torch.Tensor) -> torch.Tensor:
    """Softmax of each row of `x` [M, N] (float32) by softmax.cu's fast version; N a multiple of 4, at most 32768."""
    x = _checked("softmax_fast", x, ndim=2)
    N = x.shape[1]
    if N % 4 or N > MAX_ROW:
        raise ValueError(f"softmax_fast: x has {N} columns; the CUDA version takes a multiple of 4, at most {MAX_ROW}.")
    y = torch.empty_like(x)
    load("softmax").softmax_fast(x, y)
    return y
