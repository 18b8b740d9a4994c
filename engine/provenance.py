"""When, where and with what a recording was made: all that differs between two identical runs."""

import platform
import sys
import time
from datetime import UTC, datetime
from typing import Any

from engine import anatomy
from engine.captured import device_name


def machine() -> dict[str, str]:
    """What the recording is made on."""
    return {"host": platform.node(), "python": platform.python_version(), "platform": platform.platform()}


def run_facts(started: float, machine: dict[str, str]) -> dict[str, Any]:
    """What differs between two identical runs."""
    return {
        "started": datetime.fromtimestamp(started, UTC).isoformat(timespec="seconds"),
        "seconds": round(time.time() - started, 3),
        **machine,
        "device": device_name() or "CPU",
        "versions": _versions("torch", "triton", "numpy"),
    }


def _versions(*names: str) -> dict[str, str]:
    """Of those modules that the lecture has imported; it may have put anything in their place."""
    found = {name: (anatomy.instance_dict(sys.modules.get(name)) or {}).get("__version__") for name in names}
    return {name: str.__str__(version) for name, version in found.items() if issubclass(type(version), str)}
