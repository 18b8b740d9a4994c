"""engine.occupancy: the same as NVIDIA's own calculation, and the worked examples of the lecture."""

import shutil
import subprocess
from pathlib import Path

import pytest

from engine.errors import TraceError
from engine.occupancy import MULTIPROCESSORS, occupancy
from engine.toolkit import find_tool
from engine.trace import FORMAT, VERSION, Kernel, Limit, Residency, Trace, Variant, decode, encode


@pytest.mark.parametrize(
    ("arguments", "fraction", "limit"),
    [
        ({"threads": 128, "registers": 32, "shared": 0}, 1.0, "registers"),
        ({"threads": 128, "registers": 33, "shared": 0}, 48 / 64, "registers"),  # 33 * 32 is rounded up to 5 * 256
        ({"threads": 32, "registers": 16, "shared": 0}, 32 / 64, "blocks"),
        ({"threads": 1024, "registers": 32, "shared": 0}, 1.0, "warps"),
        ({"threads": 128, "registers": 32, "shared": 100 * 1024}, 8 / 64, "shared memory"),
        ({"threads": 128, "registers": 32, "shared": 0, "tensor_columns": 256}, 8 / 64, "tensor memory"),
    ],
)
def test_what_limits_occupancy_on_an_h100(arguments, fraction, limit):
    found = occupancy(90, **arguments)
    assert found.fraction == fraction
    assert found.blocks == next(one.blocks for one in found.limits if one.name == limit)


def test_the_arithmetic_of_a_matrix_product():
    """4 warps of 72 registers a thread and 48 KB of shared memory, on an H100: the lecture's example."""
    assert occupancy(90, threads=128, registers=72, shared=49152) == Residency(
        warps=4,
        max_warps=64,
        limits=(
            Limit("warps", 4, 64, 16),
            Limit("blocks", 1, 32, 32),
            Limit("registers", 72 * 32, 16384, 7 * 4 // 4, parts=4),  # 16384 // 2304 is 7
            Limit("shared memory", 49152 + 1024, 233472, 4),
        ),
    )


@pytest.mark.parametrize(
    "residency",
    [
        Residency(0, 64, (Limit("blocks", 1, 32, 32),)),
        Residency(4, 64, ()),
        Residency(4, 64, (Limit("blocks", 0, 32, 32),)),
        Residency(4, 64, (Limit("blocks", 1, 32, -1),)),
    ],
)
def test_a_recording_whose_arithmetic_cannot_be_is_refused(residency):
    variant = Variant("sm_90", "compiled", "k", residency=residency)
    kernel = Kernel("k", "triton", "k.py", 1, 2, (variant,))
    made = Trace(FORMAT, VERSION, "", "x.py", "ok", kernels=[kernel])
    with pytest.raises(TraceError, match="residency of a kernel out of range"):
        decode(encode(made), "x.json")


def test_unknown_architecture():
    assert occupancy(70, 128, 32, 0) is None


PROGRAM = """
#include <cstdio>
#include <cstddef>
#include "cuda_occupancy.h"
int main() {
    int cc, threads, registers, shared, warps;
    size_t capacity;
    while (scanf("%d %d %d %d %d %zu", &cc, &threads, &registers, &shared, &warps, &capacity) == 6) {
        cudaOccDeviceProp device;
        device.computeMajor = cc / 10;
        device.computeMinor = cc % 10;
        device.maxThreadsPerBlock = 1024;
        device.maxThreadsPerMultiprocessor = warps * 32;
        device.regsPerBlock = device.regsPerMultiprocessor = 65536;
        device.warpSize = 32;
        device.sharedMemPerBlock = 48 * 1024;
        device.sharedMemPerMultiprocessor = capacity;
        device.sharedMemPerBlockOptin = capacity - 1024;
        device.reservedSharedMemPerBlock = 1024;
        device.numSms = 100;
        cudaOccFuncAttributes function;
        function.maxThreadsPerBlock = 1024;
        function.numRegs = registers;
        function.sharedSizeBytes = 0;
        function.partitionedGCConfig = PARTITIONED_GC_OFF;
        function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        function.maxDynamicSharedSizeBytes = shared;
        function.numBlockBarriers = 1;
        cudaOccDeviceState state;
        state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
        cudaOccResult result;
        cudaOccError error =
            cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, threads, shared);
        printf("%d\\n", error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1);
    }
}
"""


def test_the_same_as_nvidias_header(tmp_path):
    tool = find_tool("nvdisasm")
    header = Path(tool).parents[1] / "include" / "cuda_occupancy.h" if tool else Path("missing")
    if not header.is_file() or shutil.which("g++") is None:
        pytest.skip("needs g++ and cuda_occupancy.h, which Triton's wheel has")
    (tmp_path / "occupancy.cpp").write_text(PROGRAM)
    program = tmp_path / "occupancy"
    subprocess.run(
        ["g++", "-I", header.parent, "-o", program, tmp_path / "occupancy.cpp"], check=True, capture_output=True
    )
    cases = [
        (capability, threads, registers, shared)
        for capability in (80, 86, 89, 90, 100, 120)
        for threads in (32, 96, 128, 256, 384, 512, 1024)
        for registers in (8, 24, 32, 40, 63, 64, 100, 128, 168, 255)
        for shared in (0, 1, 1024, 8192, 24592, 49152, 65536, 99 * 1024)
    ]
    lines = []
    for capability, threads, registers, shared in cases:
        has = MULTIPROCESSORS[capability]
        lines.append(f"{capability} {threads} {registers} {shared} {has.warps} {has.shared}")
    said = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, check=True).stdout.split()
    ours = [str(occupancy(*case).blocks) for case in cases]
    different = [(case, ours, theirs) for case, ours, theirs in zip(cases, ours, said, strict=True) if ours != theirs]
    assert different == []
