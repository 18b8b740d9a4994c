"""engine.compile: kernels compiled without a GPU, kept by their hash, and every failure a variant that says why."""

import hashlib
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from engine import compile as compile_module
from engine.compile import Wanted, compile_all, parse_targets
from engine.errors import UsageError
from engine.request import Constant, CudaRequest, Facts, Function, Job, Module, Result, TritonRequest
from engine.toolkit import find_tool
from engine.trace import KernelLines, Limit, StageLines, Variant
from tests.engine.compiled import ROOT, compiled

PROJECT = ("gelu_kernel", "softmax_kernel", "row_sum_kernel", "matmul_relu_kernel")
TARGETS = ["sm_80", "sm_90", "sm_100"]

# ---------------------------------------------------------------- what is compiled


@pytest.mark.parametrize("kernel", PROJECT)
def test_each_kernel_of_the_project_for_each_target(kernel):
    variants = compiled().variants[kernel]
    assert [variant.target for variant in variants] == TARGETS
    for variant in variants:
        assert variant.stages == ("ttir", "ttgir", "llir", "ptx", "sass")
        assert variant.origin == "compiled"
        assert variant.reason == ""
        assert variant.registers in range(8, 256)
        assert variant.spills == 0
        assert 0 < variant.occupancy <= 1
        folder = compiled().store / "kernels" / variant.key
        kept = {"lines.json", "facts.json", "work.json"}
        assert {path.name for path in folder.iterdir()} == {*variant.stages, *kept}


def test_lines_are_said_to_belong_to_the_file_as_it_was():
    source = (ROOT / "kernels" / "gelu.py").read_bytes()
    lines = compiled().kept_lines("gelu_kernel")
    assert (lines.path, lines.sha256) == ("kernels/gelu.py", hashlib.sha256(source).hexdigest())
    assert list(lines.stages) == ["ttir", "ttgir", "llir", "ptx", "sass"]


def test_nothing_tells_where_the_kernel_was_compiled():
    for stage in ("ttir", "ttgir", "llir", "ptx", "sass"):
        assert str(ROOT / "kernels") not in "\n".join(compiled().text("gelu_kernel", "sm_90", stage))


def test_types_and_constants_are_those_of_a_launch_on_a_gpu():
    variant = compiled().variant("matmul_relu_kernel")
    assert variant.signature == {
        "a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp16", "M": "i32", "N": "i32", "K": "i32",
        "stride_am": "i32", "stride_bk": "i32", "stride_cm": "i32",
    }  # fmt: skip
    assert variant.constants == {
        "stride_ak": "1", "stride_bn": "1", "stride_cn": "1",  # integers of 1 are compiled in
        "BLOCK_M": "64", "BLOCK_N": "64", "BLOCK_K": "32", "PRECISION": "'tf32'",
    }  # fmt: skip


def test_what_is_known_of_alignment_reaches_the_compiler():
    aligned, unaligned = (compiled().variants["scale_kernel"][number].key for number in (0, 1))
    texts = [(compiled().store / "kernels" / key / "ttir").read_text() for key in (aligned, unaligned)]
    assert [text.count("tt.divisibility = 16") for text in texts] == [3, 1]  # y[1:] is not, and 1 is compiled in


def test_options_of_the_launch_and_of_the_tuner():
    assert compiled().variant("scale_kernel").num_warps == 8
    tuned = compiled().variant("ones_kernel")
    assert (tuned.num_warps, tuned.constants) == (2, {"BLOCK": "64", "EVEN": "True"})


def test_only_the_first_kinds_of_arguments_are_compiled():
    assert len(compiled().variants["scale_kernel"]) == 4
    [[message, path, line]] = compiled().warnings
    assert message == "scale_kernel was launched with 6 kinds of arguments; the first 4 are shown compiled"
    assert (path, line) == ("tests/samples/kernels/pointwise.py", 15)


@pytest.mark.parametrize("kernel", ["through_module_kernel", "closed_over_kernel"])
def test_helpers_of_other_files_and_closed_over_values(kernel):
    variant = compiled().variant(kernel)
    assert (variant.reason, variant.stages[-1]) == ("", "sass")
    assert variant.sources == ("tests/samples/kernels/helpers.py",)


