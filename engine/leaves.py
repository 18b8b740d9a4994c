"""Values without parts, each read with its built-in class's own methods: (text, whether it was cut)."""

import enum
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType, NoneType
from typing import Any

from engine import anatomy, display

Leaf = tuple[str, bool]


def plain(value: Any) -> Leaf:
    """The text of an int, float, str, bool or None."""
    if issubclass(type(value), str):
        return display.literal(str.__str__(value))
    if type(value) is bool or value is None:
        return repr(value), False
    if issubclass(type(value), int):
        return display.integer(int.__int__(value))
    return float.__repr__(value), False


def _complex(value: complex) -> Leaf:
    return complex.__repr__(value), False


def _bytes(value: bytes) -> Leaf:
    return display.literal(bytes.__getitem__(value, slice(display.TEXT + 1)))


def _bytearray(value: bytearray) -> Leaf:
    first = bytes(bytearray.__getitem__(value, slice(display.TEXT + 1)))
    text, truncated = display.literal(first, display.TEXT - len("bytearray()"))
    return f"bytearray({text})", truncated


def _memoryview(value: memoryview) -> Leaf:
    return f"<memory of {value.nbytes} bytes, format {value.format!r}, shape {list(value.shape or ())}>", False


def _class(value: type) -> Leaf:
    return f"<class '{anatomy.qualified_name(value)}'>", False


def _function(value: FunctionType) -> Leaf:
    return display.one_line(FunctionType.__repr__(value))


def _builtin(value: BuiltinFunctionType) -> Leaf:
    return display.one_line(BuiltinFunctionType.__repr__(value))


def _method(value: MethodType) -> Leaf:
    function: object = value.__func__
    name = function.__qualname__ if type(function) is FunctionType else anatomy.class_name(type(function))
    return f"<bound method {display.name(name)}>", False


def _module(value: ModuleType) -> Leaf:
    name = (anatomy.instance_dict(value) or {}).get("__name__")
    return f"<module {display.name(name) if type(name) is str else '?'}>", False


def _member(value: enum.Enum) -> Leaf:
    inside = anatomy.instance_dict(value) or {}
    name, number = inside.get("_name_"), inside.get("_value_")
    shown = anatomy.class_name(type(value))
    if type(name) is str:
        return f"{shown}.{display.name(name)}", False
    return f"{shown}({plain(number)[0] if type(number) in (int, str) else '?'})", False


READERS: dict[int, Callable[[Any], Leaf]] = {
    id(enum.Enum): _member,
    id(str): plain,
    id(int): plain,
    id(float): plain,
    id(NoneType): plain,
    id(complex): _complex,
    id(bytes): _bytes,
    id(bytearray): _bytearray,
    id(memoryview): _memoryview,
    id(type): _class,
    id(FunctionType): _function,
    id(BuiltinFunctionType): _builtin,
    id(MethodType): _method,
    id(ModuleType): _module,
}
"Readers by `id` of the class, since a class's own `__hash__` may be anything."

NAMED = (id(type), id(ModuleType), id(enum.Enum))
"Classes whose values are shown by name, even where a subclass has a `__repr__` of its own."


def base_of(cls: type) -> type | None:
    """The class among `READERS` that reads values of `cls`; None where `cls` is no leaf."""
    if id(cls) in READERS:
        return cls
    found = [base for base in anatomy.bases(cls) if id(base) in READERS]
    if not found:
        return None
    return enum.Enum if any(base is enum.Enum for base in found) else found[0]
