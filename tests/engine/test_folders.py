"""engine.folders: stages are published, so they do not tell where on their machine they were compiled."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.folders import Folders, without_folders
from engine.trace import read
from tests.recordings import ROOT, record

FILES = {"/home/ann/course/kernels/gelu.py": "kernels/gelu.py"}
MARK = "an_author"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home/ann/course/kernels/gelu.py", "kernels/gelu.py"),
        ("/home/ann/course/kernels", "kernels"),
        ("/x/lib/python3.12/site-packages/triton/language/standard.py", "triton/language/standard.py"),
        ("/home/ann/triton/python/triton/language/core.py", "triton/language/core.py"),
        ("/x/site-packages/torch/_inductor/runtime/triton_helpers.py", "torch/_inductor/runtime/triton_helpers.py"),
        ("/usr/local/cuda/include/cuda_fp16.hpp", "cuda_fp16.hpp"),
        ("/x/site-packages/nvidia/cu13/include/cuda/std/limits", "cuda/std/limits"),
        ("/home/bob/secret.py", "secret.py"),
        ("kernels/gelu.cu", "kernels/gelu.cu"),
    ],
)
def test_names_of_files(path: str, name: str):
    assert Folders(FILES).file(path) == name


def test_origins_are_called_so_too():
    assert Folders(FILES).origin((("/home/bob/a.py", 3), ("/home/ann/course/kernels/gelu.py", 9))) == (
        ("a.py", 3), ("kernels/gelu.py", 9),
    )  # fmt: skip
    assert Folders(FILES).origin(None) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('#loc = loc("/home/ann/course/kernels/gelu.py":23:0)', '#loc = loc("kernels/gelu.py":23:0)'),
        ('\t.file\t2 "/x/site-packages/triton/language/standard.py"', '\t.file\t2 "triton/language/standard.py"'),
        (
            '!1 = !DIFile(filename: "gelu.py", directory: "/home/ann/course/kernels")',
            '!1 = !DIFile(filename: "gelu.py", directory: "kernels")',
        ),
        ('!1 = !DIFile(filename: "a.py", directory: "/home/bob")', '!1 = !DIFile(filename: "a.py", directory: ".")'),
        ("mov.u32 %r1, %tid.x; // 1/2 and /not/a quoted path", "mov.u32 %r1, %tid.x; // 1/2 and /not/a quoted path"),
    ],
)
def test_texts(before: str, after: str):
    assert Folders(FILES).without(before) == after


def debug_section(data: bytes) -> str:
    return "\t.section\t.debug_info\n\t{\n" + "".join(f".b8 {byte}   // DW_AT 7\n" for byte in data) + "\t}\n"


def test_bytes_of_debug_sections_and_strings_keep_their_lengths():
    folder = b"/home/ann/course/kernels"
    names = Folders(FILES)
    short = b"kernels" + bytes(len(folder) - len("kernels"))
    assert names.without(debug_section(b"\1" + folder + b"\0\7")) == debug_section(b"\1" + short + b"\0\7")
    assert names.without(debug_section(b"\1/\0/a\0")) == debug_section(b"\1/\0/a\0")  # bytes that happen to be slashes
    row = ", ".join(map(str, folder + b"\0"))
    assert names.without(f".global .b8 file[25] = {{{row}}};") == (
        f".global .b8 file[25] = {{{', '.join(map(str, short + bytes(1)))}}};"
    )
    listed = ".b8 " + ",".join(map(str, folder + b"\0")) + "\n"
    assert names.without(listed) == ".b8 " + ",".join(map(str, short + bytes(1))) + "\n"


def test_what_a_compiler_said():
    said = "`/x/bin/ptxas` failed: /x/bin/ptxas -v /tmp/k.ptx -o '/tmp/y/k.o' (see https://a.example/b/c), 1/2, and/or"
    assert without_folders(said) == "`ptxas` failed: ptxas -v k.ptx -o 'k.o' (see https://a.example/b/c), 1/2, and/or"


KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def total_kernel(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=cols < N, other=0.0)
    tl.store(y_ptr, tl.sum(x, axis=0))
"""
LAUNCHED = """\
import json, sys
import msgspec, triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from engine.request import Facts, LaunchedBinary
from engine.triton_compiler import STAGES, read_binary
import total
signature = {"x_ptr": "*fp32", "y_ptr": "*fp32", "N": "i32", "BLOCK": "constexpr"}
made = triton.compile(ASTSource(total.total_kernel, signature, {"BLOCK": 256}), target=GPUTarget("cuda", 90, 32))
stages = {name: made.asm[name] for name in STAGES}
files, named = {total.__file__: "kernels/total.py"}, {"TRITON_PTXAS_PATH": path for path in sys.argv[1:]}
work = LaunchedBinary(total.__file__, files, stages, made.asm["cubin"], {}, named, Facts())
result = read_binary(work, 90)
print(json.dumps({"before": stages, "after": msgspec.to_builtins(result)}))
"""


