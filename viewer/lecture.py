"""From a recording to the page that shows it."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from engine.trace import File, Note, Output, Recording, Stderr, Stdout, Text, Trace, Warning
from viewer import columns
from viewer.accesses import said
from viewer.highlight import lines
from viewer.outline import Section, sections
from viewer.pages import FileView, Group, LecturePage, Row, Slot
from viewer.plots import Charts
from viewer.provenance import provenance
from viewer.statements import Layout, layout
from viewer.urls import Urls
from viewer.visits import NO_GROUP, Spot, Visits, visits

INLINE_GROUPS = 40
"Groups of outputs of one statement that the page holds; the others are fetched when a step shows them."
CHUNK = 100
"Groups in one file of further outputs."


@dataclass(frozen=True)
class Lecture:
    """A recording with all that is derived from it."""

    name: str
    recording: Recording
    visits: Visits
    sections: list[Section]
    layouts: list[Layout]

    @property
    def trace(self) -> Trace:
        """The recording's structures."""
        return self.recording.trace

    @cached_property
    def charts(self) -> Charts:
        """Its charts that a browser can draw."""
        return Charts(self.trace)

    def data(self) -> bytes:
        """The page's data file."""
        return columns.encode(self.recording, self.visits, self.sections, self.layouts)

    def outputs(self, group: tuple[int, ...], notes: bool = True) -> tuple[Output, ...]:
        """The outputs of a group; the speaker's notes only when asked for."""
        found = (self.trace.output_table[number] for number in group)
        return tuple(output for output in found if notes or not isinstance(output, Note))


def study(trace: Trace, name: str) -> Lecture:
    """Derive from `trace` what its page needs."""
    recording = Recording(trace)
    layouts = [layout(file.source, file.language) for file in trace.files]
    return Lecture(name, recording, visits(recording), sections(recording), layouts)


def page(
    lecture: Lecture, urls: Urls, revision: str, *, notes: bool = True, live: bool = False, address: str = ""
) -> LecturePage:
    """The page of `lecture`."""
    trace = lecture.trace
    last_error = trace.errors[max(trace.errors)].traceback if trace.errors and trace.status == "error" else ""
    return LecturePage(
        urls=urls,
        name=lecture.name,
        title=title(lecture),
        description=_description(trace),
        status=trace.status,
        reason=trace.reason,
        steps=len(lecture.recording),
        sections=lecture.sections,
        files=[_file(lecture, number, file, notes) for number, file in _in_order(trace)],
        kernels=tuple(trace.kernels),
        charts=lecture.charts,
        warnings=tuple(trace.warnings),
        error=last_error,
        revision=revision,
        live=live,
        address=address,
        made=provenance(trace.run),
    )


def title(lecture: Lecture) -> str:
    """What the lecture is called: its title, or its first heading where the title is no more than the file's name."""
    given = lecture.trace.title
    if given in ("", lecture.name) and lecture.sections:
        return lecture.sections[0].title
    return given or lecture.name


def _in_order(trace: Trace) -> list[tuple[int, File]]:
    """The lecture's own file first."""
    return sorted(enumerate(trace.files), key=lambda pair: (pair[1].path != trace.lecture, pair[0]))


def _description(trace: Trace) -> str:
    """The first sentences of the lecture's text, for search engines and cards."""
    words: list[str] = []
    for output in trace.output_table:
        if isinstance(output, Text) and not output.markdown.lstrip().startswith("#"):
            words += output.markdown.split()
        if len(words) > 30:
            break
    return " ".join(words[:30])


def _file(lecture: Lecture, number: int, file: File, notes: bool) -> FileView:
    code = lines(file.source, file.language)
    if len(code) > 1 and not code[-1]:
        code.pop()
    text = file.source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    build = _Rows(lecture, number, file, notes)
    rows = [build.row(line, text[line - 1], html) for line, html in enumerate(code, 1)]
    return FileView(number, file.path, rows, file.path == lecture.trace.lecture, file.language)


