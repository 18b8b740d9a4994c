"""PTX of every kernel, on a machine without a GPU."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from kernels.__main__ import main
from kernels.cuda import SOURCES, CudaUnavailable
from kernels.ptx import CUDA_SOURCES, EXAMPLES, capability, cuda_ptx, nvrtc_ptx, triton_ptx
from tests.kernels.processes import output, run

KERNELS = {
    "gelu": ["gelu_kernel", "gelu_fast_kernel"],
    "softmax": ["softmax_kernel", "softmax_fast_kernel"],
    "row_sum": ["row_sum_kernel", "row_sum_fast_kernel"],
    "matmul_relu": ["matmul_relu_kernel", "matmul_relu_fast_kernel"],
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_kernel_has_ptx_with_its_own_lines(name: str) -> None:
    found = triton_ptx(name)
    assert list(found) == KERNELS[name]
    for kernel, text in found.items():
        assert f".entry {kernel}(" in text and ".target sm_90" in text and f"{name}.py" in text and ".loc" in text


def test_gelu_reads_and_writes_16_bytes_at_once() -> None:
    text = triton_ptx("gelu")["gelu_kernel"]
    assert "ld.global.v4.b32" in text and "st.global.v4.b32" in text


def test_the_fast_product_uses_hoppers_tensor_cores_and_copy_engine() -> None:
    text = triton_ptx("matmul_relu")["matmul_relu_fast_kernel"]
    assert "wgmma.mma_async" in text and "cp.async.bulk.tensor" in text


@pytest.mark.parametrize("kernel", ["matmul_relu_kernel", "matmul_relu_fast_kernel"])
def test_the_relu_of_what_is_no_number_is_none_as_in_pytorch(kernel: str) -> None:
    """`max.f32` would make it 0, and hide it; the interpreter knows no difference between the two."""
    text = triton_ptx("matmul_relu")[kernel]
    assert "max.NaN.f32" in text and "max.f32" not in text


@pytest.mark.parametrize("target", ["sm_80", "sm_100"])
def test_other_targets(target: str) -> None:
    assert f".target {target}" in triton_ptx("gelu", target)["gelu_kernel"]


def test_a_process_whose_kernels_are_interpreted_gets_the_same_ptx() -> None:
    program = "from kernels.ptx import triton_ptx; print(triton_ptx('row_sum')['row_sum_kernel'], end='')"
    assert output("-c", program, interpret=True) == triton_ptx("row_sum")["row_sum_kernel"]


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the PATH")
def test_nvcc_compiles_the_cuda_kernels() -> None:
    assert_cuda(cuda_ptx("gelu"), cuda_ptx("softmax"))


def test_nvrtc_compiles_the_cuda_kernels() -> None:
    pytest.importorskip("cuda.bindings.nvrtc", reason="cuda-bindings is not installed")
    assert_cuda(*(nvrtc_ptx(SOURCES / f"{name}.cu", 90) for name in CUDA_SOURCES))


def assert_cuda(gelu: str, softmax: str) -> None:
    entries = {text.split("(")[0].strip(): text for text in gelu.split(".visible .entry")[1:]}
    assert entries.keys() == {"gelu_double_kernel", "gelu_kernel", "gelu_fast_kernel"}
    assert {name: "f64" in text for name, text in entries.items()} == {
        "gelu_double_kernel": True, "gelu_kernel": False, "gelu_fast_kernel": False,
    }  # fmt: skip
    assert ".v4.f32" in entries["gelu_fast_kernel"]
    assert ".entry softmax_kernel(" in softmax and ".entry softmax_fast_kernel(" in softmax and ".loc" in softmax
    # Beyond a row stands -inf: the lowest finite number would count where the whole row is as low
    assert "0fFF800000" in softmax.split(".entry softmax_fast_kernel(")[1]


def test_cuda_code_that_does_not_compile_is_said() -> None:
    with pytest.raises(CudaUnavailable, match=r"gelu.cu: [nN].* cannot compile it for sm_999"):
        cuda_ptx("gelu", "sm_999")


def test_neither_nvcc_nor_nvrtc_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(__import__("sys").modules, "cuda.bindings", None)
    with pytest.raises(CudaUnavailable, match=r"gelu.cu: no nvcc on the PATH and no NVRTC; pip install"):
        cuda_ptx("gelu")


def test_the_command_prints_the_others_and_ends_with_2_where_a_cuda_source_does_not_compile(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(name: str, target: str) -> str:
        raise CudaUnavailable(f"{name}.cu: nvcc cannot compile it")

    monkeypatch.setattr("kernels.ptx.triton_ptx", lambda name, target: {"a_kernel": "ret;"})
    monkeypatch.setattr("kernels.ptx.cuda_ptx", broken)
    assert main(["ptx", "gelu", "row_sum"]) == 2
    printed = [f"// a_kernel of kernels/{name}.py, compiled by Triton for sm_90" for name in ("gelu", "row_sum")]
    out, err = capsys.readouterr()
    assert out.splitlines() == [printed[0], "ret;", printed[1], "ret;"]
    assert err == "kernels ptx: gelu.cu: nvcc cannot compile it\n"


def test_the_command_prints_ptx_also_where_the_interpreter_is_asked_for() -> None:
    lines = output("-m", "kernels", "ptx", "row_sum", interpret=True).splitlines()
    assert lines[0] == "// row_sum_kernel of kernels/row_sum.py, compiled by Triton for sm_90"
    assert "// row_sum_fast_kernel of kernels/row_sum.py, compiled by Triton for sm_90" in lines


def test_a_target_that_is_none_is_one_sentence_and_exit_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    assert main(["ptx", "gelu", "--target", "hopper"]) == 2
    said = "kernels ptx: target 'hopper' is no compute capability; write sm_80, sm_90 or sm_100, say.\n"
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize("interpret", [False, True])
def test_a_target_that_the_compilers_do_not_know_is_said_last_and_exit_2(interpret: bool) -> None:
    finished = run("-m", "kernels", "ptx", "gelu", "--target", "sm_123", interpret=interpret)
    assert (finished.returncode, finished.stdout) == (2, "")
    *of_llvm, said = finished.stderr.splitlines()
    assert re.fullmatch(r"kernels ptx: gelu_kernel does not compile for sm_123: .*'sm_123a?' is not defined .*", said)
    assert all("sm_123" in line for line in of_llvm)


@pytest.mark.parametrize("interpret", [False, True])
def test_a_cache_that_cannot_be_written_is_one_sentence_and_exit_2(
    interpret: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "file" / "cache"))
    finished = run("-m", "kernels", "ptx", "row_sum", interpret=interpret)
    said = "kernels ptx: row_sum_kernel: Triton cannot keep what it compiles: [Errno 20] Not a directory: "
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr.startswith(said) and finished.stderr.endswith("name a folder for it in TRITON_CACHE_DIR.\n")


def test_a_process_that_ends_without_a_word_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernels.ptx.INTERPRETED", True)
    killed = subprocess.CompletedProcess[str]([], -9, "", "")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: killed)
    with pytest.raises(RuntimeError, match="the compiling process ended with -9"):
        triton_ptx("row_sum")


def test_capability() -> None:
    assert (capability("sm_80"), capability("sm_100")) == (80, 100)
