"""Whatever is nested in whatever: bounded strict JSON, the same twice, and nobody's code is run.

Each property is tried on 200 generated values (`EXAMPLES`).
"""

import collections
import json
import types
from dataclasses import dataclass

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import display
from engine.trace import Mapping, Object, Sequence
from engine.values import PARTS, ValueTable
from tests.engine import hostile

EXAMPLES = settings(max_examples=200)


@dataclass(eq=False)
class Box:
    content: object
    label: str = "box"


Pair = collections.namedtuple("Pair", "left right")


class Plain:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


plain = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(min_value=10**300), st.just(20_000).map(lambda n: 1 << n),
    st.floats(), st.complex_numbers(), st.text(st.characters()), st.binary(), st.text(min_size=600), st.dates(),
    st.timedeltas(), st.fractions(), st.decimals(allow_nan=False),
)  # fmt: skip
odd = st.sampled_from([len, int, hostile.instance, types, ..., object(), range(10**9), slice(1), Plain])
hashable = st.recursive(plain, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=4), max_leaves=6)


def nested(inner):
    named = st.dictionaries(st.text(max_size=5), inner, max_size=3)
    pairs = st.lists(st.tuples(hashable, inner), max_size=3)
    lists = st.lists(inner, max_size=6)
    return st.one_of(
        lists, lists.map(tuple), lists.map(collections.deque), st.builds(Box, inner), st.builds(Pair, inner, inner),
        st.builds(ValueError, inner), st.sets(hashable, max_size=5), st.dictionaries(hashable, inner, max_size=5),
        pairs.map(collections.OrderedDict), pairs.map(dict).map(types.MappingProxyType),
        named.map(lambda names: types.SimpleNamespace(**names)), named.map(lambda names: Plain(**names)),
    )  # fmt: skip


tree = st.recursive(plain | odd, nested, max_leaves=40)


@st.composite
def graphs(draw):
    """Containers that contain each other in any way, themselves included."""
    count = draw(st.integers(1, 6))
    made = [draw(st.sampled_from([list, dict, Plain, collections.deque]))() for _ in range(count)]
    for one, other in draw(st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=20)):
        container = made[one]
        if isinstance(container, dict):
            container[len(container)] = made[other]
        elif isinstance(container, Plain):
            container.__dict__[f"a{len(container.__dict__)}"] = made[other]
        else:
            container.append(made[other])
    return made[0]


def recorded(value):
    table = ValueTable()
    number = table.add(value)
    assert number == len(table.values) - 1 or number < len(table.values)
    return table


def parts(value):
    """Numbers of a value's parts."""
    if isinstance(value, Sequence):
        return list(value.items)
    if isinstance(value, Mapping):
        return [number for pair in value.items for number in pair]
    return [number for _, number in value.fields] if isinstance(value, Object) else []


def check(table):
    """A table is strict JSON, bounded, and ordered."""
    raw = msgspec.json.encode(table.values)
    json.loads(raw.decode("utf-8", "strict"), parse_constant=pytest.fail)
    assert len(table.values) <= PARTS
    for number, value in enumerate(table.values):
        assert len(value.text) <= display.TEXT and "\n" not in value.text and value.text.isprintable()
        assert len(value.type) <= display.NAME
        assert all(part < number for part in parts(value))
        assert value.truncated or not any(table.values[part].truncated for part in parts(value))
    return raw


@EXAMPLES
@given(tree)
def test_any_nesting_is_bounded_strict_json_and_the_same_twice(value):
    assert check(recorded(value)) == check(recorded(value))


@EXAMPLES
@given(graphs())
def test_any_graph_is_bounded_strict_json_and_the_same_twice(value):
    assert check(recorded(value)) == check(recorded(value))


MAKERS = {
    "list": list,
    "tuple": tuple,
    "deque": collections.deque,
    "box": Box,
    "dict": lambda parts: dict(enumerate(parts)),
    "values": lambda parts: dict(enumerate(parts)).values(),
    "object": lambda parts: Plain(**{f"a{i}": part for i, part in enumerate(parts)}),
    "error": lambda parts: ValueError(*parts),
    "namespace": lambda parts: types.SimpleNamespace(a=parts),
}
"Containers that may hold anything, by name."

recipes = st.recursive(
    st.integers(0, len(hostile.EVERYONE) - 1),
    lambda inner: st.tuples(st.sampled_from(sorted(MAKERS)), st.lists(inner, max_size=4)),
    max_leaves=12,
)
"What to nest in what; hypothesis itself would call the hooks of the objects."


def made(recipe):
    """The object a recipe describes."""
    if isinstance(recipe, int):
        return hostile.EVERYONE[recipe]()
    kind, parts = recipe
    return MAKERS[kind]([made(part) for part in parts])


@EXAMPLES
@given(recipes)
def test_nobody_is_called(recipe):
    value = made(recipe)
    hostile.calls.clear()
    check(recorded(value))
    assert hostile.calls == []


@pytest.mark.parametrize("index", range(len(hostile.EVERYONE)))
def test_each_hostile_class_is_read_as_what_it_is(index):
    value = hostile.EVERYONE[index]()
    hostile.calls.clear()
    table = recorded(value)
    shown = table.values[-1]
    assert hostile.calls == []
    assert shown.type.startswith("Hostile") or shown == msgspec.structs.replace(shown, type="Meta")


@EXAMPLES
@given(st.lists(st.integers(), min_size=1))
def test_no_iterator_is_advanced(numbers):
    generator = (n for n in numbers)
    iterators = [iter(numbers), map(abs, numbers), generator, zip(numbers), enumerate(numbers), reversed(numbers)]
    recorded(iterators)
    consumed = [list(iterator) for iterator in iterators]
    assert consumed == [
        numbers, [abs(n) for n in numbers], numbers, [(n,) for n in numbers], list(enumerate(numbers)), numbers[::-1]
    ]  # fmt: skip


def test_the_hooks_do_note_calls():
    hostile.calls.clear()
    with pytest.raises(RuntimeError):
        len(hostile.instance(list, [1]))
    assert hostile.calls == [("list", "__len__")]
