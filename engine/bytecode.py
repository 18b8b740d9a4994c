"""What the instructions of a code object show without being executed; each is counted in units of two bytes."""

import opcode
from collections.abc import Iterator
from types import CodeType


def operations(code: CodeType) -> list[str]:
    """Name of each instruction, `CACHE` for the room behind one."""
    return [opcode.opname[operation] for operation in code.co_code[::2]]


def cleanups(code: CodeType) -> Iterator[int]:
    """Instructions that tidy up when an `except` or `finally` is itself left by an exception.

    They carry the line of the last statement in there, which need not have been executed.
    """
    names = operations(code)
    for end, operation in enumerate(names):
        if operation == "RERAISE" and code.co_code[2 * end + 1] == 1:
            if names[end - 2 : end] == ["COPY", "POP_EXCEPT"]:
                yield from (end - 2, end - 1, end)
            elif names[end - 1].startswith("DELETE_"):
                yield from (end - 3, end - 2, end - 1, end)


def endings(code: CodeType) -> Iterator[int]:
    """Instructions that leave a function or a `finally` behind its last statement, whose line they carry.

    Where that is a loop, its line is no new pass; where it is a `pass`, they are all there is of it.
    """
    names = operations(code)
    for end, operation in enumerate(names):
        if operation in ("RETURN_VALUE", "RETURN_CONST", "RERAISE"):
            yield end
            if names[end - 1] == "LOAD_CONST":
                yield end - 1


def jumps_back(code: CodeType) -> Iterator[tuple[int, int]]:
    """(from, to) of each backward jump of a loop; `await` and `yield from` go round in circles of their own."""
    names = operations(code)
    argument = 0
    for instruction, operation in enumerate(names):
        argument = argument << 8 | code.co_code[2 * instruction + 1]
        if "JUMP_BACKWARD" in operation and not operation.endswith("NO_INTERRUPT"):
            behind = instruction + 1
            while names[behind : behind + 1] == ["CACHE"]:
                behind += 1
            yield instruction, behind - argument
        if operation != "EXTENDED_ARG":
            argument = 0
