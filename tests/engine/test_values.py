"""Every kind of Python value by name: what is recorded of it."""

import array
import ast
import collections
import contextvars
import datetime
import decimal
import enum
import fractions
import functools
import io
import itertools
import json
import math
import operator
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import types
import typing
import uuid
from dataclasses import dataclass, field

import msgspec
import pytest

from engine import display
from engine.containers import ITEMS, SORTED
from engine.trace import Failed, Mapping, Object, Scalar, Sequence
from engine.values import DEPTH, PARTS, ValueTable
from tests.clocks import processor_seconds


def snapshot(value):
    """The value recorded of an object, alone in a table."""
    table = ValueTable()
    return table.values[table.add(value)]


def resolved(table, number):
    """A value with its parts in the place of their numbers."""
    value = table.values[number]
    if isinstance(value, Sequence):
        return [resolved(table, part) for part in value.items]
    if isinstance(value, Mapping):
        return {resolved(table, key): resolved(table, part) for key, part in value.items}
    if isinstance(value, Object):
        return {name: resolved(table, part) for name, part in value.fields}
    return value.text


@dataclass
class Point:
    x: int
    y: object = 2
    secret: str = field(default="s", repr=False)


class Slotted:
    __slots__ = ("a", "b")


class Plain:
    pass


class Colour(enum.Enum):
    RED = 1


class Access(enum.Flag):
    READ = 1
    WRITE = 2


class Level(enum.IntEnum):
    HIGH = 3


class Money(int):
    def __repr__(self):
        return f"{int(self)} EUR"


Pair = collections.namedtuple("Pair", "left right")


class Typed(typing.NamedTuple):
    a: int


def generator():
    yield 1


def closed_file():
    file = io.StringIO()
    file.close()
    return file


SCALARS = {
    "none": (None, "NoneType", "None"),
    "true": (True, "bool", "True"),
    "int": (3, "int", "3"),
    "negative int": (-7, "int", "-7"),
    "float": (1.5, "float", "1.5"),
    "zero": (0.0, "float", "0.0"),
    "negative zero": (-0.0, "float", "-0.0"),
    "nan": (math.nan, "float", "nan"),
    "inf": (-math.inf, "float", "-inf"),
    "denormal": (1e-320, "float", "1e-320"),
    "complex": (complex(1, math.nan), "complex", "(1+nanj)"),
    "str": ("abc", "str", "'abc'"),
    "str with a quote": ("a'b", "str", '"a\'b"'),
    "lone surrogate": ("\ud800 x", "str", r"'\ud800 x'"),
    "control characters": ("a\0\n\x1b\u202e", "str", r"'a\x00\n\x1b\u202e'"),
    "letters of other scripts": ("ö 語 🙂", "str", "'ö 語 🙂'"),
    "bytes": (b"\x00\xff", "bytes", r"b'\x00\xff'"),
    "bytearray": (bytearray(b"ab"), "bytearray", "bytearray(b'ab')"),
    "memoryview": (memoryview(b"abc"), "memoryview", "<memory of 3 bytes, format 'B', shape [3]>"),
    "enum member": (Colour.RED, "Colour", "Colour.RED"),
    "flag": (Access.READ | Access.WRITE, "Access", "Access.READ|WRITE"),
    "no flag": (Access(0), "Access", "Access(0)"),
    "int enum": (Level.HIGH, "Level", "Level.HIGH"),
    "signal": (signal.SIGINT, "Signals", "Signals.SIGINT"),
    "int subclass": (Money(3), "Money", "3 EUR"),
    "str subclass": (type("Name", (str,), {})("x"), "Name", "'x'"),
    "function": (snapshot, "function", "<function snapshot>"),
    "lambda": (lambda: 0, "function", "<function <lambda>>"),
    "builtin": (len, "builtin_function_or_method", "<built-in function len>"),
    "builtin method": ([].append, "builtin_function_or_method", "<built-in method append of list object>"),
    "bound method": (ValueTable().add, "method", "<bound method ValueTable.add>"),
    "class": (Plain, "type", "<class 'Plain'>"),
    "enum class": (Colour, type(Colour).__name__, "<class 'Colour'>"),
    "module": (math, "module", "<module math>"),
    "generic alias": (list[int], "GenericAlias", "list[int]"),
    "union": (int | None, type(int | None).__name__, "int | None"),
    "generator": (generator(), "generator", "<generator object generator>"),
    "generator expression": ((i for i in []), "generator", "<generator object <genexpr>>"),
    "list iterator": (iter([1]), "list_iterator", "<list_iterator object>"),
    "map": (map(str, [1]), "map", "<map object>"),
    "zip": (zip([1]), "zip", "<zip object>"),
    "enumerate": (enumerate("a"), "enumerate", "<enumerate object>"),
    "count": (itertools.count(5), "count", "count(5)"),
    "cycle": (itertools.cycle([1]), "cycle", "<cycle object>"),
    "range": (range(0, 10, 2), "range", "range(0, 10, 2)"),
    "slice": (slice(1, None), "slice", "slice(1, None, None)"),
    "ellipsis": (..., "ellipsis", "Ellipsis"),
    "object": (object(), "object", "<object object>"),
    "lock": (threading.Lock(), "lock", "<unlocked _thread.lock object>"),
    "datetime": (datetime.datetime(2026, 1, 2), "datetime", "datetime.datetime(2026, 1, 2, 0, 0)"),
    "timedelta": (datetime.timedelta(1), "timedelta", "datetime.timedelta(days=1)"),
    "path": (pathlib.PurePosixPath("/a/b"), "PurePosixPath", "PurePosixPath('/a/b')"),
    "pattern": (re.compile("a+"), "Pattern", "re.compile('a+')"),
    "match": (re.match("a", "a"), "Match", "<re.Match object; span=(0, 1), match='a'>"),
    "decimal": (decimal.Decimal("1.10"), "Decimal", "Decimal('1.10')"),
    "fraction": (fractions.Fraction(1, 2), "Fraction", "Fraction(1, 2)"),
    "uuid": (uuid.UUID(int=1), "UUID", "UUID('00000000-0000-0000-0000-000000000001')"),
    "itemgetter": (operator.itemgetter(1), "itemgetter", "operator.itemgetter(1)"),
    "context variable": (contextvars.Context(), "Context", "<Context object>"),
    "property": (property(), "property", "<property object>"),
    "closed file": (closed_file(), "StringIO", "<StringIO object>"),
}


