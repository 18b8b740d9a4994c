"""Building the .cu kernels: where they are kept, and what is said where they cannot be built."""

from pathlib import Path

import pytest
import torch

from kernels import cuda

NO_GPU = not torch.cuda.is_available()


@pytest.fixture
def a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the module believe that there is a GPU."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)


@pytest.mark.skipif(not NO_GPU, reason="this machine has a GPU")
def test_without_a_gpu() -> None:
    with pytest.raises(cuda.CudaUnavailable) as error:
        cuda.load("gelu")
    assert str(error.value) == "gelu.cu: PyTorch sees no NVIDIA GPU; run this on a machine that has one."


def test_without_nvcc(a_gpu: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cuda.missing() == "No nvcc on the PATH; install the CUDA toolkit, or add its bin folder to the PATH."


def test_without_a_compiler(a_gpu: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nvcc").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CXX", "g++-99")
    assert cuda.missing() == "No C++ compiler 'g++-99' on the PATH; install one, or name it in CXX."


def test_without_a_folder_to_build_in(a_gpu: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(cuda, "missing", lambda: None)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: (9, 0))
    monkeypatch.setattr(cuda, "BUILD", tmp_path / "file" / "build")
    said = r"gelu.cu: cannot make the folder .*/file/build/gelu-.*: Not a directory; start the program where it can"
    with pytest.raises(cuda.CudaUnavailable, match=said):
        cuda.load("gelu")


def test_a_changed_source_or_another_gpu_is_built_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "SOURCES", tmp_path)
    (tmp_path / "gelu.cu").write_text("first")
    folder = cuda.build_folder("gelu", (9, 0))
    assert folder.parent == Path("var/build") and folder.name.startswith("gelu-")
    assert cuda.build_folder("gelu", (9, 0)) == folder
    assert cuda.build_folder("gelu", (8, 0)) != folder
    (tmp_path / "gelu.cu").write_text("second")
    assert cuda.build_folder("gelu", (9, 0)) != folder


@pytest.mark.gpu
@pytest.mark.skipif(NO_GPU, reason="PyTorch sees no NVIDIA GPU")
def test_a_source_that_does_not_compile_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "SOURCES", tmp_path)
    monkeypatch.setattr(cuda, "BUILD", tmp_path / "build")
    (tmp_path / "broken.cu").write_text("this is not C++")
    with pytest.raises(cuda.CudaUnavailable, match=r"broken.cu does not build in .*broken-"):
        cuda.load("broken")
