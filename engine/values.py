"""Any Python object as a value of the recording: total, bounded, and without running the object's own code.

What is looked at is the object's real type and what it truly holds. The only code of a class's author that is called
is its `__repr__` (`__str__` of an exception), guarded as engine/guard.py says.
"""

import threading
from collections.abc import Callable
from time import monotonic  # a lecture may replace it
from types import WrapperDescriptorType
from typing import Any

from engine import anatomy, arrays, containers, display, leaves, modules
from engine.containers import ITEMS, Parts
from engine.guard import SECONDS, Displays
from engine.signals import Interrupted, ask_author
from engine.trace import Array, Failed, Mapping, Object, Scalar, Sequence, Value

DEPTH = 8
"How many containers and objects deep a snapshot goes."
PARTS = 1000
"Values one snapshot consists of; what is there is shared out evenly among a container's parts."

SAMPLED = 16
"Large arrays of one snapshot that elements are shown of; of further ones the layout is."

_BUILT_IN = {*leaves.READERS, *containers.SEQUENCES, *containers.MAPPINGS}


class ValueTable:
    """The values of a recording, each stored once; numbers refer to it. Threads may share a table."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        "A part always has a lower number than the value it is part of."
        self.displays = Displays()
        self._numbers: dict[Value | bytes, int] = {}
        self._lock = threading.RLock()
        self._ints: dict[Any, int] = {}
        self._floats: dict[Any, int] = {}
        self._strings: dict[Any, int] = {}
        self._constants: dict[Any, int] = {}  # None, True and False; the ints 0 and 1 would be the same keys

    def add(self, value: object) -> int:
        """The number of `value` as it is now.

        Never raises, except RecursionError where the stack has no room for two more calls.
        """
        kind = type(value)
        if kind is int:
            known = self._ints
        elif kind is str:
            known = self._strings
        elif kind is float:
            known = self._floats
        elif kind is bool or value is None:
            known = self._constants
        else:
            return _Snapshot(self).number(value, PARTS)
        number = known.get(value)
        return self._first_time(known, value) if number is None else number

    def add_failed(self, error: BaseException) -> int:
        """The number of a value that could not be had because of `error`. Never raises."""
        text, truncated = self.displays.ask(str, error, monotonic() + SECONDS)
        name = anatomy.class_name(type(error))
        return self.intern(Failed(name, text or name, truncated))

    def add_expression(self, evaluate: Callable[[], object]) -> int:
        """The number of what `evaluate` returns, or of its failure, whatever that is."""
        try:
            value = ask_author(evaluate)
        except Interrupted:
            return self.intern(Failed("Interrupted", "not shown: interrupted"))
        except BaseException as error:
            return self.add_failed(error)
        return self.add(value)

    def intern(self, value: Value) -> int:
        """The number of a finished value; the same for an equal one."""
        # Elements of arrays compare too generously (1 == 1.0 == True) and are lists, which have no hash.
        key = arrays.key(value) if type(value) is Array else value
        number = self._numbers.get(key)
        if number is not None:
            return number
        with self._lock:
            number = self._numbers.get(key)
            if number is None:
                self.values.append(value)
                number = self._numbers[key] = len(self.values) - 1
            return number

    def _first_time(self, known: dict[Any, int], value: Any) -> int:
        """Store a plain value; remember it under itself, unless it is large, or equal to one that reads differently."""
        text, truncated = leaves.plain(value)
        number = self.intern(Scalar(anatomy.class_name(type(value)), text, truncated))
        if not truncated and (known is not self._floats or abs(value) > 0):  # neither nan nor zero: 0.0 == -0.0
            known[value] = number
        return number


class _Snapshot:
    """One object, taken apart at one moment."""

    def __init__(self, table: ValueTable) -> None:
        self.table = table
        self.path: list[object] = []
        "The containers around the one being read."
        self.parts = 0
        self.sampled = 0
        "Large arrays whose elements were looked at."
        self.deadline = monotonic() + SECONDS

    def number(self, value: object, allowance: int) -> int:
        """The number of `value`, of which at most `allowance` parts are shown."""
        self.parts += 1
        kind = type(value)
        if kind is int or kind is str or kind is float or kind is bool or value is None:
            return self.table.add(value)
        try:
            return self.table.intern(self._describe(value, kind, allowance - 1))
        except RecursionError:  # too little stack is left to ask the error what it says
            return self.table.intern(Failed("RecursionError", "the value is not shown: the stack is full"))
        except BaseException as error:
            return self.table.add_failed(error)

    def _describe(self, value: object, cls: type, allowance: int) -> Value:
        if id(cls) not in _BUILT_IN:
            array = arrays.describe(value, cls, self.sampled < SAMPLED)
            if array is not None:
                self.sampled += type(array) is Array and array.sample is not None
                return array
        base = leaves.base_of(cls)
        if base is not None:
            return self._leaf(value, cls, base)
        if any(value is outer for outer in self.path):
            return self._again(value, cls)
        self.path.append(value)
        try:
            return self._with_parts(value, cls, allowance if len(self.path) <= DEPTH else 0)
        finally:
            self.path.pop()

    def _leaf(self, value: object, cls: type, base: type) -> Scalar:
        told = anatomy.member(cls, "__repr__")
        own = told is not anatomy.member(base, "__repr__") and type(told) is not WrapperDescriptorType  # not in C
        if not own or id(base) in leaves.NAMED:
            text, truncated = leaves.READERS[id(base)](value)
        else:
            text, truncated = self.table.displays.ask(repr, value, self.deadline)
        return Scalar(anatomy.class_name(cls), text, truncated)

    def _again(self, value: object, cls: type) -> Scalar:
        """What stands in the place of something that is already being shown further out."""
        name = anatomy.class_name(cls)
        brackets = {id(list): "[...]", id(dict): "{...}"}
        return Scalar(name, brackets.get(id(cls), f"{name}(...)"), True)

    def _with_parts(self, value: Any, cls: type, allowance: int) -> Value:
        for base in anatomy.bases(cls):
            if base is tuple:
                names = containers.field_names(cls, tuple.__len__(value))
                if names is not None:
                    return self._object(value, cls, list(zip(names, tuple.__iter__(value), strict=True)), allowance)
            sequence = containers.SEQUENCES.get(id(base))
            if sequence is not None:
                return self._sequence(cls, sequence(value), allowance)
            mapping = containers.MAPPINGS.get(id(base))
            if mapping is not None:
                parts = mapping(value)
                if parts is not None:
                    return self._mapping(cls, parts, allowance)
        module = modules.describe(value, cls)
        if module is not None:
            return self._module(module, cls, allowance)
        fields = anatomy.attributes(value, ITEMS + 1)
        if issubclass(cls, BaseException):
            fields.insert(0, ("args", BaseException.__dict__["args"].__get__(value)))
        return self._object(value, cls, fields, allowance)

    def _module(self, module: modules.Module, cls: type, allowance: int) -> Object:
        shown = module.fields[: min(ITEMS, allowance)]
        numbers = self._numbers([part for _, part in shown], allowance)
        fields = tuple((display.name(name), number) for (name, _), number in zip(shown, numbers, strict=True))
        return Object(anatomy.class_name(cls), module.text, fields, len(fields) < len(module.fields))

    def _numbers(self, parts: list[Any], allowance: int) -> list[int]:
        """Numbers of as many of `parts` as `allowance` lets in; each an equal share of what those before it left."""
        shown = parts[:allowance]
        end = self.parts + allowance
        return [self.number(part, (end - self.parts) // (len(shown) - index)) for index, part in enumerate(shown)]

    def _texts(self, numbers: list[int]) -> tuple[list[str], bool]:
        """The texts of values, and whether one of them was cut; an array's is whole where its elements are not."""
        values = [self.table.values[number] for number in numbers]
        return [value.text for value in values], any(value.truncated and type(value) is not Array for value in values)

    def _sequence(self, cls: type, parts: Parts, allowance: int) -> Sequence:
        numbers = self._numbers(parts.items, allowance) + self._loose(parts, allowance - len(parts.items))
        texts, cut = self._texts(numbers)
        name = anatomy.class_name(cls)
        opening, closing = parts.brackets[0], parts.brackets[1]
        if cls is not list and cls is not tuple and cls is not set:
            opening, closing = f"{name}({opening}", f"{closing})"
        elif cls is tuple and parts.length == 1:
            closing = ",)"
        text, more = display.enclosed(opening, texts, closing, len(numbers) < parts.length)
        if parts.brackets == "{}" and not parts.length:
            text = f"{name}()"
        return Sequence(name, text, parts.length, tuple(numbers), more or cut)

    def _loose(self, parts: Parts, allowance: int) -> list[int]:
        """Numbers of the parts of a set that have no order, in the order of their texts and with equal shares."""
        shown = parts.loose[: max(allowance, 0)]
        numbers = [self.number(part, allowance // len(shown)) for part in shown]
        return sorted(numbers, key=lambda number: self.table.values[number].text)

    def _mapping(self, cls: type, parts: Parts, allowance: int) -> Mapping:
        flat = [part for pair in parts.items for part in pair]
        numbers = self._numbers(flat, allowance - allowance % 2)
        texts, cut = self._texts(numbers)
        pairs = tuple(zip(numbers[::2], numbers[1::2], strict=True))
        lines = (f"{key}: {part}" for key, part in zip(texts[::2], texts[1::2], strict=True))
        name = anatomy.class_name(cls)
        opening, closing = ("{", "}") if cls is dict else (f"{name}({{", "})")
        text, more = display.enclosed(opening, lines, closing, len(pairs) < parts.length)
        return Mapping(name, text, parts.length, pairs, more or cut)

    def _object(self, value: object, cls: type, fields: list[tuple[str, Any]], allowance: int) -> Object | Scalar:
        name = anatomy.class_name(cls)
        shown = fields[: min(ITEMS, allowance)]
        numbers = self._numbers([part for _, part in shown], allowance)
        texts, cut = self._texts(numbers)
        names = [display.name(field) for field, _ in shown]
        if anatomy.has_own_display(cls):
            text, more = self.table.displays.ask(repr, value, self.deadline)
        elif anatomy.member(cls, "__repr__") is object.__repr__:
            text, more = f"<{name} object>", False
        elif issubclass(cls, BaseException):
            arguments = texts[0] if texts else "(...)"
            arguments = f"{arguments[:-2]})" if arguments.endswith(",)") else arguments
            text, more = display.cut(name + arguments)[0], not texts
        else:
            told = anatomy.told_fields(cls)
            lines = (f"{n}={part}" for n, part in zip(names, texts, strict=True) if told is None or n in told)
            text, more = display.enclosed(f"{name}(", lines, ")", len(numbers) < len(fields))
        if not fields and anatomy.instance_dict(value) is None:
            return Scalar(name, text, more)
        return Object(name, text, tuple(zip(names, numbers, strict=True)), more or cut or len(numbers) < len(fields))

