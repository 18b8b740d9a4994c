"""References as lectures of the original write them."""

from engine.references import Reference

__all__ = ["Reference", "join"]


def join(*lines: str) -> str:
    """`lines`, one a line: how notes of several points are written."""
    return "\n".join(lines)
