"""PTX of every kernel of this package, compiled on any machine: no GPU is asked for anything."""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from kernels import gelu, matmul_relu, row_sum, softmax
from kernels.cuda import SOURCES, CudaUnavailable
from kernels.inputs import INTERPRETED

SIZE = 8192
"""M, N and K in the examples; a multiple of 16, which Triton tells the compiler."""


@dataclass(frozen=True)
class Example:
    """A kernel and one launch of it: a type for each pointer ("*fp32"), a value for each number and each constexpr."""

    kernel: Any
    arguments: dict[str, str | int]
    constexprs: dict[str, Any]
    options: dict[str, int] = field(default_factory=dict)

    def source(self) -> ASTSource:
        """The kernel specialised as Triton's launcher would: 1 as a constant, multiples of 16 marked as such."""
        constants = {name: 1 for name, value in self.arguments.items() if value == 1} | self.constexprs
        types = {name: value if isinstance(value, str) else "i32" for name, value in self.arguments.items()}
        signature = types | dict.fromkeys(constants, "constexpr")
        attributes = {
            (position,): [["tt.divisibility", 16]]
            for position, (name, value) in enumerate(self.arguments.items())
            if name not in constants and (value % 16 == 0 if isinstance(value, int) else value.startswith("*"))
        }
        return ASTSource(self.kernel, signature, constants, attributes)


Arguments = dict[str, str | int]

VECTOR: Arguments = {"x_ptr": "*fp32", "y_ptr": "*fp32", "N": SIZE * SIZE}
ROWS: Arguments = {"x_ptr": "*fp32", "y_ptr": "*fp32", "x_row_stride": SIZE, "y_row_stride": SIZE, "N": SIZE}
SUMS: Arguments = {"x_ptr": "*fp32", "y_ptr": "*fp32", "x_row_stride": SIZE}
SIZES: Arguments = {"M": SIZE, "N": SIZE, "K": SIZE}
STRIDES: Arguments = {
    "stride_am": SIZE, "stride_ak": 1, "stride_bk": SIZE, "stride_bn": 1, "stride_cm": SIZE, "stride_cn": 1,
}  # fmt: skip
MATRICES: Arguments = {"a_ptr": "*bf16", "b_ptr": "*bf16", "c_ptr": "*bf16"}
TILES: Arguments = {
    "a": "tensordesc<bf16[128, 64]>", "b": "tensordesc<bf16[64, 256]>", "c": "tensordesc<bf16[128, 256]>",
}  # fmt: skip

