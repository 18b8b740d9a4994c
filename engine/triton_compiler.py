"""Compiles a Triton kernel for a target, without its GPU, and reads what came of it. Runs in a process of its own."""

import contextlib
import io
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from engine.complaints import complaint
from engine.folders import Folders
from engine.lines import read_stages, stage_lines
from engine.lines_sass import number_origins
from engine.origins import Origin
from engine.rebuild import Rebuilder, types
from engine.request import Facts, Function, LaunchedBinary, Result, TritonRequest
from engine.sass import ToolError, disassemble, machine_code, read_log
from engine.toolkit import assemblers
from engine.trace import StageLines

STAGES = ("ttir", "ttgir", "llir", "ptx")
"What Triton makes of a kernel before it is assembled, in order."

_TOO_OLD = "Unsupported .version"
"In what ptxas says of PTX that is newer than itself."


def compile_triton(request: TritonRequest, capability: int) -> Result:
    """All stages of a kernel for a compute capability, 90 for sm_90; those before a failure, and what was said."""
    rebuilder = Rebuilder(request)
    kernel = request.objects[0]
    assert isinstance(kernel, Function)
    reader = _Reader(kernel.path, {})
    with _own_cache() as cache:
        try:
            compiled = _compile(request, rebuilder, capability)
        except Exception as error:
            reader.read(_left_in(cache))
            reader.result.reason = complaint(error, request, rebuilder.missing)
            return reader.result
    reader.read({name: compiled.asm[name] for name in STAGES if name in compiled.asm})
    reader.assemble(compiled.asm["cubin"], _facts(compiled.metadata), capability, request.options, request.until == "")
    return reader.result


def read_binary(binary: LaunchedBinary, capability: int) -> Result:
    """All stages of a kernel that was launched."""
    reader = _Reader(binary.path, binary.files)
    reader.read(binary.stages)
    for assembler in _assemblers(binary.assembler):
        with _assembler(assembler):
            reader.assemble(binary.cubin, binary.facts, capability, binary.options)
        if _TOO_OLD not in reader.result.reason:
            break
    return reader.result


