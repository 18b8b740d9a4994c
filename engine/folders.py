"""The texts of compiled stages without the folders of the machine they were compiled on: files as the recording calls
them. Compilers write whole paths into locations, into the names of source files and, byte by byte, into debug sections.
"""

import posixpath
import re
from collections.abc import Mapping

from engine.origins import Origin

_DIFILE = re.compile(r'!DIFile\(filename: "(?P<name>[^"]*)", directory: "(?P<folder>[^"]*)"')
_PATH = re.compile(r'"(/(?:[^"\\]|\\.)*)"')
_BYTES = re.compile(r"(?:^[ \t]*\.b8 \d+(?:, ?\d+)*[ \t]*(?://.*)?\n)+", re.MULTILINE)
_LIST = re.compile(r"\{\d+(?:, ?\d+)+\}")
_ROW = re.compile(r"(?<=\.b8 )\d+(?:, ?\d+)*|(?<=\{)\d+(?:, ?\d+)+(?=\})")
_PRINTED = re.compile(rb"/[\x20-\x7e]*/[\x20-\x7e]+(?=\0)")
_TRITON = "/triton/language/"
_PACKAGES = (_TRITON, "/include/", "-packages/")
"Behind these begins what a file of a library is called: `triton/language/standard.py`, `cuda_fp16.h`, `torch/..`."
_WHOLE = re.compile(r"(?<![\w.:/])/(?:[\w.+@~-]+/)+(?=[\w.+@~-])")


class Folders:
    """Takes folders out of texts. `files` says what the recording calls files, by their whole paths."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files
        self.folders = {posixpath.dirname(path): posixpath.dirname(name) or "." for path, name in files.items()}

    def file(self, path: str) -> str:
        """How a file is called: as in the recording, a library's from its package on, any other without its folder."""
        if path in self.files or not path.startswith("/"):
            return self.files.get(path, path)
        for mark in _PACKAGES:
            _, found, inside = path.rpartition(mark)
            if found:
                return f"{mark.strip('/')}/{inside}" if mark == _TRITON else inside
        return self.folders.get(path, posixpath.basename(path))

    def origin(self, origin: Origin) -> Origin:
        """Where code comes from, its files called so."""
        return None if origin is None else tuple((self.file(path), line) for path, line in origin)

    def without(self, text: str) -> str:
        """`text`, of the same number of lines."""
        text = _DIFILE.sub(self._difile, text)
        text = _PATH.sub(lambda found: f'"{self.file(found[1])}"', text)
        text = _LIST.sub(self._bytes, text)
        return _BYTES.sub(self._bytes, text)

    def _difile(self, found: re.Match[str]) -> str:
        folder, name = posixpath.split(self.file(posixpath.join(found["folder"], found["name"])))
        return f'!DIFile(filename: "{name}", directory: "{folder or "."}"'

    def _bytes(self, found: re.Match[str]) -> str:
        """Bytes of a debug section or a string; a shorter name is filled up with zeros, so that lengths stay true."""
        before = bytes(int(byte) & 255 for row in _ROW.findall(found[0]) for byte in row.split(","))
        after = iter(_PRINTED.sub(self._printed, before))
        return _ROW.sub(lambda row: re.sub(r"\d+", lambda _: str(next(after)), row[0]), found[0])

    def _printed(self, found: re.Match[bytes]) -> bytes:
        name = self.file(found[0].decode()).encode()[: len(found[0])]
        return name.ljust(len(found[0]), b"\0")


def without_folders(words: str) -> str:
    """What a compiler said, without the folders of the files it names."""
    return _WHOLE.sub("", words)


