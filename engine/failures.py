"""What is told of an exception that ended something."""

import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from engine import anatomy
from engine.builder import utf8
from engine.guard import call_within
from engine.trace import Error

DESCRIBING = 2.0
"Seconds that an exception has to say what it is."


def describe(error: BaseException, lecture: Path) -> Error:
    """Type, message and traceback of an exception, from the lecture's first frame on."""
    # by the base class's descriptor, since that of the exception's own class may do anything
    first: TracebackType | None = BaseException.__dict__["__traceback__"].__get__(error)
    shown = first
    while shown is not None and shown.tb_frame.f_code.co_filename != str(lecture):
        shown = shown.tb_next
    name = anatomy.class_name(type(error))
    message = _asked(str, error)
    message = "<its message could not be had>" if message is None else message
    lines = _asked(lambda _: "".join(traceback.format_exception(type(error), error, shown or first)), error)
    lines = lines or "".join([*traceback.format_tb(shown or first), f"{name}: {message}\n"])
    return Error(type=name, message=_cut(message), traceback=_cut(lines))


def _asked(call: Callable[[BaseException], str], error: BaseException) -> str | None:
    """`call(error)`, which runs the code of the exception's author; None where that fails or takes too long."""
    try:
        return str.__str__(call_within(DESCRIBING, call, error))
    except BaseException:
        return None


def _cut(text: str, limit: int = 20_000) -> str:
    text = utf8(text)
    return text if len(text) <= limit else f"{text[:limit]}\n... cut after {limit} characters"
