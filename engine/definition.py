"""Where a kernel's function is defined: its file, its lines and its text, decorators apart."""

import ast
import linecache
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple


class Definition(NamedTuple):
    """One `def`, as it stands in its file. Lines count from 1."""

    path: str
    "File, as the code object names it."
    line: int
    "First line: that of the first decorator, where there is one."
    def_line: int
    "Line of the `def`."
    end_line: int
    source: str
    "Lines `def_line` to `end_line`."


def definition(function: Callable[..., Any]) -> Definition:
    """The definition of a plain Python function. Raises LookupError where its file no longer holds it."""
    code = function.__code__
    lines = tuple(linecache.getlines(code.co_filename, function.__globals__))
    for node in _functions(lines):
        line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        if node.name == code.co_name and line == code.co_firstlineno:
            end = node.end_lineno or node.lineno
            return Definition(code.co_filename, line, node.lineno, end, "".join(lines[node.lineno - 1 : end]))
    raise LookupError(f"{code.co_filename}:{code.co_firstlineno} no longer holds the function {code.co_name}")


@lru_cache(maxsize=64)
def _functions(lines: tuple[str, ...]) -> tuple[ast.FunctionDef, ...]:
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        return ()
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
