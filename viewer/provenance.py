"""Where and when a recording was made, in words."""

from datetime import datetime
from typing import Any

LONGEST = 80
"Characters of a device's name that are shown."
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def provenance(run: dict[str, Any]) -> str:
    """`Recorded on NVIDIA H200, 29 Nov 2026` (UTC) from `Trace.run`; a part it lacks is left out."""
    device, started = run.get("device"), run.get("started")
    place = f"on {device[:LONGEST]}" if isinstance(device, str) and device else ""
    date = _date(started) if isinstance(started, str) else ""
    said = ", ".join(part for part in (place, date) if part)
    return f"Recorded {said}" if said else ""


def _date(started: str) -> str:
    """`29 Nov 2026`; nothing of what is no date."""
    try:
        when = datetime.fromisoformat(started)
    except ValueError:
        return ""
    return f"{when.day} {MONTHS[when.month - 1]} {when.year}"
