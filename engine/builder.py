"""Collects a recording: tables without repetition, columns of numbers. What comes out is a `Trace`."""

import hashlib
import threading
from array import array
from collections import defaultdict
from typing import Any

import msgspec

from engine.columns import Columns
from engine.trace import (
    FORMAT,
    VERSION,
    Activations,
    Error,
    File,
    Inspected,
    Kernel,
    Kind,
    Output,
    Pairs,
    Places,
    Status,
    Stderr,
    Stdout,
    Steps,
    Trace,
    Value,
    Verbatim,
    Warning,
    differences,
)

PRINTED_LIMIT = 100_000
"Characters of output kept a stream and step."
OUTPUT_LIMIT = 1_000
"Outputs kept a step."
WARNING_LIMIT = 1_000
"Warnings kept a recording."


class Printed:
    """What a step prints to one stream, while it may still print more."""

    def __init__(self, kind: type[Stdout] | type[Stderr]) -> None:
        self.kind = kind
        self.parts: list[str] = []
        self.room = PRINTED_LIMIT
        self.truncated = False

    def add(self, text: str) -> None:
        """Take `text` as far as there is room."""
        self.parts.append(text[: self.room])
        self.truncated |= len(text) > self.room
        self.room -= min(len(text), self.room)

    def output(self) -> Output:
        """What was printed."""
        return self.kind(utf8("".join(self.parts)), truncated=self.truncated)