def test_arguments_that_are_tuples_named_ones_too():
    variant = compiled().variant("parts_kernel")
    assert (variant.reason, variant.stages[-1]) == ("", "sass")
    assert variant.signature == {"pair": "(*fp32, i32)", "row": "(pointer: *fp32, stride: i32)"}
    assert variant.constants == {"shift": "None", "BLOCK": "16"}


def test_assertions_stay_where_the_kernel_keeps_them():
    assert "__assertfail" in "\n".join(compiled().text("parts_kernel", "sm_90", "ptx"))


def test_tensor_memory_limits_occupancy():
    text = "\n".join(compiled().text("matmul_relu_kernel", "sm_100", "ptx"))
    assert "tcgen05.alloc" in text
    assert compiled().variant("matmul_relu_kernel", "sm_100").occupancy == 8 * 4 / 64  # 512 columns, 64 a block
    limits = compiled().variant("matmul_relu_kernel", "sm_100").residency.limits
    assert min(limits, key=lambda limit: limit.blocks) == Limit("tensor memory", 64, 512, 8)


# ---------------------------------------------------------------- what fails


def test_the_compilers_own_words():
    variant = compiled().variant("plain_global_kernel")
    assert variant.stages == ()
    assert "Cannot access global variable FACTOR from within @jit'ed function" in variant.reason
    assert "x * FACTOR" in variant.reason


def test_a_complaint_names_file_line_and_what_is_wrong():
    path, kernel = "tests/samples/kernels/awkward.py", "plain_global_kernel"
    line = compiled().line_with(kernel, "FACTOR")
    said = compiled().variant(kernel).reason.partition("\n")[0]
    assert said.startswith(f"{path}:{line}: NameError: Cannot access global variable FACTOR from within")


def test_a_complaint_about_what_a_helper_calls():
    """The chain from the kernel through the helper into Triton's own code, whose message is the one that counts."""
    kernel = "nested_error_kernel"
    first, _, rest = compiled().variant(kernel).reason.partition("\n")
    assert first.startswith("tests/samples/kernels/helpers.py:14: ") and first.endswith(": 1)") is False
    assert [part for part in ("helpers.flipped(", "tl.flip(x, dim)", "def flip(") if part not in rest] == []


def test_a_value_that_cannot_travel_is_named():
    reason = compiled().variant("table_kernel").reason
    assert reason.endswith("Values that could not be handed to the compiler: TABLE (of type dict)")


def gelu_job(target="sm_90", **changes) -> Wanted:
    """A small Triton kernel, without Triton having been asked for it."""
    source = "def copy(x, y, N: tl.constexpr):\n    i = tl.arange(0, N)\n    tl.store(y + i, tl.load(x + i))\n"
    kernel = Function(
        "jit", "copy", "k.py", 3, source, names={"tl": 1}, annotations={"N": "constexpr"}
    )
    objects = (kernel, Module("triton.language"), Constant("int", "32"))
    request = TritonRequest(objects, {"x": "*fp32", "y": "*fp32", "N": "constexpr"}, (((2,), 2),), (), {})
    return Wanted("copy", msgspec.structs.replace(request, **changes), "k.py", "0" * 64)


def test_stages_before_the_one_that_failed(tmp_path, compilers):
    wanted = gelu_job(options={"ptx_options": "--no-such-option"})
    [variant] = compile_all({0: [wanted]}, ["sm_90"], tmp_path, workers=compilers)[0]
    assert variant.stages == ("ttir", "ttgir", "llir", "ptx")
    assert "no-such-option" in variant.reason
    folder = tmp_path / "kernels" / variant.key
    assert (folder / "ptx").read_text().count(".entry copy") == 1
    lines = msgspec.json.decode((folder / "lines.json").read_bytes(), type=KernelLines)  # of a file beside the lecture
    assert [{*lines.stages[stage].source} - {-1, 0} for stage in variant.stages] == [{3, 4, 5}] * 4