EXAMPLES: dict[str, tuple[Example, ...]] = {
    "gelu": (
        Example(gelu.gelu_kernel, VECTOR, {"BLOCK_SIZE": 1024}),
        Example(gelu.gelu_fast_kernel, VECTOR, {"BLOCK_SIZE": 1024}, {"num_warps": 8}),
    ),
    "softmax": (
        Example(softmax.softmax_kernel, ROWS, {"BLOCK_SIZE": SIZE}),
        Example(softmax.softmax_fast_kernel, ROWS, {"ALIGN": 4, "DEPTH": 4, "WIDTH": 2048}, {"num_warps": 16}),
    ),
    "row_sum": (
        Example(row_sum.row_sum_kernel, SUMS | {"N": SIZE}, {"BLOCK_SIZE": 1024}),
        Example(
            row_sum.row_sum_fast_kernel, SUMS | {"M": SIZE, "N": SIZE},
            {"BLOCK_M": 1, "BLOCK_N": 4096}, {"num_warps": 16},
        ),
    ),
    "matmul_relu": (
        Example(
            matmul_relu.matmul_relu_kernel, MATRICES | SIZES | STRIDES,
            {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32, "PRECISION": "ieee"},
        ),
        Example(
            matmul_relu.matmul_relu_fast_kernel, TILES | SIZES,
            {"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64, "GROUP_M": 8, "PRECISION": "ieee"},
            {"num_warps": 8, "num_stages": 3},
        ),
    ),
}  # fmt: skip
"""What is compiled for each operation: each of its Triton kernels, as one launch of it."""

CUDA_SOURCES = ("gelu", "softmax")
"""The operations that have a .cu file beside their Triton kernels."""


def capability(target: str) -> int:
    """90 for "sm_90"; ValueError for anything else than sm_ and a number."""
    match = re.fullmatch(r"sm_(\d{2,3})", target)
    if match is None:
        raise ValueError(f"target {target!r} is no compute capability; write sm_80, sm_90 or sm_100, say.")
    return int(match[1])


def triton_ptx(name: str, target: str = "sm_90") -> dict[str, str]:
    """The PTX of each Triton kernel of the operation `name`, by the kernel's name. RuntimeError where one has none.

    A process in which Triton's interpreter runs the kernels (TRITON_INTERPRET=1) holds tl's own functions in a form
    that cannot be compiled; there another process is started for the compilation.
    """
    gpu = GPUTarget("cuda", capability(target), 32)
    if INTERPRETED:
        return _in_another_process(name, target)
    found = {}
    for example in EXAMPLES[name]:
        kernel = example.kernel.fn.__name__
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # where Triton prints the PTX that ptxas would not have
                compiled = triton.compile(example.source(), target=gpu, options=example.options)
        except OSError as error:
            told = f"Triton cannot keep what it compiles: {error}; name a folder for it in TRITON_CACHE_DIR."
            raise RuntimeError(f"{kernel}: {told}") from error
        except Exception as error:  # of Triton, LLVM or ptxas, each with classes of its own
            raise RuntimeError(f"{kernel} does not compile for {target}: {_reason(error)}") from error
        found[kernel] = str(compiled.asm["ptx"])
    return found


def _reason(error: Exception) -> str:
    """The line of a compiler's message that says why; ptxas has it below the name of the error."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return next((line for line in lines if "fatal" in line), lines[0])


def _in_another_process(name: str, target: str) -> dict[str, str]:
    program = "import json, sys; from kernels.ptx import triton_ptx; print(json.dumps(triton_ptx(*sys.argv[1:])))"
    environment = {key: value for key, value in os.environ.items() if key != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = os.pathsep.join([str(SOURCES.parent), environment.get("PYTHONPATH", "")])
    command = [sys.executable, "-c", program, name, target]
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if finished.returncode:
        said = finished.stderr.strip().splitlines() or [f"the compiling process ended with {finished.returncode}"]
        raise RuntimeError(said[-1].removeprefix("RuntimeError: "))
    found: dict[str, str] = json.loads(finished.stdout)
    return found


def cuda_ptx(name: str, target: str = "sm_90") -> str:
    """The PTX of all kernels of `name`.cu, by nvcc where there is one, else by NVRTC (pip install cuda-bindings).

    Raises CudaUnavailable where there is neither, or where the source does not compile.
    """
    number, source = capability(target), SOURCES / f"{name}.cu"
    if shutil.which("nvcc") is not None:
        command = ["nvcc", f"-arch=compute_{number}", "-lineinfo", "-ptx", "-o", "-", str(source)]
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
        if finished.returncode:
            raise CudaUnavailable(f"{name}.cu: nvcc cannot compile it for {target}: {finished.stderr.strip()}")
        return finished.stdout
    return nvrtc_ptx(source, number)


def nvrtc_ptx(source: Path, number: int) -> str:
    """The PTX of all kernels of the file `source` for compute capability `number` (90, say), by NVRTC."""
    try:
        from cuda.bindings import nvrtc
    except ImportError:
        raise CudaUnavailable(
            f"{source.name}: no nvcc on the PATH and no NVRTC; pip install 'cuda-bindings[all]'."
        ) from None
    _, program = nvrtc.nvrtcCreateProgram(source.read_bytes(), source.name.encode(), 0, [], [])
    options = [f"--gpu-architecture=compute_{number}".encode(), b"--generate-line-info"]
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        log = b" " * nvrtc.nvrtcGetProgramLogSize(program)[1]
        nvrtc.nvrtcGetProgramLog(program, log)
        raise CudaUnavailable(f"{source.name}: NVRTC cannot compile it for sm_{number}: {log.decode().strip()}")
    text = b" " * nvrtc.nvrtcGetPTXSize(program)[1]
    nvrtc.nvrtcGetPTX(program, text)
    return str(text.rstrip(b"\0").decode())
