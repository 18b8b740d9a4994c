"""Turns what an author observes of a kernel into a claim that can be checked when the kernel has been compiled."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from engine import sink
from engine.cards import find
from engine.claims import Claim, checked_count, checked_stage, in_words, selector
from engine.compile import parse_targets
from engine.errors import UsageError
from engine.trace import Observation
from engine.words import clean

PATTERN = 2_000
"Characters kept of a pattern."


def say(said: str, kernel: object, pattern: object, **asked: Any) -> None:
    """Say an observation, to be checked later; one that cannot be checked as asked is said with the reason and a
    warning."""
    try:
        sink.observe(_claim(said, kernel, pattern, **asked))
    except (ValueError, OSError, TypeError, LookupError, UsageError) as error:
        sink.warn(f"observe(): {error}")
        sink.emit(Observation(said, reason=clean(str(error))), said)


def _claim(
    said: str,
    kernel: object,
    pattern: object,
    count: object,
    stage: object,
    targets: str | Sequence[str],
    constants: Mapping[str, Any] | None,
    name: str,
) -> Claim:
    """Raises what `say` catches."""
    select, number, called = selector(pattern), *_kernel(kernel, name)
    shown = Observation(
        said,
        kernel=number,
        stage=checked_stage(stage),
        pattern=clean(pattern)[:PATTERN] if isinstance(pattern, str) else "",
        expected=checked_count(count),
        reason="the recording ended before its kernels were compiled",
    )
    wanted = parse_targets([targets] if isinstance(targets, str) else targets)
    return Claim(shown, select, called, wanted, in_words(constants or {}))


def _kernel(kernel: object, name: str) -> tuple[int, str]:
    """Number of the kernel; or -1, and the name it will have in the recording."""
    if isinstance(kernel, str) and not kernel.endswith((".cu", ".cuh")):
        return -1, kernel
    found = find(kernel, name)
    if sink.current is None:
        return -1, found.name
    return sink.current.kernel(msgspec.structs.replace(found, path=sink.current.display_path(found.path))), ""
