"""Compiles a kernel in CUDA C++ for a target, without its GPU. Runs in a process of its own.

With nvcc where there is one, else with NVRTC, the same compiler as a library, from its wheel (through cuda.bindings).
"""

import importlib.util
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from engine.cuda_source import included, without_includes
from engine.folders import Folders
from engine.lines import stage_lines
from engine.lines_ptx import read_ptx
from engine.origins import Origin
from engine.request import CudaRequest, Result
from engine.sass import ToolError, disassemble, read_log
from engine.toolkit import run_tool

_HOST_HEADERS = ("torch/", "ATen/", "c10/", "pybind11/", "Python.h")
"Headers that only host code needs; they take long, and may not be here."
_ENTRY = re.compile(r"\.entry\s+(?P<name>[\w$]+)(?P<head>[^{]*)")
_THREADS = re.compile(r"\.(?:maxntid|reqntid)\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?")


def compile_cuda(request: CudaRequest, capability: int) -> Result:
    """PTX and SASS of a kernel for a compute capability, 90 for sm_90; or why there are none."""
    result = Result()
    with _folder(request) as folder:
        try:
            ptx, cubin, log = _instantiated(request, capability, folder)
            _add(result, request, "ptx", *_relative(ptx, read_ptx(ptx), folder))
            threads = _threads(ptx)
            result.facts = {
                name: msgspec.structs.replace(facts, threads=threads.get(name)) for name, facts in read_log(log).items()
            }
            _add(result, request, "sass", *_relative(*disassemble(cubin), folder))
        except ToolError as error:
            result.reason = str(error).replace(f"{folder}{os.sep}", "")
    return result


def _instantiated(request: CudaRequest, capability: int, folder: Path) -> tuple[str, bytes, str]:
    """As `_build`; of a template that nobody makes an instance of, nothing would come."""
    try:
        built = _build(request, capability, folder)
    except ToolError as error:
        said = re.search(r'"(\w+)" is undefined', str(error))
        if said is None or said[1] not in re.findall(r"\w+", request.instance):
            raise
        raise ToolError(f"{_nameless(request)}\n\n{error}") from error
    if ".entry" in built[0]:
        return built
    if re.search(rf"\btemplate\b[^;{{}}]*__global__[^;{{}}]*\b{request.name}\b", request.source):
        raise ToolError(_nameless(request))
    raise ToolError(f"nothing came of {request.name}: it stands in a part of {request.path} that an #if leaves out")


def _nameless(request: CudaRequest) -> str:
    return (
        f"{request.name} is a template, and {request.path} does not say for which arguments to compile it: "
        f"add `template __global__ void {request.name}<..>(..);` behind it"
    )


def _build(request: CudaRequest, capability: int, folder: Path) -> tuple[str, bytes, str]:
    """PTX, cubin and the assembler's log. NVRTC helps out where nvcc lacks something, say a host compiler."""
    if not request.nvcc:
        return _with_nvrtc(request, capability, folder)
    try:
        return _with_nvcc(request, capability, folder)
    except ToolError as error:
        try:
            return _with_nvrtc(request, capability, folder)
        except ToolError:
            raise error from None


def _add(result: Result, request: CudaRequest, stage: str, text: str, origins: list[Origin]) -> None:
    folders = Folders({})
    result.stages[stage] = folders.without(text)
    result.lines[stage] = stage_lines(origins, request.path, folders.file)


