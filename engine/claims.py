"""What an author claims of a kernel's compiled code, and how a stage's text is held against it."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.trace import Evidence, Observation

Select = Callable[[str], tuple[list[int], int]]
"Of a stage's text: the lines selected, from 1, and what was counted on them."

STAGES = ("ttir", "ttgir", "llir", "ptx", "sass", "source")
LINES = 1_000
"Lines kept of a selection."
CLAIMS = 1_000
"Claims checked a recording."


@dataclass(frozen=True)
class Claim:
    """An observation that is still to be checked."""

    observation: Observation
    select: Select
    kernel: str = ""
    "Name of the kernel, `*` standing for anything, where the lecture cannot point at it otherwise."
    targets: tuple[str, ...] = ()
    "Those it is made for; all where there are none."
    constants: tuple[tuple[str, str], ...] = ()
    "Compile-time constants of the compilations it is about, in the words of `Variant.constants`."
    path: str = ""
    line: int = 0
    "The lecture's statement."


def selector(pattern: object) -> Select:
    """How `pattern`, a regular expression or a function of the text, selects lines and counts.

    Of a regular expression each match counts as 1, or as the number in its group `n` where that took part. A function
    returns the lines themselves, as numbers from 1. Raises ValueError for anything else.
    """
    if callable(pattern):
        return lambda text: _of_function(pattern, text)
    if not isinstance(pattern, str):
        raise ValueError(f"{pattern!r} is neither a regular expression nor a function of the stage's text")
    try:
        expression = re.compile(pattern, re.MULTILINE)
    except re.error as error:
        raise ValueError(f"{pattern!r} is no regular expression: {error}") from error
    if expression.search("") is not None:
        raise ValueError(f"{pattern!r} matches even where there is nothing; name what must stand there")
    return lambda text: _of_expression(expression, text)


def _of_expression(expression: re.Pattern[str], text: str) -> tuple[list[int], int]:
    lines: dict[int, None] = {}
    count, line, seen = 0, 1, 0
    for match in expression.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        lines.update(dict.fromkeys(range(line, line + match[0].rstrip("\n").count("\n") + 1)))
        count += _worth(match)
    return sorted(lines), count


def _worth(match: re.Match[str]) -> int:
    """What a match counts as."""
    number = match.groupdict().get("n")
    if number is None:
        return 1
    if not number.isdecimal():
        raise ValueError(f"the group n matched {number!r}, which is no number to count with")
    return int(number)


def _of_function(function: Callable[[str], Any], text: str) -> tuple[list[int], int]:
    found = function(text)
    size = text.count("\n") + 1
    if not isinstance(found, Iterable) or isinstance(found, str):
        raise ValueError(f"the function returned {found!r:.80}, not the numbers of lines")
    lines = sorted(set(found))
    if not all(isinstance(line, int) and 1 <= line <= size for line in lines):
        raise ValueError(f"the function returned {lines!r:.80}; the text has lines 1 to {size}")
    return lines, len(lines)


def checked_stage(stage: object) -> str:
    """`stage` where there is such a one. Raises ValueError."""
    if stage not in STAGES:
        raise ValueError(f"{stage!r} is no stage; name one of {', '.join(STAGES)}")
    return str(stage)


def checked_count(count: object) -> int | None:
    """`count` where it can be one. Raises ValueError."""
    if count is None or (isinstance(count, int) and not isinstance(count, bool) and count >= 0):
        return count
    raise ValueError(f"count={count!r} is no count; give a whole number from 0 on, or leave it out")


def in_words(constants: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Constants as `Variant.constants` has them."""
    return tuple((name, repr(value) if isinstance(value, str) else str(value)) for name, value in constants.items())


def judge(claim: Claim, text: str, first: int = 1) -> Evidence:
    """What `text` says to `claim`, its lines counted from `first`. Never raises: a failure is evidence of nothing."""
    try:
        lines, count = claim.select(text)
    except (Exception, SystemExit) as error:
        return Evidence(reason=f"what selects its lines failed: {type(error).__name__}: {str(error)[:200]}")
    expected = claim.observation.expected
    holds = count > 0 if expected is None else count == expected
    found = "nothing found" if not count else f"{count} found"
    reason = "" if holds else found if expected is None else f"{found}, {expected} expected"
    kept = tuple(line + first - 1 for line in lines[:LINES])
    return Evidence(holds=holds, lines=kept, count=count, reason=reason, truncated=len(lines) > LINES)
