"""Expressions marked `@inspect` that never had a value: misspelt, as a rule. One warning for each place."""

import difflib
from collections.abc import Callable, Iterable

from engine.trace import Failed

_MISSED = ("NameError", "AttributeError")
"Failures that a misspelling has."

Place = tuple[str, int, str]
"File, line and expression."


class Unresolved:
    """What never had a value at its place so far."""

    def __init__(self) -> None:
        self._seen: set[Place] = set()
        "Those that had a value."
        self._missed: dict[Place, str] = {}
        "By place, what is to be said."

    def note(self, place: Place, value: object, names: Callable[[], Iterable[str]]) -> None:
        """An expression was looked at and had, or did not have, a value; `names` are those there are or may be."""
        if place in self._seen:
            return
        if type(value) is not Failed or value.type not in _MISSED:
            self._seen.add(place)
            self._missed.pop(place, None)
        elif place not in self._missed and (said := _sentence(place[2], value, list(names()))):
            self._missed[place] = said

    def warnings(self) -> Iterable[tuple[str, str, int]]:
        """Sentence, file and line of each, in their order."""
        return [(said, path, line) for (path, line, _), said in sorted(self._missed.items(), key=lambda m: m[0][:2])]


def _sentence(expression: str, value: Failed, names: list[str]) -> str:
    """What is to be said; nothing of a variable that is there and was not yet, or no longer, bound."""
    missed = value.text.split("'")[1] if value.text.startswith("name '") else ""
    if missed in names:
        return ""
    close = difflib.get_close_matches(missed, names, 1) if missed else []
    meant = f"; did you mean {close[0]!r}?" if close else ""
    return f"'@inspect {expression}' never had a value here: {value.text}{meant}"
