"""Launches kernels on the GPU, keeps what was launched in the folder named, and prints what came of it as JSON."""

import json
import sys
import time
from pathlib import Path

import msgspec

from engine import launches
from engine.compile import compile_all

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


class Notes:
    lecture = HERE / "none.py"

    def __init__(self, store):
        self.store = store
        self.kernels = []
        self.launches = []
        self.warnings = []
        self.tunings = []

    def display_path(self, path):
        path = Path(path)
        return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name

    def kernel(self, kernel):
        self.kernels.append(kernel)
        return len(self.kernels) - 1

    def launched(self, kernel, grid, interpreted):
        self.launches.append([self.kernels[kernel].name, grid, interpreted])

    def tuned(self, kernel, tuning):
        self.tunings.append(msgspec.to_builtins(tuning))

    def step_inside(self, code, inside):
        raise AssertionError("nothing is interpreted")

    def warn(self, message, path="", line=0):
        self.warnings.append(message)


def lecture():
    import torch
    from awkward import through_module_kernel
    from kernels.gelu import gelu
    from kernels.matmul_relu import matmul_relu_kernel
    from kernels.softmax import softmax
    from pointwise import ones_kernel

    gelu(torch.randn(4096, device="cuda"))
    softmax(torch.randn(4, 1000, device="cuda"))
    a = torch.randn(128, 128, device="cuda", dtype=torch.float16)
    matmul_relu_kernel[lambda meta: (128 // meta["BLOCK_M"], 2)](
        a, a, torch.empty_like(a), 128, 128, 128, 128, 1, 128, 1, 128, 1,
        BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, PRECISION="tf32", num_warps=4, num_stages=4,
    )  # fmt: skip
    x = torch.zeros(100, device="cuda")
    for _ in range(2):
        ones_kernel[lambda meta: (-(-100 // meta["BLOCK"]),)](x, 100)
    assert x.sum().item() == 100
    through_module_kernel[(1,)](x, x, 16, BLOCK=16)
    generated = torch.compile(lambda x: torch.relu(x) + 1)
    generated(torch.randn(4096, device="cuda"))
    generated(torch.randn(4096, device="cuda"))
    with launches.unwatched():
        gelu(torch.randn(4096, device="cuda"))


def microseconds():
    """What one launch takes on the host, by the clock."""
    import torch
    from kernels.gelu import gelu_kernel

    x = torch.randn(4096, device="cuda")
    best = float("inf")
    for _ in range(20):
        torch.cuda.synchronize()
        started = time.perf_counter()
        for _ in range(100):
            gelu_kernel[(4,)](x, x, 4096, BLOCK_SIZE=1024)
        best = min(best, (time.perf_counter() - started) * 1e4)
    torch.cuda.synchronize()
    return best


def main():
    sys.path.insert(0, str(HERE))
    launches.prepare()
    notes = Notes(Path(sys.argv[1]))
    with launches.watching(notes) as captured:
        lecture()
        told = list(notes.launches)
        seen = microseconds()
        with launches.unwatched():
            unseen = microseconds()
    away = microseconds()
    wanted = captured.wanted(notes.kernels, lambda path: str(ROOT / path))
    started = time.perf_counter()
    variants = compile_all(wanted, [], notes.store)
    seconds = time.perf_counter() - started
    asked = compile_all({0: wanted[0]}, ["sm_80"], notes.store)[0]
    print(
        json.dumps(
            {
                "launches": told,
                "kernels": msgspec.to_builtins(notes.kernels),
                "tunings": notes.tunings,
                "warnings": notes.warnings + captured.warnings(notes.kernels),
                "variants": msgspec.to_builtins({kernel.name: variants[n] for n, kernel in enumerate(notes.kernels)}),
                "asked": msgspec.to_builtins(asked),
                "microseconds": {"watched": seen, "unwatched": unseen, "without": away},
                "seconds": seconds,
            }
        )
    )


main()
