"""Is there a GPU that Triton and PyTorch can use? Found without importing either, leaving this process as it is."""

import ctypes
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

LIBRARY = "libcuda.so.1"
"The CUDA driver's library, which is there exactly where the driver is installed."

_PROBE = """
import ctypes, sys
cuda, count = ctypes.CDLL(sys.argv[1]), ctypes.c_int(0)
sys.exit(0 if cuda.cuInit(0) == 0 and cuda.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0 else 1)
"""
PROBE_SECONDS = 20.0
"How long the driver may take to answer; a machine with eight GPUs takes about three seconds."


def usable_gpu(library: str = LIBRARY) -> bool:
    """Whether kernels can be launched on a GPU here: a driver that sees one, and a PyTorch that was built for CUDA.

    The driver is asked in a process of its own, since it reads CUDA_VISIBLE_DEVICES only once, when it is first
    initialised, and a lecture may still set it. Where there is no driver no process is started. Never raises.
    """
    return _loads(library) and not _torch_lacks_cuda() and _driver_sees_one(library)


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _driver_sees_one(library: str) -> bool:
    command = [sys.executable, "-I", "-S", "-c", _PROBE, library]
    try:
        return subprocess.run(command, capture_output=True, timeout=PROBE_SECONDS, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _torch_lacks_cuda() -> bool:
    """Whether PyTorch is installed in its build for the CPU: its version file says `cuda ... = None`."""
    try:
        spec = importlib.util.find_spec("torch")
        version = Path(spec.origin).with_name("version.py").read_text() if spec and spec.origin else ""
    except (OSError, ValueError, ImportError):
        return False
    return re.search(r"^cuda\b[^=\n]*=\s*None", version, re.MULTILINE) is not None
