"""engine.device: a GPU is found without importing torch, and nothing is left in this process."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine import device


@pytest.fixture
def driver(tmp_path):
    """Builds a driver library of a machine with `count` GPUs."""
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc to build a stand-in for the CUDA driver")

    def build(body: str) -> str:
        source, library = tmp_path / "cuda.c", tmp_path / "libcuda.so"
        source.write_text(body)
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
        return str(library)

    return build


TWO_GPUS = "int cuInit(unsigned f) { return 0; } int cuDeviceGetCount(int *n) { *n = 2; return 0; }"
NO_DEVICE = "int cuInit(unsigned f) { return 100; } int cuDeviceGetCount(int *n) { *n = 2; return 0; }"
HIDDEN = "int cuInit(unsigned f) { return 0; } int cuDeviceGetCount(int *n) { *n = 0; return 0; }"
CRASHES = "int cuInit(unsigned f) { *(volatile int *)0 = 1; return 0; }"


def with_cuda_torch(monkeypatch, tmp_path: Path, version: str) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise ImportError('never imported')")
    (tmp_path / "torch" / "version.py").write_text(version)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "torch", raising=False)


@pytest.mark.parametrize(
    ("body", "version", "usable"),
    [
        (TWO_GPUS, "cuda: Optional[str] = '13.0'\n", True),
        (TWO_GPUS, "cuda: Optional[str] = None\n", False),
        (TWO_GPUS, "cuda = None\n", False),
        (NO_DEVICE, "cuda: Optional[str] = '13.0'\n", False),
        (HIDDEN, "cuda: Optional[str] = '13.0'\n", False),
        (CRASHES, "cuda: Optional[str] = '13.0'\n", False),
    ],
)
def test_usable_gpu(driver, monkeypatch, tmp_path, body, version, usable):
    with_cuda_torch(monkeypatch, tmp_path, version)
    assert device.usable_gpu(driver(body)) is usable


def test_no_driver_no_process(monkeypatch):
    monkeypatch.setattr(subprocess, "run", None)
    assert device.usable_gpu("libno-such-driver.so.1") is False


def test_no_torch_in_this_process():
    code = "import sys; from engine.device import usable_gpu; usable_gpu(); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
