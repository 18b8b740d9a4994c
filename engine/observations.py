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
    return Claim(shown, select, called, _targets(targets), in_words(_constants(constants)))


def _targets(given: object) -> tuple[str, ...]:
    """The targets named. Raises ValueError for what names none, UsageError for a word that is no target."""
    several = [given] if isinstance(given, str) else given
    if not isinstance(several, list | tuple | set) or not all(isinstance(one, str) for one in several):
        raise ValueError(f"targets={given!r:.80} names no targets; give one such as 'sm_90', or several in a list")
    return parse_targets(several)


def _constants(given: object) -> Mapping[str, Any]:
    """The constants named. Raises ValueError for what are none."""
    if given is not None and not isinstance(given, Mapping):
        raise ValueError(f"constants={given!r:.80} are no constants; give values by name, {{'BLOCK_SIZE': 1024}}")
    return given or {}


def _kernel(kernel: object, name: str) -> tuple[int, str]:
    """Number of the kernel; or -1, and the name it will have in the recording."""
    if isinstance(kernel, str) and not kernel.endswith((".cu", ".cuh")):
        return -1, kernel
    found = find(kernel, name)
    if sink.current is None:
        return -1, found.name
    return sink.current.kernel(msgspec.structs.replace(found, path=sink.current.display_path(found.path))), ""
