"""From each line of a compiled stage to the line of the kernel's own file that it comes from."""

from collections.abc import Callable, Mapping, Sequence

from engine.lines_llvm import read_llvm
from engine.lines_mlir import read_mlir
from engine.lines_ptx import read_ptx
from engine.origins import Origin
from engine.trace import StageLines


def read_stages(stages: Mapping[str, str]) -> dict[str, list[Origin]]:
    """Origins of the lines of `ttir`, `ttgir`, `llir` and `ptx`, as far as these are there.

    SASS does not tell enough by itself: see `engine.lines_sass`.
    """
    origins = {name: read_mlir(stages[name]) for name in ("ttir", "ttgir") if name in stages}
    names: Mapping[str, Origin] = {}
    if "llir" in stages:
        origins["llir"], names = read_llvm(stages["llir"])
    if "ptx" in stages:
        origins["ptx"] = read_ptx(stages["ptx"], names)
    return origins


def stage_lines(origins: Sequence[Origin], own: str, display: Callable[[str], str]) -> StageLines:
    """The column of one stage. `own` is the kernel's file; `display` says what the recording calls a file."""
    inlined = {
        number: [(display(path), line) for path, line in origin]
        for number, origin in enumerate(origins, 1)
        if origin and (len(origin) > 1 or origin[0][0] != own)
    }
    return StageLines([_own_line(origin, own) for origin in origins], inlined)


def _own_line(origin: Origin, own: str) -> int:
    """The outermost place in the kernel's own file: what its author wrote there led to this code."""
    if origin is None:
        return -1
    return next((line for path, line in reversed(origin) if path == own), 0)
