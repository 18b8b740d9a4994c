"""Kernels a lecture points at: where a Triton kernel or a CUDA kernel stands in its file."""

import os
from collections.abc import Sequence
from typing import Any

from engine import assets, sink
from engine.cuda_source import kernels_in
from engine.definition import definition
from engine.launches import plain_function, step_instances
from engine.trace import Kernel, KernelCard


def card(source: object, name: str, instances: Sequence[Any] | None) -> tuple[KernelCard, str] | None:
    """The card of a kernel and how it prints; None, with a warning, where `source` is no kernel.

    `source` is a Triton kernel (autotuned or not), or the path of a CUDA file, of which `name` picks one kernel.
    `instances` are the program instances of a Triton kernel to step through.
    """
    try:
        found = find(source, name)
        if instances is not None and found.language == "triton":
            step_instances(source, instances)
    except (ValueError, OSError, TypeError, LookupError) as error:
        sink.warn(f"kernel(): {error}")
        return None
    if sink.current is None:
        return KernelCard(0), f"[kernel {found.name}: {found.path}:{found.line}]"
    shown = Kernel(found.name, found.language, sink.current.display_path(found.path), found.line, found.end_line)
    return KernelCard(sink.current.kernel(shown)), ""


def find(source: object, name: str = "") -> Kernel:
    """Where a kernel stands: a Triton kernel, or the kernel `name` (the first by default) of the CUDA file `source`.

    Raises ValueError, OSError, TypeError or LookupError, with a sentence, where there is none.
    """
    return _cuda(os.fspath(source), name) if isinstance(source, str | os.PathLike) else _triton(source)


def _triton(source: Any) -> Kernel:
    """Where a Triton kernel stands, in the words of `Launches`, so that its launches are this kernel's.

    Raises TypeError for what is none, LookupError where its file no longer holds it.
    """
    function = plain_function(source)
    place = definition(function)
    return Kernel(function.__name__, "triton", os.path.realpath(place.path), place.line, place.end_line)


def _cuda(path: str, name: str) -> Kernel:
    """Where the kernel `name`, or the first, stands in a CUDA file. Raises ValueError when it is not there."""
    try:
        found = assets.find(path)
    except ValueError as error:
        raise ValueError(f"{path!r}: {error}") from error
    kernels = kernels_in(found.read_text(encoding="utf-8", errors="replace"))
    if not kernels:
        raise ValueError(f"{path!r} has no __global__ function")
    for known, first, last in kernels:
        if known == (name or kernels[0][0]):
            return Kernel(known, "cuda", os.path.realpath(found), first, last)
    raise ValueError(f"{path!r} has no kernel {name!r}; it has {', '.join(known for known, _, _ in kernels)}")
