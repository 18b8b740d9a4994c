"""How many warps of a kernel fit on a multiprocessor, computed from what the compiler says the kernel needs."""

from dataclasses import dataclass
from typing import Literal

from engine.trace import Limit, Residency

Name = Literal["warps", "blocks", "registers", "shared memory", "tensor memory"]

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


def occupancy(
    capability: int, threads: int, registers: int, shared: int, tensor_columns: int = 0
) -> Residency | None:
    """What fits of a kernel with blocks of `threads`, `registers` a thread and `shared` bytes a block.

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
    limits = [
        _limit("warps", warps, multiprocessor.warps),
        _limit("blocks", 1, multiprocessor.blocks),
        _registers(warps, registers),
        _limit("shared memory", _round_up(shared + SHARED_RESERVED, SHARED_UNIT), multiprocessor.shared),
    ]
    if tensor_columns:
        limits.append(_limit("tensor memory", tensor_columns, TENSOR_COLUMNS))
    return Residency(warps, multiprocessor.warps, tuple(limits))


def _limit(name: Name, need: int, room: int) -> Limit:
    return Limit(name, need, room, room // need)


def _registers(warps: int, registers: int) -> Limit:
    """A warp's registers lie in one partition, so each partition is filled by itself."""
    a_warp = _round_up(max(registers, 1) * WARP, REGISTER_UNIT)
    room = REGISTERS // PARTITIONS
    return Limit("registers", a_warp, room, room // a_warp * PARTITIONS // warps, PARTITIONS)


def _round_up(number: int, unit: int) -> int:
    return -(-number // unit) * unit