class Builder:
    """The recording under construction. Steps may come from several threads."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.files: list[File] = []
        self.names: dict[str, int] = {}
        self.places = Places()
        self.place_numbers: dict[tuple[Kind, int, int, int, str], int] = {}
        self.activations = Columns()
        "Caller and frame of each."
        self.threads: dict[int, str] = {}
        self.steps = Columns()
        "Place and activation of each."
        self.inspected = array("i"), array("i"), array("i")
        self.cleared: list[tuple[int, int]] = []
        self.outputs: defaultdict[int, list[Output | Printed]] = defaultdict(list)
        self.errors: dict[int, Error] = {}
        self.warnings: dict[Warning, None] = {}
        self.kernels: list[Kernel] = []

    def __len__(self) -> int:
        return len(self.steps)

    def file(self, path: str, source: str, **more: Any) -> int:
        """Add a file; its number."""
        self.files.append(File(path=utf8(path), source=utf8(source), **more))
        return len(self.files) - 1

    def name(self, name: str) -> int:
        """Number of an expression or a name."""
        return self.names.setdefault(utf8(name), len(self.names))

    def place(self, kind: Kind, file: int, line: int, end_line: int, function: str) -> int:
        """Number of a place that steps stand at."""
        key = (kind, file, line, end_line, function)
        with self.lock:
            if key not in self.place_numbers:
                self.place_numbers[key] = len(self.place_numbers)
                places = self.places
                for column, item in zip(
                    (places.kind, places.file, places.line, places.end_line, places.function), key, strict=True
                ):
                    column.append(item)  # type: ignore[attr-defined]
            return self.place_numbers[key]

    def activation(self, caller: int, frame: int = -1, thread: str = "") -> int:
        """A new activation; `frame` is the activation its frame began with, -1 for a new frame."""
        number = self.activations.add(caller, max(frame, 0))
        if frame < 0:
            self.activations.second[number] = number
        if caller < 0 and thread != "MainThread":
            self.threads[number] = utf8(thread)
        return number

    def step(self, place: int, activation: int) -> int:
        """A new step."""
        return self.steps.add(place, activation)

    def inspect(self, step: int, name: int, value: int) -> None:
        """An expression had a value."""
        with self.lock:
            for column, number in zip(self.inspected, (step, name, value), strict=True):
                column.append(number)

    def clear(self, step: int, name: int) -> None:
        """A name is no longer shown."""
        self.cleared.append((step, name))

    def output(self, step: int, output: Output) -> None:
        """A step said something."""
        with self.lock:
            said = self.outputs[step]
            if isinstance(output, Stdout | Stderr):
                self._print(said, output)
            elif len(said) < OUTPUT_LIMIT:
                said.append(output)
            elif len(said) == OUTPUT_LIMIT:
                said.append(Verbatim(f"more than {OUTPUT_LIMIT} outputs; the rest is left out", truncated=True))

    def _print(self, said: list[Output | Printed], output: Stdout | Stderr) -> None:
        last = next((p for p in said if isinstance(p, Printed) and p.kind is type(output) and not p.room), None)
        if last is None and said and isinstance(said[-1], Printed) and said[-1].kind is type(output):
            last = said[-1]
        if last is None:
            last = Printed(type(output))
            said.append(last)
        last.add(output.text)

    def replace(self, better: dict[int, Output]) -> None:
        """Put other outputs in the place of those that were said, by the identities of these."""
        with self.lock:
            for said in self.outputs.values():
                said[:] = [better.get(id(one), one) for one in said]

    def warn(self, message: str, path: str = "", line: int = 0) -> None:
        """A warning, once."""
        if len(self.warnings) < WARNING_LIMIT:
            self.warnings.setdefault(Warning(message=utf8(message), path=utf8(path), line=line))

    def finish(
        self, *, title: str, lecture: str, status: Status, reason: str, values: list[Value], run: dict[str, Any]
    ) -> Trace:
        """The recording as it stands."""
        with self.lock:
            table, outputs = self._intern_outputs()
            order = sorted(range(len(self.inspected[0])), key=self.inspected[0].__getitem__)
            step, name, value = ([column[i] for i in order] for column in self.inspected)
            places, activations = self.steps.columns()
            callers, frames = self.activations.columns()
            return Trace(
                format=FORMAT, version=VERSION, title=utf8(title), lecture=utf8(lecture), status=status,
                reason=utf8(reason), files=list(self.files), names=list(self.names), values=list(values),
                output_table=table, places=self.places,
                activations=Activations(differences(callers), differences(frames), dict(self.threads)),
                steps=Steps(places.tolist(), differences(activations)),
                inspected=Inspected(differences(step), name, value), cleared=_pairs(sorted(self.cleared)),
                outputs=_pairs(outputs), errors=dict(self.errors), warnings=list(self.warnings),
                kernels=list(self.kernels), run=run,
            )  # fmt: skip

    def _intern_outputs(self) -> tuple[list[Output], list[tuple[int, int]]]:
        table: list[Output] = []
        numbers: dict[bytes, int] = {}
        pairs = []
        for step in sorted(self.outputs):
            for said in self.outputs[step]:
                output = _encodable(said.output() if isinstance(said, Printed) else said)
                key = hashlib.blake2b(msgspec.json.encode(output), digest_size=16).digest()
                if key not in numbers:
                    numbers[key] = len(table)
                    table.append(output)
                pairs.append((step, numbers[key]))
        return table, pairs


def utf8(text: str) -> str:
    """`text` with what UTF-8 cannot say (lone surrogates) as escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def _encodable(output: Output) -> Output:
    """`output` itself if JSON can hold it, else with its texts escaped, else a card that says why not."""
    try:
        msgspec.json.encode(output)
        return output
    except (UnicodeEncodeError, TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError) as error:
        reason = error
    try:
        plain = _escaped(msgspec.to_builtins(output))
        return msgspec.convert(plain, type=type(output))
    except Exception:
        return Verbatim(f"this {type(output).__name__.lower()} could not be recorded: {type(reason).__name__}")


def _escaped(plain: Any) -> Any:
    if isinstance(plain, str):
        return utf8(plain)
    if isinstance(plain, dict):
        return {_escaped(key): _escaped(item) for key, item in plain.items()}
    if isinstance(plain, list | tuple):
        return [_escaped(item) for item in plain]
    return plain


def _pairs(pairs: list[tuple[int, int]]) -> Pairs:
    return Pairs(differences([step for step, _ in pairs]), [item for _, item in pairs])
