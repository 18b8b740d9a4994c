"""What Triton's compiler complains of: where and what in a sentence, then its own words."""

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping

from engine.request import Function, TritonRequest

_REPR = re.compile(r"(?P<name>\w*(?:Error|Exception))\((?P<text>'.*'|\".*\")\)", re.DOTALL)
"An exception as `repr` shows it."


def complaint(error: Exception, request: TritonRequest, missing: Mapping[str, str]) -> str:
    """What the compiler said, the innermost of nested complaints last, and which names it may have missed because their
    values, of types `missing`, could not travel.

    Triton counts lines from the function's own first one; the place in front is the file's.
    """
    chain = list(_chain(error))
    words = "\n".join(dict.fromkeys(str(one).strip() or type(one).__name__ for one in chain))
    places = [place for one in chain if (place := _place(one, request))]
    if places:
        words = f"{places[-1]}: {_sentence(chain[-1])}\n\n{words}"
    lost = [f"{name} (of type {type_})" for name, type_ in missing.items() if re.search(rf"\b{name}\b", words)]
    return f"{words}\nValues that could not be handed to the compiler: {', '.join(lost)}" if lost else words


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error, then what led to it; of a call that could not be compiled, what is wrong in the function called."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


def _place(error: BaseException, request: TritonRequest) -> str:
    """`kernels/gelu.py:12`, where the error has a place in one of the author's functions."""
    source, line = getattr(error, "src", None), getattr(getattr(error, "node", None), "lineno", 0)
    if isinstance(source, str) and line:
        for thing in request.objects:
            if isinstance(thing, Function) and textwrap.dedent(thing.source).strip() == source.strip():
                return f"{thing.path}:{thing.line + line - 1}"
    return ""


def _sentence(error: BaseException) -> str:
    """What is wrong, on one line."""
    said = getattr(error, "error_message", None) or ("" if hasattr(error, "src") else str(error))
    found = _REPR.fullmatch(str(said))
    words = f"{found['name']}: {ast.literal_eval(found['text'])}" if found else str(said)
    return " ".join(words.split()) or "this cannot be compiled"
