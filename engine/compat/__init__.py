"""The modules lectures written for the original engine import, supplied while such a lecture is recorded.

`execute_util` and `edtrace`, the original's own names, always mean this engine. The small modules that usually lie
beside a lecture (`file_util`, `reference` and so on) are supplied only where its folder has none of that name.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

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


class _Finder(MetaPathFinder):
    """Finds the supplied modules before any other finder; knows the lecture's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        file = ENGINE.get(name) or (name if name in SUPPLIED and not self._has(name) else None)
        if file is None:
            return None
        inside: list[str] | None = [] if name == "edtrace" else None  # a package; this finder finds its modules too
        return spec_from_file_location(name, _HERE / f"{file}.py", submodule_search_locations=inside)

    def _has(self, name: str) -> bool:
        return (self.folder / f"{name}.py").is_file() or (self.folder / name / "__init__.py").is_file()


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
