"""Command line of the kernels: check them, time them, print their PTX."""

import argparse
import os
import sys
from importlib.util import find_spec
from pathlib import Path

OPERATIONS = ("gelu", "softmax", "row_sum", "matmul_relu")


def parser() -> argparse.ArgumentParser:
    """The options of `python -m kernels`."""
    root = argparse.ArgumentParser(prog="python -m kernels", description=__doc__)
    actions = root.add_subparsers(dest="action", required=True, metavar="check|bench|ptx")
    for action, help_text in (
        ("check", "compare every version with its float64 reference; without a GPU in Triton's interpreter"),
        ("bench", "time every version on the GPU and write var/bench/DEVICE.json"),
        ("ptx", "print the PTX of every kernel; needs no GPU"),
    ):
        sub = actions.add_parser(action, help=help_text, description=help_text)
        sub.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(OPERATIONS)}; all when none is given")
        if action == "bench":
            sub.add_argument("--summary", type=Path, metavar="FILE",
                             help="also write the figures, without the single runs, to this file")  # fmt: skip
        if action == "ptx":
            sub.add_argument("--target", default="sm_90", metavar="sm_90", help="compile for it (sm_90)")
    return root


def check(names: list[str]) -> int:
    """Check the operations called `names`; 1 if a version is wrong."""
    import torch

    gpu = torch.cuda.is_available()
    if not gpu:
        os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported, which reads it
    from kernels.catalog import OPERATIONS as catalog
    from kernels.check import check_version
    from kernels.inputs import INTERPRETED, interpreter_problem

    if (problem := interpreter_problem()) is not None:
        print(f"kernels check: {problem}", file=sys.stderr)
        return 2
    device = "cuda" if gpu else "cpu"
    where = torch.cuda.get_device_name() if gpu else "No GPU"
    print(f"{where}{'; Triton interpreter, on smaller shapes' if INTERPRETED else ''}")
    reports = []
    for name in names:
        for version in catalog[name].versions:
            reports.append(check_version(catalog[name], version, device))
            print(reports[-1], flush=True)
    return int(any(report.mismatch for report in reports))


def bench(names: list[str], summary: Path | None) -> int:
    """Time the operations called `names` on the GPU; 1 if one of them is wrong, 2 without a GPU."""
    import torch

    if not torch.cuda.is_available():
        print("kernels bench: PyTorch sees no NVIDIA GPU; run this on a machine that has one.", file=sys.stderr)
        return 2
    from kernels.bench import main

    return main(names, summary)


def ptx(names: list[str], target: str) -> int:
    """Print the PTX of the operations called `names`, compiled for `target`; 2 if one cannot be compiled for it."""
    os.environ.pop("TRITON_INTERPRET", None)  # the interpreter's functions cannot be compiled
    from kernels.cuda import CudaUnavailable
    from kernels.ptx import CUDA_SOURCES, cuda_ptx, triton_ptx

    code = 0
    for name in names:
        try:
            found = triton_ptx(name, target)
        except (ValueError, RuntimeError) as error:
            print(f"kernels ptx: {error}", file=sys.stderr)
            return 2
        for kernel, text in found.items():
            print(f"// {kernel} of kernels/{name}.py, compiled by Triton for {target}\n{text}")
        if name in CUDA_SOURCES:
            try:
                print(f"// kernels/{name}.cu, compiled for {target}\n{cuda_ptx(name, target)}")
            except CudaUnavailable as error:
                print(f"kernels ptx: {error}", file=sys.stderr)
                code = 2
    return code


def main(arguments: list[str] | None = None) -> int:
    """Run `python -m kernels ARGUMENTS`; returns the exit code.

    0, 1 for a wrong kernel or a command that was stopped, 2 for what cannot be done as asked.
    """
    options = parser().parse_args(arguments)
    try:
        code = run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print(f"kernels {options.action}: interrupted; what it printed stands, the rest was not done.", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output has seen enough
        drop_output()
        return int(options.action != "ptx")  # PTX was for reading alone; the others were not done
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        drop_output()
        print(f"kernels {options.action}: cannot write to standard output: {error.strerror}.", file=sys.stderr)
        return 1
    return code


def drop_output() -> None:
    """Send standard output nowhere, or Python would try once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def run(options: argparse.Namespace) -> int:
    """Do what `options` ask for; returns the exit code."""
    unknown = [name for name in options.names if name not in OPERATIONS]
    if unknown:
        known = ", ".join(OPERATIONS)
        print(f"kernels {options.action}: no operation {unknown[0]!r}; there are {known}.", file=sys.stderr)
        return 2
    absent = [library for library in ("torch", "triton") if find_spec(library) is None]
    if absent:
        needs = f"needs {' and '.join(absent)}; pip install {' '.join(absent)}"
        print(f"kernels {options.action}: {needs}", file=sys.stderr)
        return 2
    names = options.names or list(OPERATIONS)
    if options.action == "ptx":
        return ptx(names, options.target)
    return check(names) if options.action == "check" else bench(names, options.summary)


if __name__ == "__main__":
    sys.exit(main())
