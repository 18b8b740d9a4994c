"""What a source line is to a reader: explanation shown as prose, code, the head of a function, a comment, nothing."""

import ast
from dataclasses import dataclass, field


@dataclass
class Layout:
    """What a file's text says about its lines, all counted from 1."""

    prose: set[int] = field(default_factory=set)
    "First lines of statements that only call: what they show can stand in their place."
    heads: set[int] = field(default_factory=set)
    "Lines where a function or class begins: its first decorator, or its `def`."
    signatures: set[int] = field(default_factory=set)
    "All lines before the first statement of a function or class."
    notes: set[int] = field(default_factory=set)
    "All lines of statements that are calls of `note`."
    docstrings: set[int] = field(default_factory=set)
    "All lines of docstrings, which are no statements to anyone who reads."
    functions: list[tuple[int, int, str]] = field(default_factory=list)
    "(first line, last line, name) of each function, outer before inner."


    def function(self, line: int) -> tuple[int, int]:
        """First and last line of the innermost function around `line`, (0, 0) outside any."""
        return max(((first, last) for first, last, _ in self.functions if first <= line <= last), default=(0, 0))


def layout(source: str, language: str) -> Layout:
    """The layout of `source`; of anything but Python, or of Python that does not parse, an empty one."""
    found = Layout()
    if language not in {"python", "python3", "py"}:
        return found
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return found
    for node in ast.walk(tree):
        _note(node, found)
    found.functions.sort(key=lambda function: (function[0], -function[1]))
    return found


def _note(node: ast.AST, found: Layout) -> None:
    if isinstance(node, ast.Expr) and _only_calls(node.value):
        found.prose.add(node.lineno)
        if any(_name(call.func) == "note" for call in ast.walk(node) if isinstance(call, ast.Call)):
            found.notes.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        found.heads.add(first)
        found.signatures.update(range(first, node.body[0].lineno))
        if ast.get_docstring(node, clean=False) is not None:
            found.docstrings.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
        if not isinstance(node, ast.ClassDef):
            found.functions.append((first, node.end_lineno or node.lineno, node.name))


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _only_calls(value: ast.expr) -> bool:
    if isinstance(value, ast.Await):
        value = value.value
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    return bool(parts) and all(isinstance(part, ast.Call) for part in parts)
