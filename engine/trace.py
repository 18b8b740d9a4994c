"""The recording of a lecture: every structure of `var/traces/NAME.json`, how it is written and how it is read.

This file is the whole contract between the recorder and whatever shows a recording. Everything that occurs
more than once (files, places, values, outputs) stands once in a table and is referred to by its number there;
steps are columns, so that a million of them stay small. A recording holds meaning, never HTML or CSS.

Units: times are seconds, sizes are bytes, lines count from 1, steps from 0.
"""

import os
import tempfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from engine.errors import TraceError

FORMAT = "lecture-trace"
VERSION = 1

Status = Literal["ok", "error", "stopped", "interrupted"]
Kind = Literal["line", "resume", "error"]


class Struct(msgspec.Struct, frozen=True, omit_defaults=True):
    """Base of every structure here: immutable, and defaults are not written."""


class Tagged(Struct, frozen=True, tag_field="kind"):
    """Base of the variants: which one a structure is stands under `kind`."""


# ---------------------------------------------------------------- values


class Scalar(Tagged, frozen=True, tag="scalar"):
    """A number, a string, None: a value that has no parts."""

    type: str
    "Name of the value's class, `int`."
    text: str
    "The value on one line, `3`, `'abc'`, `nan`."
    truncated: bool = False
    "Whether `text` was cut."


class Sequence(Tagged, frozen=True, tag="sequence"):
    """A list, tuple, set or another container whose parts have no names."""

    type: str
    text: str
    length: int
    "How many parts the container has."
    items: tuple[int, ...] = ()
    "Numbers of the first parts' values in `Trace.values`, all lower than this value's own number."
    truncated: bool = False
    "Whether parts or text were left out."


class Mapping(Tagged, frozen=True, tag="mapping"):
    """A dict or another container of keys and values."""

    type: str
    text: str
    length: int
    items: tuple[tuple[int, int], ...] = ()
    "Numbers of the first keys and their values."
    truncated: bool = False


class Object(Tagged, frozen=True, tag="object"):
    """An object with attributes: a dataclass, a namedtuple, an instance."""

    type: str
    text: str
    fields: tuple[tuple[str, int], ...] = ()
    "Attribute names and the numbers of their values."
    truncated: bool = False


class Stats(Struct, frozen=True):
    """What the elements of an array look like together."""

    min: float | None
    "Smallest finite element, None where there is none."
    max: float | None
    mean: float | None
    nan: int
    "How many of the elements looked at are not a number."
    inf: int
    "How many are infinite, of either sign."
    count: int
    "How many elements were looked at: all, or an even sample of a large array."


class Array(Tagged, frozen=True, tag="array"):
    """A tensor or array: its layout always, its elements only as far as they are shown."""

    type: str
    text: str
    shape: tuple[int, ...]
    dtype: str
    "Name of the element type, `torch.float32`, `int64`."
    device: str = ""
    "`cpu`, `cuda:0`, `meta`; empty where the library has no devices."
    stride: tuple[int, ...] | None = None
    "Elements between neighbours along each dimension; None where the layout has none (sparse)."
    data: Any = None
    "The elements of a small array as nested lists (a plain number for 0 dimensions); non-finite ones as strings."
    sample: Any = None
    "Of a larger array that has dimensions: a 2-D grid (list of rows) of evenly spaced elements, for a heat map."
    stats: Stats | None = None
    truncated: bool = False
    "Whether elements were left out of `data`."


class Failed(Tagged, frozen=True, tag="failed"):
    """A value that could not be had: its expression or its display raised, or the name is not bound yet."""

    type: str
    "Name of the exception's class."
    text: str
    "What was said, on one line."
    truncated: bool = False


Value = Scalar | Sequence | Mapping | Object | Array | Failed


# ---------------------------------------------------------------- outputs


class Text(Tagged, frozen=True, tag="text"):
    """A paragraph, list or heading, in Markdown with `$` mathematics."""

    markdown: str


class Verbatim(Tagged, frozen=True, tag="verbatim"):
    """Text to be shown as it is, in a fixed-width face."""

    text: str
    language: str = ""
    "Name of a Pygments lexer, or empty."
    truncated: bool = False


