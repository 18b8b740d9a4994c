"""A folder of recordings for every test that wants one."""

import hashlib
from pathlib import Path

import msgspec
import pytest

from engine import trace as t
from tests.viewer.samples import KERNEL, lecture

PTX = """\
.version 8.7
.visible .entry gelu_kernel(
)
{
	.loc	1 6 24
	mov.u32 	%r1, %ctaid.x;
	.loc	1 7 20
	mov.u32 	%r3, %tid.x;
	.loc	1 8 16
	ld.global.v4.b32 { %r4, %r5, %r6, %r7 }, [ %rd2 + 0 ];
	.loc	1 9 40
	st.global.v4.b32 [ %rd3 + 0 ], { %r4, %r5, %r6, %r7 };
	ret;
}
"""
PTX_80 = PTX.replace("%r1,", "%r21,").replace("st.global.v4.b32", "st.global.v2.b32").replace("8.7", "8.6")
SOURCE_LINES = [-1, -1, -1, -1, -1, 6, -1, 7, -1, 8, -1, 9, 0, -1]


def write_kernels(store: Path, source: str = KERNEL) -> None:
    """Put the sample kernel's stages into `store`, compiled from `source`."""
    links = t.StageLines(SOURCE_LINES, {8: [("triton/language/standard.py", 43)]})
    for key, ptx in (("gelu80", PTX_80), ("gelu90", PTX)):
        home = store / "kernels" / key
        home.mkdir(parents=True, exist_ok=True)
        (home / "ptx").write_text(ptx)
        digest = hashlib.sha256(source.encode()).hexdigest()
        (home / "lines.json").write_bytes(msgspec.json.encode(t.KernelLines("kernels/gelu.py", digest, {"ptx": links})))


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """A traces folder with the small lecture, its kernels and its picture."""
    folder = tmp_path / "var" / "traces"
    t.write(lecture().trace(), folder / "small.json")
    write_kernels(folder.parent)
    return folder
