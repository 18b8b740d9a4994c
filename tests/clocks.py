"""Time in tests: waiting for the thing itself and not for a while, and the processor's time in place of the clock's."""

import time
from collections.abc import Callable

SECONDS = 120.0
"After which what is waited for is said not to come: far more than it takes on a machine that has much else to do."


def until(holds: Callable[[], object], what: str, pause: float = 0.02) -> None:
    """Wait until `holds()`, looking every `pause` seconds; `what` says what it is, where it does not come."""
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end, f"not within {SECONDS:.0f} s: {what}"
        time.sleep(pause)


def least(ratio: Callable[[], float], bound: float, attempts: int = 5) -> float:
    """The least of several ratios, up to one within `bound`: other work on the machine can only add to a time."""
    found = ratio()
    for _ in range(attempts - 1):
        if found <= bound:
            break
        found = min(found, ratio())
    return found


def processor_seconds(call: Callable[[], object], rounds: int = 5) -> float:
    """The least seconds of the processor, all threads together, that a call takes."""
    least = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        call()
        least = min(least, time.process_time() - started)
    return least
