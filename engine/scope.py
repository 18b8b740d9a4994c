"""What the tracer needs of one visible code object."""

import opcode
from collections.abc import Sequence
from types import CodeType

from engine.statements import Statement


def operations_named(*names: str) -> frozenset[int]:
    """Their numbers, of those that this version of Python has."""
    return frozenset(opcode.opmap[name] for name in names if name in opcode.opmap)


_RESUME = opcode.opmap["RESUME"]
_YIELDS = operations_named("YIELD_VALUE", "RETURN_GENERATOR")
_GENERATOR = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR


class Scope:
    """The statements of a code object by instruction, and which of them need no more than a step."""

    __slots__ = (
        "all_values", "code", "endings", "entries", "function", "generator", "heads", "instructions", "opcodes",
        "places", "quick", "quiet", "resumes", "statements", "table", "tails",
    )  # fmt: skip

    def __init__(
        self, code: CodeType, table: list[int], statements: Sequence[Statement], *, endings: frozenset[int],
        tails: frozenset[int], heads: frozenset[int], opcodes: bool, all_values: bool,
    ) -> None:  # fmt: skip
        self.code = code
        self.function = code.co_name
        self.table = table
        "Statement number by instruction, -1 for none."
        self.entries = bytearray(len(table))
        "1 for each instruction at which a statement has been seen to begin."
        self.statements = statements
        self.endings = endings
        "Instructions that may be come to past the statement whose line they carry."
        self.tails = tails
        "Those of them at which no statement begins."
        self.heads = heads
        "Instructions at which a loop begins another pass without having left its own header."
        self.instructions = code.co_code
        self.opcodes = opcodes
        "Whether lines are too coarse, since two statements share one."
        self.all_values = all_values
        "Whether all local variables are recorded, and not only those asked for."
        self.generator = bool(code.co_flags & _GENERATOR)
        self.places: dict[int, int] = {}
        "Place of a step, by statement number, of those that were executed."
        self.resumes: dict[int, int] = {}
        "Place of a step of kind `resume`."
        self.quiet = bytearray(not (s.directives or all_values) for s in statements) + b"\1"
        "1 for each statement that has nothing to be looked at; the last one stands for number -1, no statement."
        self.quick: list[tuple[int, int] | None] = [None] * len(table)
        "Statement and place by instruction, where a statement begins that asks for nothing more than a step."

    def begins_at(self, instruction: int, number: int) -> None:
        """A statement has begun at an instruction, and has its place."""
        statement = self.statements[number]
        if not (self.opcodes or statement.directives.stepover or statement.vanishing or statement.entering):
            self.quick[instruction] = number, self.places[number]

    def starts(self, offset: int) -> bool:
        """Whether a call event at `offset` is the frame's first, and not its resumption after a yield."""
        return self.instructions[offset] == _RESUME and not self.instructions[offset + 1] & 3

    def yields(self, offset: int) -> bool:
        """Whether a return event at `offset` is a yield. Python 3.13 is at the RESUME behind it."""
        operation = self.instructions[offset]
        return operation in _YIELDS or (operation == _RESUME and not self.starts(offset))
