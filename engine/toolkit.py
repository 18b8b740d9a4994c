"""Finds NVIDIA's command-line tools: those in Triton's wheel, else a CUDA toolkit's. Imports neither."""

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

SECONDS = 60.0
"How long one run of a tool may take."


def find_tool(name: str) -> str | None:
    """Path of `nvdisasm`, `ptxas`, `ptxas-blackwell`, `nvcc`, ..; None where there is none."""
    candidates = [_in_triton(name), _in_toolkit(name)]
    return next((path for path in candidates if path is not None), None)


def assemblers() -> list[str]:
    """Paths of every `ptxas` there is: PyTorch's, those of Triton for older and for newer GPUs, a CUDA toolkit's."""
    in_wheels = [_in_wheel("torch", "bin/ptxas"), _in_triton("ptxas"), _in_triton("ptxas-blackwell")]
    return [path for path in (*in_wheels, _in_toolkit("ptxas")) if path is not None]


def _in_triton(name: str) -> str | None:
    return _in_wheel("triton", f"backends/nvidia/bin/{name}")


def _in_wheel(package: str, file: str) -> str | None:
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        path = Path(folder, file)
        if os.access(path, os.X_OK):
            return str(path)
    return None


def _in_toolkit(name: str) -> str | None:
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    return (shutil.which(name, path=str(Path(home, "bin"))) if home else None) or shutil.which(name)


def run_tool(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a tool to its end and return what it said. Raises subprocess.TimeoutExpired."""
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)


def cuda_version(nvcc: str) -> str:
    """What tells one CUDA compiler from another: of nvcc its file, of NVRTC its wheel. Starts no process."""
    if nvcc:
        status = Path(nvcc).resolve().stat()
        return f"nvcc {Path(nvcc).resolve()} {status.st_size} {status.st_mtime_ns}"
    names = ("nvidia-cuda-nvrtc", "nvidia-cuda-nvrtc-cu12", "nvidia-cuda-nvrtc-cu13", "cuda-bindings")
    return " ".join(f"{name}-{_version(name)}" for name in names)


def triton_version() -> str:
    """Version of the Triton installed here; empty where there is none."""
    return _version("triton")


def _version(distribution: str) -> str:
    from importlib import metadata  # brings the mail package with it, which most recordings need not wait for

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""
