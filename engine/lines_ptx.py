"""Where the lines of PTX come from: its `.loc` directives.

Language: https://docs.nvidia.com/cuda/parallel-thread-execution/#debugging-directives-loc
"""

import re
from collections.abc import Mapping

from engine.origins import Origin, Place, followed

_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"((?:[^"\\]|\\.)*)"')
_LOC = re.compile(
    r"^\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*?\binlined_at\s+(\d+)\s+(\d+)\s+(\d+))?[^/]*(?://\s*(?P<words>.*\S))?"
)
_LABEL = re.compile(r"^[\w$%.]+\s*:(?!:)\s*")
_COMMENT = re.compile(r"//.*|/\*.*?\*/")

_Spot = tuple[int, int, int]
"Number of a file, line and column."


def read_ptx(text: str, names: Mapping[str, Origin] | None = None) -> list[Origin]:
    """Origins of the lines of a PTX module.

    `names` gives the origin of a location by the words LLVM writes behind it (see `read_llvm`); without them only
    `inlined_at` tells of inlining.
    """
    lines = text.split("\n")
    reader = _Reader({int(match[1]): match[2] for line in lines if (match := _FILE.match(line))}, names or {})
    return [reader.read(line) for line in lines]


class _Reader:
    """Reads a module line by line."""

    def __init__(self, files: Mapping[int, str], names: Mapping[str, Origin]) -> None:
        self.files = files
        self.names = names
        self.depth = 0
        self.debug = False
        self.continued = False
        "Whether the instruction of the line before goes on."
        self.current: tuple[Place, ...] = ()
        self.callers: dict[_Spot, tuple[Place, ...]] = {}
        "Where the code at a spot was inlined, as it was last said."
        self.assembly: tuple[Place, ...] | None = None
        "Inside inline assembly: the one place that all of it comes from."
        self.assembly_placed = False

    def read(self, line: str) -> Origin:
        """Origin of the next line."""
        bare = _COMMENT.sub("", line).strip()
        if self.debug or bare.startswith(".section"):
            self._read_debug(bare)
            return None
        if not bare:
            self._read_comment(line)
            return None
        if bare.startswith(".loc"):
            self._read_loc(line)
            return None
        return self._read_code(bare)

    def _read_debug(self, bare: str) -> None:
        self.depth += bare.count("{") - bare.count("}")
        self.debug = self.depth > 0 or not bare.endswith("}")

    def _read_comment(self, line: str) -> None:
        """Inline assembly has one place, but LLVM 22 counts the line on for each line of it."""
        comment = line.strip().lstrip("/ ")
        if comment.startswith("begin inline asm"):
            self.assembly, self.assembly_placed = self.current, False
        elif comment.startswith("end inline asm") and self.assembly is not None:
            self.current, self.assembly = self.assembly, None

    def _read_loc(self, line: str) -> None:
        match = _LOC.match(line)
        if match is None:
            return
        places = self._places(match)
        if self.assembly is None:
            self.current = places
        elif not self.assembly_placed:
            self.assembly, self.assembly_placed = places, True

    def _places(self, match: re.Match[str]) -> tuple[Place, ...]:
        file, line, _ = spot = (int(match[1]), int(match[2]), int(match[3]))
        if match[4]:
            at = (int(match[4]), int(match[5]), int(match[6]))
            self.callers[spot] = followed((self.files.get(at[0], ""), at[1]), self.callers.get(at, ()))
            return followed((self.files.get(file, ""), line), self.callers[spot])
        self.callers.pop(spot, None)
        known = self.names.get(match["words"] or "")
        return known if known else followed((self.files.get(file, ""), line))

    def _read_code(self, bare: str) -> Origin:
        inside = self.depth > 0
        self.depth += bare.count("{") - bare.count("}")
        if not inside:
            return None
        if not self.continued:
            bare = _LABEL.sub("", bare)
            if bare.startswith(".") or not bare.strip("{} \t"):
                self.continued = bare.startswith(".") and not bare.endswith((";", "}", "{"))
                return None
        self.continued = not bare.endswith((";", "}", "{"))
        self.assembly_placed = True
        return self.current if self.assembly is None else self.assembly
