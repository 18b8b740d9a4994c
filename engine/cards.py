"""Kernels a lecture points at: where a Triton kernel or a CUDA kernel stands in its file."""

import os
import re
from collections.abc import Sequence
from typing import Any

from engine import assets, sink
from engine.definition import definition
from engine.launches import plain_function, step_instances
from engine.trace import Kernel, KernelCard

_CUDA = re.compile(r"__global__\s+(?:(?:__\w+__\s*\([^)]*\)|\w+)\s+)*?((?!__)\w+)\s*\(")
"A kernel's head in CUDA C++: `__global__ void __launch_bounds__(256) name(`."
_NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def card(source: object, name: str, instances: Sequence[Any] | None) -> tuple[KernelCard, str] | None:
    """The card of a kernel and how it prints; None, with a warning, where `source` is no kernel.

    `source` is a Triton kernel (autotuned or not), or the path of a CUDA file, of which `name` picks one kernel.
    `instances` are the program instances of a Triton kernel to step through.
    """
    try:
        if isinstance(source, str | os.PathLike):
            found = _cuda(os.fspath(source), name)
        else:
            found = _triton(source)
            if instances is not None:
                step_instances(source, instances)
    except (ValueError, OSError, TypeError, LookupError) as error:
        sink.warn(f"kernel(): {error}")
        return None
    if sink.current is None:
        return KernelCard(0), f"[kernel {found.name}: {found.path}:{found.line}]"
    shown = Kernel(found.name, found.language, sink.current.display_path(found.path), found.line, found.end_line)
    return KernelCard(sink.current.kernel(shown)), ""


def _triton(source: Any) -> Kernel:
    """Where a Triton kernel stands, in the words of `Launches`, so that its launches are this kernel's.

    Raises TypeError for what is none, LookupError where its file no longer holds it.
    """
    function = plain_function(source)
    place = definition(function)
    return Kernel(function.__name__, "triton", os.path.realpath(place.path), place.line, place.end_line)


def _cuda(path: str, name: str) -> Kernel:
    """Where the kernel `name`, or the first, stands in a CUDA file. Raises ValueError when it is not there."""
    found = assets.find(path)
    code = _NOT_CODE.sub(_blank, found.read_text(encoding="utf-8", errors="replace"))
    heads = {match[1]: match.start() for match in reversed(list(_CUDA.finditer(code)))}
    if not heads:
        raise ValueError(f"{path!r} has no __global__ function")
    name = name or min(heads, key=heads.__getitem__)
    if name not in heads:
        raise ValueError(f"{path!r} has no kernel {name!r}; it has {', '.join(sorted(heads))}")
    first = code.count("\n", 0, heads[name]) + 1
    return Kernel(name, "cuda", os.path.realpath(found), first, code.count("\n", 0, _end(code, heads[name])) + 1)


def _blank(match: "re.Match[str]") -> str:
    """As many lines as the comment or string had, so that lines keep their numbers."""
    return "\n" * match[0].count("\n") or " "


def _end(code: str, start: int) -> int:
    """Where the body that opens after `start` closes, else the end of the file."""
    depth = 0
    for match in re.finditer(r"[{}]", code[start:]):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return start + match.start()
    return len(code)

