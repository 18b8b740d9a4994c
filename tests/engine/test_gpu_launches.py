"""engine.launches on a GPU: what was launched is shown as it was launched."""

import json
import os
import re
import subprocess
import sys

import msgspec
import pytest

from engine import device
from engine.trace import KernelLines, Variant
from tests.engine.compiled import KERNELS, ROOT
from tests.recordings import python_path

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module", params=["compiled anew", "from torch.compile's cache"])
def launched(request, tmp_path_factory):
    """What samples/kernels/gpu_lecture.py printed, and its store: of a first run, and of a second."""
    if not device.usable_gpu():
        pytest.skip("needs an NVIDIA GPU")
    store = tmp_path_factory.mktemp("store")
    cache = tmp_path_factory.getbasetemp() / "inductor"
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment |= {"TORCHINDUCTOR_CACHE_DIR": str(cache), "PYTHONPATH": python_path(ROOT)}
    command = [sys.executable, str(KERNELS / "gpu_lecture.py"), str(store)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), store


def test_launches_with_their_grids_and_none_of_the_tuners(launched):
    said, _ = launched
    tuned = said["launches"][3]
    assert tuned[1] in ([2], [4])  # blocks of 64 or of 32, whichever was faster
    assert said["launches"] == [
        ["gelu_kernel", [4], False],
        ["softmax_kernel", [4], False],
        ["matmul_relu_kernel", [2, 2], False],
        tuned,
        tuned,
        ["through_module_kernel", [1], False],
        ["triton_poi_fused_add_relu_0", [], False],
        ["triton_poi_fused_add_relu_0", [], False],
    ]
    assert said["warnings"] == []


def test_what_autotuning_measured_is_kept_with_the_fastest_marked(launched):
    said, _ = launched
    [tuning] = said["tunings"]
    assert tuning["key"] == ["n = 100", "torch.float32"]
    assert tuning["method"].startswith("Triton's benchmark on NVIDIA")
    times = [config["milliseconds"] for config in tuning["configs"]]
    assert len(times) == 2 and min(times) > 0
    assert tuning["ran"] == times.index(min(times))


def variants(said) -> dict[str, Variant]:
    found = msgspec.convert(said["variants"], dict[str, list[Variant]])
    assert {len(of_one) for of_one in found.values()} == {1}
    return {name: of_one[0] for name, of_one in found.items()}


def test_variants_are_the_launched_binaries(launched):
    said, store = launched
    for name, variant in variants(said).items():
        assert (variant.origin, variant.reason) == ("launched", ""), name
        assert variant.device.startswith("NVIDIA ")
        assert variant.stages == ("ttir", "ttgir", "llir", "ptx", "sass")
        assert variant.registers in range(8, 256)
        assert 0 < variant.occupancy <= 1
        assert f".target {variant.target}" in (store / "kernels" / variant.key / "ptx").read_text()
    matmul = variants(said)["matmul_relu_kernel"]
    assert (matmul.num_warps, matmul.num_stages) == (4, 4)
    assert matmul.shared > 0
    assert variants(said)["gelu_kernel"].constants == {"BLOCK_SIZE": "1024"}


def test_kernel_that_torch_compile_wrote(launched):
    said, store = launched
    [language] = {kernel["language"] for kernel in said["kernels"] if kernel["name"] == "triton_poi_fused_add_relu_0"}
    folder = store / "kernels" / variants(said)["triton_poi_fused_add_relu_0"].key
    kept = msgspec.json.decode((folder / "lines.json").read_bytes(), type=KernelLines)
    text = (folder / "ptx").read_text().split("\n")
    loads = {kept.stages["ptx"].source[n] for n, words in enumerate(text) if "ld.global" in words}
    assert (language, len(loads)) == ("inductor", 1)
    assert min(loads) > 0


@pytest.mark.parametrize(
    ("kernel", "source", "stage", "instruction"),
    [
        ("gelu_kernel", "tl.load(", "ptx", r"\bld\.global"),
        ("gelu_kernel", "tl.load(", "sass", r"\bLDG\."),
        ("gelu_kernel", "tl.store(", "sass", r"\bSTG\."),
        ("matmul_relu_kernel", "tl.dot(", "ptx", r"\b(?:mma\.sync|wgmma\.mma_async|tcgen05\.mma)"),
    ],
)
def test_lines_of_launched_binaries(launched, kernel, source, stage, instruction):
    said, store = launched
    folder = store / "kernels" / variants(said)[kernel].key
    kept = msgspec.json.decode((folder / "lines.json").read_bytes(), type=KernelLines)
    text = (folder / stage).read_text().split("\n")
    lines = (ROOT / kept.path).read_text().split("\n")
    sources = {kept.stages[stage].source[n] for n, words in enumerate(text) if re.search(instruction, words)}
    assert {source in lines[line - 1] for line in sources} == {True}


def test_a_helper_of_another_file_is_called_as_in_the_recording(launched):
    """torch.compile changes the assembler that Triton uses, after this kernel was launched."""
    said, store = launched
    folder = store / "kernels" / variants(said)["through_module_kernel"].key
    kept = msgspec.json.decode((folder / "lines.json").read_bytes(), type=KernelLines)
    called = {path for chain in kept.stages["sass"].inlined.values() for path, _ in chain}
    assert called == {
        "triton/language/standard.py", "tests/samples/kernels/helpers.py", "tests/samples/kernels/awkward.py",
    }  # fmt: skip


def test_a_target_asked_for_is_compiled_too(launched):
    said, _ = launched
    assert [(variant["target"], variant["origin"], variant.get("reason", "")) for variant in said["asked"]] == [
        (variants(said)["gelu_kernel"].target, "launched", ""),
        ("sm_80", "compiled", ""),
    ]


def test_timing_is_not_disturbed(launched):
    took = launched[0]["microseconds"]
    assert took["unwatched"] < took["without"] + 5  # microseconds; a launch takes 20 or so
