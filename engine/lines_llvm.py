"""Where the lines of LLVM IR come from: `!dbg` attachments and the `!DILocation`s they name.

Language: https://llvm.org/docs/LangRef.html#dilocation
"""

import posixpath
import re
from collections.abc import Mapping

from engine.origins import Origin, Place, followed

_METADATA = re.compile(r"^(!\d+) = (?:distinct )?!(DI\w+)\((.*)\)$")
_FIELD = re.compile(r'(\w+): (?:"((?:[^"\\]|\\.)*)"|([^,]+))')
_DBG = re.compile(r"!dbg (!\d+)")


def read_llvm(text: str) -> tuple[list[Origin], dict[str, Origin]]:
    """Origins of the lines of an LLVM module; and of each location, by the words LLVM prints for it into PTX.

    Those words, `standard.py:170:27 @[ k.py:19:19 ]`, are all that some versions leave of inlining there.
    """
    lines = text.split("\n")
    places = _Metadata({match[1]: (match[2], match[3]) for line in lines if (match := _METADATA.match(line))})
    origins: list[Origin] = []
    inside = False
    for line in lines:
        if line.startswith("define "):
            inside = True
            origins.append(places.attached(line))
        elif line.startswith("}"):
            inside = False
            origins.append(None)
        elif inside and _is_instruction(line):
            origins.append(places.attached(line))
        else:
            origins.append(None)
    _join_continued(lines, origins)
    return origins, places.by_words()


def _is_instruction(line: str) -> bool:
    """Labels stand at the margin; debug records begin with `#dbg_`."""
    return line.startswith("  ") and not line.lstrip().startswith((";", "#dbg_"))


def _join_continued(lines: list[str], origins: list[Origin]) -> None:
    """Give each line of a `switch` the origin that stands at its end."""
    start = -1
    for number, line in enumerate(lines):
        if start < 0 and line.startswith("  switch ") and line.endswith("["):
            start = number
        elif start >= 0 and line.startswith("  ]"):
            origins[start:number] = [origins[number]] * (number - start)
            start = -1


class _Metadata:
    """The debug metadata of a module."""

    def __init__(self, nodes: Mapping[str, tuple[str, str]]) -> None:
        self.kind = {name: kind for name, (kind, _) in nodes.items()}
        self.fields = {
            name: {match[1]: match[2] if match[3] is None else match[3] for match in _FIELD.finditer(fields)}
            for name, (_, fields) in nodes.items()
        }
        self.known: dict[str, tuple[Place, ...]] = {}

    def attached(self, line: str) -> tuple[Place, ...]:
        """Places of an instruction or a `define`."""
        match = _DBG.search(line)
        return self.places(match[1]) if match else ()

    def places(self, name: str) -> tuple[Place, ...]:
        """Places that a location, or the start of a function, stands for."""
        if name not in self.known:
            self.known[name] = ()
            fields = self.fields.get(name, {})
            callers = self.places(fields["inlinedAt"]) if "inlinedAt" in fields else ()
            self.known[name] = followed((self.file(name), int(fields.get("line", "0"))), callers)
        return self.known[name]

    def file(self, name: str) -> str:
        """Path of the file that a location, or the scope around it, stands in."""
        seen = set()
        while name not in seen:
            seen.add(name)
            fields = self.fields.get(name, {})
            if self.kind.get(name) == "DIFile":
                return posixpath.join(fields.get("directory", ""), fields.get("filename", "")).removeprefix("./")
            name = fields.get("file") or fields.get("scope", "")
        return ""

    def words(self, name: str) -> str:
        """What LLVM prints of a location: `FILE:LINE:COLUMN @[ CALLER ]`."""
        fields = self.fields.get(name, {})
        words = f"{posixpath.basename(self.file(name))}:{fields.get('line', '0')}:{fields.get('column', '0')}"
        return f"{words} @[ {self.words(fields['inlinedAt'])} ]" if "inlinedAt" in fields else words

    def by_words(self) -> dict[str, Origin]:
        """Origins of all locations, by their words."""
        return {self.words(name): self.places(name) for name, kind in self.kind.items() if kind == "DILocation"}
