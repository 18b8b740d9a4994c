"""The dict of variables that Python up to 3.12 keeps beside a frame whose `f_locals` was asked for.

What is in there lives until the frame ends or `f_locals` is asked for again, while the lecture may have let go of it:
memory would be freed late, `__del__` called late, a weak reference alive.
"""

from types import FrameType
from typing import Any


def forget(frame: FrameType, variables: dict[str, Any]) -> None:
    """Take the variables of the function's frame out of `variables`, its `f_locals`, which nobody else may have.

    What a call of `locals()` put there beside the variables stays.
    """
    import ctypes  # imported only where something is inspected, and Python is older than 3.13

    # Python copies the dict back into the variables when a trace function ends; done now, it will not do it again.
    ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
    code = frame.f_code
    for name in (*code.co_varnames, *code.co_cellvars, *code.co_freevars):
        variables.pop(name, None)