def spelled(text: str) -> str:
    """What the bytes of a debug section spell."""
    return bytes(int(byte) & 255 for byte in re.findall(r"\.b8 (\d+)", text)).decode("latin-1")


def printed(text: str) -> str:
    """`text`, and what its bytes spell."""
    return text + spelled(text)


def read_after_a_launch(tmp_path: Path, *assembler: Path) -> dict[str, Any]:
    """What `read_binary` makes of a binary of KERNEL, in a folder called MARK; `assembler` was in use at its launch."""
    pytest.importorskip("triton", reason="compiles a Triton kernel")
    folder = tmp_path / MARK
    folder.mkdir()
    (folder / "total.py").write_text(KERNEL)
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment |= {"PYTHONPATH": os.pathsep.join([str(ROOT), str(folder)]), "TRITON_CACHE_DIR": str(tmp_path / "c")}
    command = [sys.executable, "-c", LAUNCHED, *map(str, assembler)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_a_binary_that_was_launched_elsewhere_is_linked_and_does_not_say_where(tmp_path: Path):
    said = read_after_a_launch(tmp_path)
    assert all(MARK in text for text in said["before"].values()), "the compiler no longer writes paths"
    assert MARK in spelled(said["before"]["ptx"])
    after = said["after"]
    for stage, text in after["stages"].items():
        assert MARK not in printed(text) and "site-packages" not in text, stage
        assert {8, 9} <= {*after["lines"][stage]["source"]}, stage
    chains = [chain for stage in after["lines"].values() for chain in stage["inlined"].values()]
    assert {path for chain in chains for path, _ in chain} == {"triton/language/standard.py", "kernels/total.py"}


OLDER = """\
#!/bin/sh
case "$*" in
  *--version*) echo "Cuda compilation tools, release 12.8, V12.8.93" ;;
  *) echo "ptxas total.ptx, line 5; fatal   : Unsupported .version 9.0; current version is '8.7'" >&2; exit 255 ;;
esac
"""


def test_a_binary_whose_ptx_is_newer_than_the_assembler_is_linked_by_another(tmp_path: Path):
    older = tmp_path / "ptxas"
    older.write_text(OLDER)
    older.chmod(0o755)
    after = read_after_a_launch(tmp_path, older)["after"]
    assert after.get("reason", "") == "" and "EXIT" in after["stages"]["sass"]
    assert {8, 9} <= {*after["lines"]["sass"]["source"]}


LECTURE = """\
from pathlib import Path

import torch
import triton.language as tl

import total
from engine import kernel, text


def main():
    text("# Totals")
    y = torch.empty(1)
    total.total_kernel[(1,)](torch.ones(256), y, 256, BLOCK=256)
    kernel(Path(__file__).parent / "squares.cu")
"""


def test_no_stage_of_a_recording_says_where_it_was_made(tmp_path: Path):
    pytest.importorskip("triton", reason="records a Triton kernel")
    folder = tmp_path / MARK
    folder.mkdir()
    (folder / "total.py").write_text(KERNEL)
    samples = ROOT / "tests" / "samples" / "kernels"
    for name in ("squares.cu", "squares.cuh"):
        (folder / name).write_text((samples / name).read_text())
    recorded = record(folder, LECTURE, "--target", "sm_90")
    assert (recorded.exit_code, recorded.header["warnings"]) == (0, [])
    made = [(name, variant["stages"]) for kernel in recorded.header["kernels"] for name, variant in
            ((kernel["name"], variant) for variant in kernel["variants"])]  # fmt: skip
    assert ("total_kernel", ["ttir", "ttgir", "llir", "ptx", "sass"]) in made
    kept = [path for path in (folder / "kernels").glob("*/*") if path.name != "work.json"]
    files = [path for path in kept if path.suffix != ".json"]
    assert len(files) == sum(len(stages) for _, stages in made) > 4
    for path in kept:
        assert MARK not in printed(path.read_text()) and "site-packages" not in path.read_text(), path.name
    sources = {path for kernel in read(recorded.trace).kernels for made in kernel.variants for path in made.sources}
    assert sources == {"squares.cuh"} and "squares.cuh" in recorded.header["files"], "so that it is seen to be saved"


def test_no_recording_beside_the_lectures_says_where_it_was_made():
    kept = [path for path in (ROOT / "lectures" / "recorded" / "kernels").glob("*/*") if path.name != "work.json"]
    assert len(kept) > 50
    whole = re.compile(r'"/\w|/home/|/root/|/Users/')
    assert [path for path in kept if whole.search(printed(path.read_text()))] == []
