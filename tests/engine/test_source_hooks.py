"""engine.source_hooks: kernels that PyTorch builds from text are in the recording too."""

import json
import os
import subprocess
import sys

import pytest

from tests.engine.compiled import KERNELS
from tests.once import once
from tests.recordings import ROOT


def build(store):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(KERNELS / "build.py"), str(store)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (store / "said.json").write_text(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def built():
    """Kernels and launches noted while samples/kernels/build.py builds; and the files kept."""
    store = once("built", build)
    kernels, launches = json.loads((store / "said.json").read_text())
    return kernels, launches, sorted((store / "kernels" / "sources").iterdir())


def test_cuda_sources_of_extensions(built):
    kernels, _, _ = built
    assert [kernel for kernel in kernels if kernel[1] == "cuda"] == [
        ["other", "cuda", "squares.cu", 5, 7],  # the text is that of a file beside the lecture
        ["squares", "cuda", "squares.cu", 9, 13],
        ["own", "cuda", "my_ext.cu", 1, 2],  # this one is in no file, so it is kept in one
        ["other", "cuda", "squares.cu", 5, 7],
        ["squares", "cuda", "squares.cu", 9, 13],
    ]


def test_what_torch_compile_writes_for_a_cpu(built):
    kernels, launches, files = built
    generated = files[0].name
    assert kernels[-1] == ["cpp_fused_gelu_0", "inductor", generated, 2, 5]
    assert launches == [len(kernels) - 1]
    assert "extern" in files[0].read_text()


def test_kept_sources(built):
    _, _, files = built
    assert [file.name.partition("_")[0] for file in files] == ["inductor", "my"]
    assert files[1].read_text() == "__global__ void own(float *x) {\n}\n"
