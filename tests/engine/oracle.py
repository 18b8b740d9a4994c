"""Which statements a program executes, by its own report: its syntax tree, with a call before each statement.

The recorder finds statements from instructions; this finds them from the tree alone, so that neither can be wrong
in the other's way.
"""

import ast
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any


class _Reporting(ast.NodeTransformer):
    """Puts `hit(line)` before each statement, and into the head of each loop, which is executed at every pass."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        blocks = {name: block for name in ("body", "orelse", "finalbody")
                  if isinstance(block := getattr(node, name, None), list)}  # fmt: skip
        for name, block in blocks.items():
            _mark(block, _head_end(node) if name == "body" and not isinstance(node, ast.Module) else 0)
        super().generic_visit(node)
        for name, block in blocks.items():
            setattr(node, name, [part for statement in block for part in _reported(statement)])
        return node


def _mark(block: list[Any], taken: int) -> None:
    """Note in each statement its first line and whether it is silent; other code stands on the line `taken`."""
    for position, statement in enumerate(block):
        decorators = getattr(statement, "decorator_list", [])
        statement.first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
        statement.silent = (
            _is_nothing(statement, position)
            or (statement.lineno == taken and _is_empty(statement))
            or (_is_bare(statement) and not _is_empty(statement.body[0]))
        )
        taken = statement.end_lineno


def _reported(statement: Any) -> Iterator[ast.stmt]:
    if isinstance(statement, ast.For | ast.AsyncFor):
        passes = "passes" if isinstance(statement, ast.For) else "async_passes"
        statement.iter = _call(passes, statement.first, statement.iter)
    if isinstance(statement, ast.While) and not statement.silent:
        pair = ast.Tuple([_call("hit", statement.first), statement.test], ast.Load())
        statement.test = ast.Subscript(pair, ast.Constant(1), ast.Load())
    elif not statement.silent:
        yield ast.Expr(_call("hit", statement.first))
    yield statement


def _head_end(node: Any) -> int:
    """Last line of what is executed right before the body of a compound statement or clause."""
    if isinstance(node, ast.match_case):
        return (node.guard or node.pattern).end_lineno or 0
    parts = [getattr(node, name, None) for name in ("test", "iter", "subject", "type")]
    parts += [item.optional_vars or item.context_expr for item in getattr(node, "items", [])]
    return max([getattr(node, "lineno", 0), *(part.end_lineno or 0 for part in parts if part)])


def _is_nothing(statement: ast.stmt, position: int) -> bool:
    """Whether Python always compiles the statement to nothing."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return position == 0 and isinstance(statement.value.value, str)
    return isinstance(statement, ast.Global | ast.Nonlocal) or (
        isinstance(statement, ast.AnnAssign) and statement.value is None
    )


def _is_empty(statement: ast.stmt) -> bool:
    """Whether Python may compile the statement to nothing when it shares its line."""
    constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return constant or isinstance(statement, ast.Pass | ast.Break | ast.Continue)


def _is_bare(statement: Any) -> bool:
    """Whether Python may compile the statement's header to nothing, since the body shares its line."""
    if not hasattr(statement, "body") or statement.body[0].lineno > statement.lineno:
        return False
    if isinstance(statement, ast.If | ast.While):
        return isinstance(statement.test, ast.Constant) and bool(statement.test.value)
    return isinstance(statement, ast.Try | ast.TryStar)


def _call(function: str, line: int, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(function, ast.Load()), [ast.Constant(line), *arguments], [])


class Hits:
    """The lines of the statements executed so far, by name of the thread, in the order of their execution."""

    def __init__(self) -> None:
        self.lines: dict[str, list[int]] = {}

    def __call__(self, line: int) -> None:
        self.lines.setdefault(threading.current_thread().name, []).append(line)


def reporting(source: str, hit: Callable[[int], None]) -> dict[str, Any]:
    """The namespace of `source`, executed, in which each statement tells `hit` its line before it is executed."""

    def passes(line: int, items: Any) -> Iterator[Any]:
        for item in items:
            yield item
            hit(line)

    async def async_passes(line: int, items: Any) -> AsyncIterator[Any]:
        async for item in items:
            yield item
            hit(line)

    tree = ast.fix_missing_locations(_Reporting().visit(ast.parse(source)))
    namespace = {"__name__": "lecture", "hit": hit, "passes": passes, "async_passes": async_passes}
    exec(compile(tree, "<reporting>", "exec", dont_inherit=True), namespace)
    return namespace
