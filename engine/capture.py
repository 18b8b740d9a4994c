"""Takes what a Triton kernel was launched with and turns it into a request to compile it elsewhere.

Types, constants and what is known of the arguments are computed by Triton's own code, as for a launch on a GPU.
"""

import ast
import sys
import textwrap
from collections.abc import Callable, Iterable
from types import FunctionType, ModuleType
from typing import Any

from engine.constants import constant, importable
from engine.definition import definition
from engine.request import (
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

Arguments = tuple[tuple[Any, ...], dict[str, Any]]
_OPTION_TYPES = (int, float, bool, str, type(None))


class Specialiser:
    """Computes signatures as Triton would for a launch on a GPU, without one. Kernels are kept between launches."""

    def __init__(self) -> None:
        self.bound: dict[Callable[..., Any], tuple[Any, Any, Any]] = {}

    def specialise(self, kernel: Any, arguments: Arguments) -> tuple[Any, Any, Any, dict[str, Any]]:
        """Signature, constants, attributes and options of a launch of `kernel`, an object of `@triton.jit`.

        Raises what Triton raises.
        """
        args, kwargs = arguments
        function, binder, backend = self._bind(kernel)
        if _debugging(function, kwargs):
            kwargs = {**kwargs, "debug": True}
        bound, specialization, options = binder(*args, **kwargs)
        _, signature, constants, attributes = function._pack_args(backend, kwargs, bound, specialization, options)
        return signature, constants, attributes, options

    def _bind(self, kernel: Any) -> tuple[Any, Any, Any]:
        if kernel.fn not in self.bound:
            from triton.backends.compiler import GPUTarget
            from triton.compiler.compiler import make_backend
            from triton.runtime.jit import JITFunction, create_function_from_signature

            backend = make_backend(GPUTarget("cuda", 90, 32))
            function = kernel if isinstance(kernel, JITFunction) else JITFunction(kernel.fn, **_options(kernel))
            binder = create_function_from_signature(function.signature, function.params, backend)
            self.bound[kernel.fn] = function, binder, backend
        return self.bound[kernel.fn]


def _debugging(function: Any, kwargs: dict[str, Any]) -> bool:
    """Whether a launch keeps the kernel's `tl.device_assert`s, decided as Triton does."""
    from triton import knobs

    return bool(kwargs.get("debug", function.debug) or knobs.runtime.debug)


def _options(kernel: Any) -> dict[str, Any]:
    """What `@triton.jit(...)` was given that bears on the code it becomes."""
    given = getattr(kernel, "kwargs", None) or vars(kernel)
    names = ("do_not_specialize", "do_not_specialize_on_alignment", "noinline", "debug")
    return {name: given[name] for name in names if given.get(name) is not None}


def request(
    kernel: Any, specialised: tuple[Any, Any, Any, dict[str, Any]], display: Callable[[str], str]
) -> TritonRequest:
    """The whole request for a kernel whose launch was specialised. `display` says how the recording calls a file.

    Raises LookupError where the source of the kernel, or of a helper, cannot be had.
    """
    signature, constants, attributes, options = specialised
    bag = _Bag(display)
    bag.function(kernel)
    return TritonRequest(
        signature={name: _types(type_) for name, type_ in signature.items()},
        constants=tuple((path, bag.number(value)) for path, value in constants.items()),
        attributes=tuple((path, tuple((name, value) for name, value in pairs)) for path, pairs in attributes.items()),
        options={name: value for name, value in options.items() if isinstance(value, _OPTION_TYPES)},
        objects=tuple(bag.objects),
    )


def _types(type_: Any) -> str | Types:
    """The type of an argument; Triton has a tuple of types for a tuple."""
    if isinstance(type_, tuple):
        return Types(tuple(map(_types, type_)), _fields(type_))
    return str(type_)


def _fields(value: tuple[Any, ...]) -> tuple[str, ...]:
    """Names of the items, of a named tuple."""
    return tuple(getattr(value, "_fields", ()))


class _Bag:
    """The objects of one request, each there once."""

    def __init__(self, display: Callable[[str], str]) -> None:
        self.display = display
        self.objects: list[Object] = []
        self.numbers: dict[int, int] = {}
        self.kept: list[Any] = []
        "What has a number stays alive, so that no other object gets its identity."

    def number(self, value: Any, paths: Iterable[tuple[str, ...]] = ()) -> int:
        """Number of `value`. Of a module only what `paths` lead to is taken."""
        if isinstance(value, ModuleType) and not importable(value.__name__):
            return self._add(self._namespace(value, paths))
        if id(value) not in self.numbers:
            self.kept.append(value)
            found = self._function_number(value)
            self.numbers[id(value)] = self._add(self._object(value)) if found is None else found
        return self.numbers[id(value)]

    def _add(self, thing: Object) -> int:
        self.objects.append(thing)
        return len(self.objects) - 1

    def _function_number(self, value: Any) -> int | None:
        """Number of a kernel, a helper or a plain function of the author's own; None for anything else."""
        plain = _plain(value)
        return None if plain is None or importable(plain.__module__) else self.function(value)

    def function(self, value: Any) -> int:
        """Number of a function. It is reserved before its names are looked at, since these may lead back to it."""
        plain = _plain(value)
        assert plain is not None
        if id(plain) not in self.numbers:
            self.kept.append(plain)
            self.numbers[id(plain)] = number = self._add(Missing("function"))
            self.objects[number] = self._read(value, plain)
        return self.numbers[id(plain)]

    def _read(self, value: Any, plain: FunctionType) -> Function:
        place = definition(plain)
        names = _names(place.source)
        scope = _scope(plain)
        return Function(
            role=_role(value),
            name=plain.__name__,
            path=self.display(place.path),
            line=place.def_line,
            source=place.source,
            names={name: self.number(scope[name], paths) for name, paths in names.items() if name in scope},
            annotations={name: _annotation(type_) for name, type_ in plain.__annotations__.items()},
            defaults=tuple(self.number(default) for default in plain.__defaults__ or ()),
            noinline=bool(_options(value).get("noinline")) if value is not plain else False,
        )

    def _namespace(self, module: ModuleType, paths: Iterable[tuple[str, ...]]) -> Namespace:
        wanted: dict[str, list[tuple[str, ...]]] = {}
        for first, *rest in paths:
            wanted.setdefault(first, []).append(tuple(rest))
        return Namespace(
            module.__name__,
            {
                name: self.number(getattr(module, name), [path for path in rest if path])
                for name, rest in sorted(wanted.items())
                if hasattr(module, name)
            },
        )

    def _object(self, value: Any) -> Object:
        if (travelling := constant(value)) is not None:
            return travelling
        if isinstance(value, ModuleType):
            return Module(value.__name__)
        if isinstance(value, tuple):
            return Items(tuple(self.number(item) for item in value), _fields(value))
        if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
            return TupleClass(value.__name__, value._fields)
        kind, home = type(value).__name__, type(value).__module__
        if home.startswith("triton.") and kind == "constexpr":
            return Constexpr(self.number(value.value))
        return _named(_plain(value) or value) or Missing(kind)


def _named(value: Any) -> Named | None:
    """`value` by the module it stands in, where that can be imported without running the author's code."""
    module, name = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if isinstance(module, str) and isinstance(name, str) and importable(module):
        return Named(module, name) if hasattr(sys.modules.get(module), name) else None
    return None


def _plain(value: Any) -> FunctionType | None:
    """The Python function of a kernel or helper, or `value` itself where it is one."""
    function = value if isinstance(value, FunctionType) else getattr(value, "fn", None)
    return function if isinstance(function, FunctionType) else None


def _role(value: Any) -> Any:
    if isinstance(value, FunctionType):
        return "plain"
    return "constexpr_function" if type(value).__name__ == "ConstexprFunction" else "jit"


def _scope(function: FunctionType) -> dict[str, Any]:
    """Values of the global and closed-over names a function can see."""
    scope = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            scope[name] = cell.cell_contents
        except ValueError:  # not bound yet
            scope.pop(name, None)
    return scope


def _names(source: str) -> dict[str, list[tuple[str, ...]]]:
    """Names a function uses, each with the chains of attributes that follow it: `a.b.c` is `a` with `(b, c)`."""
    names: dict[str, list[tuple[str, ...]]] = {}
    for node in ast.walk(ast.parse(textwrap.dedent(source))):
        chain: list[str] = []
        inner: ast.AST = node
        while isinstance(inner, ast.Attribute):
            chain.insert(0, inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name):
            paths = names.setdefault(inner.id, [])
            if chain:
                paths.append(tuple(chain))
    return names


def _annotation(type_: Any) -> str:
    """An annotation in words; Triton reads these as well as the thing itself."""
    if isinstance(type_, str):
        return type_
    if hasattr(type_, "element_ty"):
        return f"*{_annotation(type_.element_ty)}"
    return str(getattr(type_, "__name__", None) or getattr(type_, "name", None) or type_)
