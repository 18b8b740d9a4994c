"""The directives in a lecture's comments: `# @inspect x y.shape @clear z @stepover @hide @animate @visible`.

They are read with `tokenize`, so a `#` inside a string is none. What looks like a directive and is not one becomes
a sentence for the author.
"""

import ast
import difflib
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field

NAMES = ("inspect", "clear", "stepover", "hide", "animate", "visible")

_AT = re.compile(r"(?:(?<=\s)|^|(?<=[#,]))@(?P<gap>\s*)(?P<word>[A-Za-z_]+)")

PURE_FUNCTIONS = frozenset((
    "abs", "all", "any", "bool", "complex", "dict", "float", "frozenset", "getattr", "hasattr", "id", "int",
    "isinstance", "len", "list", "max", "min", "range", "repr", "round", "set", "sorted", "str", "sum", "tuple",
    "type",
))  # fmt: skip
"Builtins that `@inspect` may call."

PURE_METHODS = frozenset((
    "abs", "all", "any", "argmax", "argmin", "bit_length", "count", "dim", "element_size", "endswith", "exp",
    "flatten", "float", "get", "get_device", "index", "int", "is_contiguous", "isdigit", "item", "items", "keys",
    "long", "lower", "max", "mean", "min", "ndimension", "nelement", "norm", "numel", "prod", "reshape", "size",
    "squeeze", "startswith", "std", "storage_offset", "stride", "strip", "sum", "t", "tolist", "transpose",
    "unsqueeze", "upper", "values", "var", "view",
))  # fmt: skip
"Methods that `@inspect` may call: they change nothing and draw nothing from an iterator."

_ALLOWED = (
    ast.Expression, ast.Name, ast.Load, ast.Attribute, ast.Subscript, ast.Constant, ast.Slice, ast.Tuple, ast.List,
    ast.UnaryOp, ast.unaryop, ast.BinOp, ast.operator, ast.Compare, ast.cmpop, ast.BoolOp, ast.boolop, ast.Call,
    ast.keyword,
)  # fmt: skip


@dataclass(frozen=True)
class Directives:
    """What one comment asks for."""

    inspect: tuple[str, ...] = ()
    "Expressions whose values are recorded when the statement completes."
    clear: tuple[str, ...] = ()
    "Names that are no longer shown."
    stepover: bool = False
    "Whether what the statement calls is not stepped into."
    hide: bool = False
    animate: bool = False
    visible: bool = False
    "On an import: whether the imported module's statements are steps too."
    problems: tuple[str, ...] = field(default=(), compare=False)
    "Near misses, each a sentence."

    def __bool__(self) -> bool:
        return bool(self.inspect or self.clear or self.stepover or self.hide or self.animate or self.visible)


def read_directives(source: str) -> dict[int, Directives]:
    """The directives of `source` by line of their comment; lines without any are not in it."""
    found = {}
    for line, comment in _comments(source):
        directives = parse_comment(comment)
        if directives or directives.problems:
            found[line] = directives
    return found


def _comments(source: str) -> Iterator[tuple[int, str]]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):
        return  # the compiler says it better, when the file is imported


def parse_comment(comment: str) -> Directives:
    """What `comment`, from its `#` on, asks for."""
    wishes: dict[str, list[str]] = {}
    problems: list[str] = []
    marks = list(_AT.finditer(comment))
    ends = [mark.start() for mark in marks[1:]] + [len(comment)]
    for mark, end in zip(marks, ends, strict=False):
        word = mark["word"]
        if word not in NAMES or mark["gap"]:
            problems.extend(_near_miss(mark))
            continue
        arguments = comment[mark.end() : end]
        wishes.setdefault(word, []).extend(_arguments(word, arguments, problems))
    return Directives(
        inspect=tuple(dict.fromkeys(wishes.get("inspect", []))),
        clear=tuple(dict.fromkeys(wishes.get("clear", []))),
        stepover="stepover" in wishes,
        hide="hide" in wishes,
        animate="animate" in wishes,
        visible="visible" in wishes,
        problems=tuple(problems),
    )


def _near_miss(mark: re.Match[str]) -> Iterator[str]:
    close = difflib.get_close_matches(mark["word"].lower(), NAMES, n=1, cutoff=0.8)
    if close and (not mark["gap"] or mark["word"].lower() in NAMES):
        yield f"{mark[0]!r} is no directive; did you mean '@{close[0]}'?"


def _arguments(word: str, text: str, problems: list[str]) -> Iterator[str]:
    if word not in ("inspect", "clear"):
        return
    arguments = list(split_expressions(text))
    if not arguments:
        problems.append(f"'@{word}' names nothing; write '@{word} NAME'")
    for argument in arguments:
        problem = _problem(word, argument)
        if problem:
            problems.append(problem)
        else:
            yield argument


def split_expressions(text: str) -> Iterator[str]:
    """The expressions in `text`, which are separated by spaces or commas outside brackets and quotes."""
    depth, quote, start = 0, "", None
    for position, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        depth += (letter in "([{") - (letter in ")]}") if not quote else 0
        separates = depth <= 0 and not quote and (letter.isspace() or letter == ",")
        if separates and start is not None:
            yield text[start:position]
            start = None
        elif not separates and start is None:
            start = position
    if start is not None:
        yield text[start:]


def _problem(word: str, expression: str) -> str:
    try:
        tree = ast.parse(expression, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return f"'@{word} {expression}': {expression!r} is no expression"
    if word == "clear":
        return "" if isinstance(tree.body, ast.Name) else f"'@clear {expression}': only a name can be cleared"
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED) or (isinstance(node, ast.Call) and not _is_pure(node)):
            return (
                f"'@inspect {expression}': only names, attributes, items and calls without effect "
                "such as len(x) or x.size() can be inspected"
            )
    return ""


def _is_pure(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Name):
        return call.func.id in PURE_FUNCTIONS
    return isinstance(call.func, ast.Attribute) and call.func.attr in PURE_METHODS