def _assemblers(named: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """The assembler that was in use when a binary was launched, then others that may know its PTX.

    A binary out of Triton's cache was assembled when it was first compiled, perhaps with PyTorch's: torch.compile has
    the process use that from when it first compiles, and not where it finds all it needs in its own cache.
    """
    yield named
    for path in assemblers():
        yield {"TRITON_PTXAS_PATH": path, "TRITON_PTXAS_BLACKWELL_PATH": path}


@contextlib.contextmanager
def _assembler(variables: Mapping[str, str]) -> Iterator[None]:
    """Have Triton use the assembler that these environment variables name, and no other."""
    before = {name: value for name, value in os.environ.items() if name.startswith("TRITON_PTXAS_")}
    for name in before:
        del os.environ[name]
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            del os.environ[name]
        os.environ.update(before)


@contextlib.contextmanager
def _own_cache() -> Iterator[Path]:
    """Triton keeps what it compiles; here only the stages before one that failed are of use, and only for a moment."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = folder
        yield Path(folder)


def _left_in(cache: Path) -> dict[str, str]:
    return {name: path.read_text() for name in STAGES for path in sorted(cache.rglob(f"*.{name}"))[:1]}


def _compile(request: TritonRequest, rebuilder: Rebuilder, capability: int) -> Any:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    source = ASTSource(
        rebuilder.kernel(),
        types(request.signature),
        {path: rebuilder.get(number) for path, number in request.constants},
        {path: [list(pair) for pair in pairs] for path, pairs in request.attributes},
    )
    return triton.compile(source, target=GPUTarget("cuda", capability, 32), options=dict(request.options))


def _facts(metadata: Any) -> Facts:
    """What Triton knows of a kernel before it is assembled."""
    return Facts(
        num_warps=metadata.num_warps,
        num_stages=getattr(metadata, "num_stages", None),
        threads=metadata.num_warps * 32,
        shared=metadata.shared,
        tensor_columns=getattr(metadata, "tmem_size", None) or 0,
    )


class _Reader:
    """Fills a result with stages, their lines and facts."""

    def __init__(self, path: str, files: Mapping[str, str]) -> None:
        """`path` is the kernel's file as its locations name it; `files` says what the recording calls such files."""
        self.folders = Folders(files)
        self.path = self.folders.file(path)
        self.result = Result()
        self.ptx: list[Origin] = []

    def read(self, stages: Mapping[str, str]) -> None:
        """Take in the stages before the last."""
        texts = {name: self.folders.without(text) for name, text in stages.items()}
        origins = read_stages(texts)
        self.result.stages.update(texts)
        self.result.lines.update({name: self._lines(column) for name, column in origins.items()})
        self.ptx = origins.get("ptx", [])

    def assemble(
        self, cubin: bytes, facts: Facts, capability: int, options: Mapping[str, Any], sass: bool = True
    ) -> None:
        """Complete what is known and, with `sass`, take in the last stage. Where that fails, the result says why."""
        ptx = self.result.stages.get("ptx", "")
        name = _entry(ptx)
        self.result.facts[name], self.result.reason, self.result.lasting = facts, "", True
        try:
            numbered, table, log = _assemble_numbered(ptx, self.ptx, capability, options)
            self.result.facts[name] = _joined(facts, read_log(log).get(name, Facts()))
            if not sass:
                return
            text, origins = self._disassemble(cubin, numbered, table)
        except ToolError as error:
            self.result.reason, self.result.lasting = str(error), False
            return
        self.result.stages["sass"] = text
        self.result.lines["sass"] = self._lines(origins)

    def _lines(self, origins: Sequence[Origin]) -> StageLines:
        return stage_lines(origins, self.path, self.folders.file)

    def _disassemble(self, cubin: bytes, numbered: bytes, table: Sequence[Origin]) -> tuple[str, list[Origin]]:
        """SASS of `cubin`, whose origins `numbered` tells where it is the same machine code."""
        if machine_code(numbered) == machine_code(cubin):
            return disassemble(numbered, table)
        text, origins = disassemble(cubin)
        return text, [_completed(self.folders.origin(origin), table) for origin in origins]


def _completed(origin: Origin, table: Sequence[Origin]) -> Origin:
    """An origin whose callers are not known gets them where code from that place was inlined only once."""
    if origin is None or len(origin) != 1:
        return origin
    possible = [known for known in table if known and known[0] == origin[0]]
    return possible[0] if len(possible) == 1 else origin


def _joined(known: Facts, said: Facts) -> Facts:
    """The driver's figures where there are any, else the assembler's."""
    return msgspec.structs.replace(
        known,
        registers=known.registers if known.registers is not None else said.registers,
        spills=known.spills if known.spills is not None else said.spills,
    )


def _entry(ptx: str) -> str:
    match = re.search(r"\.entry\s+([\w$]+)", ptx)
    return match[1] if match else ""


def _assemble_numbered(
    ptx: str, origins: Sequence[Origin], capability: int, options: Mapping[str, Any]
) -> tuple[bytes, list[Origin], str]:
    """The kernel assembled as Triton does it, but with its origins numbered; the table of them; what ptxas said."""
    from triton import knobs
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import make_backend

    text, table = number_origins(ptx, origins)
    backend = make_backend(GPUTarget("cuda", capability, 32))
    knobs.nvidia.dump_ptxas_log = True
    log = io.StringIO()
    try:
        with contextlib.redirect_stdout(log):
            cubin = backend.make_cubin(text, {}, backend.parse_options(dict(options)), capability)
    except Exception as error:
        raise ToolError(str(error).strip() or type(error).__name__) from error
    return cubin, table, log.getvalue()
