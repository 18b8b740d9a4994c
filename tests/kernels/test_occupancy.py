"""Occupancy, waves and tails, against the lecture's example, the engine's own computation, and the CUDA API."""

import ctypes
import itertools
from collections.abc import Callable

import pytest
import torch

from kernels.occupancy import ARCHITECTURES, occupancy, waves

B200, H200, A100 = (ARCHITECTURES[name] for name in ("B200", "H200", "A100"))


def test_the_lectures_example() -> None:
    """Blocks of 128 threads with 160 registers each on a B200: three blocks, 12 of 64 warps, 18.75 %."""
    found = occupancy(B200, threads=128, registers=160)
    assert (found.blocks, found.warps, found.fraction, found.limited_by) == (3, 12, 0.1875, "registers")


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "blocks", "limited_by"),
    [
        (1024, 32, 0, 2, "warps"),
        (32, 32, 0, 32, "blocks"),
        (1024, 33, 0, 1, "registers"),  # given in units: 40 for each thread
        (128, 32, 100 * 1024, 2, "shared memory"),
        (256, 168, 213016, 1, "registers"),
        (128, 256, 0, 0, "registers"),  # a thread has at most 255
        (1024, 65, 0, 0, "registers"),  # a block's registers do not fit at all
        (128, 32, 228 * 1024, 0, "shared memory"),
    ],
)
def test_what_runs_out_first(threads: int, registers: int, shared: int, blocks: int, limited_by: str) -> None:
    found = occupancy(H200, threads, registers, shared)
    assert (found.blocks, found.limited_by) == (blocks, limited_by)


def test_a_block_of_three_warps_leaves_registers_unused_in_each_partition() -> None:
    found = occupancy(H200, threads=96, registers=255)
    assert found.blocks == 2  # 8 warps fit, two in each of four partitions; a third block would need a ninth


def test_the_lectures_waves() -> None:
    """160 blocks on the 148 SMs of a B200: a full wave, and a tail of 12."""
    found = waves(B200, blocks=160)
    assert (found.count, found.tail, round(found.efficiency, 3)) == (2, 12, 0.541)


def test_a_grid_that_fills_its_waves_has_no_idle_sm() -> None:
    found = waves(H200, blocks=132 * 4 * 3, blocks_per_sm=4)
    assert (found.count, found.tail, found.efficiency) == (3, 528, 1.0)


def test_figures_of_the_gpus() -> None:
    assert {name: (gpu.sms, gpu.capability, gpu.shared // 1024) for name, gpu in ARCHITECTURES.items()} == {
        "A100": (108, 80, 164), "H100": (132, 90, 228), "H200": (132, 90, 228), "B200": (148, 100, 228),
    }  # fmt: skip


@pytest.mark.parametrize(("threads", "registers", "shared"), [(0, 32, 0), (1025, 32, 0), (32, -1, 0), (32, 1, -1)])
def test_impossible_kernels_are_refused(threads: int, registers: int, shared: int) -> None:
    with pytest.raises(ValueError):
        occupancy(A100, threads, registers, shared)


def test_impossible_grids_are_refused() -> None:
    with pytest.raises(ValueError, match="0 blocks, 1 on each SM; both must be at least 1"):
        waves(A100, 0)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: occupancy("H200", 128, 32),  # type: ignore[arg-type]
            "occupancy: gpu='H200'; give ARCHITECTURES[NAME] with a NAME of A100, H100, H200, B200.",
        ),
        (lambda: occupancy(H200, 128.5, 32), "occupancy: threads=128.5; give a whole number."),  # type: ignore[arg-type]
        (lambda: occupancy(H200, 128, None), "occupancy: registers=None; give a whole number."),  # type: ignore[arg-type]
        (lambda: occupancy(H200, 128, 32, 1.5), "occupancy: shared=1.5; give a whole number."),  # type: ignore[arg-type]
        (lambda: waves(H200, "160"), "waves: blocks='160'; give a whole number."),  # type: ignore[arg-type]
        (lambda: waves(H200, 160, 1.5), "waves: blocks_per_sm=1.5; give a whole number."),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_gpu_or_no_whole_number_is_refused(call: Callable[[], object], said: str) -> None:
    with pytest.raises(TypeError) as raised:
        call()
    assert str(raised.value) == said


def test_the_engine_computes_the_same() -> None:
    """The engine may not import the kernels, so it has the rules too."""
    from engine.occupancy import occupancy as of_engine

    for threads, registers, shared in itertools.product((32, 96, 128, 512, 1024), (16, 33, 64), (0, 1000, 60000)):
        for gpu in ARCHITECTURES.values():
            engine = of_engine(gpu.capability, threads, registers, shared)
            assert engine is not None and engine.blocks == occupancy(gpu, threads, registers, shared).blocks


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch sees no NVIDIA GPU")
@pytest.mark.parametrize("num_warps", [1, 2, 4, 8, 16, 32])
@pytest.mark.parametrize("N", [256, 4096, 16384])
def test_the_cuda_api_says_the_same_of_our_kernels(N: int, num_warps: int) -> None:
    from kernels.softmax import softmax_kernel

    gpu = next(gpu for name, gpu in ARCHITECTURES.items() if name in torch.cuda.get_device_name())
    x = torch.randn(2, N, device="cuda")
    compiled = softmax_kernel[(2,)](x, torch.empty_like(x), N, N, N, BLOCK_SIZE=N, num_warps=num_warps)
    blocks, shared = ctypes.c_int(), compiled.metadata.shared
    error = ctypes.CDLL("libcuda.so.1").cuOccupancyMaxActiveBlocksPerMultiprocessor(
        ctypes.byref(blocks), ctypes.c_void_p(compiled.function), 32 * num_warps, ctypes.c_size_t(shared)
    )
    assert error == 0
    assert blocks.value == occupancy(gpu, 32 * num_warps, compiled.n_regs, shared).blocks
