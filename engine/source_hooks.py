"""Notes kernels that PyTorch builds from text: CUDA C++ of an extension, and what torch.compile writes."""

import hashlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from engine.cuda_source import kernels_in
from engine.errors import TraceError
from engine.patches import Patches
from engine.trace import Kernel, write_whole

_GENERATED = re.compile(r"^(?P<name>\w+) = async_compile\.cpp\w*\(", re.MULTILINE)
"The head of a kernel in C++ in torch.compile's code; its text follows, in triple quotes."


class SourceWatch(Protocol):
    """What is told of kernels that are built."""

    active: bool
    store: Path
    lecture: str

    def built(self, kernel: Kernel, file: Path) -> int:
        """Number of a kernel whose source is `file`; its `path` is filled in."""

    def launched_generated(self, tuner: Any) -> None:
        """A Triton kernel that torch.compile wrote was launched; `tuner` holds it."""

    def launched(self, kernel: int, grid: tuple[int, ...], interpreted: bool) -> None:
        """The current statement launched a kernel."""

    def warn(self, message: str) -> None:
        """Tell the author."""


class ExtensionHooks:
    """Notes the CUDA sources that `torch.utils.cpp_extension` builds."""

    def __init__(self, watch: SourceWatch, patches: Patches) -> None:
        self.watch = watch
        self.patches = patches

    def install(self, extension: ModuleType) -> None:
        """Hook into `torch.utils.cpp_extension`."""
        self.patches.replace(extension, "load", self._load(extension.load))
        self.patches.replace(extension, "load_inline", self._load_inline(extension.load_inline))

    def _load(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def load(name: str, sources: Any, *args: Any, **kwargs: Any) -> Any:
            for source in _several(sources):
                if str(source).endswith(".cu"):
                    self._note(Path(source))
            return original(name, sources, *args, **kwargs)

        return load

    def _load_inline(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def load_inline(name: str, cpp_sources: Any, cuda_sources: Any = None, *args: Any, **kwargs: Any) -> Any:
            for number, text in enumerate(_several(cuda_sources)):
                self._note_text(f"{name}_{number}" if number else name, str(text))
            return original(name, cpp_sources, cuda_sources, *args, **kwargs)

        return load_inline

    def _note_text(self, name: str, text: str) -> None:
        """Note a source that the lecture has as a text, most likely read from a file beside it."""
        beside = Path(self.watch.lecture).parent
        folders = [beside, *(folder for folder in beside.iterdir() if folder.is_dir()), Path.cwd(), Path("kernels")]
        files = sorted(file for folder in folders for file in folder.glob("*.cu"))
        file = next((file for file in files if _text_of(file) == text), None)
        file = file or _kept(self.watch, f"{re.sub(r'[^0-9A-Za-z_]', '_', name)}.cu", text)
        if file is not None:
            self._note(file)

    def _note(self, file: Path) -> None:
        for name, line, end_line in kernels_in(_text_of(file)):
            self.watch.built(Kernel(name, "cuda", "", line, end_line), file.resolve())


class InductorHooks:
    """Notes the kernels that torch.compile writes: in Triton when they are launched, in C++ when they are written.

    Nothing of its work is changed. (Triton's launch hooks would make it launch another way.)
    """

    def __init__(self, watch: SourceWatch, patches: Patches) -> None:
        self.watch = watch
        self.patches = patches

    def install_heuristics(self, heuristics: ModuleType) -> None:
        """Hook into `torch._inductor.runtime.triton_heuristics`."""
        tuner = heuristics.CachingAutotuner
        self.patches.replace(tuner, "run", self._run(tuner.run))

    def _run(self, original: Callable[..., Any]) -> Callable[..., Any]:
        watch = self.watch

        def run(tuner: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(tuner, *args, **kwargs)
            if watch.active:
                watch.launched_generated(tuner)
            return result

        return run

    def install_graph(self, graph: ModuleType) -> None:
        """Hook into `torch._inductor.graph`, which has a hook of its own for what is written."""
        lowering = graph.GraphLowering
        if hasattr(lowering, "save_output_code"):
            self.patches.replace(lowering, "save_output_code", staticmethod(self._save(lowering.save_output_code)))

    def _save(self, original: Callable[[str], None] | None) -> Callable[[str], None]:
        def save_output_code(code: str) -> None:
            self._note(code)
            if original is not None:
                original(code)

        return save_output_code

    def _note(self, code: str) -> None:
        if not _GENERATED.search(code):
            return
        file = _kept(self.watch, f"inductor_{hashlib.sha256(code.encode()).hexdigest()[:16]}.py", code)
        if file is None:
            return
        for match in _GENERATED.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            end = _end_of_text(code, match.end())
            kernel = Kernel(match["name"], "inductor", "", line, code.count("\n", 0, end) + 1)
            self.watch.launched(self.watch.built(kernel, file), (), False)


def _end_of_text(code: str, start: int) -> int:
    """Where the triple-quoted text that begins after `start` ends."""
    quotes = re.compile(r"'''|\"\"\"").search(code, start)
    if quotes is None:
        return start
    end = code.find(quotes[0], quotes.end())
    return end if end >= 0 else len(code)


def _several(sources: Any) -> Iterable[Any]:
    if sources is None:
        return ()
    return [sources] if isinstance(sources, str | Path) else list(sources)


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _kept(watch: SourceWatch, name: str, text: str) -> Path | None:
    """A file with `text` in the store, for a source that has none of its own; None, with a warning, if it cannot be."""
    file = watch.store / "kernels" / "sources" / name
    try:
        if _text_of(file) != text:
            write_whole(text.encode(), file)
    except TraceError as error:
        watch.warn(str(error))
        return None
    return file