class Picture(Tagged, frozen=True, tag="image"):
    """A picture; `file` is empty where it could not be had, and then `reason` says why."""

    source: str
    "What the lecture asked for: an address or a path."
    file: str = ""
    "Its copy, a name under `files/` beside the traces folder."
    width: float | None = None
    "Width asked for: pixels, or a fraction of the column when at most 1."
    alt: str = ""
    "What it shows, in words."
    reason: str = ""


class Video(Tagged, frozen=True, tag="video"):
    """A film; like a picture."""

    source: str
    file: str = ""
    width: float | None = None
    reason: str = ""


class Link(Tagged, frozen=True, tag="link"):
    """A link to a page (`url`) or to a place in the lecture's own code (`path` and `line`)."""

    title: str
    url: str = ""
    path: str = ""
    line: int = 0
    authors: tuple[str, ...] = ()
    "For a reference to a paper."
    date: str = ""
    description: str = ""
    "An abstract, or a sentence on what is there."


class Note(Tagged, frozen=True, tag="note"):
    """A remark for the speaker, in Markdown; readers see it only when they ask."""

    markdown: str


class Plot(Tagged, frozen=True, tag="plot"):
    """A chart: a Vega-Lite or Plotly specification, and a drawing of it that needs no script."""

    library: Literal["vega-lite", "plotly", "matplotlib"]
    spec: Any = None
    "The specification as JSON; None for matplotlib."
    file: str = ""
    "An SVG or PNG drawing, a name under `files/`; empty where none could be made."
    alt: str = ""


class Node(Struct, frozen=True):
    """A node of a graph."""

    id: str
    label: str


class Edge(Struct, frozen=True):
    """A directed edge of a graph, from one node's id to another's."""

    source: str
    target: str
    label: str = ""


class Graph(Tagged, frozen=True, tag="graph"):
    """Nodes and edges."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    file: str = ""
    "A drawing of it, a name under `files/`."
    truncated: bool = False


class Table(Tagged, frozen=True, tag="table"):
    """Rows of cells under named columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | bool | None, ...], ...]
    title: str = ""
    truncated: bool = False


class Stdout(Tagged, frozen=True, tag="stdout"):
    """What the statement printed."""

    text: str
    truncated: bool = False


class Stderr(Tagged, frozen=True, tag="stderr"):
    """What the statement wrote to standard error."""

    text: str
    truncated: bool = False


class KernelCard(Tagged, frozen=True, tag="kernel"):
    """A kernel shown on purpose: `kernel` is its number in `Trace.kernels`."""

    kernel: int


class Evidence(Struct, frozen=True):
    """What one compilation of a kernel says to an observation."""

    target: str = ""
    "Its architecture, as in `Variant.target`; empty where the kernel's own source was looked at."
    key: str = ""
    "Its `Variant.key`; empty where it was not compiled."
    told: str = ""
    "What tells it from other compilations for the same target, `BLOCK_SIZE = 256`; empty where it is the only one."
    holds: bool | None = None
    "Whether the observation holds there; None where it could not be checked."
    lines: tuple[int, ...] = ()
    "Lines of the stage's text that were selected, from 1, in order; of the kernel's file for its source."
    count: int = 0
    "What was counted on them."
    reason: str = ""
    "Why it does not hold, or could not be checked."
    truncated: bool = False
    "Whether lines were left out."


class Observation(Tagged, frozen=True, tag="observation"):
    """A sentence about what a kernel is compiled to, checked on each compilation once the lecture had ended.

    In `show --jsonl` it has kind `text`, since the contract knows no other; its evidence stands beside `markdown`.
    """

    markdown: str
    kernel: int = -1
    "Number in `Trace.kernels`; -1 where the recording has no such kernel."
    stage: str = "ptx"
    "Where it looks: a stage of `Variant.stages`, or `source` for the kernel's own lines."
    pattern: str = ""
    "Regular expression that selects; empty where a function of the lecture did."
    expected: int | None = None
    "What must be counted for it to hold; None for anything but nothing."
    evidence: tuple[Evidence, ...] = ()
    reason: str = ""
    "Why it could not be checked anywhere."


