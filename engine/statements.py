"""Which statement of a source file an instruction belongs to: from `ast` and the positions that code objects keep.

A statement's number is its place in the file in preorder, so the statements inside a compound one have the numbers
right after its own, up to `last`.
"""

import ast
import importlib.util
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from types import CodeType

from engine.bytecode import cleanups, endings, jumps_back, operations
from engine.directives import Directives, read_directives

Position = tuple[int, int]

_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_CLAUSES = (ast.ExceptHandler, ast.match_case)


@dataclass(slots=True)
class Statement:
    """One statement of a file."""

    number: int
    line: int
    "Its first line: of the first decorator, where it has any."
    end_line: int
    "Its last line; of a compound statement's header."
    start: Position
    end: Position
    "Where the whole statement begins and ends: line, column in UTF-8 bytes."
    scope: ast.AST
    "The module, function or class whose body it stands in."
    loop: bool
    "Whether it is entered again from its own body."
    last: int = -1
    "Highest number of a statement inside it; its own where there is none."
    directives: Directives = field(default_factory=Directives)
    after: tuple[int, int] = (-1, -1)
    "First and last of the numbers that may be current before it: of the statement before it, or the one around it."
    entering: tuple[str, ...] = ()
    "Expressions inspected beside the `def` of the function that it is the first statement of."
    vanishing: tuple[str, ...] = ()
    "Expressions it inspects that use the name of an `except E as name` around it: Python unbinds that on the way out."
    stands_for: int = -1
    "The number of the statement whose steps are its own too: itself, or the one whose line it shares; -1 for none."
    folded: bool = False
    "Whether Python may compile its header to nothing, since its body stands on the same line."
    children: "list[Statement]" = field(default_factory=list, repr=False)

    def contains(self, number: int) -> bool:
        """Whether the statement with `number` stands inside this one."""
        return self.number < number <= self.last


