"""The source files of a recording: read once, called by short unique paths."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import msgspec

from engine.builder import Builder, utf8
from engine.statements import Source

LANGUAGES = {".py": "python", ".cu": "cuda", ".cuh": "cuda", ".cpp": "cpp", ".c": "c", ".h": "cpp"}
"Names of Pygments lexers by file name ending."


class Files:
    """The files a recording refers to."""

    def __init__(self, builder: Builder, root: Path, folder: Path) -> None:
        """Paths are shown relative to `root`, else to the lecture's `folder`, else by their last parts."""
        self.builder = builder
        self.bases = [root, folder]
        self.numbers: dict[str, int] = {}
        self.sources: dict[str, Source | None] = {}

    def source(self, filename: str) -> Source | None:
        """The statements of a Python file; None where it cannot be read or is no Python."""
        if filename not in self.sources:
            try:
                self.sources[filename] = Source(filename, Path(filename).read_bytes())
            except (OSError, SyntaxError, UnicodeDecodeError):
                self.sources[filename] = None
        return self.sources[filename]

    def number(self, filename: str) -> int:
        """Number of a file in the recording, which takes it in at its first mention."""
        if filename not in self.numbers and (known := self._same(filename)) is not None:
            self.numbers[filename] = known
        if filename not in self.numbers:
            path = Path(filename)
            source = self.sources.get(filename)
            text = source.text if source is not None else _read(path)
            language = LANGUAGES.get(path.suffix, "text")
            self.numbers[filename] = self.builder.file(self._display(path), text, language=language, visible=False)
        return self.numbers[filename]

    def display(self, filename: str) -> str:
        """How the recording calls a file."""
        return self.builder.files[self.number(filename)].path

    def real(self, path: str) -> str:
        """The file that the recording calls `path`; `path` itself where it knows none."""
        return next((name for name, number in self.numbers.items() if self.builder.files[number].path == path), path)

    def _same(self, filename: str) -> int | None:
        """Number of the file where it has been taken in under another name: through a link, or a path with detours."""
        for name, number in self.numbers.items():
            try:
                if Path(name).samefile(filename):
                    return number
            except (OSError, ValueError):  # one of them is no file, or no more
                continue
        return None

    def _display(self, path: Path) -> str:
        taken = {file.path for file in self.builder.files}
        names = (name for name in map(utf8, self._names(path)) if name not in taken)
        return next(names, "") or next(
            name for number in itertools.count(2) if (name := utf8(f"{path.as_posix()} ({number})")) not in taken
        )

    def _names(self, path: Path) -> Iterator[str]:
        """What a file may be called, the best name first."""
        for base in self.bases:
            for whole in (path, path.resolve()):
                if whole.is_relative_to(base):
                    yield whole.relative_to(base).as_posix()
        parts = path.parts
        for count in range(1, len(parts) + 1):
            yield "/".join(parts[-count:])
        yield path.as_posix()

    def close(self) -> None:
        """Note in each file which lines are hidden or animated, and the near misses among its directives."""
        for filename, source in self.sources.items():
            if source is None:
                continue
            number = self.number(filename)
            self.builder.files[number] = msgspec.structs.replace(
                self.builder.files[number],
                visible=True,
                hidden=source.lines_with("hide"),
                animated=source.lines_with("animate"),
            )
            for line, problem in source.problems:
                self.builder.warn(problem, self.builder.files[number].path, line)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        return f"(this file could not be read: {error.strerror})"
