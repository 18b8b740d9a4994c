"""Reads the lines of a compiled stage: which instructions stand there, what they do, and which lines are no code."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from viewer.opcodes import KINDS, kind, sentence

_COMMENT = re.compile(r"//.*|/\*.*?\*/")
_LABEL = re.compile(r"^[\w$%.]+\s*:(?!:)\s*")
_PTX = re.compile(r"(?P<guard>@!?)?(?(guard)%?[\w$]+\s+)(?P<opcode>[a-z][\w.:]*)(?P<operands>.*)", re.DOTALL)
_SASS = re.compile(
    r"\s*/\*[0-9a-f]{4,}\*/\s+(?:\{\s*)?(?P<guard>@!?)?(?(guard)U?P\w+\s+)(?P<opcode>[A-Z]\w[\w.]*)(?P<operands>.*)"
)
_CONSTANT = re.compile(r"-?RZ, -?RZ\b")
"With zeros as factors, HFMA2 sets a register to a constant."
_GUARDS = {"@": "Only where its predicate holds.", "@!": "Only where its predicate does not hold."}
_NAMES = {
    "tid": "the thread's index in its block",
    "ntid": "the number of threads of a block",
    "ctaid": "the block's index in the grid",
    "nctaid": "the number of blocks of the grid",
    "laneid": "the thread's index in its warp",
    "warpid": "the warp's place on the multiprocessor",
    "clusterid": "the cluster's index in the grid",
    "cluster_ctaid": "the block's index in its cluster",
    "smid": "the multiprocessor's number",
    "clock": "a counter of cycles",
}
"Special registers; NVIDIA, PTX ISA, chapter \"Special Registers\"."
_SPECIAL = re.compile(rf"(?:%|\bSR_)(?P<name>{'|'.join(_NAMES)})\b(?:\.[xyz])?", re.IGNORECASE)


@dataclass(frozen=True)
class Instruction:
    """One instruction."""

    opcode: str
    "With its modifiers, `ld.global.v4.b32`."
    operands: str = ""
    guard: str = ""
    "`@` or `@!` where a predicate decides whether it is executed."

    def kind(self, stage: str) -> str:
        """Which of `KINDS` it is of; empty for none."""
        if self.opcode.startswith("HFMA2") and _CONSTANT.search(self.operands):
            return ""
        return kind(self.opcode, stage)

    def sentence(self, stage: str) -> str:
        """What it does; empty where its opcode is not known."""
        said = sentence(self.opcode, stage)
        if not said:
            return ""
        parts = [said]
        if found := _SPECIAL.search(self.operands):
            parts.append(f"{found[0]} is {_NAMES[found['name'].lower()]}.")
        return " ".join([*parts, _GUARDS.get(self.guard, "")]).strip()


def instructions(lines: Sequence[str], stage: str) -> list[tuple[Instruction, ...]]:
    """The instructions of each line of PTX or SASS."""
    return [tuple(found) for found in (_read_sass(lines) if stage == "sass" else _read_ptx(lines))]


def _read_sass(lines: Sequence[str]) -> Iterator[list[Instruction]]:
    for line in lines:
        found = _SASS.match(line)
        yield [Instruction(found["opcode"], found["operands"], found["guard"] or "")] if found else []


def _read_ptx(lines: Sequence[str]) -> Iterator[list[Instruction]]:
    continued = False
    for line in lines:
        bare = _COMMENT.sub("", line).strip()
        found = [] if continued or bare.startswith(".") else [_ptx(part) for part in bare.split(";")]
        yield [one for one in found if one is not None]
        if bare:
            continued = not bare.startswith(".") and not bare.endswith((";", "{", "}", ":", ")"))


def _ptx(part: str) -> Instruction | None:
    """An instruction of a line's statement, perhaps behind braces and a label; None for a directive or nothing."""
    found = _PTX.match(_LABEL.sub("", part.strip().lstrip("{} \t")))
    return Instruction(found["opcode"], found["operands"], found["guard"] or "") if found else None


@dataclass(frozen=True)
class Explained:
    """What the instructions of a stage do."""

    texts: list[tuple[str, str]]
    "Opcode, and a sentence on it, each pair once."
    text: list[int]
    "By line: which of `texts`, -1 for none."


def explain(found: Sequence[tuple[Instruction, ...]], stage: str) -> Explained:
    """What each line of PTX or SASS does."""
    numbers: dict[tuple[str, str], int] = {}
    text = []
    for line in found:
        words = (", ".join(one.opcode for one in line), " ".join(filter(None, (one.sentence(stage) for one in line))))
        text.append(numbers.setdefault(words, len(numbers)) if words[1] else -1)
    return Explained(list(numbers), text)


def counts(found: Sequence[tuple[Instruction, ...]], source: Sequence[int], stage: str) -> dict[str, dict[int, int]]:
    """How many instructions of each kind each line of the source became; line 0 has those of no line."""
    tallies: dict[str, Counter[int]] = {name: Counter() for name in KINDS}
    for number, line in enumerate(found):
        for one in line:
            if name := one.kind(stage):
                tallies[name][max(source[number], 0) if number < len(source) else 0] += 1
    return {name: dict(tally) for name, tally in tallies.items() if tally}


_ASIDES = {
    "ttir": r"#loc",
    "ttgir": r"#loc",
    "llir": r";|!|#dbg_|attributes |source_filename|target |declare ",
    "ptx": r"//|\.|[{})]\s*$",
    "sass": r"//|\.(?!\w[\w.$]*:)",
}
_ASIDE = {stage: re.compile(rf"\s*({words}|$)") for stage, words in _ASIDES.items()}


def asides(lines: Sequence[str], source: Sequence[int], stage: str) -> list[int]:
    """Numbers of the lines (from 1) that can be left out of a stage: directives, debug sections, comments, blank lines.

    A line that the compiler's own links say is code is never among them, nor is an instruction, a label or a predicate.
    """
    pattern = _ASIDE.get(stage)
    code = {line for line, origin in enumerate(source, 1) if origin >= 0}
    return [number for number, line in enumerate(lines, 1) if pattern and pattern.match(line) and number not in code]