class Source:
    """A file's text and statements."""

    def __init__(self, path: str, data: bytes) -> None:
        """Raises SyntaxError where `data` is no Python, UnicodeDecodeError where it is no text."""
        self.path = path
        self.text = importlib.util.decode_source(data)
        tree = ast.parse(data, path)
        self.statements: list[Statement] = []
        self.scopes: dict[tuple[str, int], ast.AST] = {("<module>", 1): tree}
        self.imports: dict[int, tuple[str, ...]] = {}
        "By number of an import statement: the modules it may import."
        self._crowded: set[ast.AST] = set()
        "Scopes in which a clause's body stands on the clause's own line, `case 1: a = 2`."
        self._roots = [self._add(node, tree) for node in tree.body]
        self._codes = set(map(_text_of, _codes(compile(data, path, "exec", dont_inherit=True))))
        self.problems: list[tuple[int, str]] = []
        self.directives = read_directives(self.text)
        self._attach()
        self._mark_vanishing(tree)
        self._mark_entering(tree)

    def _add(self, node: ast.stmt, scope: ast.AST) -> Statement:
        first = _first_line(node)
        number = len(self.statements)
        statement = Statement(
            number=number,
            stands_for=number,
            line=first,
            end_line=max(first, _header_end(node)),
            start=(first, node.col_offset),
            end=(node.end_lineno or node.lineno, node.end_col_offset or 0),
            scope=scope,
            loop=isinstance(node, ast.For | ast.AsyncFor | ast.While),
        )
        self.statements.append(statement)
        if isinstance(node, ast.Import | ast.ImportFrom):
            self.imports[statement.number] = tuple(_modules(node))
        if isinstance(node, _SCOPES):
            self.scopes[node.name, first] = scope = node
        if any(clause.body[0].lineno <= _clause_end(clause) for clause in _clauses(node)):
            self._crowded.add(scope)
        own = -1 if scope is node else statement.number
        for header, body in _bodies(node):
            chosen = isinstance(node, ast.If | ast.Match)  # nothing else ran that stands before the block
            after = own, own if chosen else max(own, len(self.statements) - 1)
            before, line = own, header
            for child in body:
                added = self._add(child, scope)
                added.after = after
                after = (after[0] if _is_nothing(child) else added.number), len(self.statements) - 1
                if child.lineno <= line and _is_empty(child):
                    added.stands_for = before
                before, line = added.stands_for, added.end_line
                statement.children.append(added)
        statement.last = len(self.statements) - 1
        statement.folded = _is_folded(node, statement)
        return statement

    def _attach(self) -> None:
        """Give each directive to the statement its comment stands at: the last that begins on or spans the line.

        One beside a clause (`else:`, `except E:`) belongs to the first statement after it.
        """
        owners: dict[int, Statement] = {}
        for statement in self.statements:
            standing = self.statements[statement.stands_for] if statement.stands_for >= 0 else statement
            for line in range(statement.line, statement.end_line + 1):
                owners[line] = standing
        lines = self.text.split("\n")
        for line, directives in self.directives.items():
            self.problems += [(line, problem) for problem in directives.problems]
            owner = owners.get(line)
            if owner is None and not lines[line - 1].lstrip().startswith("#"):
                owner = next((s for s in self.statements if s.line > line), None)
            if owner is not None:
                owner.directives = _merged(owner.directives, directives)
            elif directives.inspect or directives.clear or directives.stepover:
                self.problems.append((line, "this directive stands beside no statement; put it at the end of a line"))

    def _mark_vanishing(self, tree: ast.AST) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler) and node.name:
                end = node.end_lineno or node.lineno
                for statement in self.statements:
                    if node.lineno <= statement.line <= end:
                        uses = (e for e in statement.directives.inspect if _uses(e, node.name))
                        statement.vanishing = (*statement.vanishing, *uses)

    def _mark_entering(self, tree: ast.AST) -> None:
        """What is asked for beside a `def` is looked at where the function begins."""
        by_start = {statement.start: statement for statement in self.statements}
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                own = by_start[_first_line(node), node.col_offset]
                body = node.body if ast.get_docstring(node, clean=False) is None else node.body[1:]
                first = next((n for n in body if not isinstance(n, ast.Global | ast.Nonlocal)), None)
                if first is not None and own.directives.inspect:
                    by_start[_first_line(first), first.col_offset].entering = own.directives.inspect
                    own.directives = replace(own.directives, inspect=())

    def is_own(self, code: CodeType) -> bool:
        """Whether `code` was compiled from this file's text, and not merely under its name."""
        return _text_of(code) in self._codes

    def scope_of(self, code: CodeType) -> ast.AST | None:
        """The module, function or class that `code` is the body of; None for lambdas, comprehensions and strangers."""
        found = self.scopes.get((code.co_name, code.co_firstlineno))
        if found is None:  # a function compiled again, without its decorators
            same_name = [node for (name, _), node in self.scopes.items() if name == code.co_name]
            found = next((n for n in same_name if getattr(n, "lineno", 0) == code.co_firstlineno), None)
        return found

    def table(self, code: CodeType, scope: ast.AST) -> list[int]:
        """For each instruction of `code` (two bytes each), the number of its statement, -1 for none."""
        known: dict[Position | None, int] = {None: -1}
        table = []
        for line, _, column, _ in code.co_positions():
            position = (line, column) if line is not None and column is not None else None
            if line is not None and column is None:
                position = (line, 1 << 30)  # compiled with -X no_debug_ranges
            if position not in known:
                known[position] = self._find(position, scope)  # type: ignore[arg-type]
            table.append(known[position])
        for instruction in chain(cleanups(code), self._folded(code, table)):
            table[instruction] = -1
        for instruction in endings(code):
            if table[instruction] >= 0 and self.statements[table[instruction]].loop:
                table[instruction] = -1
        return table

    def _folded(self, code: CodeType, table: list[int]) -> Iterator[int]:
        """Instructions of headers that only some versions of Python have, since the body stands on the same line."""
        for instruction, operation in enumerate(operations(code)):
            if self.statements[table[instruction]].folded and operation.startswith(("NOP", "JUMP")):
                yield instruction

    def heads(self, code: CodeType, table: list[int]) -> frozenset[int]:
        """Instructions at which a statement begins again though no other one came between.

        These are a loop's whose pass does not leave its header, `for a in b: pass`, and the only statement's of a loop
        without a test, `while True: a += 1`.
        """
        names = operations(code)
        heads = set()
        for source, target in jumps_back(code):
            if self.statements[table[target]].loop:
                comprehension = names[target] == "FOR_ITER" and names[target - 1] != "GET_ITER"
                if table[source] == table[target] and not comprehension:
                    heads.add(target)
            elif table[target - 1] != table[target]:
                heads.add(target)
        return frozenset(heads)

    def endings(self, code: CodeType) -> frozenset[int]:
        """Instructions of `code` that may be all there is of a `pass` at the end, or be come to past it."""
        return frozenset(endings(code))

    def tails(self, code: CodeType, table: list[int]) -> frozenset[int]:
        """Those of `endings` that follow other instructions of their statement: nothing begins there."""
        ends = self.endings(code)
        tails = set()
        for end in sorted(ends):
            before = end - 1
            own = before >= 0 and table[before] == table[end]
            if own and (before in tails or before not in ends):
                tails.add(end)
        return frozenset(tails)

    def _find(self, position: Position, scope: ast.AST) -> int:
        """The innermost statement of `scope` around `position`."""
        found, among = -1, self._roots
        while among:
            index = bisect_right(among, position, key=_start) - 1
            if index < 0 or not _before(position, among[index]):
                break
            inside = among[index]
            if inside.scope is scope:
                found = inside.stands_for
            among = inside.children
        return found

    def shares_lines(self, scope: ast.AST) -> bool:
        """Whether some statement of `scope` begins on a line on which another one or a clause stands already.

        A class's first line is that of the code that gives it its name.
        """
        if scope in self._crowded or (isinstance(scope, ast.ClassDef) and scope.body[0].lineno == _first_line(scope)):
            return True
        lines = [(s.line, s.end_line) for s in self.statements if s.scope is scope]
        return any(line <= end for (_, end), (line, _) in pairwise(lines))

    def lines_with(self, directive: str) -> tuple[int, ...]:
        """Lines of the statements that carry `directive` (`hide`, `animate`), and of comments that do by themselves."""
        lines = {line for line, found in self.directives.items() if getattr(found, directive)}
        for statement in self.statements:
            if getattr(statement.directives, directive):
                lines.update(range(statement.line, statement.end_line + 1))
        return tuple(sorted(lines))


