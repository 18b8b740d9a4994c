"""Recordings of the original engine and of edtrace, read into this engine's structures.

Both write one JSON object: `files` (path -> source), `steps`, and in edtrace `hidden_line_numbers` (path -> lines). A
step has a `stack` (dicts of `path line_number function_name code`, outermost first), an `env` (name -> value, null for
one cleared) and `renderings`. The original's values are plain JSON; edtrace's say `type contents dtype shape`.
"""

import json
import re
from typing import Any, NamedTuple

from engine import legacy_outputs
from engine.builder import Builder
from engine.directives import Directives, read_directives
from engine.errors import TraceError
from engine.legacy_values import LegacyValues
from engine.trace import Stderr, Stdout, Text, Trace

_HEADING = re.compile(r"#{1,6}\s+(.+?)\s*#*\s*$", re.MULTILINE)

LINES = 1_000_000
"A step beyond this line is taken for damage."


class Frame(NamedTuple):
    """Where one function of a stack stands."""

    path: str
    line: int
    function: str
    code: str = ""
    "The source line."

    def enters(self) -> bool:
        """Whether the frame stands at its own `def`, as it does once, when it is called."""
        return re.match(rf"\s*(async\s+)?def\s+{re.escape(self.function)}\b", self.code) is not None


class Step(NamedTuple):
    """One step as the file has it."""

    stack: list[Frame]
    env: dict[str, Any]
    renderings: list[Any]
    stdout: str
    stderr: str


def convert(data: bytes, name: str) -> Trace:
    """The recording in `data`, which the original engine or edtrace wrote; `name` is what messages call it.

    Raises TraceError, in a sentence that says what is wrong and what to do, when it is no such recording.
    """
    whole = _parsed(data, name)
    for key, kind in (("files", dict), ("steps", list)):
        if not isinstance(whole.get(key), kind):
            raise TraceError(f"{name!r} is not a lecture trace: it has no {key!r}; record the lecture again")
    steps = [_step(step, number, name) for number, step in enumerate(whole["steps"])]
    return _Conversion(whole, steps, name).trace()


def _parsed(data: bytes, name: str) -> dict[str, Any]:
    """The JSON object in `data`; NaN and Infinity, which Python writes though JSON has no word for them, included."""
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise TraceError(f"{name!r} is not a lecture trace ({error}); record the lecture again") from error
    if not isinstance(whole, dict):
        raise TraceError(f"{name!r} is not a lecture trace: it is no JSON object; record the lecture again")
    return whole


def _step(step: Any, number: int, name: str) -> Step:
    stack = step.get("stack") if isinstance(step, dict) else None
    if not isinstance(stack, list) or not stack:
        raise TraceError(f"{name!r} is damaged: its step {number} has no 'stack'; record the lecture again")
    env, renderings = step.get("env") or {}, step.get("renderings") or []
    if not isinstance(env, dict) or not isinstance(renderings, list):
        raise TraceError(f"{name!r} is damaged: the values or outputs of step {number} are none; record it again")
    frames = [_frame(frame, number, name) for frame in stack]
    return Step(frames, env, renderings, str(step.get("stdout") or ""), str(step.get("stderr") or ""))


def _frame(frame: Any, number: int, name: str) -> Frame:
    path, line = (frame.get("path"), frame.get("line_number")) if isinstance(frame, dict) else (None, None)
    if not isinstance(path, str) or type(line) is not int or not 1 <= line <= LINES:
        raise TraceError(f"{name!r} is damaged: a frame of step {number} has no path or line; record the lecture again")
    return Frame(path, line, str(frame.get("function_name") or "<module>"), str(frame.get("code") or ""))


