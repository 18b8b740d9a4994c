"""The CUDA C++ kernels of gelu.cu and softmax.cu, built where they run and kept in var/build by their source's hash."""

import ctypes
import functools
import hashlib
import importlib.util
import os
import shutil
from pathlib import Path

import torch

from kernels.inputs import require_small, require_tensor

SOURCES = Path(__file__).parent
BUILD = Path("var/build")
"""Where built libraries are kept, relative to the folder the program is started in."""

MAX_ROW = 16384
"""The longest row softmax.cu's fast kernel takes: 512 threads keep 8 vectors of four each."""


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
    """Where the library of `name`.cu for that compute capability is kept: a changed source or PyTorch builds anew."""
    source = (SOURCES / f"{name}.cu").read_bytes()
    about = f"{torch.__version__} {torch.version.cuda} {capability}".encode()
    return BUILD / f"{name}-{hashlib.sha256(source + about).hexdigest()[:16]}"


@functools.cache
def load(name: str) -> ctypes.CDLL:
    """The library of `name`.cu ("gelu" or "softmax") with its launchers; the first call builds it, in some seconds.

    Raises CudaUnavailable where there is no GPU, nvcc, C++ compiler or folder to build in, and where the build fails.
    """
    reason = missing()
    if reason is not None:
        raise CudaUnavailable(f"{name}.cu: {reason}")
    from torch.utils import cpp_extension  # not at the top: its import looks for a CUDA toolkit, and complains

    capability = torch.cuda.get_device_capability()
    folder = build_folder(name, capability)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = f"cannot make the folder {folder}: {error.strerror}; start the program where it can be made."
        raise CudaUnavailable(f"{name}.cu: {reason}") from error
    os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "{}.{}".format(*capability))
    try:
        path = cpp_extension.load(
            name=f"kernels_{name}", sources=[str(SOURCES / f"{name}.cu")], build_directory=str(folder),
            extra_cuda_cflags=["-O3", "-lineinfo"], is_python_module=False,
        )  # fmt: skip
        return ctypes.CDLL(path)
    except (RuntimeError, OSError) as error:
        raise CudaUnavailable(f"{name}.cu does not build in {folder}: {error}") from error


def _launch(source: str, function: str, x: torch.Tensor, *sizes: int) -> torch.Tensor:
    """Call `function` of `source`.cu on `x`, a new tensor like it and `sizes`, on PyTorch's stream of x's device."""
    launcher = getattr(load(source), function)
    y = torch.empty_like(x)
    with torch.cuda.device(x.device):
        stream = torch.cuda.current_stream().cuda_stream
        addresses = ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr())
        error = launcher(*addresses, *map(ctypes.c_int, sizes), ctypes.c_void_p(stream))
    if error:
        raise RuntimeError(f"{function} of {source}.cu: the launch failed with CUDA error {error}.")
    return y


def _checked(function: str, x: torch.Tensor, ndim: int | None = None) -> torch.Tensor:
    """`x` with its elements side by side and its first at a 16-byte boundary; ValueError unless float32 on a GPU."""
    if isinstance(x, torch.Tensor) and not (x.is_cuda and x.dtype == torch.float32):
        raise ValueError(f"{function}: x is {x.dtype} on {x.device}; the CUDA kernels take torch.float32 on a GPU.")
    require_tensor(function, "x", x, ndim)
    x = x.contiguous()
    require_small(function, "x", x)
    return x if x.data_ptr() % 16 == 0 else x.clone()


def gelu_double(x: torch.Tensor) -> torch.Tensor:
    """GeLU of `x` (any shape, float32) by gelu.cu's version whose literals make it compute in double precision."""
    x = _checked("gelu_double", x)
    return _launch("gelu", "gelu_double", x, x.numel())


def gelu(x: torch.Tensor) -> torch.Tensor:
    """GeLU of `x` (any shape, float32) by gelu.cu's simple version, one element a thread."""
    x = _checked("gelu", x)
    return _launch("gelu", "gelu", x, x.numel())


def gelu_fast(x: torch.Tensor) -> torch.Tensor:
    """GeLU of `x` (any shape, float32) by gelu.cu's fast version, four elements a thread."""
    x = _checked("gelu_fast", x)
    return _launch("gelu", "gelu_fast", x, x.numel())


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Softmax of each row of `x` [M, N] (float32) by softmax.cu's plain version, a block a row, three sweeps."""
    x = _checked("softmax", x, ndim=2)
    return _launch("softmax", "softmax", x, *x.shape)


def softmax_fast(x: torch.Tensor) -> torch.Tensor:
    """Softmax of each row of `x` [M, N] (float32) by softmax.cu's fast version; N a multiple of 4, at most 16384."""
    x = _checked("softmax_fast", x, ndim=2)
    if x.shape[1] % 4 or x.shape[1] > MAX_ROW:
        sizes = f"a multiple of 4, at most {MAX_ROW}"
        raise ValueError(f"softmax_fast: x has {x.shape[1]} columns; the CUDA version takes {sizes}. Use Triton's.")
    return _launch("softmax", "softmax_fast", x, *x.shape)
