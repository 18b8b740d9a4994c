"""Replace attributes of other people's modules for a while, and put back what was there."""

from typing import Any

_NOTHING = object()


class Patches:
    """The replacements made by one owner. An attribute that somebody replaced after us is left to them."""

    def __init__(self) -> None:
        self._made: list[tuple[Any, str, Any, Any]] = []

    def replace(self, owner: Any, name: str, value: Any) -> None:
        """Set `owner.name` to `value` until `undo`."""
        self._made.append((owner, name, vars(owner).get(name, _NOTHING), value))
        setattr(owner, name, value)

    def undo(self) -> None:
        """Put back what was there, the latest first."""
        while self._made:
            owner, name, before, value = self._made.pop()
            if vars(owner).get(name) is not value:
                continue
            if before is _NOTHING:
                delattr(owner, name)
            else:
                setattr(owner, name, before)