@pytest.mark.parametrize("name", SCALARS)
def test_scalar(name):
    value, type_name, text = SCALARS[name]
    shown = snapshot(value)
    assert (shown.type, shown.text, shown.truncated) == (type_name, text, False)


CONTAINERS = {
    "list": ([1, "a"], "list", "[1, 'a']", ["1", "'a'"]),
    "empty list": ([], "list", "[]", []),
    "tuple": ((1, 2), "tuple", "(1, 2)", ["1", "2"]),
    "tuple of one": ((1,), "tuple", "(1,)", ["1"]),
    "set in order": ({10, 9, 1.5, True, "b"}, "set", "{True, 1.5, 9, 10, 'b'}", ["True", "1.5", "9", "10", "'b'"]),
    "set of tuples": ({(2, 1), (1, 2)}, "set", "{(1, 2), (2, 1)}", [["1", "2"], ["2", "1"]]),
    "empty set": (set(), "set", "set()", []),
    "frozenset": (frozenset({1}), "frozenset", "frozenset({1})", ["1"]),
    "deque": (collections.deque([1, 2]), "deque", "deque([1, 2])", ["1", "2"]),
    "array": (array.array("i", [1, 2]), "array", "array([1, 2])", ["1", "2"]),
    "keys": ({"a": 1}.keys(), "dict_keys", "dict_keys(['a'])", ["'a'"]),
    "values": ({"a": 1}.values(), "dict_values", "dict_values([1])", ["1"]),
    "items": ({"a": 1}.items(), "dict_items", "dict_items([('a', 1)])", [["'a'", "1"]]),
    "list subclass": (type("Stack", (list,), {})([1]), "Stack", "Stack([1])", ["1"]),
    "dict": ({"a": [1]}, "dict", "{'a': [1]}", {"'a'": ["1"]}),
    "dict of other keys": ({1: 2, None: 3}, "dict", "{1: 2, None: 3}", {"1": "2", "None": "3"}),
    "defaultdict": (collections.defaultdict(list, a=1), "defaultdict", "defaultdict({'a': 1})", {"'a'": "1"}),
    "counter": (collections.Counter("aab"), "Counter", "Counter({'a': 2, 'b': 1})", {"'a'": "2", "'b'": "1"}),
    "mapping proxy": (types.MappingProxyType({1: 2}), "mappingproxy", "mappingproxy({1: 2})", {"1": "2"}),
    "dataclass": (Point(1), "Point", "Point(x=1, y=2)", {"x": "1", "y": "2", "secret": "'s'"}),
    "namedtuple": (Pair(1, [2]), "Pair", "Pair(left=1, right=[2])", {"left": "1", "right": ["2"]}),
    "typed namedtuple": (Typed(1), "Typed", "Typed(a=1)", {"a": "1"}),
    "namespace": (types.SimpleNamespace(a=1), "SimpleNamespace", "SimpleNamespace(a=1)", {"a": "1"}),
    "instance": (Plain(), "Plain", "<Plain object>", {}),
    "exception": (ValueError("boom"), "ValueError", "ValueError('boom')", {"args": ["'boom'"]}),
    "exception of two": (OSError(0, "a"), "OSError", "OSError(0, 'a')", {"args": ["0", "'a'"]}),
    "exception of none": (KeyError(), "KeyError", "KeyError()", {"args": []}),
    "partial": (functools.partial(int, base=2), "partial", "functools.partial(<class 'int'>, base=2)", {}),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_container(name):
    value, type_name, text, parts = CONTAINERS[name]
    table = ValueTable()
    number = table.add(value)
    shown = table.values[number]
    assert (shown.type, shown.text, shown.truncated) == (type_name, text, False)
    assert resolved(table, number) == parts


def test_ordered_dict_is_read_in_its_own_order():
    ordered = collections.OrderedDict(a=1, b=2)
    ordered.move_to_end("a")
    assert snapshot(ordered).text == "OrderedDict({'b': 2, 'a': 1})"


def test_attributes_are_those_the_object_holds():
    table = ValueTable()
    plain = Plain()
    plain.a, plain._b = 1, [2]
    slotted = Slotted()
    slotted.b = 3
    assert resolved(table, table.add(plain)) == {"a": "1", "_b": ["2"]}
    assert resolved(table, table.add(slotted)) == {"b": "3"}


def test_record_of_the_standard_library():
    shown = snapshot(time.struct_time((2026, 1, 2, 3, 4, 5, 6, 7, 0)))
    assert shown.text.startswith("struct_time(tm_year=2026, tm_mon=1, ")
    assert [name for name, _ in shown.fields][:2] == ["tm_year", "tm_mon"]


def test_open_file_is_named(tmp_path):
    with (tmp_path / "x").open("w", encoding="utf-8") as file:
        assert snapshot(file).text.startswith("<_io.TextIOWrapper name=")


def test_thread_has_no_number_that_changes():
    over = threading.Event()
    thread = threading.Thread(target=over.wait, name="worker")
    thread.start()
    assert snapshot(thread).text == "<Thread(worker, started)>"
    over.set()
    thread.join()


def test_attrs_class_reads_like_a_dataclass():
    attrs = pytest.importorskip("attrs", reason="attrs is not installed")
    table = ValueTable()
    number = table.add(attrs.make_class("Box", ["a"])([1]))
    assert table.values[number].text == "Box(a=[1])"
    assert resolved(table, number) == {"a": ["1"]}


def test_own_display_is_used_and_the_attributes_are_there_too():
    class Told:
        def __init__(self):
            self.a = 1

        def __repr__(self):
            return "two\n  lines"

    shown = snapshot(Told())
    assert (shown.text, [name for name, _ in shown.fields]) == ("two lines", ["a"])


# ---------------------------------------------------------------- bounds


@pytest.mark.parametrize("start", ["x", b"x", bytearray(1), "\0", "é'\""], ids=repr)
def test_long_text_is_cut(start):
    shown = snapshot(start * 10**6)
    assert shown.truncated and display.TEXT - 20 <= len(shown.text) <= display.TEXT
    assert shown.text.rstrip(")").endswith("...")


def test_string_that_just_fits_is_whole():
    assert snapshot("x" * (display.TEXT - 2)).text == repr("x" * (display.TEXT - 2))
    assert not snapshot("x" * (display.TEXT - 2)).truncated


@pytest.mark.parametrize(("value", "text"), [
    (2**20000, "3.9803e+6020... (20001 bits)"), (-(10**5000), "-1.0000e+5000... (16610 bits)"), (10**450, str(10**450)),
], ids=["large", "negative", "fits"])  # fmt: skip
def test_huge_int(value, text):
    assert (snapshot(value).text, snapshot(value).truncated) == (text, "..." in text)


def test_huge_int_takes_no_quadratic_time():
    huge = 1 << 50_000_000
    assert snapshot(huge).truncated
    assert processor_seconds(lambda: snapshot(huge)) < 1  # writing out its digits takes minutes


def test_smallest_limit_of_int_digits_is_respected():
    before = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(640)
        assert isinstance(snapshot(2**1500), Scalar) and isinstance(snapshot(2**4000), Scalar)
        assert "<Money object, repr raised ValueError" in snapshot(Money(10**1000)).text
    finally:
        sys.set_int_max_str_digits(before)


def test_long_containers_show_their_first_parts():
    assert len(snapshot(list(range(10**6))).items) == ITEMS
    assert len(snapshot(dict.fromkeys(range(10**6))).items) == ITEMS
    assert len(snapshot({str(i) for i in range(SORTED)}).items) == ITEMS
    assert snapshot(list(range(10**6))).length == 10**6
    for value in ([0] * 101, dict.fromkeys(range(101)), set(range(101)), collections.deque([0] * 101)):
        assert snapshot(value).truncated and "..." in snapshot(value).text


def test_set_too_large_to_put_in_order_shows_its_size():
    shown = snapshot(set(range(SORTED + 1)))
    assert (shown.text, shown.length, shown.items, shown.truncated) == ("{...}", SORTED + 1, (), True)


def test_sets_read_the_same_in_every_process():
    program = (
        "import msgspec, sys; from engine.values import ValueTable; table = ValueTable();"
        "table.add({str(i) for i in range(300)}); table.add({('a', frozenset('xyz')), ('b', frozenset())});"
        "sys.stdout.buffer.write(msgspec.json.encode(table.values))"
    )
    root = pathlib.Path(__file__).parents[2]
    run = functools.partial(subprocess.run, [sys.executable, "-c", program], capture_output=True, check=True, cwd=root)
    assert len({run(env={"PYTHONHASHSEED": seed}).stdout for seed in ("1", "2", "3")}) == 1


def test_depth_is_bounded():
    value = []
    for _ in range(100_000):
        value = [value]
    shown = snapshot(value)
    assert shown.truncated and shown.text == "[" * (DEPTH + 1) + "..." + "]" * (DEPTH + 1)


def test_exponentially_shared_nesting_is_bounded():
    value = ()
    for _ in range(100):
        value = (value, value)
    table = ValueTable()
    table.add(value)
    assert len(table.values) <= PARTS


def test_parts_are_shared_out_evenly():
    table = ValueTable()
    number = table.add([list(range(i, i + 100)) for i in range(50)])
    shown = [len(table.values[part].items) for part in table.values[number].items]
    assert len(shown) == 50 and min(shown) == PARTS // 50 - 2 and max(shown) == PARTS // 50 - 1
    assert all(table.values[part].truncated for part in table.values[number].items)


def test_wide_objects_are_bounded():
    wide = Plain()
    wide.__dict__.update({f"a{i}": i for i in range(1000)})
    shown = snapshot(wide)
    assert len(shown.fields) == ITEMS and shown.truncated


def test_long_names_are_cut():
    long = type("C" * 10_000, (), {})()
    setattr(long, "a" * 10_000, 1)
    shown = snapshot(long)
    assert len(shown.type) == display.NAME and len(shown.fields[0][0]) == display.NAME


# ---------------------------------------------------------------- cycles


def test_list_that_contains_itself():
    value = [1]
    value.append(value)
    assert snapshot(value).text == "[1, [...]]"


def test_dict_that_contains_itself():
    value = {}
    value["self"] = value
    assert snapshot(value).text == "{'self': {...}}"


def test_objects_that_refer_to_each_other():
    p, q = Point(1), Point(2)
    p.y, q.y = q, p
    assert snapshot(p).text == "Point(x=1, y=Point(x=2, y=Point(...)))"
    assert snapshot(p).truncated


def test_what_occurs_twice_is_no_cycle():
    part = [1]
    assert snapshot([part, part]).text == "[[1], [1]]"


# ---------------------------------------------------------------- the table


def test_equal_values_are_stored_once():
    table = ValueTable()
    assert [table.add([1, "a"]), table.add([1, "a"]), table.add("a")] == [2, 2, 1]
    assert len(table.values) == 3


def test_values_that_compare_equal_and_read_differently_are_kept_apart():
    table = ValueTable()
    alike = (1, True, 1.0, 0.0, -0.0, 0, False, "1", math.nan, math.nan)
    for _ in range(2):
        assert [table.values[table.add(value)].text for value in alike] == [repr(value) for value in alike]
    assert len(table.values) == 9


def test_parts_come_before_what_they_are_part_of():
    table = ValueTable()
    table.add({"a": [Point(1, {2: 3})]})
    for number, value in enumerate(table.values):
        inside = {Sequence: "items", Object: "fields"}.get(type(value))
        parts = getattr(value, inside) if inside else sum(value.items, ()) if isinstance(value, Mapping) else ()
        assert all((part[1] if isinstance(part, tuple) else part) < number for part in parts)


def test_large_strings_are_not_kept_alive():
    table = ValueTable()
    table.add("x" * 10**6)
    assert sum(map(len, table._strings)) == 0


def test_threads_share_a_table():
    table = ValueTable()
    threads = [threading.Thread(target=lambda: [table.add([i, str(i)]) for i in range(500)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(table.values)) == len(table.values) == 1500


# ---------------------------------------------------------------- failures


def test_expression():
    table = ValueTable()
    assert table.values[table.add_expression(lambda: 1 + 1)] == Scalar("int", "2")
    assert table.values[table.add_expression(lambda: 1 / 0)] == Failed("ZeroDivisionError", "division by zero")
    assert table.values[table.add_expression(lambda: {}["a"])] == Failed("KeyError", "'a'")


@pytest.mark.parametrize("ends", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_expression_ends_nothing(ends):
    def evaluate():
        raise ends

    table = ValueTable()
    assert table.values[table.add_expression(evaluate)].type == ends.__name__


def test_message_of_an_error_is_one_bounded_line():
    shown = ValueTable()
    number = shown.add_failed(ValueError("first\n  second " + "x" * 10_000))
    assert shown.values[number].text.startswith("first second xxx") and shown.values[number].truncated


def test_error_that_cannot_say_what_it_is():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError("no")

    table = ValueTable()
    number = table.add_failed(Mute())
    assert table.values[number] == Failed("Mute", "<Mute object, str raised RuntimeError: no>")


def test_stack_that_is_full_costs_the_value_only():
    table, numbers = ValueTable(), []

    def descend():
        numbers.append(table.add([[[Point(1)]]]))
        descend()

    with pytest.raises(RecursionError):
        descend()
    assert table.values[numbers[0]].text == "[[[Point(x=1, y=2)]]]"
    assert any(isinstance(value, Failed) and value.type == "RecursionError" for value in table.values)


def test_mutation_by_another_thread_costs_at_most_the_display():
    busy, stop = {i: i for i in range(50)}, threading.Event()

    def mutate():
        n = 0
        while not stop.is_set():
            n += 1
            busy[n % 1000 + 50] = n
            busy.pop((n * 7) % 1000 + 50, None)

    thread = threading.Thread(target=mutate)
    thread.start()
    try:
        shown = [snapshot(busy) for _ in range(300)]
    finally:
        stop.set()
        thread.join()
    assert {type(value) for value in shown} <= {Mapping, Failed}
    assert Mapping in {type(value) for value in shown}


def test_table_is_strict_json():
    table = ValueTable()
    for value, *_ in [*SCALARS.values(), *CONTAINERS.values()]:
        table.add([value])
    json.loads(msgspec.json.encode(table.values), parse_constant=pytest.fail)



@pytest.mark.parametrize("filler", ["\0", "\\", "\ud800", "\U0010ffff", "'\"", "a\\"], ids=ascii)
@pytest.mark.parametrize("shift", range(12))
def test_literal_is_never_cut_within_an_escape(filler, shift):
    text = snapshot("a" * shift + filler * 1000).text
    assert text.endswith("...")
    assert ("a" * shift + filler * 1000).startswith(ast.literal_eval(text[:-3]))
