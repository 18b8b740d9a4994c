"""The variables of a frame, looked at without the program's noticing.

Up to Python 3.12 `f_locals` of a function's frame is a dict beside the variables, which every look brings up to date
and which lives as long as the frame. A lecture that holds it, from `locals()`, would see it change, and what is in it
would be kept alive although the lecture has let go of it. So the frame's own dict is put aside meanwhile, and a fresh
one taken away again. Python has no function for that: the fields are those of CPython's `PyFrameObject`
(pycore_frame.h), checked against what Python says of a frame before they are used. From 3.13 on `f_locals` is a view
(PEP 667).
"""

import sys
from collections.abc import Mapping
from inspect import CO_OPTIMIZED
from types import CodeType, FrameType
from typing import Any

Variables = Mapping[str, Any]

if sys.version_info < (3, 13):
    import ctypes  # now, since a lecture may replace builtins that it is written with

    _WORD = ctypes.sizeof(ctypes.c_void_p)
    _HEAD = object.__basicsize__
    _INNER, _TRACE, _CHANGED = _HEAD + _WORD, _HEAD + 2 * _WORD, _HEAD + 3 * _WORD + 6
    "Where a frame has its inner frame, its trace function, and whether its dict may have been changed."
    _CODE, _GLOBALS, _LOCALS = (32, 8, 24) if sys.version_info < (3, 12) else (0, 24, 40)
    "Where an inner frame has its code, its globals and its dict."
    _word_at = ctypes.c_void_p.from_address
    _byte_at = ctypes.c_char.from_address
    _let_go = ctypes.pythonapi["Py_DecRef"]
    _let_go.argtypes = (ctypes.py_object,)
    _let_go.restype = None

    def _is_known() -> bool:
        """Whether frames are as they are taken to be."""
        frame = sys._getframe()
        tracing = frame.f_trace = lambda *_: None
        if _word_at(id(frame) + _TRACE).value != id(tracing):
            return False
        inner = _word_at(id(frame) + _INNER).value or 0
        known = inner and (_word_at(inner + _CODE).value, _word_at(inner + _GLOBALS).value)
        if known != (id(frame.f_code), id(frame.f_globals)) or _word_at(inner + _LOCALS).value is not None:
            return False
        before = _byte_at(id(frame) + _CHANGED).value
        found = frame.f_locals
        return _word_at(inner + _LOCALS).value == id(found) and (before, _byte_at(id(frame) + _CHANGED).value) == (
            b"\0", b"\1",
        )  # fmt: skip

    _KNOWN = _is_known()


class View:
    """The variables of one frame at one moment; `close` when they have been looked at."""

    __slots__ = ("_before", "_frame", "_slot", "variables")

    variables: Variables

    def __init__(self, frame: FrameType) -> None:
        self._slot: Any = None
        if sys.version_info >= (3, 13) or not _KNOWN or not frame.f_code.co_flags & CO_OPTIMIZED:
            self.variables = frame.f_locals
            return
        self._frame = frame
        slot = self._slot = _word_at((_word_at(id(frame) + _INNER).value or 0) + _LOCALS)
        before = self._before = slot.value
        slot.value = None
        self.variables = frame.f_locals
        if before is not None:
            self.variables = {**_beside(ctypes.cast(before, ctypes.py_object).value, frame.f_code), **self.variables}

    def close(self) -> None:
        """Leave the frame as it was."""
        if self._slot is not None:
            fresh = ctypes.cast(self._slot.value, ctypes.py_object).value
            self._slot.value = self._before
            _byte_at(id(self._frame) + _CHANGED).value = b"\0"
            _let_go(fresh)


def _beside(held: dict[str, Any], code: CodeType) -> dict[str, Any]:
    """What a frame's dict has beside the variables: put there by the lecture, or by code that it executed."""
    own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
    return {name: value for name, value in held.items() if name not in own}
