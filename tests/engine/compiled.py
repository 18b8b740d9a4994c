"""The sample kernels, captured in the interpreter and compiled once for all tests that look at them."""

import functools
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from engine.trace import Kernel, KernelLines, StageLines, Variant
from tests.once import once
from tests.recordings import ROOT, python_path

KERNELS = ROOT / "tests" / "samples" / "kernels"


@dataclass(frozen=True)
class Compiled:
    """What samples/kernels/compile_lecture.py left in `store`."""

    store: Path
    variants: dict[str, list[Variant]]
    kernels: dict[str, Kernel]
    warnings: list[list[Any]]

    def variant(self, kernel: str, target: str = "sm_90", number: int = 0) -> Variant:
        return [variant for variant in self.variants[kernel] if variant.target == target][number]

    def text(self, kernel: str, target: str, stage: str) -> list[str]:
        return (self.store / "kernels" / self.variant(kernel, target).key / stage).read_text().split("\n")

    def kept_lines(self, kernel: str, target: str = "sm_90") -> KernelLines:
        path = self.store / "kernels" / self.variant(kernel, target).key / "lines.json"
        return msgspec.json.decode(path.read_bytes(), type=KernelLines)

    def lines(self, kernel: str, target: str, stage: str) -> StageLines:
        return self.kept_lines(kernel, target).stages[stage]

    def source(self, kernel: str) -> list[str]:
        return (ROOT / self.kernels[kernel].path).read_text().split("\n")

    def line_with(self, kernel: str, words: str) -> int:
        """The kernel's only line that holds `words`."""
        found = self.kernels[kernel]
        lines = [n for n in range(found.line, found.end_line + 1) if words in self.source(kernel)[n - 1]]
        assert len(lines) == 1, (words, lines)
        return lines[0]


@functools.cache
def compiled(triton: Path | None = None) -> Compiled:
    """The kernels, which the first call in a run compiles; this takes about 15 seconds on two processors.

    `triton` is a folder that another version of Triton was installed to, if not the one here is to be used. With
    PYTHONPATH=FOLDER all tests use that one.
    """
    store = once(f"compiled-{triton.name if triton else 'here'}", lambda folder: _compile(folder, triton))
    code, said = json.loads((store / "said.json").read_text())
    assert code == 0, said
    return _read(said, store)


def _compile(store: Path, triton: Path | None) -> None:
    """Compile into `store`, and leave there how that ended and what was said, also where it failed."""
    path = python_path(ROOT, *filter(None, [triton]))
    environment = {**os.environ, "PYTHONPATH": path, "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, str(KERNELS / "compile_lecture.py"), str(store)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    (store / "said.json").write_text(json.dumps([done.returncode, done.stderr if done.returncode else done.stdout]))


def _read(printed: str, store: Path) -> Compiled:
    said = json.loads(printed)
    return Compiled(
        store,
        msgspec.convert(said["variants"], dict[str, list[Variant]]),
        {kernel.name: kernel for kernel in msgspec.convert(said["kernels"], list[Kernel])},
        said["warnings"],
    )
