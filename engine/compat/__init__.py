"""The modules lectures written for the original engine import, supplied while such a lecture is recorded.

`execute_util` and `edtrace`, the original's own names, always mean this engine. The small modules that usually lie
beside a lecture (`file_util`, `reference` and so on) are supplied only where its folder has none of that name, or one
that needs a library which is not installed. What the folder's own `arxiv_util` raises, as it does without a network,
is a warning, and the engine's takes its place for that paper.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from engine import sink

ENGINE = {
    "execute_util": "execute_util",
    "edtrace": "execute_util",
    "edtrace.execute_util": "execute_util",
    "edtrace.file_util": "file_util",
    "edtrace.arxiv_util": "arxiv_util",
    "edtrace.reference": "reference",
}
"Names that always mean this engine, and the file here that does."

SUPPLIED = ("file_util", "lecture_util", "torch_util", "arxiv_util", "reference", "basic_util", "gpu_util")
"Names supplied where the lecture's folder has none."

_HERE = Path(__file__).parent


class _Ready(Loader):
    """Loads a module that is loaded."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module

    def create_module(self, _: ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, _: ModuleType) -> None:
        pass


class _Finder(MetaPathFinder):
    """Finds the modules named above before any other finder; knows the lecture's folder.

    The engine's own modules it finds where they are, also for a lecture that takes them out of `sys.modules`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.recording = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "engine"}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name in self.recording:
            return ModuleSpec(name, _Ready(self.recording[name]))
        if name in ENGINE:
            return _ours(name, ENGINE[name])
        return (self._own(name) or _ours(name, name)) if name in SUPPLIED else None

    def _own(self, name: str) -> ModuleSpec | None:
        """The module beside the lecture, with the engine's to fall back on."""
        spec = PathFinder.find_spec(name, [str(self.folder)])
        loader: Any = spec.loader if spec is not None else None
        if loader is None:  # nothing there, or a folder without an __init__.py
            return None
        loader.exec_module = partial(_execute, loader.exec_module)  # the loader stays itself: others ask it for text
        return spec


def _ours(name: str, file: str) -> ModuleSpec | None:
    inside: list[str] | None = [] if name == "edtrace" else None  # a package; the finder finds its modules too
    return spec_from_file_location(name, _HERE / f"{file}.py", submodule_search_locations=inside)


def _execute(own: Callable[[ModuleType], None], module: ModuleType) -> None:
    """Execute the lecture's own module; where a library it needs is missing, the engine's in its place."""
    name = module.__name__
    try:
        own(module)
    except ModuleNotFoundError as error:
        sink.warn(f"{name}.py beside the lecture needs {error.name}, which is not installed; the engine's own is used")
        spec = _ours(name, name)
        assert spec is not None and spec.loader is not None
        spec.loader.exec_module(module)
    if name == "arxiv_util" and hasattr(module, "arxiv_reference"):
        module.arxiv_reference = partial(_reference, module.arxiv_reference)  # type: ignore[attr-defined]


def _reference(own: Callable[..., Any], url: str, **fields: Any) -> Any:
    """The reference of a paper as the lecture's own module has it, else as the engine has it."""
    from engine.references import url_reference

    try:
        return own(url, **fields)
    except Exception as error:
        sink.warn(f"arxiv_util.py beside the lecture has no entry for {url} ({type(error).__name__}: {error})")
        return url_reference(url, **fields)


@contextmanager
def installed(lecture_folder: Path) -> Iterator[None]:
    """While this lasts, the modules named above can be imported; afterwards everything is as it was.

    A module of one of these names that was imported before, from an installed `edtrace` or another lecture's folder,
    is put aside meanwhile.
    """
    finder = _Finder(lecture_folder.absolute())
    before = _taken()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        _taken()
        sys.modules.update(before)


def _taken() -> dict[str, ModuleType]:
    """Take every module of these names, and their submodules, out of `sys.modules`."""
    names = [name for name in sys.modules if name.partition(".")[0] in {*ENGINE, *SUPPLIED}]
    return {name: sys.modules.pop(name) for name in names}
