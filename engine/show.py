"""A recording as text: for people, or resolved into one JSON object a line for tests and other tools."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from engine.trace import (
    Array,
    BenchmarkResult,
    Failed,
    KernelCard,
    Mapping,
    Object,
    Observation,
    Output,
    Picture,
    Recording,
    Region,
    Scalar,
    Sequence,
    Trace,
    Tuning,
    Value,
)

DEPTH = 6
"Levels of nesting that `--jsonl` writes out; below them a value is its text."


class Resolver:
    """Resolves what a trace refers to by number into plain JSON objects."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.recording = Recording(trace)

    def header(self) -> dict[str, Any]:
        """The first line of `show --jsonl`."""
        trace = self.trace
        return {
            "format": trace.format,
            "version": trace.version,
            "title": trace.title,
            "lecture": trace.lecture,
            "status": trace.status,
            "reason": trace.reason,
            "steps": len(self.recording),
            "files": [file.path for file in trace.files],
            "warnings": [{"message": w.message, "path": w.path, "line": w.line} for w in trace.warnings],
            "kernels": [self.kernel(number) for number in range(len(trace.kernels))],
            "run": trace.run,
        }

    def kernel(self, number: int) -> dict[str, Any]:
        """A kernel with its variants and launches."""
        kernel = self.trace.kernels[number]
        plain: dict[str, Any] = msgspec.to_builtins(kernel)
        plain["variants"] = [dict.fromkeys(_VARIANT) | msgspec.to_builtins(variant) for variant in kernel.variants]
        plain["tunings"] = [_tuning(tuning) for tuning in kernel.tunings]
        plain["launches"] = [{"step": launch.step, "grid": list(launch.grid)} for launch in kernel.launches]
        return plain

    def step(self, index: int) -> dict[str, Any]:
        """One step."""
        trace, recording = self.trace, self.recording
        path, line, function = recording.place(index)
        activation = recording.activation[index]
        error = trace.errors.get(index)
        return {
            "index": index,
            "kind": recording.kind(index),
            "path": path,
            "line": line,
            "function": function,
            "depth": recording.depth[activation],
            "frame": recording.frame[activation],
            "thread": recording.thread[activation],
            "stack": [list(place) for place in recording.stack(index)],
            "values": {trace.names[name]: self.value(v) for name, v in recording.inspected.get(index, ())},
            "cleared": [trace.names[name] for name in recording.cleared.get(index, ())],
            "outputs": [self.output(trace.output_table[number]) for number in recording.outputs.get(index, ())],
            "instance": self._instance(index),
            "accesses": [self.access(number) for number in recording.accesses.get(index, ())],
            "error": None if error is None else {"type": error.type, "message": error.message,
                                                 "traceback": error.traceback},
        }  # fmt: skip

    def _instance(self, index: int) -> dict[str, Any] | None:
        """The program instance inside which a step is taken."""
        instance = self.recording.instance(index)
        if instance is None:
            return None
        kernel = self.trace.kernels[instance.kernel].name
        return {"kernel": kernel, "index": list(instance.index), "grid": list(instance.grid)}

    def access(self, number: int) -> dict[str, Any]:
        """One access, with its tensor."""
        access = self.trace.access_table[number]
        tensor = self.trace.tensors[access.tensor] if access.tensor >= 0 else None
        return {
            "tensor": None if tensor is None else tensor.name,
            "shape": None if tensor is None else list(tensor.shape),
            "stride": None if tensor is None else list(tensor.stride),
            "dtype": None if tensor is None else tensor.dtype,
            "operation": access.operation,
            "text": access.text,
            "elements": _region(access.elements),
            "masked": _region(access.masked),
            "lanes": access.lanes or access.elements.count,
            "outside": access.outside,
            "masked_lanes": access.masked_lanes,
            "masked_outside": access.masked_outside,
        }

    def value(self, number: int, depth: int = 0) -> dict[str, Any]:
        """One value, its parts written out down to `DEPTH`."""
        value = self.trace.values[number]
        plain: dict[str, Any] = {"type": value.type, "text": value.text}
        if isinstance(value, Array):
            plain |= _array(value)
        elif isinstance(value, Failed):
            plain["failed"] = True
        if depth < DEPTH:
            plain |= self._parts(value, depth + 1)
        if value.truncated:
            plain["truncated"] = True
        return plain

    def _parts(self, value: Value, depth: int) -> dict[str, Any]:
        if isinstance(value, Sequence):
            return {"length": value.length, "items": [self.value(item, depth) for item in value.items]}
        if isinstance(value, Mapping):
            pairs = [[self.value(key, depth), self.value(item, depth)] for key, item in value.items]
            return {"length": value.length, "items": pairs}
        if isinstance(value, Object):
            return {"fields": {name: self.value(item, depth) for name, item in value.fields}}
        return {}

    def output(self, output: Output) -> dict[str, Any]:
        """One output."""
        plain: dict[str, Any] = {"kind": kind_of(output)} | {
            name: item for name, item in msgspec.to_builtins(output).items() if name != _TAG
        }
        if isinstance(output, KernelCard | Observation):
            known = 0 <= output.kernel < len(self.trace.kernels)
            plain["name"] = self.trace.kernels[output.kernel].name if known else ""
        if isinstance(output, Observation):
            plain["stage"] = output.stage
        return plain


