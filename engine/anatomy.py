"""What an object is made of, read without running any of its own code.

Everything goes through the descriptors of `type` and through slots implemented in C: no `__getattribute__`,
`__class__`, property, metaclass or `__hash__` of the object's author is ever called.
"""

import sys
from collections import namedtuple
from collections.abc import Iterator
from itertools import islice
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, SimpleNamespace
from typing import Any

from engine import display

_NAME: Any = type.__dict__["__name__"]
_QUALNAME: Any = type.__dict__["__qualname__"]
_MRO: Any = type.__dict__["__mro__"]
_NAMESPACE: Any = type.__dict__["__dict__"]
_PLAIN_DISPLAYS: tuple[Any, ...] = tuple(
    cls.__dict__["__repr__"] for cls in (object, tuple, BaseException, SimpleNamespace)
)


def class_name(cls: type) -> str:
    """The class's own name, whatever its metaclass says."""
    return display.name(str.__str__(_NAME.__get__(cls)))


def qualified_name(cls: type) -> str:
    """The class's name with those of the classes and functions around it."""
    return display.name(str.__str__(_QUALNAME.__get__(cls)))


def bases(cls: type) -> tuple[type, ...]:
    """The class and all it inherits from, nearest first."""
    found: tuple[type, ...] = _MRO.__get__(cls)
    return found


def descends(cls: type, ancestor: type) -> bool:
    """Whether the class is `ancestor` or inherits from it; no metaclass is asked."""
    return any(base is ancestor for base in bases(cls))


def member(cls: type, name: str) -> Any:
    """What the class or the nearest base has under `name`, not bound to anything; None where none has it."""
    for base in bases(cls):
        namespace = _NAMESPACE.__get__(base)
        if name in namespace:
            return namespace[name]
    return None


def own(cls: type, name: str) -> Any:
    """What the class itself has under `name`, or None."""
    return _NAMESPACE.__get__(cls).get(name)


def is_library(cls: type) -> bool:
    """Whether the class comes with Python, so that its private attributes interest nobody."""
    module = own(cls, "__module__")
    return type(module) is str and module.partition(".")[0] in sys.stdlib_module_names


def instance_dict(value: object) -> dict[Any, Any] | None:
    """The dict of the object's attributes, where it has a true one."""
    for base in bases(type(value)):
        descriptor = _NAMESPACE.__get__(base).get("__dict__")
        if type(descriptor) in (GetSetDescriptorType, MemberDescriptorType):
            found = descriptor.__get__(value)
            return found if issubclass(type(found), dict) else None
    return None


def _slots(value: object) -> Iterator[tuple[str, object]]:
    """Names and contents of the filled slots of classes written in Python, base classes first."""
    for base in reversed(bases(type(value))):
        namespace = _NAMESPACE.__get__(base)
        if "__slots__" not in namespace or is_library(base):
            continue
        for name, descriptor in namespace.items():
            if type(name) is str and type(descriptor) is MemberDescriptorType and name != "__dict__":
                try:
                    yield name, descriptor.__get__(value)
                except AttributeError:  # never assigned
                    continue


def attributes(value: object, limit: int) -> list[tuple[str, object]]:
    """The first `limit` attributes the object itself holds, in slots and in its dict, in the order they were made."""
    private = is_library(type(value))
    found = list(islice(_slots(value), limit))
    own_dict = instance_dict(value)
    if own_dict:
        entries = list(islice(dict.items(own_dict), limit))
        found += [(str.__str__(key), part) for key, part in entries if issubclass(type(key), str)]
    return [(name, part) for name, part in found if not (private and name.startswith("_"))][:limit]


def has_own_display(cls: type) -> bool:
    """Whether somebody wrote a `__repr__` for the class: not `object`, `@dataclass`, attrs or a namedtuple."""
    for base in bases(cls):
        namespace = _NAMESPACE.__get__(base)
        if "__repr__" in namespace:
            return not _is_generated(namespace["__repr__"], namespace)
    return False


def told_fields(cls: type) -> set[str] | None:
    """The names of a dataclass's fields that its own display would show; None for any other class."""
    fields = member(cls, "__dataclass_fields__")
    dataclasses = sys.modules.get("dataclasses")  # importing it would cost every start 20 ms, mostly for `inspect`
    if type(fields) is not dict or dataclasses is None:
        return None
    return {name for name, field in fields.items() if type(field) is dataclasses.Field and field.repr}


def _is_generated(function: Any, namespace: Any) -> bool:
    if type(function) is not FunctionType:
        return "n_sequence_fields" in namespace or any(function is known for known in _PLAIN_DISPLAYS)
    inner = function.__dict__.get("__wrapped__", function)  # dataclasses wrap theirs against recursion
    file = inner.__code__.co_filename if type(inner) is FunctionType else ""
    if "__dataclass_params__" in namespace:
        return file == "<string>"
    if "_fields" in namespace:
        return file == namedtuple.__code__.co_filename
    return file.startswith("<attrs generated")
