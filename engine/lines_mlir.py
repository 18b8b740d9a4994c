"""Where the lines of TTIR and TTGIR come from: MLIR's locations, `loc(...)`.

Grammar: https://mlir.llvm.org/docs/Diagnostics/#source-locations
"""

import re

from engine.origins import Origin, Place, followed

_ALIAS = re.compile(r"^(#loc\d*) = loc\((.*)\)$")
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<alias>\#loc\d*) | (?P<unknown>unknown) | (?P<callsite>callsite\() | (?P<fused>fused(?:<[^>]*>)?\[)
        | (?P<file>"(?P<path>(?:[^"\\]|\\.)*)":(?P<line>\d+):\d+(?:\ to\ (?:\d+)?:\d+)?)
        | (?P<name>"(?:[^"\\]|\\.)*"\(?)
    )""",
    re.VERBOSE,
)


def read_mlir(text: str) -> list[Origin]:
    """Origins of the lines of a module in MLIR's textual form, as Triton prints it.

    An operation with regions begins at one line and has its location at the line of its last brace; the first line
    gets it. Regions end, and blocks begin, at lines that are not code.
    """
    lines = text.split("\n")
    locations = _Locations({match[1]: match[2] for line in lines if (match := _ALIAS.match(line))})
    origins: list[Origin] = [None] * len(lines)
    open_lines: list[int] = []
    for number, line in enumerate(lines):
        body, location = _split(line.strip())
        origin = locations.read(location)
        if body.startswith("}"):
            if not body.endswith("{") and open_lines:
                origins[open_lines.pop()] = origin
        elif body.endswith("{"):
            open_lines.append(number)
        elif body and not body.startswith(("#", "^", "//", "module ")):
            origins[number] = origin
    return [None if line.startswith("module") else origin for line, origin in zip(lines, origins, strict=True)]


def _split(line: str) -> tuple[str, str]:
    """An operation and its location: `a b loc(c)` is `a b` and `c`."""
    depth = 0
    for at in range(len(line) - 1, -1, -1):
        depth += (line[at] == ")") - (line[at] == "(")
        if depth == 0:
            if line.endswith(")") and line.endswith("loc", 0, at):
                return line[: at - len("loc")].rstrip(), line[at + 1 : -1]
            break
    return line, "unknown"


class _Locations:
    """Reads locations, whose parts may be named elsewhere in the text."""

    def __init__(self, aliases: dict[str, str]) -> None:
        self.aliases = aliases
        self.known: dict[str, tuple[Place, ...]] = {}

    def read(self, text: str) -> tuple[Place, ...]:
        """Places that the content of a `loc(...)` stands for; () for an unknown one or one of another form."""
        if text not in self.known:
            self.known[text] = ()  # what an alias that names itself comes to
            self.known[text] = self._parse(text, 0)[0]
        return self.known[text]

    def _parse(self, text: str, at: int) -> tuple[tuple[Place, ...], int]:
        match = _TOKEN.match(text, at)
        if match is None:
            return (), len(text)
        at = match.end()
        if match["alias"]:
            return self.read(self.aliases.get(match["alias"], "unknown")), at
        if match["file"]:
            return followed((match["path"], int(match["line"]))), at
        if match["callsite"]:
            callee, at = self._parse(text, at)
            caller, at = self._parse(text, text.find(" at ", at) + len(" at "))
            return callee + caller, at + len(")")
        if match["fused"]:
            return self._parse_fused(text, at)
        if match["name"] and match["name"].endswith("("):
            child, at = self._parse(text, at)
            return child, at + len(")")
        return (), at

    def _parse_fused(self, text: str, at: int) -> tuple[tuple[Place, ...], int]:
        """Several places became one operation: the first that is known stands for it."""
        chosen: tuple[Place, ...] = ()
        while at < len(text) and text[at - 1] != "]":
            part, at = self._parse(text, at)
            chosen = chosen or part
            at += 1  # the comma or the bracket
        return chosen, at