@contextmanager
def _folder(request: CudaRequest) -> Iterator[Path]:
    """A folder to compile in, with the headers; it is the current one, since compilers put its path before others."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for header, text in request.headers.items():
            (folder / header).parent.mkdir(parents=True, exist_ok=True)
            (folder / header).write_text(text)
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)


def _relative(text: str, origins: list[Origin], folder: Path) -> tuple[str, list[Origin]]:
    """Text and origins without the path of the folder that was compiled in."""
    prefix = f"{folder}{os.sep}"
    short = [
        None if origin is None else tuple((path.removeprefix(prefix), line) for path, line in origin)
        for origin in origins
    ]
    return text.replace(prefix, ""), short


def _threads(ptx: str) -> dict[str, int | None]:
    """By kernel, most threads of a block, which `__launch_bounds__` says; None where they are up to the launch."""
    found = {entry["name"]: _THREADS.search(entry["head"]) for entry in _ENTRY.finditer(ptx)}
    return {
        name: int(match[1]) * int(match[2] or 1) * int(match[3] or 1) if match else None
        for name, match in found.items()
    }


def _with_nvcc(request: CudaRequest, capability: int, folder: Path) -> tuple[str, bytes, str]:
    wanted = {name for name in included(request.source) if not name.startswith(_HOST_HEADERS)}
    source, ptx, cubin = folder / "kernel.cu", folder / "kernel.ptx", folder / "kernel.cubin"
    code = without_includes(request.source, wanted)
    named = f"\nauto instance = &{request.instance};\n" if request.instance else ""
    source.write_text(f'#line 1 "{request.path}"\n{code}{named}')
    common = [request.nvcc, f"-arch=sm_{capability}", "-lineinfo", "-I", str(folder)]
    _run([*common, "-ptx", "-o", str(ptx), str(source)])
    log = _run([*common, "-cubin", "-Xptxas", "-v", "-o", str(cubin), str(ptx)])
    return ptx.read_text(), cubin.read_bytes(), log


def _run(command: list[str]) -> str:
    done = run_tool(command)
    if done.returncode != 0:
        raise ToolError((done.stderr or done.stdout).strip() or f"{command[0]} ended with code {done.returncode}")
    return done.stderr + done.stdout


def _with_nvrtc(request: CudaRequest, capability: int, folder: Path) -> tuple[str, bytes, str]:
    try:
        from cuda.bindings import nvrtc
    except (ImportError, RuntimeError) as error:
        raise ToolError(f"neither nvcc nor NVRTC is here ({error}); pip install 'cuda-bindings[all]'") from error
    folders = [folder, *_include_folders()]
    wanted = {name for name in included(request.source) if any((place / name).is_file() for place in folders)}
    options = [f"--gpu-architecture=sm_{capability}", "-lineinfo", "--std=c++17", "--ptxas-options=-v"]
    options += [f"--include-path={place}" for place in folders]
    program = _Program(nvrtc, without_includes(request.source, wanted), request.path)
    if request.instance:
        program.name(request.instance)
    log = program.compile(options)
    return program.output("PTX").rstrip(b"\0").decode(errors="replace"), program.output("CUBIN"), log


def _include_folders() -> list[Path]:
    """Where CUDA's own headers are: in its wheels, in a toolkit, in Triton's wheel."""
    found = [Path(home, "include") for home in (os.environ.get("CUDA_HOME"), "/usr/local/cuda") if home]
    for package, inside in (("nvidia", "*/include"), ("triton", "backends/nvidia/include")):
        spec = importlib.util.find_spec(package)
        for place in (spec.submodule_search_locations or ()) if spec is not None else ():
            found += sorted(Path(place).glob(inside))
    return [folder for folder in found if folder.is_dir()]


class _Program:
    """A program of NVRTC, whose functions return an error code first."""

    def __init__(self, nvrtc: Any, source: str, name: str) -> None:
        self.nvrtc = nvrtc
        self.program = self._call("CreateProgram", source.encode(), name.encode(), 0, None, None)

    def _call(self, name: str, *arguments: Any) -> Any:
        code, *values = getattr(self.nvrtc, f"nvrtc{name}")(*arguments)
        if int(code) != 0:
            raise ToolError(f"nvrtc{name}: {self.nvrtc.nvrtcGetErrorString(code)[1].decode()}")
        return values[0] if values else None

    def name(self, instance: str) -> None:
        """Have an instance of a template compiled too."""
        self._call("AddNameExpression", self.program, instance.encode())

    def compile(self, options: list[str]) -> str:
        """Compile; what was said. Raises ToolError with the compiler's words."""
        try:
            self._call("CompileProgram", self.program, len(options), [option.encode() for option in options])
        except ToolError as error:
            said = self.output("ProgramLog").rstrip(b"\0").decode(errors="replace").strip()
            raise ToolError(said or str(error)) from error
        return self.output("ProgramLog").decode(errors="replace")

    def output(self, kind: str) -> bytes:
        """What the compilation gave: `PTX`, `CUBIN`, `ProgramLog`."""
        data: bytes = b" " * self._call(f"Get{kind}Size", self.program)
        self._call(f"Get{kind}", self.program, data)  # writes into `data`
        return data
