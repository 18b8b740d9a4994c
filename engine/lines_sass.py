"""Where the lines of SASS come from.

The line table of a cubin holds files and lines, but of inlined code only where it stands, not which call of it this is
(and with LLVM 22 wrong lines for inline assembly). So the PTX is assembled with `.loc` directives that number the
origins of its lines instead; the disassembler then names, for each instruction, the number of its origin.
"""

import re
from collections.abc import Sequence

from engine.origins import Origin, Place

NUMBERED = "origins"
"Name of the file whose line numbers are numbers of origins."

_MARK = re.compile(r'^\s*//## File "([^"]*)", line (\d+)( inlined at .*)?$')
_INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?P<code>.*)$")
_REMOVED = re.compile(r"^\s*\.(?:loc|file)\s")


def number_origins(ptx: str, origins: Sequence[Origin]) -> tuple[str, list[Origin]]:
    """`ptx` with its `.loc`s replaced by `.loc`s into a table of origins, and the table: entry 1 is line 1."""
    numbers: dict[Origin, int] = {}
    lines = []
    last: Origin = None
    for line, origin in zip(ptx.split("\n"), origins, strict=True):
        if _REMOVED.match(line):
            continue
        if origin is not None and origin != last:
            lines.append(f"\t.loc\t1 {numbers.setdefault(origin, len(numbers) + 1)} 0")
            last = origin
        lines.append(line)
        if line.startswith("}"):
            last = None
    return "\n".join([*lines, f'\t.file\t1 "{NUMBERED}"', ""]), list(numbers)


def read_sass(disassembly: str, table: Sequence[Origin] | None = None) -> tuple[str, list[Origin]]:
    """The text of `nvdisasm -gi`, without its line marks, and the origins of its lines.

    `table` is the one of `number_origins`; without it, the marks are taken as they are. The instructions that fill up
    a function behind its end come from nowhere.
    """
    lines: list[str] = []
    origins: list[Origin] = []
    current: Origin = ()
    chain = _Chain()
    for line in disassembly.split("\n"):
        if (mark := _MARK.match(line)) is not None:
            chain.add(mark)
            current = _look_up(chain.places, table)
            continue
        if line.lstrip().startswith(".section"):
            current = ()
        lines.append(line.rstrip())
        origins.append(current if _INSTRUCTION.match(line) else None)
    _blank_padding(lines, origins)
    return "\n".join(lines), origins


class _Chain:
    """Marks in a row make one chain of inlining: each names a place, and the next mark where that was inlined."""

    def __init__(self) -> None:
        self.places: tuple[Place, ...] = ()
        self.goes_on = False

    def add(self, mark: re.Match[str]) -> None:
        place = (mark[1], int(mark[2]))
        self.places = (*self.places, place) if self.goes_on else (place,)
        self.goes_on = mark[3] is not None


def _look_up(places: Sequence[Place], table: Sequence[Origin] | None) -> Origin:
    if table is None:
        return tuple(place for place in places if place[1] > 0)
    number = places[0][1]
    return table[number - 1] if 0 < number <= len(table) else ()


def _blank_padding(lines: Sequence[str], origins: list[Origin]) -> None:
    """Behind the last instruction of a function stand a branch to itself, which is never taken, and NOPs."""
    padding = False
    for number in range(len(lines) - 1, -1, -1):
        match = _INSTRUCTION.match(lines[number])
        if match is None:
            continue
        code = match["code"]
        if code.startswith("NOP"):
            padding = True
        elif not (padding and code.startswith("BRA")):
            padding = False
            continue
        if padding:
            origins[number] = ()
