"""How many warps of a kernel fit on a multiprocessor, computed from what the compiler says the kernel needs."""

from dataclasses import dataclass

WARP = 32
"Threads."
REGISTERS = 65536
"32-bit registers of a multiprocessor, since compute capability 5.0."
PARTITIONS = 4
"Parts of a multiprocessor, each with its own warp scheduler and a quarter of the registers."
REGISTER_UNIT = 256
"Registers are given to a warp in units of this many."
SHARED_UNIT = 128
"Shared memory is given to a block in units of this many bytes."
SHARED_RESERVED = 1024
"Bytes of shared memory that the system takes for each block."
TENSOR_COLUMNS = 512
"Columns of tensor memory of a multiprocessor, from compute capability 10.0 to 11.0."


@dataclass(frozen=True)
class Multiprocessor:
    """What one multiprocessor can hold."""

    warps: int
    blocks: int
    shared: int
    "Bytes of shared memory."


MULTIPROCESSORS = {
    80: Multiprocessor(64, 32, 164 * 1024),
    86: Multiprocessor(48, 16, 100 * 1024),
    87: Multiprocessor(48, 16, 164 * 1024),
    89: Multiprocessor(48, 24, 100 * 1024),
    90: Multiprocessor(64, 32, 228 * 1024),
    100: Multiprocessor(64, 32, 228 * 1024),
    103: Multiprocessor(64, 32, 228 * 1024),
    110: Multiprocessor(48, 24, 228 * 1024),
    120: Multiprocessor(48, 24, 100 * 1024),
    121: Multiprocessor(48, 24, 100 * 1024),
}
"By compute capability, 80 for sm_80."


@dataclass(frozen=True)
class Occupancy:
    """How many blocks fit, by each thing that limits them; the least counts."""

    warps_per_block: int
    max_warps: int
    limits: dict[str, int]
    "Blocks that fit by `warps`, `blocks`, `registers`, `shared memory` and, where it is used, `tensor memory`."

    @property
    def blocks(self) -> int:
        """Blocks resident on a multiprocessor."""
        return min(self.limits.values())

    @property
    def fraction(self) -> float:
        """Resident warps as a fraction of those a multiprocessor can hold."""
        return self.blocks * self.warps_per_block / self.max_warps


def occupancy(
    capability: int, threads: int, registers: int, shared: int, tensor_columns: int = 0
) -> Occupancy | None:
    """Occupancy of a kernel with blocks of `threads`, `registers` a thread and `shared` bytes a block.

    None for a compute capability that is not in `MULTIPROCESSORS`. Rules: NVIDIA's cuda_occupancy.h (CUDA 13.0), where
    as much of the L1 cache as possible is shared memory; figures: CUDA Programming Guide, "Compute Capabilities",
    table "Technical Specifications per Compute Capability".

    >>> occupancy(90, threads=128, registers=32, shared=0).fraction
    1.0
    """
    multiprocessor = MULTIPROCESSORS.get(capability)
    if multiprocessor is None:
        return None
    warps = -(-threads // WARP)
    limits = {
        "warps": multiprocessor.warps // warps,
        "blocks": multiprocessor.blocks,
        "registers": _by_registers(warps, registers),
        "shared memory": multiprocessor.shared // _round_up(shared + SHARED_RESERVED, SHARED_UNIT),
    }
    if tensor_columns:
        limits["tensor memory"] = TENSOR_COLUMNS // tensor_columns
    return Occupancy(warps, multiprocessor.warps, limits)


def _by_registers(warps: int, registers: int) -> int:
    """A warp's registers lie in one partition, so each partition is filled by itself."""
    a_warp = _round_up(max(registers, 1) * WARP, REGISTER_UNIT)
    return REGISTERS // PARTITIONS // a_warp * PARTITIONS // warps


def _round_up(number: int, unit: int) -> int:
    return -(-number // unit) * unit
