"""The dict of variables that Python up to 3.12 keeps beside a frame whose `f_locals` was asked for.

What is in there lives until the frame ends or `f_locals` is asked for again, while the lecture may have let go of it:
memory would be freed late, `__del__` called late, a weak reference alive.
"""

import sys
from types import FrameType
from typing import Any

if sys.version_info < (3, 13):
    import ctypes  # now, since a lecture may replace builtins that it is written with

    _locals_to_fast = ctypes.pythonapi["PyFrame_LocalsToFast"]
    _locals_to_fast.argtypes = ctypes.py_object, ctypes.c_int
    _locals_to_fast.restype = None


def forget(frame: FrameType, variables: dict[str, Any]) -> None:
    """Take the variables of the function's frame out of `variables`, its `f_locals`, which nobody else may have.

    What a call of `locals()` put there beside the variables stays.
    """
    # Python copies the dict back into the variables when a trace function ends; done now, it will not do it again.
    _locals_to_fast(frame, 0)
    code = frame.f_code
    for name in (*code.co_varnames, *code.co_cellvars, *code.co_freevars):
        variables.pop(name, None)
