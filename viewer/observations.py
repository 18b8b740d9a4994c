"""What the page says of an observation: for which compilations it holds, on which lines, and where it does not."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from engine.trace import Evidence, Kernel, Observation

RANGES = 6
"Runs of lines named one by one."
NAMES = {"ttir": "TTIR", "ttgir": "TTGIR", "llir": "LLIR", "ptx": "PTX", "sass": "SASS", "source": "Source"}


@dataclass(frozen=True)
class Finding:
    """Evidence that is the same for several targets."""

    state: Literal["holds", "refuted", "open"]
    where: str
    "`sm_80, sm_90 with BLOCK_SIZE = 256`; empty for the kernel's own source."
    said: str
    "`8, on lines 12, 15 to 17`; why it does not hold; why it could not be checked."
    found: str
    "JSON for the kernel pane: the lines by number of the variant."


@dataclass(frozen=True)
class Proof:
    """All there is to say of an observation."""

    place: str
    "`PTX of gelu_kernel`"
    kernel: int
    "-1 where there is nothing to open."
    stage: str
    key: str
    "Of a compilation to look at; empty for the kernel's own source."
    found: str
    "Like that of a finding, for all compilations it holds for; for all there are, where it holds for none."
    findings: tuple[Finding, ...]
    problem: str
    "Why it could not be checked anywhere."


def proof(observation: Observation, kernels: Sequence[Kernel]) -> Proof:
    """What to say of `observation`."""
    evidence, number = observation.evidence, observation.kernel
    kernel = kernels[number] if number >= 0 else None
    held = [one for one in evidence if one.holds] or [one for one in evidence if one.holds is not None]
    found = _found(held, kernel)
    return Proof(
        place=f"{NAMES.get(observation.stage, observation.stage)} of {kernel.name}" if kernel else "",
        kernel=number if held else -1,
        stage=observation.stage,
        key=next((one.key for one in held if one.key), ""),
        found=found,
        findings=tuple(_finding(group, kernel, observation.expected) for group in _groups(evidence)),
        problem="" if evidence else observation.reason,
    )


def _groups(evidence: Iterable[Evidence]) -> Iterable[list[Evidence]]:
    """Evidence that says the same, together."""
    groups: dict[tuple[object, ...], list[Evidence]] = {}
    for one in evidence:
        groups.setdefault((one.holds, one.told, one.lines, one.reason), []).append(one)
    return groups.values()


def _finding(group: Sequence[Evidence], kernel: Kernel | None, expected: int | None) -> Finding:
    first = group[0]
    where = ", ".join(one.target for one in group) + (f" with {first.told}" if first.told else "")
    counted = f"{expected}, on " if expected else ""
    said = counted + _lines(first) if first.holds else first.reason
    state: Literal["holds", "refuted", "open"] = "open"
    if first.holds is not None:
        state = "holds" if first.holds else "refuted"
    return Finding(state, where, said, _found(group, kernel))


def _found(evidence: Iterable[Evidence], kernel: Kernel | None) -> str:
    numbers = {variant.key: number for number, variant in enumerate(kernel.variants)} if kernel else {}
    return msgspec.json.encode({str(numbers.get(one.key, 0)): one.lines for one in evidence}).decode()


def _lines(evidence: Evidence) -> str:
    """The lines in words."""
    if not evidence.lines:
        return "nowhere, as it says"
    runs: list[list[int]] = []
    for line in evidence.lines:
        if runs and line == runs[-1][-1] + 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    named = [str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs[:RANGES]]
    rest = sum(map(len, runs[RANGES:]))
    more = f" and {rest} more" if rest else ""
    return f"line{'' if len(evidence.lines) == 1 else 's'} {', '.join(named)}{more}"