class ProfileTable(Tagged, frozen=True, tag="profile"):
    """A profiler's table: one row an operator, the costliest first."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | bool | None, ...], ...]
    device: str
    "Where it was measured."
    stacks: str = ""
    "Collapsed stacks (`a;b;c 12` a line, microseconds), a name under `files/`."
    timeline: str = ""
    "The Chrome trace, a name under `files/`."
    truncated: bool = False


class BenchmarkResult(Tagged, frozen=True, tag="benchmark"):
    """Times of one operation. In `show --jsonl` it has kind `table`, since the contract knows no other."""

    name: str
    samples: tuple[float, ...]
    "Milliseconds of each timed run, in order; empty where nothing was measured."
    device: str
    method: str
    "How it was timed: `CUDA events` or `wall clock`."
    floor: float | None = None
    "The least milliseconds the device's bandwidth or arithmetic allows, where it is known."
    floor_source: str = ""
    "Where the floor comes from."


Output = (
    Text | Verbatim | Picture | Video | Link | Note | Plot | Graph | Table
    | Stdout | Stderr | KernelCard | Observation | ProfileTable | BenchmarkResult
)  # fmt: skip


# ---------------------------------------------------------------- kernels


class Limit(Struct, frozen=True):
    """How many blocks fit on a multiprocessor by one thing of which it has only so much."""

    name: Literal["warps", "blocks", "registers", "shared memory", "tensor memory"]
    need: int
    "What a block takes of it, rounded up as the hardware gives it out; of registers, what a warp takes."
    room: int
    "What there is of it: warps, blocks, bytes of shared memory, columns of tensor memory, registers of one part."
    blocks: int
    parts: int = 1
    "In how many separate parts the room is there; registers are, since a warp's own lie in one of them."


class Residency(Struct, frozen=True):
    """How many blocks of a kernel fit on a multiprocessor, and why no more."""

    warps: int
    "Warps of a block."
    max_warps: int
    "Warps that a multiprocessor can hold."
    limits: tuple[Limit, ...]
    "The one with the least blocks counts."

    @property
    def blocks(self) -> int:
        """Blocks resident on a multiprocessor."""
        return min(limit.blocks for limit in self.limits)

    @property
    def fraction(self) -> float:
        """Occupancy: resident warps as a fraction of those a multiprocessor can hold."""
        return self.blocks * self.warps / self.max_warps


class Costs(Struct, frozen=True, kw_only=True):
    """What the compiler says of a compilation; None where it says nothing."""

    num_warps: int | None = None
    num_stages: int | None = None
    registers: int | None = None
    "Registers a thread."
    spills: int | None = None
    "Registers spilled to local memory."
    shared: int | None = None
    "Bytes of shared memory a block."


class Variant(Costs, frozen=True):
    """One compilation of a kernel."""

    target: str
    "Architecture, `sm_90`."
    origin: Literal["launched", "compiled"]
    "The launched binary's own, or compiled for the target without its GPU."
    key: str
    "Its folder under `kernels/`: a text file per stage (`ttir`, `ttgir`, `llir`, `ptx`, `sass`) and `lines.json`."
    stages: tuple[str, ...] = ()
    "The stages that are there, in order of compilation."
    device: str = ""
    "Name of the GPU it was launched on."
    signature: dict[str, str] = {}
    "Type of each argument, `*fp32`, `i32`."
    constants: dict[str, str] = {}
    "Values of the compile-time constants; of a template in CUDA C++ the `instance`, `scale<32>`."
    occupancy: float | None = None
    "Fraction of a multiprocessor's warps that can be resident."
    residency: Residency | None = None
    "The arithmetic behind `occupancy`; None where that is None, and in recordings that do not hold it."
    reason: str = ""
    "Why stages are missing, in the compiler's own words."
    sources: tuple[str, ...] = ()
    "Files besides the kernel's own that its code comes from, those of helpers and headers, as in `File.path`."


class StageLines(Struct, frozen=True):
    """Where the lines of one stage come from. Column: one entry per line of the stage's text."""

    source: list[int]
    "Line of the kernel's own file, for inlined code the line that called it; 0 compiler-generated, -1 not code."
    inlined: dict[int, list[tuple[str, int]]] = {}
    """By line of the stage, from 1, for inlined code: (path, line) of the helper's line, then of each caller, outwards.
    Of code in another file that is called, not inlined, its line alone."""