def test_a_target_that_this_triton_does_not_know(tmp_path, compilers):
    [variant] = compile_all({0: [gelu_job()]}, ["sm_12"], tmp_path, workers=compilers)[0]
    assert (variant.target, variant.stages[-1:]) == ("sm_12", ("ptx",)[: len(variant.stages)])
    assert variant.reason


def test_a_launched_kernel_is_compiled_too_for_the_targets_that_the_lecture_claims_something_of(tmp_path, compilers):
    launched = Wanted("copy", None, "k.py", "0" * 64, "sm_90", "NVIDIA H200", "its binary could not be had")
    wanted = {3: [launched, gelu_job()], 4: [launched, gelu_job()]}
    variants = compile_all(wanted, (), tmp_path, workers=compilers, claimed={3: ["sm_80", "sm_90"]})
    each = {number: [(one.target, one.origin) for one in of_kernel] for number, of_kernel in variants.items()}
    assert each == {3: [("sm_90", "launched"), ("sm_80", "compiled")], 4: [("sm_90", "launched")]}
    assert "ptx" in variants[3][1].stages


def test_a_kernel_that_could_not_be_captured(tmp_path):
    wanted = Wanted("k", None, "k.py", "0" * 64, reason="TypeError: too many arguments")
    variants = compile_all({4: [wanted]}, ["sm_80", "sm_90"], tmp_path)[4]
    assert [(variant.target, variant.reason, variant.key) for variant in variants] == [
        ("sm_80", "TypeError: too many arguments", ""),
        ("sm_90", "TypeError: too many arguments", ""),
    ]


def test_an_unwritable_store_is_said_not_raised(tmp_path, compilers):
    (tmp_path / "kernels").write_text("a file where a folder should be")
    [variant] = compile_all({0: [gelu_job()]}, ["sm_90"], tmp_path, workers=compilers)[0]
    assert variant.reason.startswith("cannot write ")


def test_long_words_are_cut(monkeypatch, tmp_path):
    pretend(monkeypatch, Result(reason="x" * 5000))
    [variant] = compile_all({0: [gelu_job()]}, ["sm_90"], tmp_path)[0]
    assert variant.reason == "x" * 4000 + "\n... cut after 4000 characters"


@pytest.mark.parametrize("word", ["90", "sm_9", "sm_90x", "compute_90", ""])
def test_a_word_that_is_no_target(word):
    with pytest.raises(UsageError, match="is no target; name an architecture such as sm_80, sm_90 or sm_100"):
        parse_targets(["sm_80", word])


def test_targets_are_taken_once():
    assert parse_targets(["sm_90", "sm_80", "sm_90", "sm_100a"]) == ("sm_90", "sm_80", "sm_100a")


# ---------------------------------------------------------------- what is kept

RESULT = Result(
    {"ptx": "a\n"}, {"ptx": StageLines([3, -1])}, {"copy": Facts(num_warps=4, threads=128, registers=32, shared=0)}
)


def pretend(monkeypatch, result: Result) -> list[Job]:
    """Instead of compiling, answer each job with `result`; the jobs done so far."""
    jobs: list[Job] = []

    def run_jobs(given, done, seconds):
        for job in given:
            jobs.append(job)
            done(job, result)

    monkeypatch.setattr(compile_module, "run_jobs", run_jobs)
    return jobs


def test_compiled_once(monkeypatch, tmp_path):
    jobs = pretend(monkeypatch, RESULT)
    told = []
    first = compile_all({0: [gelu_job()]}, TARGETS, tmp_path, progress=lambda *count: told.append(count))
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert compile_all({0: [gelu_job()]}, TARGETS, tmp_path) == first
    assert len(jobs) == 3
    second = first[0][1]
    assert second == Variant(
        target="sm_90", origin="compiled", key=jobs[1].key, stages=("ptx",),
        signature={"x": "*fp32", "y": "*fp32"}, constants={"N": "32"},
        num_warps=4, registers=32, shared=0, occupancy=1.0, residency=second.residency,
    )  # fmt: skip
    assert second.residency is not None and second.residency.blocks * second.residency.warps == 64