_TAG = Scalar.__struct_config__.tag_field
_VARIANT = ("target", "origin", "stages", "num_warps", "registers", "spills", "shared", "occupancy")


def kind_of(output: Output) -> str:
    """The output's kind as the contract of `show --jsonl` names it."""
    if isinstance(output, Observation):
        return "text"
    return "table" if isinstance(output, BenchmarkResult) else str(type(output).__struct_config__.tag)


def _tuning(tuning: Tuning) -> dict[str, Any]:
    """What autotuning found, with the fields every configuration has."""
    fields: dict[str, Any] = dict.fromkeys(("num_warps", "num_stages", "milliseconds"))
    plain: dict[str, Any] = msgspec.to_builtins(tuning)
    plain["configs"] = [{"constants": {}} | fields | msgspec.to_builtins(config) for config in tuning.configs]
    return {"method": ""} | plain


def _array(value: Array) -> dict[str, Any]:
    plain: dict[str, Any] = {"shape": list(value.shape), "dtype": value.dtype, "device": value.device}
    if value.stride is not None:
        plain["stride"] = list(value.stride)
    if value.data is not None:
        plain["data"] = value.data
    if value.stats is not None:
        plain["stats"] = {name: getattr(value.stats, name) for name in value.stats.__struct_fields__}
    return plain


def _region(region: Region) -> dict[str, Any]:
    """Boxes as slices, `[[0, 64, 1], [32, 64, 1]]` for rows 0 to 63 and columns 32 to 63."""
    plain = {"count": region.count, "boxes": region.boxes}
    return plain | {"truncated": True} if region.truncated else plain


def jsonl(trace: Trace, step: int | None = None) -> Iterator[bytes]:
    """The lines of `show --jsonl`: the header, then every step, or only the one asked for."""
    resolver = Resolver(trace)
    yield msgspec.json.encode(resolver.header())
    for index in range(len(resolver.recording)) if step is None else [step]:
        yield msgspec.json.encode(resolver.step(index))


def lines(trace: Trace, step: int | None = None) -> Iterator[str]:
    """The recording for a person to read: a line a step, then what it said and showed."""
    resolver = Resolver(trace)
    recording = resolver.recording
    yield f"{trace.title}: {trace.lecture}, {len(recording):,} steps, {trace.status}" + (
        f" ({trace.reason})" if trace.reason else ""
    )
    sources = cache(lambda path: next(file.source.split("\n") for file in trace.files if file.path == path))
    for index in range(len(recording)) if step is None else [step]:
        yield from _step_lines(resolver, index, sources, whole=step is not None)
    for warning in trace.warnings:
        yield f"warning: {warning.path}:{warning.line}: {warning.message}"


def _step_lines(resolver: Resolver, index: int, sources: Any, whole: bool) -> Iterator[str]:
    trace, recording = resolver.trace, resolver.recording
    path, line, function = recording.place(index)
    depth = recording.depth[recording.activation[index]]
    source = sources(path)
    code = source[line - 1].strip() if line <= len(source) else ""
    mark = {"line": " ", "resume": "<", "error": "!"}[recording.kind(index)]
    yield f"{index:>7}{mark} {path}:{line}  {'  ' * depth}{function}: {code}"
    if whole:
        for caller in recording.stack(index)[:-1]:
            yield f"          called from {caller[0]}:{caller[1]} in {caller[2]}"
    for name, number in recording.inspected.get(index, ()):
        yield f"          {trace.names[name]} = {trace.values[number].text}"
    for number in recording.accesses.get(index, ()):
        yield f"          {trace.access_table[number].text}"
    for number in recording.outputs.get(index, ()):
        yield from _output_lines(trace.output_table[number])
    if index in trace.errors:
        yield f"          {trace.errors[index].type}: {trace.errors[index].message}"


def _output_lines(output: Output) -> Iterator[str]:
    text = getattr(output, "markdown", None) or getattr(output, "text", None)
    if text is None and isinstance(output, Picture):
        text = output.source
    text = text or getattr(output, "title", "") or getattr(output, "url", "") or getattr(output, "name", "")
    for line in str(text).rstrip("\n").split("\n"):
        yield f"          [{kind_of(output)}] {line}"