class KernelLines(Struct, frozen=True):
    """`kernels/KEY/lines.json`: how one variant's stages and its source belong together."""

    path: str
    "The kernel's file, as in `File.path`."
    sha256: str
    "Of that file's bytes when it was compiled; a viewer that has another text says that the stages are stale."
    stages: dict[str, StageLines] = {}


class Launch(Struct, frozen=True):
    """One launch of a kernel: at a step, over a grid of program instances (Triton) or thread blocks (CUDA)."""

    step: int
    grid: tuple[int, ...]
    interpreted: bool = False
    "Whether Triton's interpreter ran it on the CPU."


class TunedConfig(Struct, frozen=True):
    """One configuration that an autotuned kernel may run with."""

    constants: dict[str, str] = {}
    "Values of the compile-time constants it sets."
    num_warps: int | None = None
    num_stages: int | None = None
    milliseconds: float | None = None
    "Median of the timed runs; None where none was timed."
    reason: str = ""
    "Why it has no time although others have."


class Tuning(Struct, frozen=True):
    """What autotuning found for one key: arguments of certain values and types."""

    key: tuple[str, ...]
    "The arguments in words, `n = 4096`, then the types of the tensors, `torch.float32`."
    configs: tuple[TunedConfig, ...]
    "In the author's order."
    ran: int
    "Number in `configs` of the one that was launched, where times were taken the fastest; -1 where it is not there."
    method: str = ""
    "What took the times, `Triton's benchmark on NVIDIA H200`; empty where nothing was measured."
    truncated: bool = False
    "Whether configurations were left out."


class Kernel(Struct, frozen=True):
    """A kernel the lecture launched or showed."""

    name: str
    language: Literal["triton", "cuda", "inductor"]
    path: str
    "File that holds its source, as in `File.path`."
    line: int
    end_line: int
    variants: tuple[Variant, ...] = ()
    launches: tuple[Launch, ...] = ()
    truncated: bool = False
    "Whether launches were left out."
    tunings: tuple[Tuning, ...] = ()
    "Of an autotuned kernel, one for each key it was launched with."


# ---------------------------------------------------------------- inside a kernel


class Tensor(Struct, frozen=True):
    """A tensor that a kernel was given."""

    name: str
    "The kernel's name for it, `x_ptr`; one of several in a tuple is `xs[1]`."
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    "Elements between neighbours along each dimension."
    dtype: str
    "Name of the element type, `torch.float32`."


Slice = tuple[int, int, int]
"Start, stop and step along one dimension, as in Python: 0, 6, 2 are 0, 2 and 4."


class Region(Struct, frozen=True):
    """Places in a tensor."""

    count: int = 0
    "How many different ones."
    boxes: tuple[tuple[Slice, ...], ...] = ()
    "Where they are: boxes that do not overlap, a slice for each dimension."
    truncated: bool = False
    "Whether boxes were left out."


class Access(Struct, frozen=True):
    """One memory operation of a program instance, as far as it concerns one tensor."""

    operation: Literal["read", "write", "atomic"]
    text: str
    "In words, `reads x_ptr[768:1000], 232 elements, 24 masked at [1000:1024], beyond its edge`."
    tensor: int = -1
    "Number in `Trace.tensors`; -1 for addresses that belong to no tensor of the launch."
    elements: Region = Region()
    "The elements read, written or updated."
    masked: Region = Region()
    "What lanes that are masked off point at; where a block overhangs the tensor, beyond its edge."
    lanes: int = 0
    "How many lanes came to the elements, where that is more than one for each; 0 for one for each."
    outside: int = 0
    "Lanes that are not masked off, and whose address is no element of the tensor: a fault of the kernel."
    masked_lanes: int = 0
    "How many lanes are masked off."
    masked_outside: int = 0
    "Those of them that have no place in `masked`, since their address is no element of the tensor."
    truncated: bool = False
    "Whether this stands for further accesses of its statement, which were left out."


