"""How many blocks and warps of a kernel a multiprocessor (SM) holds at once, and in how many waves a grid runs.

Rules: NVIDIA's cuda_occupancy.h (CUDA 13.0), the code behind cudaOccupancyMaxActiveBlocksPerMultiprocessor. Figures per
compute capability: CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability". Numbers of SMs:
NVIDIA A100 Tensor Core GPU Architecture (2020), NVIDIA H100 Tensor Core GPU Architecture (2022, the SXM5 board), and
for H200 and B200 what the devices report (132, 148).
"""

from dataclasses import dataclass

WARP = 32
"""Threads."""

PARTITIONS = 4
"""Parts of an SM, each with a scheduler and a quarter of the registers."""

REGISTER_UNIT = 256
"""Registers are given to a warp in units of this many."""

SHARED_UNIT = 128
"""Shared memory is given to a block in units of this many bytes."""

SHARED_RESERVED = 1024
"""Bytes of shared memory that the system takes for each block."""


@dataclass(frozen=True)
class Architecture:
    """One kind of GPU; all figures but the first are of one SM. Sizes of shared memory in bytes."""

    sms: int
    capability: int
    shared: int
    registers: int = 65536
    max_registers_per_thread: int = 255
    max_warps: int = 64
    max_blocks: int = 32
    max_threads_per_block: int = 1024


ARCHITECTURES = {
    "A100": Architecture(sms=108, capability=80, shared=164 * 1024),
    "H100": Architecture(sms=132, capability=90, shared=228 * 1024),
    "H200": Architecture(sms=132, capability=90, shared=228 * 1024),
    "B200": Architecture(sms=148, capability=100, shared=228 * 1024),
}
"""The GPUs of the lecture. They differ in SMs and shared memory; registers, warps and blocks have stayed the same."""


@dataclass(frozen=True)
class Occupancy:
    """What of a kernel is resident on one SM. `limits` has the blocks that fit by each resource; the least counts."""

    warps_per_block: int
    max_warps: int
    limits: dict[str, int]

    @property
    def blocks(self) -> int:
        """Blocks resident on an SM at once; 0 for a kernel that cannot be launched."""
        return min(self.limits.values())

    @property
    def warps(self) -> int:
        """Warps resident on an SM at once."""
        return self.blocks * self.warps_per_block

    @property
    def fraction(self) -> float:
        """The occupancy: resident warps over the most an SM can hold."""
        return self.warps / self.max_warps

    @property
    def limited_by(self) -> str:
        """The resource that runs out first."""
        return min(self.limits, key=self.limits.__getitem__)


def occupancy(gpu: Architecture, threads: int, registers: int, shared: int = 0) -> Occupancy:
    """Occupancy of a kernel with blocks of `threads`, `registers` a thread and `shared` bytes of shared memory a block.

    >>> occupancy(ARCHITECTURES["B200"], threads=128, registers=160).fraction  # 12 of 64 warps
    0.1875
    """
    _require("occupancy", gpu, threads=threads, registers=registers, shared=shared)
    if not 1 <= threads <= gpu.max_threads_per_block:
        raise ValueError(f"a block of {threads} threads; it may have 1 to {gpu.max_threads_per_block}.")
    if registers < 0 or shared < 0:
        raise ValueError(f"{registers} registers and {shared} bytes of shared memory; neither can be negative.")
    warps = -(-threads // WARP)
    limits = {
        "warps": gpu.max_warps // warps,
        "blocks": gpu.max_blocks,
        "registers": _blocks_by_registers(gpu, warps, registers),
        "shared memory": gpu.shared // _round_up(shared + SHARED_RESERVED, SHARED_UNIT),
    }
    return Occupancy(warps, gpu.max_warps, limits)


def _require(function: str, gpu: object, **numbers: object) -> None:
    """Raise TypeError, naming `function`, unless `gpu` is an Architecture and all `numbers` are whole."""
    if not isinstance(gpu, Architecture):
        known = ", ".join(ARCHITECTURES)
        raise TypeError(f"{function}: gpu={gpu!r:.80}; give ARCHITECTURES[NAME] with a NAME of {known}.")
    for name, value in numbers.items():
        if not isinstance(value, int):
            raise TypeError(f"{function}: {name}={value!r:.80}; give a whole number.")


def _blocks_by_registers(gpu: Architecture, warps: int, registers: int) -> int:
    """A warp's registers lie in one partition, so each partition fills by itself."""
    per_warp = _round_up(max(registers, 1) * WARP, REGISTER_UNIT)
    if registers > gpu.max_registers_per_thread or per_warp * _round_up(warps, PARTITIONS) > gpu.registers:
        return 0
    return gpu.registers // PARTITIONS // per_warp * PARTITIONS // warps


def _round_up(number: int, unit: int) -> int:
    return -(-number // unit) * unit


@dataclass(frozen=True)
class Waves:
    """How a grid of `blocks` runs on a GPU that holds `resident` blocks at once."""

    blocks: int
    resident: int

    @property
    def count(self) -> int:
        """Waves, the last one included."""
        return -(-self.blocks // self.resident)

    @property
    def tail(self) -> int:
        """Blocks of the last wave."""
        return self.blocks - (self.count - 1) * self.resident

    @property
    def efficiency(self) -> float:
        """The part of all places for blocks, over all waves, that is used when every block takes as long."""
        return self.blocks / (self.count * self.resident)


def waves(gpu: Architecture, blocks: int, blocks_per_sm: int = 1) -> Waves:
    """The waves in which a grid of `blocks` runs, `blocks_per_sm` of them resident on each SM.

    >>> waves(ARCHITECTURES["B200"], blocks=160).tail  # 148 blocks, then 12
    12
    """
    _require("waves", gpu, blocks=blocks, blocks_per_sm=blocks_per_sm)
    if blocks < 1 or blocks_per_sm < 1:
        raise ValueError(f"{blocks} blocks, {blocks_per_sm} on each SM; both must be at least 1.")
    return Waves(blocks, gpu.sms * blocks_per_sm)
