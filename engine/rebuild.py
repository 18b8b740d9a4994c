"""Makes a kernel's function again from a request, in the process that compiles it."""

import ast
import importlib
import linecache
import textwrap
from collections import namedtuple
from types import FunctionType, ModuleType
from typing import Any

from engine import constants
from engine.request import (
    Constant,
    Constexpr,
    Function,
    Items,
    Missing,
    Module,
    Named,
    Namespace,
    Object,
    TritonRequest,
    TupleClass,
    Types,
)


class Rebuilder:
    """The objects of one request. Functions are made before what they use, since they may use each other."""

    def __init__(self, request: TritonRequest) -> None:
        self.objects = request.objects
        self.made: dict[int, Any] = {}
        self.missing: dict[str, str] = {}
        "Types of the values that could not travel, by the names they are used by."
        self.texts: dict[str, dict[int, str]] = {}

    def kernel(self) -> Any:
        """The kernel, as `@triton.jit` makes it."""
        return self.get(0)

    def get(self, number: int) -> Any:
        """The object with this number."""
        if number not in self.made:
            thing = self.objects[number]
            if isinstance(thing, Function):
                self._make_function(number, thing)
            else:
                self.made[number] = self._make(thing)
        return self.made[number]

    def _make(self, thing: Object) -> Any:
        import triton.language as tl

        match thing:
            case Module(name):
                return importlib.import_module(name)
            case Named(home, name):
                module = importlib.import_module(home)
                return getattr(module, name) if hasattr(module, name) else importlib.import_module(f"{home}.{name}")
            case Namespace(name, attributes):
                namespace = ModuleType(name)
                vars(namespace).update({key: self.get(value) for key, value in self._present(attributes)})
                return namespace
            case Constexpr(value):
                return tl.constexpr(self.get(value))
            case Items(items, fields):
                return _tuple([self.get(item) for item in items], fields)
            case TupleClass(name, fields):
                return namedtuple(name, fields)
            case Constant():
                return constants.value(thing)
            case Missing(kind):
                raise LookupError(f"a value of type {kind} could not be handed to the compiler")
            case _:
                raise TypeError(f"no way to make a {type(thing).__name__}")

    def _present(self, names: dict[str, int]) -> list[tuple[str, int]]:
        """The names whose values travelled; the others are noted."""
        present = []
        for name, number in names.items():
            thing = self.objects[number]
            if isinstance(thing, Missing):
                self.missing[name] = thing.type
            else:
                present.append((name, number))
        return present

    def _make_function(self, number: int, thing: Function) -> None:
        scope: dict[str, Any] = {"__name__": "kernel", "__builtins__": __builtins__}
        plain = self._compile(thing, scope)
        plain.__annotations__ = dict(thing.annotations)
        plain.__defaults__ = tuple(self.get(default) for default in thing.defaults) or None
        self.made[number] = _decorate(thing, plain)
        scope.update({name: self.get(value) for name, value in self._present(thing.names)})

    def _compile(self, thing: Function, scope: dict[str, Any]) -> FunctionType:
        """The function with its lines where they are in its file, which need not be there."""
        self._show_lines(thing)
        tree = ast.parse(textwrap.dedent(thing.source))
        define = tree.body[0]
        assert isinstance(define, ast.FunctionDef)
        define.decorator_list = []
        _strip_signature(define)
        ast.increment_lineno(tree, thing.line - 1)
        exec(compile(tree, thing.path, "exec", dont_inherit=True), scope)
        function = scope[thing.name]
        assert isinstance(function, FunctionType)
        return function

    def _show_lines(self, thing: Function) -> None:
        """Let `inspect` find the function's text; the other lines of its file stay empty."""
        known = self.texts.setdefault(thing.path, {})
        for line, text in enumerate(thing.source.splitlines(keepends=True), thing.line):
            known[line] = text
        lines = [known.get(line, "\n") for line in range(1, max(known) + 1)]
        linecache.cache[thing.path] = (sum(map(len, lines)), None, lines, thing.path)


def types(signature: dict[str, str | Types]) -> dict[str, Any]:
    """The types of the arguments, as Triton takes them."""
    return {name: _types(type_) for name, type_ in signature.items()}


def _types(type_: str | Types) -> Any:
    return _tuple([_types(item) for item in type_.items], type_.fields) if isinstance(type_, Types) else type_


def _tuple(items: list[Any], fields: tuple[str, ...]) -> tuple[Any, ...]:
    """A tuple; with `fields` a named one."""
    return namedtuple("Items", fields)(*items) if fields else tuple(items)


def _strip_signature(define: ast.FunctionDef) -> None:
    """Nothing is evaluated when the function is made: annotations and defaults are set afterwards."""
    arguments = define.args
    define.returns = None
    for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        argument.annotation = None
    nothing = ast.copy_location(ast.Constant(None), define)
    arguments.defaults = [nothing] * len(arguments.defaults)
    arguments.kw_defaults = [default and nothing for default in arguments.kw_defaults]


def _decorate(thing: Function, plain: FunctionType) -> Any:
    if thing.role == "plain":
        return plain
    from triton.runtime import jit

    if thing.role == "constexpr_function":
        return jit.constexpr_function(plain)
    return jit.JITFunction(plain, noinline=thing.noinline or None)
