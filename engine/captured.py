"""What was captured of the kernels a lecture launched: the work that is left to do when it has ended."""

import hashlib
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from engine.binaries import Binary
from engine.capture import Arguments, Specialiser, request
from engine.compile import Wanted
from engine.cuda_source import device_part, instances, near_headers
from engine.request import CudaRequest, Facts, LaunchedBinary, Work
from engine.toolkit import find_tool
from engine.trace import Kernel

SPECIALISATIONS = 4
"Kept of one kernel; of one that was launched with more kinds of arguments, the first ones are compiled."

_NOT_LAUNCHED = "it was never launched, so the types of its arguments are not known; launch it in the lecture"
_LOCATION = re.compile(r'\bloc\("([^"]+)":\d+:\d+')
"A file that a line of TTIR or TTGIR comes from."
_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg", "enable_fp_fusion", "ptx_options")
"What Triton's call of the assembler may depend on."


class Captured:
    """The kernels, by their number in the recording."""

    def __init__(self, display: Callable[[str], str]) -> None:
        self.display = display
        self.shown: dict[str, str] = {}
        "What the recording calls the files seen so far."
        self.specialiser = Specialiser()
        self.wanted: dict[int, dict[str, Wanted]] = {}
        "What is to be compiled, by kernel, then by what tells specialisations apart."
        self.left_out: dict[int, set[str]] = {}
        "Specialisations beyond those kept."

    def add(self, number: int, kernel: Any, arguments: Arguments) -> None:
        """A launch of `kernel`, which `@triton.jit` made. Never raises: what went wrong is said in its variants."""
        try:
            specialised = self.specialiser.specialise(kernel, arguments)
            words = repr(specialised)
        except Exception as error:
            specialised, words = None, f"{type(error).__name__}: {error}"
        known = self.wanted.setdefault(number, {})
        if words in known:
            return
        if len(known) >= SPECIALISATIONS:
            self.left_out.setdefault(number, set()).add(words)
            return
        known[words] = self._wanted(kernel, specialised, words)

    def _wanted(self, kernel: Any, specialised: Any, words: str) -> Wanted:
        work: Work | None = None
        reason = "" if specialised is not None else words
        if specialised is not None:
            try:
                work = request(kernel, specialised, self._display)
            except Exception as error:
                reason = f"{type(error).__name__}: {error}"
        return self._want(kernel, work, reason)

    def _want(self, kernel: Any, work: Work | None, reason: str = "", target: str = "", device: str = "") -> Wanted:
        path = kernel.fn.__code__.co_filename
        return Wanted(kernel.fn.__name__, work, self._display(path), sha256(path), target, device, reason)

    def _display(self, path: str) -> str:
        if path not in self.shown:
            self.shown[path] = self.display(path)
        return self.shown[path]

    def add_binary(self, number: int, kernel: Any, read: Callable[[], Binary]) -> None:
        """A binary of `kernel`, which `read` gives, was launched. Never raises."""
        known = self.wanted.setdefault(number, {})
        try:
            binary = read()
        except Exception as error:
            reason = f"its binary could not be had: {type(error).__name__}: {error}"
            known.setdefault(reason, self._want(kernel, None, reason, "unknown", device_name()))
            return
        if sum(bool(want.launched_for) for want in known.values()) < SPECIALISATIONS:
            target = f"sm_{binary.arch}"
            known[binary.hash] = self._want(kernel, self._launched(kernel, binary), "", target, device_name())
        elif binary.hash not in known:
            self.left_out.setdefault(number, set()).add(binary.hash)

    def _launched(self, kernel: Any, binary: Binary) -> LaunchedBinary:
        metadata = binary.metadata
        files = {path for text in binary.stages.values() for path in _LOCATION.findall(text)}
        own = {path for path in files if "/triton/language/" not in path and Path(path).is_file()}
        return LaunchedBinary(
            path=kernel.fn.__code__.co_filename,
            files={path: self._display(path) for path in sorted(own)},
            stages=binary.stages,
            cubin=binary.cubin,
            signature=dict(binary.signature),
            constants=dict(binary.constants),
            options={name: metadata[name] for name in _OPTIONS if name in metadata},
            assembler={name: value for name, value in os.environ.items() if name.startswith("TRITON_PTXAS_")},
            facts=Facts(
                num_warps=metadata.get("num_warps"),
                num_stages=metadata.get("num_stages"),
                threads=metadata["num_warps"] * 32,
                registers=binary.registers,
                spills=binary.spills,
                shared=metadata.get("shared"),
                tensor_columns=metadata.get("tmem_size") or 0,
            ),
        )

    def all_wanted(self, kernels: Sequence[Kernel], real: Callable[[str], str]) -> dict[int, list[Wanted]]:
        """What is wanted of each kernel, of torch.compile's nothing. `real` gives the file the recording calls so."""
        wanted = {}
        for number, kernel in enumerate(kernels):
            if number in self.wanted:
                wanted[number] = list(self.wanted[number].values())
            elif kernel.language == "cuda":
                wanted[number] = cuda_wanted(kernel, Path(real(kernel.path)), self._display)
            elif kernel.language == "triton":
                digest = sha256(real(kernel.path))
                wanted[number] = [Wanted(kernel.name, None, kernel.path, digest, reason=_NOT_LAUNCHED)]
        return wanted

    def warnings(self, kernels: Sequence[Kernel]) -> list[tuple[str, str, int]]:
        """Message, path and line: which kernels have more specialisations than are kept."""
        found = []
        for number, words in self.left_out.items():
            kernel = kernels[number]
            kinds = f"{SPECIALISATIONS + len(words)} kinds of arguments; the first {SPECIALISATIONS} are shown compiled"
            found.append((f"{kernel.name} was launched with {kinds}", kernel.path, kernel.line))
        return found


def cuda_wanted(kernel: Kernel, file: Path, display: Callable[[str], str]) -> list[Wanted]:
    """What is wanted of a kernel in CUDA C++ that stands in `file`; of a template, the first instances launched.

    The recording takes in the headers beside it, through `display`.
    """
    digest = sha256(str(file))
    try:
        source = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        return [Wanted(kernel.name, None, kernel.path, digest, reason=f"{kernel.path}: {error.strerror}")]
    source = source.replace("\r\n", "\n")
    work = CudaRequest(
        name=kernel.name,
        path=kernel.path,
        source=device_part(source, kernel.name),
        headers=near_headers(file, source),
        nvcc=find_tool("nvcc") or "",
    )
    for name in work.headers:
        display(str(file.parent / name))
    launched = instances(source, kernel.name)[:SPECIALISATIONS] or ("",)
    each = [msgspec.structs.replace(work, instance=instance) for instance in launched]
    return [Wanted(kernel.name, one, kernel.path, digest) for one in each]


def sha256(path: str) -> str:
    """Of the bytes of a file; of none where it cannot be read."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return hashlib.sha256(b"").hexdigest()


def device_name() -> str:
    """Name of the GPU that torch, where it is loaded, has found; empty where there is none."""
    try:
        torch = sys.modules["torch"]
        return str(torch.cuda.get_device_name()) if torch.cuda.is_available() else ""
    except Exception:  # not imported, half imported, or something of the lecture's in its place
        return ""