@pytest.mark.parametrize(
    "changed",
    [
        {"signature": {"x": "*fp16", "y": "*fp32", "N": "constexpr"}},
        {"options": {"num_warps": 8}},
        {"attributes": (((0,), (("tt.divisibility", 16),)),)},
        {"objects": (*gelu_job().work.objects[:2], Constant("int", "64"))},
        {"objects": (msgspec.structs.replace(gelu_job().work.objects[0], line=4), *gelu_job().work.objects[1:])},
    ],
    ids=["type", "option", "alignment", "constant", "line"],
)
def test_whatever_changes_the_kernel_is_compiled_anew(monkeypatch, tmp_path, changed):
    jobs = pretend(monkeypatch, RESULT)
    compile_all({0: [gelu_job()]}, ["sm_90"], tmp_path)
    compile_all({0: [gelu_job(**changed)]}, ["sm_90"], tmp_path)
    assert len(jobs) == 2


def test_another_triton_compiles_anew(monkeypatch, tmp_path):
    jobs = pretend(monkeypatch, RESULT)
    for version in ("3.7.1", "3.9.0"):
        monkeypatch.setattr(compile_module, "triton_version", lambda version=version: version)
        compile_all({0: [gelu_job()]}, ["sm_90"], tmp_path)
    assert len(jobs) == 2


def test_a_change_elsewhere_in_the_file_compiles_nothing(monkeypatch, tmp_path):
    jobs = pretend(monkeypatch, RESULT)
    keys = []
    for digest in ("0" * 64, "1" * 64):
        wanted = gelu_job()
        wanted = Wanted(wanted.name, wanted.work, wanted.path, digest)
        keys.append(compile_all({0: [wanted]}, ["sm_90"], tmp_path)[0][0].key)
    assert len(jobs) == 1
    before, now = (tmp_path / "kernels" / key / "lines.json" for key in keys)
    assert [msgspec.json.decode(path.read_bytes(), type=KernelLines).sha256[0] for path in (before, now)] == ["0", "1"]


def test_what_is_not_complete_is_compiled_again(monkeypatch, tmp_path):
    jobs = pretend(monkeypatch, RESULT)
    [variant] = compile_all({0: [gelu_job()]}, ["sm_90"], tmp_path)[0]
    (tmp_path / "kernels" / variant.key / "ptx").unlink()
    compile_all({0: [gelu_job()]}, ["sm_90"], tmp_path)
    assert len(jobs) == 2


def test_what_may_end_otherwise_is_tried_again(monkeypatch, tmp_path):
    jobs = pretend(monkeypatch, Result({"ptx": "a"}, reason="no nvdisasm was found", lasting=False))
    for _ in range(2):
        [variant] = compile_all({0: [gelu_job()]}, ["sm_90"], tmp_path)[0]
        assert (variant.stages, variant.reason) == (("ptx",), "no nvdisasm was found")
    assert len(jobs) == 2


def test_two_kernels_with_the_same_work_share_it(monkeypatch, tmp_path):
    jobs = pretend(monkeypatch, RESULT)
    compile_all({0: [gelu_job()], 1: [gelu_job()]}, ["sm_90"], tmp_path)
    assert len(jobs) == 1


def test_a_launched_binary_needs_no_other_target(monkeypatch, tmp_path):
    pretend(monkeypatch, RESULT)
    launched = Wanted("copy", gelu_job().work, "k.py", "0" * 64, launched_for="sm_90", device="NVIDIA H200")
    both = {0: [gelu_job(), launched]}
    [variant] = compile_all(both, (), tmp_path)[0]
    assert (variant.target, variant.origin, variant.device) == ("sm_90", "launched", "NVIDIA H200")
    found = [(v.target, v.origin) for v in compile_all(both, ["sm_80"], tmp_path)[0]]
    assert found == [("sm_80", "compiled"), ("sm_90", "launched")]


