"""The lecture's sections: the headings its text shows, in the order the lecture comes to them."""

from bisect import bisect_right
from dataclasses import dataclass

from engine.trace import Recording, Text
from viewer.markup import headings


@dataclass(frozen=True)
class Section:
    """A heading and where it is reached."""

    number: int
    level: int
    "1 for the highest; levels that the lecture leaves out are closed up."
    title: str
    step: int
    "The step that shows it first."
    file: int
    line: int


def sections(recording: Recording) -> list[Section]:
    """The sections of `recording`. A heading shown again by the same statement is the same section."""
    trace = recording.trace
    found: list[tuple[int, str, int, int, int]] = []
    seen: set[tuple[int, int]] = set()
    for step, outputs in sorted(recording.outputs.items()):
        place = trace.steps.place[step]
        for output in outputs:
            item = trace.output_table[output]
            if isinstance(item, Text) and (place, output) not in seen:
                seen.add((place, output))
                where = (step, trace.places.file[place], trace.places.line[place])
                found.extend((level, title, *where) for level, title in headings(item.markdown) if title)
    rank = {level: number for number, level in enumerate(sorted({level for level, *_ in found}), 1)}
    return [
        Section(number, rank[level], title, step, file, line)
        for number, (level, title, step, file, line) in enumerate(found)
    ]


def section_at(found: list[Section], step: int) -> Section | None:
    """The section that `step` is in."""
    number = bisect_right(found, step, key=lambda section: section.step) - 1
    return found[number] if number >= 0 else None
