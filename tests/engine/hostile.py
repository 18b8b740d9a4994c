"""Objects that note every call made to them, and do harm when called."""

import collections
from functools import partial

calls = []
"(class, method) of every call."

HOOKS = [
    "__getattribute__", "__getattr__", "__len__", "__length_hint__", "__iter__", "__next__", "__reversed__",
    "__contains__", "__getitem__", "__missing__", "__eq__", "__ne__", "__lt__", "__gt__", "__le__", "__ge__",
    "__hash__", "__bool__", "__str__", "__format__", "__index__", "__int__", "__float__", "__complex__",
    "__round__", "__abs__", "__add__", "__bytes__", "__call__", "__dir__", "__sizeof__", "__reduce__",
    "__reduce_ex__", "__getstate__", "__copy__", "__deepcopy__", "__enter__", "__exit__", "__await__", "__array__",
    "__fspath__", "__buffer__", "__torch_function__", "__rich_repr__", "__repr_args__", "_repr_html_", "asdict",
    "_asdict", "keys", "items", "values", "tolist", "total",
]  # fmt: skip
PROPERTIES = [
    "__class__", "__dict__", "__doc__", "__module__", "__array_interface__", "__cuda_array_interface__",
    "__dataclass_fields__", "_fields", "__match_args__", "shape", "dtype", "device", "name", "value",
]  # fmt: skip
META_HOOKS = [
    "__getattribute__", "__getattr__", "__eq__", "__ne__", "__hash__", "__len__", "__iter__", "__bool__", "__str__",
    "__repr__", "__contains__", "__getitem__", "__instancecheck__", "__subclasscheck__", "__subclasshook__",
    "__dir__", "__call__",
]  # fmt: skip
META_PROPERTIES = [
    "__name__", "__dict__", "__mro__", "__bases__", "__doc__",
]  # fmt: skip


def noting(owner, name):
    def hook(*args, **kwargs):
        calls.append((owner, name))
        raise RuntimeError(f"{owner}.{name} was called")

    return hook


def hooks(owner, names, properties):
    found = {name: noting(owner, name) for name in names}
    found.update({name: property(noting(owner, name)) for name in properties})
    return found


Meta = type("Meta", (type,), hooks("Meta", META_HOOKS, META_PROPERTIES))


def hostile(base, meta=type):
    """A subclass of `base` with every hook there is. Made by `type` itself, past the hooks of its metaclass."""
    names = [name for name in HOOKS if not (base is not object and name == "__repr__")]
    return type.__new__(meta, f"Hostile{base.__name__.title()}", (base,), hooks(base.__name__, names, PROPERTIES))


def instance(base, *args, meta=type):
    """An object of a hostile class, made by the base's own constructor."""
    cls = hostile(base, meta)
    made = base.__new__(cls, *args)
    if base not in (object, int, float, complex, str, bytes, tuple, frozenset):
        base.__init__(made, *args)
    return made


EVERYONE = [
    partial(instance, object), partial(instance, object, meta=Meta), partial(instance, list, [1, 2]),
    partial(instance, tuple, (1, 2)), partial(instance, dict, {"a": 1}), partial(instance, set, {1}),
    partial(instance, frozenset, {1}), partial(instance, str, "abc"), partial(instance, int, 7),
    partial(instance, float, 1.5), partial(instance, complex, 1j), partial(instance, bytes, b"ab"),
    partial(instance, bytearray, b"ab"), partial(instance, collections.deque, [1]),
    partial(instance, ValueError, "x"), partial(instance, collections.OrderedDict, {"a": 1}),
    partial(instance, collections.defaultdict, None, {"a": 1}), partial(instance, list, [1], meta=Meta),
    partial(hostile, object, Meta),
]  # fmt: skip
"Makes one of each: objects of hostile classes, some with a hostile metaclass, and such a class itself."
