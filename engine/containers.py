"""The first parts of each of Python's containers, taken with the base class's own methods.

A subclass's `__iter__`, `__len__` or `__getitem__` is never called, and no iterator is advanced.
"""

import gc
import math
from array import array
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

from engine import anatomy

ITEMS = 100
"Parts shown of one container."
SORTED = 10_000
"A set with more elements shows none: which come first depends on the process, unless all of them are put in order."


class Parts(NamedTuple):
    """What a container holds: how much of it, the first of it, and the brackets around it."""

    length: int
    items: list[Any]
    "The first parts; (key, value) pairs of a mapping."
    brackets: str
    loose: tuple[Any, ...] = ()
    "Further parts, of a set, that have no order of their own."


Reader = Callable[[Any], Parts]


def _of_list(value: list[Any]) -> Parts:
    return Parts(list.__len__(value), list.__getitem__(value, slice(ITEMS)), "[]")


def _of_tuple(value: tuple[Any, ...]) -> Parts:
    brackets = "()" if type(value) is tuple else "[]"
    return Parts(tuple.__len__(value), list(tuple.__getitem__(value, slice(ITEMS))), brackets)


def _of_deque(value: deque[Any]) -> Parts:
    return Parts(deque.__len__(value), _first(deque.__iter__(value)), "[]")


def _of_view(value: Any) -> Parts:
    """Views of a dict. Their classes cannot be subclassed."""
    return Parts(len(value), _first(value), "[]")


def _of_set(value: set[Any]) -> Parts:
    return _sorted(set.__len__(value), set.__iter__(value))


def _of_frozenset(value: frozenset[Any]) -> Parts:
    return _sorted(frozenset.__len__(value), frozenset.__iter__(value))


def _of_array(value: "array[Any]") -> Parts:
    return Parts(array.__len__(value), array.__getitem__(value, slice(ITEMS)).tolist(), "[]")


def _first(parts: Iterable[Any]) -> list[Any]:
    return list(islice(parts, ITEMS))


def _is_plain(value: object) -> bool:
    """Whether hashing and comparing `value` runs Python's own code only."""
    kind = type(value)
    return kind is int or kind is str or kind is float or kind is bool or kind is bytes


def _is_nan(value: object) -> bool:
    return type(value) is float and math.isnan(value)


def _sort_key(value: Any) -> tuple[str, Any]:
    kind = type(value)
    return ("" if kind in (bool, int, float) else kind.__name__, value)


def _sorted(length: int, parts: Iterable[Any]) -> Parts:
    """Numbers and strings in their order, all else loose, so that the order is the same in every process."""
    if length > SORTED:
        return Parts(length, [], "{}")
    elements = list(parts)
    plain = [part for part in elements if _is_plain(part) and not _is_nan(part)]
    loose = () if length > ITEMS else tuple(part for part in elements if not any(part is known for known in plain))
    return Parts(length, sorted(plain, key=_sort_key)[:ITEMS], "{}", loose)


def _of_dict(value: dict[Any, Any]) -> Parts:
    return Parts(dict.__len__(value), _first(dict.items(value)), "{}")


def _of_ordered(value: "OrderedDict[Any, Any]") -> Parts:
    """Walking an OrderedDict in its order hashes the keys, which only Python's own plain ones may be asked for."""
    length = dict.__len__(value)
    if length <= SORTED and all(_is_plain(key) for key in list(dict.keys(value))):
        return Parts(length, _first(OrderedDict.items(value)), "{}")
    return _of_dict(value)


def _of_proxy(value: MappingProxyType[Any, Any]) -> Parts | None:
    """The dict behind a proxy, which the proxy itself would ask through the dict's class."""
    inside = gc.get_referents(value)
    return _of_dict(inside[0]) if inside and issubclass(type(inside[0]), dict) else None


SEQUENCES: dict[int, Reader] = {
    id(list): _of_list,
    id(tuple): _of_tuple,
    id(deque): _of_deque,
    id(array): _of_array,
    id(set): _of_set,
    id(frozenset): _of_frozenset,
    id(type({}.keys())): _of_view,
    id(type({}.values())): _of_view,
    id(type({}.items())): _of_view,
}
"Readers by `id` of the class, since a class's own `__hash__` may be anything."

MAPPINGS: dict[int, Callable[[Any], Parts | None]] = {
    id(OrderedDict): _of_ordered,
    id(dict): _of_dict,
    id(MappingProxyType): _of_proxy,
}


def field_names(cls: type, length: int) -> tuple[str, ...] | None:
    """The names of the parts of a namedtuple or a record of Python's (`time.struct_time`); None for a plain tuple."""
    for attribute in ("_fields", "__match_args__"):
        names = anatomy.member(cls, attribute)
        if type(names) is tuple and len(names) == length and all(type(name) is str for name in names):
            return names or None
    return None