def _start(statement: Statement) -> Position:
    return statement.start


def _before(position: Position, statement: Statement) -> bool:
    line, column = position
    end_line, end_column = statement.end
    return line < end_line or (line == end_line and (column < end_column or column == 1 << 30))


def _bodies(node: ast.stmt) -> Iterator[tuple[int, list[ast.stmt]]]:
    """The blocks directly inside `node`, in order, those of its clauses included.

    With each the last line of what is executed right before it: of the header or clause; 0 for `else` and `finally`.
    """
    for name in ("body", "handlers", "cases", "orelse", "finalbody"):
        block = getattr(node, name, [])
        if block and isinstance(block[0], _CLAUSES):
            yield from ((_clause_end(clause), clause.body) for clause in block)
        elif block and isinstance(block[0], ast.stmt):
            yield (node.lineno if isinstance(node, _SCOPES) else _header_end(node)) if name == "body" else 0, block


def _is_nothing(node: ast.stmt) -> bool:
    """Whether Python may compile the statement to nothing, wherever it stands."""
    bare = isinstance(node, ast.AnnAssign) and node.value is None
    return bare or _is_constant(node) or isinstance(node, ast.Global | ast.Nonlocal)


def _is_empty(node: ast.stmt) -> bool:
    """Whether Python may compile the statement to nothing where other code stands on its line."""
    return _is_constant(node) or isinstance(node, ast.Pass | ast.Break | ast.Continue)


def _is_constant(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_folded(node: ast.stmt, statement: Statement) -> bool:
    """Whether Python may compile the header to nothing, since its body stands on its line: `try: a = 1`."""
    first = statement.children[0] if statement.children else statement
    if first.stands_for == statement.number or first.line > statement.line:
        return False
    if isinstance(node, ast.If | ast.While):
        return isinstance(node.test, ast.Constant) and bool(node.test.value)
    return isinstance(node, ast.Try | ast.TryStar)


def _clauses(node: ast.stmt) -> list[ast.ExceptHandler | ast.match_case]:
    """The `except` or `case` clauses of a statement, which have instructions of their own."""
    return [*getattr(node, "handlers", ()), *getattr(node, "cases", ())]


def _clause_end(clause: ast.ExceptHandler | ast.match_case) -> int:
    """Last line of what stands before the clause's colon."""
    if isinstance(clause, ast.match_case):
        return (clause.guard or clause.pattern).end_lineno or 0
    return clause.lineno if clause.type is None else clause.type.end_lineno or 0


def _header_end(node: ast.stmt) -> int:
    """Last line of the statement, without the bodies of a compound one."""
    if not any(hasattr(node, name) for name in _BODIES):
        return node.end_lineno or node.lineno
    end = node.lineno
    for name, value in ast.iter_fields(node):
        for part in value if isinstance(value, list) else [value]:
            if name not in (*_BODIES, "decorator_list") and isinstance(part, ast.AST):
                end = max([end, *(getattr(inner, "end_lineno", 0) or 0 for inner in ast.walk(part))])
    return end


def _uses(expression: str, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(ast.parse(expression, mode="eval")))


def _first_line(node: ast.stmt) -> int:
    """The statement's line, or that of its first decorator."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _modules(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Names that the imported modules may have in `sys.modules`."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif node.module and not node.level:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _text_of(code: CodeType) -> tuple[object, ...]:
    """What code has of the text it was compiled from; decorators (`types.coroutine`) change its flags."""
    return code.co_name, code.co_firstlineno, code.co_code, code.co_linetable


def _merged(one: Directives, other: Directives) -> Directives:
    return Directives(
        inspect=tuple(dict.fromkeys(one.inspect + other.inspect)),
        clear=tuple(dict.fromkeys(one.clear + other.clear)),
        stepover=one.stepover or other.stepover,
        hide=one.hide or other.hide,
        animate=one.animate or other.animate,
        visible=one.visible or other.visible,
    )