class _Conversion:
    """One file on its way into a `Builder`."""

    def __init__(self, whole: dict[str, Any], steps: list[Step], name: str) -> None:
        self.steps = steps
        self.builder = Builder()
        self.values = LegacyValues()
        self.sources = {str(path): _text(source) for path, source in whole["files"].items()}
        for step in steps:
            step.stack[:] = self._visible(step.stack)
        hidden = whole.get("hidden_line_numbers")
        self.files = self._add_files(hidden if isinstance(hidden, dict) else {})
        self.frames: list[tuple[int, Frame]] = []
        "Activation and place of each frame of the step before, outermost first."
        self.lecture = steps[0].stack[0].path if steps else next(iter(self.sources), name)

    def trace(self) -> Trace:
        for step in self.steps:
            self._add(step)
        values = self.values.table.values
        return self.builder.finish(
            title=self._title(), lecture=self.lecture, status="ok", reason="", values=values, run={}
        )

    def _visible(self, stack: list[Frame]) -> list[Frame]:
        """The frames of files whose source is here; the original also lists library frames, which never take a step."""
        return [frame for frame in stack if frame.path in self.sources] or stack[-1:]

    def _add_files(self, hidden: dict[Any, Any]) -> dict[str, int]:
        """Add every file that has a source or steps; a missing line is taken from the steps that stand there."""
        needed: dict[str, dict[int, str]] = {path: {} for path in self.sources}
        for step in self.steps:
            for frame in step.stack:
                needed.setdefault(frame.path, {})[frame.line] = frame.code
        numbers = {}
        for path, lines in needed.items():
            source = _completed(self.sources.get(path, ""), lines)
            if source != self.sources.get(path):
                self.builder.warn("the recording lacks a part of this file; the lines of its steps are shown", path)
            marks = read_directives(source)
            hide = {*_lines(marks, "hide"), *_line_numbers(hidden.get(path))}
            numbers[path] = self.builder.file(
                path, source, hidden=tuple(sorted(hide)), animated=_lines(marks, "animate")
            )
        return numbers

    def _add(self, step: Step) -> None:
        frame = step.stack[-1]
        place = self.builder.place("line", self.files[frame.path], frame.line, frame.line, frame.function)
        number = self.builder.step(place, self._activation(step.stack))
        for name, value in step.env.items():
            if value is None:
                self.builder.clear(number, self.builder.name(name))
            else:
                self.builder.inspect(number, self.builder.name(name), self.values.add(value))
        outputs, unknown = legacy_outputs.convert(step.renderings)
        printed = [kind(text) for kind, text in ((Stdout, step.stdout), (Stderr, step.stderr)) if text]
        for output in (*outputs, *printed):
            self.builder.output(number, output)
        for kind in unknown:
            message = f"an output of kind {kind!r} is shown as plain text, since this engine does not know that kind"
            self.builder.warn(message, frame.path, frame.line)

    def _activation(self, stack: list[Frame]) -> int:
        """The activation of the innermost frame; a frame goes on where all frames outside it stand as they stood."""
        frames: list[tuple[int, Frame]] = []
        going_on, caller = True, -1
        for depth, frame in enumerate(stack):
            before = self.frames[depth] if going_on and depth < len(self.frames) else None
            called = frame is stack[-1] and frame.enters()
            same = before is not None and (before[1].path, before[1].function) == (frame.path, frame.function)
            if before is not None and same and not called:
                caller, going_on = before[0], before[1].line == frame.line
            else:
                caller, going_on = self.builder.activation(caller, thread="MainThread"), False
            frames.append((caller, frame))
        self.frames = frames
        return caller

    def _title(self) -> str:
        """The first heading, else the name of the lecture's file."""
        for step in sorted(self.builder.outputs):
            for output in self.builder.outputs[step]:
                if isinstance(output, Text) and (heading := _HEADING.match(output.markdown)):
                    return heading[1]
        return self.lecture.rpartition("/")[2].removesuffix(".py")


def _text(source: Any) -> str:
    """A file's source, which some recordings have as a list of lines."""
    if isinstance(source, list):
        return "\n".join(str(line).rstrip("\r\n") for line in source)
    return source if isinstance(source, str) else ""


def _completed(source: str, lines: dict[int, str]) -> str:
    """`source`, with those of the steps' `lines` that are beyond its end."""
    have = source.split("\n") if source else []
    missing = range(len(have) + 1, max(lines, default=0) + 1)
    return "\n".join([*have, *(lines.get(number, "") for number in missing)])


def _line_numbers(found: Any) -> list[int]:
    return [n for n in found if type(n) is int and 1 <= n <= LINES] if isinstance(found, list) else []


def _lines(marks: dict[int, Directives], directive: str) -> tuple[int, ...]:
    return tuple(sorted(line for line, found in marks.items() if getattr(found, directive)))
