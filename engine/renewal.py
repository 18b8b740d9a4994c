"""A request for a kernel whose files have been saved with other texts, so that it can be compiled without a launch.

What the launch told, the types of the arguments, stays as it was; the texts are the new ones.
"""

import ast
import textwrap
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

import msgspec

from engine.constants import constant, importable
from engine.cuda_source import device_part, kernels_in
from engine.request import (
    Constant,
    Constexpr,
    CudaRequest,
    Function,
    Module,
    Named,
    Object,
    TritonRequest,
    Work,
)


def renewed(work: Work, texts: Mapping[str, str]) -> Work:
    """`work` with all that comes from files which now hold other `texts`, by paths as in `File.path`, as it is there.

    Raises SyntaxError where a text is no Python, LookupError where the kernel is no longer in it or takes other
    arguments, so that only another launch can tell their types.
    """
    if isinstance(work, CudaRequest):
        return _renewed_cuda(work, texts)
    if isinstance(work, TritonRequest):
        for path, text in texts.items():
            work = _Renewal(work, path, text).request()
        return work
    raise LookupError("what was launched on a GPU can only be launched again")


def _renewed_cuda(work: CudaRequest, texts: Mapping[str, str]) -> CudaRequest:
    headers = {name: texts.get(work.header(name), text) for name, text in work.headers.items()}
    work = msgspec.structs.replace(work, headers=headers)
    text = texts.get(work.path)
    if text is None:
        return work
    if work.name not in {name for name, _, _ in kernels_in(text)}:
        raise LookupError(f"the file no longer has a kernel {work.name}")
    return msgspec.structs.replace(work, source=device_part(text, work.name))


