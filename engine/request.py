"""What is to be compiled, complete: it travels to a process of its own, and its hash names what comes back.

A kernel's function is not looked up by importing its module there, which would run the lecture a second time: its text
and that of the helpers it calls travel, with the values of the names they use.
"""

import hashlib
import posixpath
from functools import cached_property
from typing import Literal

import msgspec

from engine.trace import Costs, StageLines


class Part(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="is"):
    """Base of the structures here."""


class Module(Part, frozen=True, tag="module"):
    """A module of Triton or of the standard library, to be imported."""

    name: str


class Namespace(Part, frozen=True, tag="namespace"):
    """Another module: only what is used of it travels, as numbers of objects."""

    name: str
    attributes: dict[str, int]


class Named(Part, frozen=True, tag="named"):
    """Something that stands in a module of Triton or of the standard library, perhaps a module itself."""

    module: str
    name: str


class Constant(Part, frozen=True, tag="constant"):
    """A number, a string, a Triton type: `text` is what makes it again (see `engine.constants`)."""

    kind: Literal["int", "float", "bool", "str", "none", "dtype"]
    text: str = ""


class Constexpr(Part, frozen=True, tag="constexpr"):
    """`tl.constexpr(value)`."""

    value: int


class Items(Part, frozen=True, tag="tuple"):
    """A tuple of objects."""

    items: tuple[int, ...]
    fields: tuple[str, ...] = ()
    "Their names, of a named tuple."


class TupleClass(Part, frozen=True, tag="tuple class"):
    """A class of named tuples."""

    name: str
    fields: tuple[str, ...]


class Function(Part, frozen=True, tag="function"):
    """A Python function, as it stands in its file."""

    role: Literal["jit", "constexpr_function", "plain"]
    name: str
    path: str
    "As in `File.path`; compiled locations name it so, wherever the lecture lies."
    line: int
    "Of the `def`."
    source: str
    names: dict[str, int] = {}
    "Numbers of the values of the global and closed-over names it uses."
    annotations: dict[str, str] = {}
    defaults: tuple[int, ...] = ()
    noinline: bool = False


class Missing(Part, frozen=True, tag="missing"):
    """A value that cannot travel. It matters only where the compiler asks for it."""

    type: str


Object = Module | Namespace | Named | Constant | Constexpr | Items | TupleClass | Function | Missing


class Types(Part, frozen=True, tag="types"):
    """The types of an argument that is a tuple."""

    items: "tuple[str | Types, ...]"
    fields: tuple[str, ...] = ()
    "Their names, of a named tuple."


Path = tuple[int, ...]
"Position of an argument; a longer one leads into a tuple."


class TritonRequest(Part, frozen=True, tag="triton"):
    """A Triton kernel, with arguments of the types it was launched with. Object 0 is its function."""

    objects: tuple[Object, ...]
    signature: dict[str, str | Types]
    "Type of each argument, as Triton specialises it: `*fp32`, `i32`, `constexpr`."
    constants: tuple[tuple[Path, int], ...]
    "Numbers of the values of compile-time constants; an integer argument of 1 is one too."
    attributes: tuple[tuple[Path, tuple[tuple[str, int], ...]], ...]
    "What else is known of arguments: `tt.divisibility` 16."
    options: dict[str, int | float | bool | str | None]
    "As given at the launch: `num_warps`, `num_stages`, .."
    until: Literal["", "ptx"] = ""
    "The last stage wanted, where it is not SASS: disassembling takes as long as all the rest."


class CudaRequest(Part, frozen=True, tag="cuda"):
    """A kernel in CUDA C++."""

    name: str
    path: str
    "As in `File.path`; compiled locations name it so."
    source: str
    "What of the file runs on the GPU for this kernel, at the lines it has there."
    headers: dict[str, str]
    "Texts of the headers beside it, by the names it includes them by."
    nvcc: str
    "Path of the compiler; empty for NVRTC, which is a library."
    instance: str = ""
    "Of a template, `scale<32>`; empty for a kernel that is none, or of which no instance is known."

    def header(self, name: str) -> str:
        """Path of the header that is included as `name`, as in `File.path`."""
        return posixpath.normpath(posixpath.join(posixpath.dirname(self.path), name))


class LaunchedBinary(Part, frozen=True, tag="binary"):
    """What Triton launched on a GPU: nothing to compile, only to be read."""

    path: str
    "The kernel's file, as its locations name it."
    files: dict[str, str]
    "What the recording calls files, by what its locations call them."
    stages: dict[str, str]
    cubin: bytes
    options: dict[str, int | float | bool | str | None]
    "What Triton assembled it with."
    assembler: dict[str, str]
    "Environment variables that named the assembler then, `TRITON_PTXAS_PATH`."
    facts: "Facts"
    signature: dict[str, str] = {}
    constants: dict[str, str] = {}
    "Both as in `Variant`."


Work = TritonRequest | CudaRequest | LaunchedBinary


def sources(work: Work) -> set[str]:
    """The files that its code comes from, as in `File.path`. Where constants were taken from is not known."""
    match work:
        case TritonRequest():
            return {thing.path for thing in work.objects if isinstance(thing, Function)}
        case CudaRequest():
            return {work.path, *map(work.header, work.headers)}
        case LaunchedBinary():
            return set(work.files.values())


class Job(msgspec.Struct, frozen=True, dict=True):
    """Something to do for one target."""

    work: Work
    target: str
    "`sm_90`"
    sha256: str
    "Of the bytes of the kernel's file."
    tools: str
    "Versions of what compiles; another one may compile otherwise."

    @cached_property
    def key(self) -> str:
        """Name of the folder for what comes back: a hash of all it depends on, and the first digits of the file's."""
        digest = hashlib.sha256(msgspec.json.encode((FORMAT, self.work, self.target, self.tools)))
        return f"{digest.hexdigest()[:32]}-{self.sha256[:8]}"


class Facts(Costs, frozen=True):
    """What the compiler says of one kernel."""

    threads: int | None = None
    "Most threads a block can have, where it is fixed when the kernel is compiled."
    tensor_columns: int = 0
    "Columns of tensor memory a block."


class Result(msgspec.Struct, omit_defaults=True):
    """What came of a job."""

    stages: dict[str, str] = {}
    "Texts, in the order of compilation."
    lines: dict[str, StageLines] = {}
    facts: dict[str, Facts] = {}
    "By the kernel's name in the binary."
    reason: str = ""
    "Why stages are missing, in the compiler's own words."
    lasting: bool = True
    "Whether the same job would end the same; not so where time ran out or the compiler died."


FORMAT = 4
"To be raised whenever the same job gives other files than before."