# ---------------------------------------------------------------- the recording


class File(Struct, frozen=True):
    """A source file that steps, kernels or links refer to."""

    path: str
    "Relative to where the recording was started, with `/`; unique within the recording."
    source: str
    "The whole text."
    language: str = "python"
    "Name of a Pygments lexer."
    visible: bool = True
    "Whether its statements are steps."
    hidden: tuple[int, ...] = ()
    "Lines marked `@hide`."
    animated: tuple[int, ...] = ()
    "Lines marked `@animate`."


class Warning(Struct, frozen=True):
    """Something the author should know; it cost the recording nothing else."""

    message: str
    path: str = ""
    line: int = 0


class Error(Struct, frozen=True):
    """The exception that ended the lecture, a thread or a task."""

    type: str
    message: str
    traceback: str = ""
    "As Python prints it, the engine's own frames left out."


class Places(Struct, frozen=True):
    """Columns: the distinct (kind, file, line, function) that steps stand at."""

    kind: list[Kind] = []
    file: list[int] = []
    "Number in `Trace.files`."
    line: list[int] = []
    "First line of the statement."
    end_line: list[int] = []
    "Last line of the statement, of its header for a compound one."
    function: list[str] = []
    "Name of the function, `<module>` outside any."


class Activations(Struct, frozen=True):
    """Columns: the distinct (frame, caller) pairs. A generator resumed by another caller is a new activation."""

    caller: list[int] = []
    "Number of the activation that called this one, -1 for none. Stored as differences."
    frame: list[int] = []
    "Identity of the frame: equal for all activations of one generator. Stored as differences."
    threads: dict[int, str] = {}
    "Thread names, by number of the activation a thread starts with; those not here are their caller's."


class Steps(Struct, frozen=True):
    """Columns: one entry per step."""

    place: list[int] = []
    activation: list[int] = []
    "Stored as differences."


class Pairs(Struct, frozen=True):
    """Columns: what happened at which step, in order of steps."""

    step: list[int] = []
    "Stored as differences."
    item: list[int] = []
    "Number in the table the pairs are about."


class Instance(Struct, frozen=True):
    """A program instance that is stepped through: what runs in its frame, and in those called from there."""

    step: int
    "Its first step."
    kernel: int
    "Number in `Trace.kernels`."
    index: tuple[int, ...]
    "Which one it is, an index for each dimension of the grid."
    grid: tuple[int, ...]
    tensors: tuple[int, ...] = ()
    "Numbers, in `Trace.tensors`, of what the kernel was given, in the order of its parameters."
    accesses: Pairs = Pairs()
    "Accesses (`Trace.access_table`) made at steps, each at that of the statement that made it."


class Inspected(Struct, frozen=True):
    """Columns: which expression had which value at which step."""

    step: list[int] = []
    "Stored as differences."
    expression: list[int] = []
    "Number in `Trace.names`."
    value: list[int] = []
    "Number in `Trace.values`."


class Trace(msgspec.Struct, omit_defaults=True):
    """A whole recording. `Recording` reads one by step."""

    format: str
    version: int
    title: str
    "First heading of the lecture, or its file's name."
    lecture: str
    "Path of the lecture's own file, as in `File.path`."
    status: Status
    "How the lecture ended: by itself, by an exception, at a limit, by Ctrl-C."
    reason: str = ""
    "Why it ended, where it did not end by itself."
    files: list[File] = []
    names: list[str] = []
    "Expressions inspected and names cleared."
    values: list[Value] = []
    output_table: list[Output] = []
    places: Places = msgspec.field(default_factory=Places)
    activations: Activations = msgspec.field(default_factory=Activations)
    steps: Steps = msgspec.field(default_factory=Steps)
    inspected: Inspected = msgspec.field(default_factory=Inspected)
    cleared: Pairs = msgspec.field(default_factory=Pairs)
    "Names (`names`) cleared at steps."
    outputs: Pairs = msgspec.field(default_factory=Pairs)
    "Outputs (`output_table`) made at steps."
    errors: dict[int, Error] = {}
    "By step."
    warnings: list[Warning] = []
    kernels: list[Kernel] = []
    tensors: list[Tensor] = []
    access_table: list[Access] = []
    instances: list[Instance] = []
    "In order of their first steps."
    run: dict[str, Any] = {}
    "All that differs between two identical runs: times, host, versions, device. `--reproducible` leaves it out."