class _Renewal:
    """The objects of a Triton request, those of one file renewed."""

    def __init__(self, work: TritonRequest, path: str, text: str) -> None:
        self.work = work
        self.path = path
        self.lines = text.splitlines(keepends=True)
        self.tree = ast.parse(text, filename=path)
        self.objects: list[Object] = list(work.objects)
        self.added: dict[str, int] = {}
        "Numbers of the module's names that were looked up in the new text."

    def request(self) -> TritonRequest:
        for number, thing in enumerate(self.work.objects):
            if isinstance(thing, Function) and thing.path == self.path:
                define = self._define(thing.name, thing.line, thing.source)
                if number == 0:
                    self._check(define)
                self.objects[number] = self._function(define, thing)
        return msgspec.structs.replace(self.work, objects=tuple(self.objects))

    def _define(self, name: str, line: int, source: str = "") -> ast.FunctionDef:
        """The definition of that name; of several, the one most like `source`, and then nearest to where it was."""
        found = [node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef) and node.name == name]
        if not found:
            raise LookupError(f"{self.path} no longer has a function {name}; record the lecture again")
        if len(found) == 1:
            return found[0]
        alike = {node: SequenceMatcher(None, self._text(node), source).ratio() for node in found}
        return max(found, key=lambda node: (alike[node], -abs(node.lineno - line)))

    def _text(self, define: ast.FunctionDef) -> str:
        return "".join(self.lines[define.lineno - 1 : define.end_lineno])

    def _check(self, define: ast.FunctionDef) -> None:
        names = [argument.arg for argument in _arguments(define)]
        if names != list(self.work.signature):
            raise LookupError(f"{define.name} takes other arguments now; record the lecture again to learn their types")

    def _function(self, define: ast.FunctionDef, before: Function) -> Function:
        return msgspec.structs.replace(
            before,
            line=define.lineno,
            source=self._text(define),
            names=self._names(define, before.names),
            annotations={
                a.arg: _annotation(a.annotation, before.annotations.get(a.arg, ""))
                for a in _arguments(define)
                if a.annotation is not None
            },
            defaults=self._defaults(define, before),
        )

    def _defaults(self, define: ast.FunctionDef, before: Function) -> tuple[int, ...]:
        """Numbers of the arguments' defaults: what the text tells, else as captured where the text is as it was."""
        old, numbers = _captured(before), []
        for name, value in _defaults(define).items():
            text, number = old.get(name, ("", -1))
            told = self._told(value)
            if number >= 0 and (self.work.objects[number] == told or (told is None and text == ast.unparse(value))):
                numbers.append(number)
            elif told is not None:
                numbers.append(self._number(told))
            else:
                raise LookupError(f"{define.name} has another default for {name} now, {ast.unparse(value)}; record the "
                                  "lecture again to learn its value")  # fmt: skip
        return tuple(numbers)

    def _told(self, value: ast.expr) -> Object | None:
        """What a default is, where it is a literal or the name of one."""
        found = self._defined(value.id) if isinstance(value, ast.Name) else self._value(value)
        thing = next(found, None)
        return thing if isinstance(thing, Constant | Constexpr) else None

    def _names(self, define: ast.FunctionDef, before: dict[str, int]) -> dict[str, int]:
        """What the function uses: as it was captured, but for constants, whose text may have changed, and new names."""
        nodes = [node for part in (define.args, *define.body) for node in ast.walk(part)]
        used = {node.id for node in nodes if isinstance(node, ast.Name)}
        names = {name: number for name, number in before.items() if name in used}
        for name in sorted(used):
            if name in names and not isinstance(self.objects[names[name]], Constant | Constexpr):
                continue
            number = self._look_up(name)
            if number is not None:
                names[name] = number
        return names

    def _look_up(self, name: str) -> int | None:
        """Number of what the module defines as `name`, where its text tells; None where only running it would."""
        if name not in self.added:
            thing = next((thing for thing in self._defined(name)), None)
            if thing is None:
                return None
            self.added[name] = self._number(thing)
            if isinstance(thing, Function):
                self.objects[self.added[name]] = self._function(self._define(name, thing.line), thing)
        return self.added[name]

    def _number(self, thing: Object) -> int:
        if thing not in self.objects:
            self.objects.append(thing)
        return self.objects.index(thing)

    def _defined(self, name: str) -> Iterator[Object]:
        """What the last statement of the module that defines `name` says it is."""
        for node in reversed(self.tree.body):
            match node:
                case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                    yield from self._value(value)
                case ast.FunctionDef(name=target) if target == name and _is_jit(node):
                    yield Function("jit", name, self.path, node.lineno, "")
                case ast.Import(names=aliases):
                    yield from (Module(a.name) for a in aliases if (a.asname or a.name) == name and importable(a.name))
                case ast.ImportFrom(module=str(module), names=aliases, level=0) if importable(module):
                    yield from (Named(module, a.name) for a in aliases if (a.asname or a.name) == name)

    def _value(self, value: ast.expr) -> Iterator[Object]:
        """A literal, or `tl.constexpr(literal)`."""
        match value:
            case ast.Constant(value=literal) if (travelling := constant(literal)) is not None:
                yield travelling
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as literal)):
                yield from filter(None, [constant(-literal)])
            case ast.Call(func=ast.Attribute(attr="constexpr"), args=[ast.Constant() as inner]):
                yield from (Constexpr(self._number(thing)) for thing in self._value(inner))


def _arguments(define: ast.FunctionDef) -> tuple[ast.arg, ...]:
    return (*define.args.posonlyargs, *define.args.args)


def _defaults(define: ast.FunctionDef) -> dict[str, ast.expr]:
    """The arguments' defaults."""
    names, given = [argument.arg for argument in _arguments(define)], define.args.defaults
    return dict(zip(names[len(names) - len(given) :], given, strict=True))


def _captured(function: Function) -> dict[str, tuple[str, int]]:
    """Text and number of each default that was captured."""
    define = next(iter(ast.parse(textwrap.dedent(function.source)).body), None)
    defaults = _defaults(define) if isinstance(define, ast.FunctionDef) else {}
    numbers = zip(defaults.items(), function.defaults, strict=False)
    return {name: (ast.unparse(value), number) for (name, value), number in numbers}


def _annotation(now: ast.expr, before: str) -> str:
    """An annotation in words; those of the capture where it is the same, `constexpr` for `tl.constexpr`."""
    words = ast.unparse(now)
    return before if before and words.rpartition(".")[2] == before else words


def _is_jit(define: ast.FunctionDef) -> bool:
    return any("jit" in ast.unparse(decorator) for decorator in define.decorator_list)
