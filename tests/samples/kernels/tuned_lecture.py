"""Launches an autotuned kernel whose times are given: what Triton does with them is Triton's own."""

import torch
import triton
import triton.language as tl

TIMES = {32: [0.5, 0.4, 0.6], 64: [0.25, 0.2, 0.3], 128: [float("inf")] * 3}
"Milliseconds by BLOCK, as Triton's benchmark gives them; the last as for a configuration that cannot run."


class Benchmark:
    """Stands in for a GPU's clock: runs the kernel once, in the interpreter, and gives the next time."""

    def __init__(self):
        self.times = []

    def __call__(self, kernel_call, quantiles):
        kernel_call()
        self.times = self.times or list(TIMES.values())
        return self.times.pop(0)


def drop_the_last(configs, named_args, **kwargs):
    return configs[:-1]


CONFIGS = [triton.Config({"BLOCK": block}, num_warps=2) for block in TIMES] + [triton.Config({"BLOCK": 256}, maxnreg=64)]


@triton.autotune(CONFIGS, key=["n"], do_bench=Benchmark(), prune_configs_by={"early_config_prune": drop_the_last})
@triton.jit
def fill_kernel(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, 1.0, mask=offsets < n)


def fill(n):
    x = torch.zeros(n)
    fill_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, n)
    assert x.sum() == n


def main():
    from engine import launches

    with launches.unwatched():
        fill(100)
    fill(100)
    fill(100)
    fill(300)