# ---------------------------------------------------------------- writing


def differences(numbers: Any) -> list[int]:
    """The first number, then each one's difference from the one before."""
    before = 0
    out = []
    for number in numbers:
        out.append(number - before)
        before = number
    return out


def sums(numbers: list[int]) -> list[int]:
    """What `differences` was made from."""
    total = 0
    return [total := total + number for number in numbers]


def encode(trace: Trace) -> bytes:
    """The recording as strict JSON in UTF-8."""
    return msgspec.json.encode(trace) + b"\n"


def write(trace: Trace, path: Path) -> None:
    """Write `trace` to `path` whole or not at all; an earlier file there is replaced only by a complete one.

    Raises TraceError when it cannot be written (no room, no permission); the earlier file is then as it was.
    """
    write_whole(encode(trace), path)


def write_whole(data: bytes, path: Path) -> None:
    """Write `data` to a temporary file beside `path`, then rename it. Raises TraceError."""
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise TraceError(f"cannot write {str(path)!r}: {error.strerror}; what was there before is unchanged") from error


def store(traces: Path) -> Path:
    """The folder whose `files/` and `kernels/` belong to the recordings in `traces`: its parent when it is
    called `traces` (var/traces -> var), else the folder itself."""
    return traces.parent if traces.name == "traces" else traces


# ---------------------------------------------------------------- reading


class _Head(msgspec.Struct):
    """The part of a file that says what it is."""

    format: str = ""
    version: int = 0