class _Rows:
    """Makes the rows of one file, from its first line to its last."""

    def __init__(self, lecture: Lecture, number: int, file: File, notes: bool) -> None:
        self.lecture, self.number, self.file, self.notes = lecture, number, file, notes
        self.layout = lecture.layouts[number]
        self.reach = _Reach(lecture.visits, self.layout, number)
        self.touched = said(lecture.recording)
        self.ends: dict[int, list[int]] = {}
        for spot, found in enumerate(lecture.visits.spots):
            if found.file == number:
                self.ends.setdefault(found.end_line, []).append(spot)
        self.unnoted = set() if notes else self.layout.notes | self._noting()
        self.open: Spot | None = None

    def _noting(self) -> set[int]:
        """The lines of statements that only call, where what they call makes notes."""
        spots = (spot for spots in self.ends.values() for spot in map(self.lecture.visits.spots.__getitem__, spots))
        makes = (s for s in spots if s.line in self.layout.prose and any(isinstance(o, Note) for o in self._all(s)))
        return {line for spot in makes for line in range(spot.line, spot.end_line + 1)}

    def row(self, line: int, text: str, html: Markup) -> Row:
        """The row of `line`, with the slots of the statements that end there."""
        spots = self.lecture.visits
        begins = spots.by_line.get((self.number, line), -1)
        if begins >= 0:
            self.open = spots.spots[begins]
        spot = self.open if self.open and line <= self.open.end_line else None
        slots = (self._slot(number, spots.spots[number]) for number in self.ends.get(line, ()))
        return Row(
            line=line,
            code=html,
            indent=_indent(text),
            kind=self._kind(line, text, spot, begins >= 0),
            spot=begins,
            step=spots.spots[begins].steps[0] if begins >= 0 and spots.spots[begins].steps else -1,
            reach=self.reach.of(line),
            hidden=line in self.unnoted or line in self.file.hidden,
            slots=() if line in self.file.hidden else tuple(slot for slot in slots if slot),
            warnings=self._warnings(line, line),
            touched=self.touched.get((self.number, line), ()),
        )

    def _warnings(self, first: int, last: int) -> tuple[Warning, ...]:
        """The recording's warnings about the lines from `first` to `last`."""
        warnings = self.lecture.trace.warnings
        return tuple(found for found in warnings if found.path == self.file.path and first <= found.line <= last)

    def _kind(self, line: int, text: str, spot: Spot | None, begins: bool) -> str:
        if spot and self._is_prose(spot):
            return "prose"
        if not text.strip():
            return "blank"
        if line in self.layout.heads:
            return "more" if _indent(text) else "head"
        if (spot and not begins) or line in self.layout.signatures:
            return "more"
        if text.lstrip().startswith("#") or line in self.layout.docstrings:
            return "comment"
        return "unrun" if spot is None and self.layout.function(line)[0] else "code"

    def _is_prose(self, spot: Spot) -> bool:
        """Whether what the statement shows can stand in the place of its code."""
        if spot.enters or spot.line not in self.layout.prose or not spot.groups:
            return False
        return any(not isinstance(output, Stdout | Stderr) for output in self._shown(spot))

    def _slot(self, number: int, spot: Spot) -> Slot | None:
        shown = self._shown(spot)
        if not shown and not spot.errors:
            return None
        groups = [
            Group(index, _passes(spot, index), self.lecture.outputs(group, self.notes))
            for index, group in enumerate(spot.groups[:INLINE_GROUPS])
        ]
        first = self.file.source.split("\n")[spot.line - 1]
        rest = len(spot.groups) - len(groups)
        errors = tuple((step, self.lecture.trace.errors[step]) for step in spot.errors[:INLINE_GROUPS])
        warnings = self._warnings(spot.line, spot.end_line)
        only_notes = not errors and all(isinstance(output, Note) for output in shown)
        prose, visits = self._is_prose(spot), len(spot.steps)
        return Slot(number, _indent(first), prose, groups, visits, rest, errors, only_notes, warnings)

    def _all(self, spot: Spot) -> list[Output]:
        return [self.lecture.trace.output_table[number] for group in spot.groups for number in group]

    def _shown(self, spot: Spot) -> list[Output]:
        """What the page shows of a statement: of the notes, only what was asked for."""
        return [output for output in self._all(spot) if self.notes or not isinstance(output, Note)]


class _Reach:
    """From which step on each line of a file is no longer ahead of the reader."""

    def __init__(self, visits: Visits, layout: Layout, file: int) -> None:
        self.layout = layout
        found = sorted((s.line, s.end_line, s.steps[0]) for s in visits.spots if s.file == file and s.steps)
        self.lines = [line for line, _, _ in found]
        self.ends = [end for _, end, _ in found]
        self.steps = [step for _, _, step in found]

    def of(self, line: int) -> int:
        """The first step at the statement of `line`, at the one above it in its function, or in the function at all."""
        first, last = self.layout.function(line)
        number = bisect_right(self.lines, line) - 1
        if number >= 0 and self.lines[number] > first:
            return self.steps[number]
        low, high = bisect_right(self.lines, first), bisect_right(self.lines, last)
        return min(self.steps[low:high], default=-1) if first else -1


def _indent(text: str) -> int:
    """Columns before the first character of a line."""
    text = text.expandtabs(4)
    return len(text) - len(text.lstrip(" "))


def _passes(spot: Spot, group: int) -> str:
    """In words, which visits showed `group`; nothing when there is no choice."""
    shown = [number + 1 for number, other in enumerate(spot.group) if other == group]
    if len(spot.groups) == 1 or not shown:
        return ""
    if len(shown) == 1:
        return f"Pass {shown[0]} of {len(spot.steps)}"
    return f"Passes {shown[0]} to {shown[-1]} of {len(spot.steps)}" if _run(shown) else f"{len(shown)} passes"


def _run(numbers: list[int]) -> bool:
    return numbers[-1] - numbers[0] == len(numbers) - 1


__all__ = ["CHUNK", "NO_GROUP", "Lecture", "page", "study"]
