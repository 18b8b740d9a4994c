"""From PTX to SASS: what the assembler says of a kernel, and the disassembly with its origins."""

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from engine.lines_sass import read_sass
from engine.origins import Origin
from engine.request import Facts
from engine.toolkit import find_tool, run_tool

_ENTRY = re.compile(r"Compiling entry function '([^']+)'")
_REGISTERS = re.compile(r"Used (\d+) registers")
_SPILLS = re.compile(r"(\d+) bytes spill stores")
_SHARED = re.compile(r"(\d+) bytes smem")
_INDIRECT = re.compile(r"\b(?:BRX|JMX)")
"Branches whose targets only an analysis of the data flow finds; `-ndf` leaves it out and saves a third of the time."


class ToolError(Exception):
    """A tool is missing, or failed; its own words."""


def disassemble(cubin: bytes, table: Sequence[Origin] | None = None) -> tuple[str, list[Origin]]:
    """SASS of a cubin and the origins of its lines; `table` as for `read_sass`. Raises ToolError."""
    tool = find_tool("nvdisasm")
    if tool is None:
        raise ToolError("no nvdisasm was found; it comes with Triton and with the CUDA toolkit")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(cubin)
        text = _disassembly(tool, path, "-ndf")
        if _INDIRECT.search(text):
            text = _disassembly(tool, path)
    return read_sass(text, table)


def _disassembly(tool: str, path: Path, *options: str) -> str:
    done = run_tool([tool, "-gi", "-c", *options, str(path)])
    if done.returncode != 0:
        raise ToolError(done.stderr.strip() or f"nvdisasm ended with code {done.returncode}")
    return done.stdout


def read_log(log: str) -> dict[str, Facts]:
    """What `ptxas -v` says of each kernel, by the kernel's name in the binary."""
    facts = {}
    parts = _ENTRY.split(log)[1:]
    for name, said in zip(parts[::2], parts[1::2], strict=True):
        registers, spills, shared = _REGISTERS.search(said), _SPILLS.search(said), _SHARED.search(said)
        facts[name] = Facts(
            registers=int(registers[1]) if registers else None,
            spills=int(spills[1]) // 4 if spills else None,  # a register has 4 bytes
            shared=int(shared[1]) if shared else 0,
        )
    return facts


def machine_code(cubin: bytes) -> dict[str, bytes]:
    """The instructions of a cubin by section, `.text.NAME`: what runs, apart from what is said about it.

    A cubin is a 64-bit little-endian ELF file. Raises ValueError for anything else.
    """
    if cubin[:6] != b"\x7fELF\x02\x01":
        raise ValueError("this is no 64-bit little-endian ELF file")
    start, size, count, names = (
        int.from_bytes(cubin[at : at + width], "little") for at, width in ((40, 8), (58, 2), (60, 2), (62, 2))
    )
    headers = [cubin[start + size * number : start + size * (number + 1)] for number in range(count)]
    strings = _section(cubin, headers[names])
    sections = {}
    for header in headers:
        at = int.from_bytes(header[:4], "little")
        name = strings[at : strings.index(b"\0", at)].decode()
        if name.startswith(".text."):
            sections[name] = _section(cubin, header)
    return sections


def _section(file: bytes, header: bytes) -> bytes:
    offset, length = int.from_bytes(header[24:32], "little"), int.from_bytes(header[32:40], "little")
    return file[offset : offset + length]