def read(path: Path) -> Trace:
    """The recording in `path`, one of the original engine's included.

    Raises TraceError, in a sentence that says what is wrong and what to do, when there is none.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TraceError(f"cannot read {str(path)!r}: {error.strerror}") from error
    return decode(data, str(path))


def decode(data: bytes, name: str) -> Trace:
    """The recording in `data`; `name` is what messages call it. Raises TraceError like `read`."""
    if not data.strip():
        raise TraceError(f"{name!r} is empty; record the lecture again")
    if data.startswith(b"version https://git-lfs"):
        raise TraceError(f"{name!r} is a git-lfs pointer, not the trace itself; run 'git lfs pull'")
    try:
        head = msgspec.json.decode(data, type=_Head)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError):
        head = _Head()  # may be of the original engine, which writes NaN where JSON has no word
    if not head.format:
        from engine.legacy import convert  # imports this module

        return convert(data, name)
    if head.format != FORMAT:
        raise TraceError(f"{name!r} has format {head.format!r}, not {FORMAT!r}; it was written by another program")
    if head.version != VERSION:
        raise TraceError(
            f"{name!r} has version {head.version} of the trace format and this engine reads version {VERSION}; "
            "update the engine or record the lecture again"
        )
    try:
        trace = msgspec.json.decode(data, type=Trace)
        Recording(trace).check()
    except (msgspec.ValidationError, IndexError, ValueError) as error:
        raise TraceError(f"{name!r} is damaged ({error}); record the lecture again") from error
    return trace


class Recording:
    """A trace, read by step. Everything here is derived from the trace; nothing is changed."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def __len__(self) -> int:
        return len(self.trace.steps.place)

    def check(self) -> None:
        """Raise ValueError where numbers point outside their tables."""
        trace = self.trace
        steps = len(self)
        pairs = [trace.cleared, trace.outputs, *(instance.accesses for instance in trace.instances)]
        for columns in (trace.places, trace.activations, trace.steps, trace.inspected, *pairs):
            _check_lengths(columns)
        bounds = [
            ("place", trace.steps.place, len(trace.places.line)),
            ("activation", self.activation, len(trace.activations.frame)),
            ("file", trace.places.file, len(trace.files)),
            ("inspected step", self._inspected_steps, steps),
            ("expression", trace.inspected.expression, len(trace.names)),
            ("value", trace.inspected.value, len(trace.values)),
            ("part of a value", [part for value in trace.values for part in _parts(value)], len(trace.values)),
            ("cleared step", sums(trace.cleared.step), steps),
            ("cleared name", trace.cleared.item, len(trace.names)),
            ("output's step", sums(trace.outputs.step), steps),
            ("output", trace.outputs.item, len(trace.output_table)),
            ("error step", list(trace.errors), steps),
            ("instance's step", [instance.step for instance in trace.instances], steps),
            ("instance's kernel", [instance.kernel for instance in trace.instances], len(trace.kernels)),
            ("instance's tensor", [n for instance in trace.instances for n in instance.tensors], len(trace.tensors)),
            ("access", [n for instance in trace.instances for n in instance.accesses.item], len(trace.access_table)),
            ("access's step", [n for i in trace.instances for n in sums(i.accesses.step)], steps),
            ("accessed tensor", [access.tensor + 1 for access in trace.access_table], len(trace.tensors) + 1),
        ]
        for what, numbers, limit in bounds:
            if numbers and (min(numbers) < 0 or max(numbers) >= limit):
                raise ValueError(f"{what} out of range")
        for observation in (output for output in trace.output_table if isinstance(output, Observation)):
            if not -1 <= observation.kernel < len(trace.kernels):
                raise ValueError("kernel of an observation out of range")
            if any(line < 1 for one in observation.evidence for line in one.lines):
                raise ValueError("line of an observation out of range")
        for tuning in (tuning for kernel in trace.kernels for tuning in kernel.tunings):
            if not -1 <= tuning.ran < len(tuning.configs):
                raise ValueError("configuration of an autotuned kernel out of range")
        for residency in (variant.residency for kernel in trace.kernels for variant in kernel.variants):
            if residency is not None:
                self._check_residency(residency)
        for number, caller in enumerate(self.caller):
            if not -1 <= caller < number:
                raise ValueError("caller out of range")
        for access in trace.access_table:
            self._check_boxes(access)

    def _check_residency(self, residency: Residency) -> None:
        numbers = [residency.warps, residency.max_warps]
        numbers += [number for limit in residency.limits for number in (limit.need, limit.room, limit.parts)]
        if not residency.limits or min(numbers) < 1 or min(limit.blocks for limit in residency.limits) < 0:
            raise ValueError("residency of a kernel out of range")

    def _check_boxes(self, access: Access) -> None:
        shape = self.trace.tensors[access.tensor].shape if access.tensor >= 0 else ()
        for box in ((0, size + 1, 1) for size in shape), *access.elements.boxes, *access.masked.boxes:
            slices = tuple(box)
            right = all(-(2**62) < start < stop < 2**62 and 0 < step < 2**62 for start, stop, step in slices)
            if len(slices) != len(shape) or not right:
                raise ValueError("access out of range")

    @cached_property
    def activation(self) -> list[int]:
        """Activation of each step."""
        return sums(self.trace.steps.activation)

    @cached_property
    def caller(self) -> list[int]:
        """Caller of each activation, -1 for none."""
        return sums(self.trace.activations.caller)

    @cached_property
    def frame(self) -> list[int]:
        """Frame identity of each activation."""
        return sums(self.trace.activations.frame)

    @cached_property
    def depth(self) -> list[int]:
        """How many activations are above each activation."""
        out: list[int] = []
        for caller in self.caller:
            out.append(out[caller] + 1 if caller >= 0 else 0)
        return out

    @cached_property
    def thread(self) -> list[str]:
        """Thread name of each activation."""
        names = self.trace.activations.threads
        out: list[str] = []
        for number, caller in enumerate(self.caller):
            out.append(names.get(number, out[caller] if caller >= 0 else "MainThread"))
        return out

    @cached_property
    def _inspected_steps(self) -> list[int]:
        return sums(self.trace.inspected.step)

    @cached_property
    def inspected(self) -> dict[int, tuple[tuple[int, int], ...]]:
        """(expression, value) numbers by step, for the steps that inspected something."""
        out: dict[int, list[tuple[int, int]]] = {}
        columns = self.trace.inspected
        for step, expression, value in zip(self._inspected_steps, columns.expression, columns.value, strict=True):
            out.setdefault(step, []).append((expression, value))
        return {step: tuple(pairs) for step, pairs in out.items()}

    @cached_property
    def cleared(self) -> dict[int, tuple[int, ...]]:
        """Numbers of the names cleared, by step."""
        return _by_step(self.trace.cleared)

    @cached_property
    def outputs(self) -> dict[int, tuple[int, ...]]:
        """Numbers of the outputs, by step."""
        return _by_step(self.trace.outputs)

    @cached_property
    def accesses(self) -> dict[int, tuple[int, ...]]:
        """Numbers of the accesses, by step."""
        out: dict[int, tuple[int, ...]] = {}
        for instance in self.trace.instances:
            for step, found in _by_step(instance.accesses).items():
                out[step] = out.get(step, ()) + found
        return out

    @cached_property
    def _instances(self) -> dict[int, Instance]:
        """Program instances by the activation of their kernel."""
        return {self.activation[instance.step]: instance for instance in self.trace.instances}

    def instance(self, step: int) -> Instance | None:
        """The program instance inside which `step` is taken, None outside any."""
        activation = self.activation[step]
        while activation >= 0 and activation not in self._instances:
            activation = self.caller[activation]
        return self._instances.get(activation)

    @cached_property
    def call_step(self) -> list[int]:
        """For each step, the step at which its frame's caller stands meanwhile, -1 for none.

        A caller takes no step while what it called runs, so this is the last one it took.
        """
        caller = self.caller
        last = [-1] * (len(caller) + 1)  # the spare end entry is what caller -1 finds
        out = []
        for step, activation in enumerate(self.activation):
            out.append(last[caller[activation]])
            last[activation] = step
        return out

    def stack_steps(self, step: int) -> list[int]:
        """For each frame from the outermost to the one of `step`, the step at which it stands."""
        out = [step]
        while (step := self.call_step[step]) >= 0:
            out.append(step)
        return out[::-1]

    def stack(self, step: int) -> list[tuple[str, int, str]]:
        """(path, line, function) from the outermost frame to the one of `step`."""
        return [self.place(number) for number in self.stack_steps(step)]

    def place(self, step: int) -> tuple[str, int, str]:
        """(path, line, function) of `step`."""
        places, number = self.trace.places, self.trace.steps.place[step]
        return self.trace.files[places.file[number]].path, places.line[number], places.function[number]

    def kind(self, step: int) -> Kind:
        """Kind of `step`."""
        return self.trace.places.kind[self.trace.steps.place[step]]


def _check_lengths(columns: msgspec.Struct) -> None:
    lists = (getattr(columns, name) for name in columns.__struct_fields__)
    if len({len(column) for column in lists if isinstance(column, list)}) > 1:
        raise ValueError(f"columns of {type(columns).__name__.lower()} differ in length")


def _parts(value: Value) -> Iterator[int]:
    """Numbers of the values that `value` consists of."""
    if isinstance(value, Sequence):
        yield from value.items
    elif isinstance(value, Mapping):
        for key, item in value.items:
            yield from (key, item)
    elif isinstance(value, Object):
        yield from (number for _, number in value.fields)


def _by_step(pairs: Pairs) -> dict[int, tuple[int, ...]]:
    out: dict[int, list[int]] = {}
    for step, item in zip(sums(pairs.step), pairs.item, strict=True):
        out.setdefault(step, []).append(item)
    return {step: tuple(items) for step, items in out.items()}