def test_looking_up_starts_no_process_and_imports_no_triton(tmp_path):
    code = f"""
import sys
from pathlib import Path
from engine import workers
from engine.compile import compile_all
from tests.engine.test_compile import gelu_job
workers.subprocess = None
for name in ("torch", "triton"):
    sys.modules[name] = None
[variant] = compile_all({{0: [gelu_job()]}}, ["sm_90"], Path({str(tmp_path)!r}))[0]
print(variant.stages)
"""
    [variant] = compile_all({0: [gelu_job()]}, ["sm_90"], tmp_path)[0]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.stdout == f"{variant.stages}\n", done.stderr


# ---------------------------------------------------------------- CUDA C++


def test_cuda_kernel():
    variant = compiled().variant("squares")
    assert variant.stages == ("ptx", "sass")
    assert variant.registers in range(8, 256)
    assert variant.occupancy == 1.0  # of 256 threads, as its __launch_bounds__ say
    text = "\n".join(compiled().text("squares", "sm_90", "ptx"))
    assert text.count(".entry") == 1  # the file's other kernel is not in the way
    assert variant.sources == ("tests/samples/kernels/squares.cuh",)


def cuda_compiler(nvcc: bool) -> str:
    """As `CudaRequest.nvcc`; skips the test where that compiler is not here."""
    compiler = find_tool("nvcc") if nvcc else ""
    if compiler is None:
        pytest.skip("needs nvcc")
    if not nvcc:
        pytest.importorskip("cuda.bindings.nvrtc", reason="needs NVRTC")
    return compiler


@pytest.mark.parametrize("nvcc", [True, False], ids=["nvcc", "NVRTC"])
def test_cuda_compilers_own_words(tmp_path, compilers, nvcc):
    work = CudaRequest("k", "dir/k.cu", "\n\n__global__ void k(float *x) { x[0] = yes; }\n", {}, cuda_compiler(nvcc))
    [variant] = compile_all({0: [Wanted("k", work, "dir/k.cu", "0" * 64)]}, ["sm_90"], tmp_path, workers=compilers)[0]
    assert variant.stages == ()
    assert 'dir/k.cu(3): error: identifier "yes" is undefined' in variant.reason


@pytest.mark.parametrize("nvcc", [True, False], ids=["nvcc", "NVRTC"])
def test_an_instance_of_a_template(tmp_path, compilers, nvcc):
    source = "namespace a {\ntemplate <int N> __global__ void __launch_bounds__(N) k(float *x) { x[0] = N; }\n}\n"
    work = CudaRequest("k", "k.cu", source, {}, cuda_compiler(nvcc), "a::k<64>")
    nameless = msgspec.structs.replace(work, instance="")
    absent = msgspec.structs.replace(nameless, source="#if 0\n__global__ void k() {}\n#endif\n")
    wanted = [Wanted("k", one, "k.cu", "0" * 64) for one in (work, nameless, absent)]
    made, nothing, left_out = compile_all({0: wanted}, ["sm_90"], tmp_path, workers=compilers)[0]
    assert (made.stages, made.constants, made.reason) == (("ptx", "sass"), {"instance": "a::k<64>"}, "")
    assert made.residency.warps == 2
    assert nothing.stages == ()
    assert nothing.reason == (
        "k is a template, and k.cu does not say for which arguments to compile it: "
        "add `template __global__ void k<..>(..);` behind it"
    )
    assert left_out.reason == "nothing came of k: it stands in a part of k.cu that an #if leaves out"


def test_nvrtc_finds_the_headers_beside_the_file(tmp_path, compilers):
    pytest.importorskip("cuda.bindings.nvrtc", reason="needs NVRTC")
    source = '#include "own.cuh"\n#include <torch/extension.h>\n__global__ void k(float *x) { *x = twice(*x); }\n'
    headers = {"own.cuh": "__device__ float twice(float x) { return 2 * x; }\n"}
    work = CudaRequest("k", "dir/k.cu", source, headers, nvcc="")
    [variant] = compile_all({0: [Wanted("k", work, "dir/k.cu", "0" * 64)]}, ["sm_90"], tmp_path, workers=compilers)[0]
    assert (variant.stages, variant.reason) == (("ptx", "sass"), "")
    assert ".nv" not in Path(tmp_path, "kernels", variant.key, "ptx").read_text()[:6]
