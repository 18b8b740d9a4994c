"""The process that compiles: reads a job a line, answers with a result a line, until its input ends.

It is started by `engine.workers`, so that a compiler that crashes or hangs takes nothing with it, and so that Triton,
which a lecture may have loaded as an interpreter, is loaded here as a compiler.
"""

import os
import re
import sys

import msgspec

from engine.request import CudaRequest, Job, LaunchedBinary, Result, TritonRequest


def main() -> None:
    """Answer jobs. What compilers print goes to standard error, which nobody reads unless the process dies."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        result = perform(msgspec.json.decode(line, type=Job))
        answers.write(msgspec.json.encode(result) + b"\n")
        answers.flush()


def perform(job: Job) -> Result:
    """What comes of a job; a failure too is a result."""
    capability = int(re.sub(r"\D", "", job.target))
    try:
        return _perform(job.work, capability)
    except Exception as error:
        return Result(reason=f"{type(error).__name__}: {error}", lasting=False)


def _perform(work: object, capability: int) -> Result:
    match work:
        case TritonRequest():
            from engine.triton_compiler import compile_triton

            return compile_triton(work, capability)
        case LaunchedBinary():
            from engine.triton_compiler import read_binary

            return read_binary(work, capability)
        case CudaRequest():
            from engine.cuda_compiler import compile_cuda

            return compile_cuda(work, capability)
    raise TypeError(f"no way to compile a {type(work).__name__}")


if __name__ == "__main__":
    main()
