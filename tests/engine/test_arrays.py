"""Arrays of numpy: what is recorded of each element type, shape and layout. Tensors are in test_tensors.py."""

import json
import math
import sys
import tracemalloc
import types

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import display
from engine.cells import SMALL
from engine.elements import EXACT, GRID, THIN, spacing
from engine.trace import Array, Scalar, Stats
from engine.values import SAMPLED, ValueTable
from tests.clocks import processor_seconds
from tests.engine.snapshots import snapshot

numpy = pytest.importorskip("numpy", reason="numpy is not installed")

from hypothesis.extra.numpy import (  # noqa: E402
    array_dtypes,
    array_shapes,
    arrays,
    basic_indices,
    byte_string_dtypes,
    datetime64_dtypes,
    scalar_dtypes,
    unicode_string_dtypes,
)

ELEMENTS = {
    "bool": (numpy.array([True, False]), [True, False]),
    "int8": (numpy.array([-1, 2], "int8"), [-1, 2]),
    "uint64": (numpy.array([2**64 - 1], "uint64"), ["18446744073709551615"]),
    "float16": (numpy.array([0.1], "float16"), [0.099976]),
    "float32": (numpy.array([0.1, 3], "float32"), [0.1, 3.0]),
    "float64": (numpy.array([0.1 + 0.2]), [0.30000000000000004]),
    "longdouble": (numpy.array([0.5], "longdouble"), [0.5]),
    "big endian": (numpy.array([0.1], ">f4"), [0.1]),
    "not finite": (numpy.array([math.nan, math.inf, -math.inf]), ["nan", "inf", "-inf"]),
    "complex64": (numpy.array([1 - 2j], "complex64"), ["1-2j"]),
    "complex128": (numpy.array([complex(0.1, math.nan)]), ["0.1+nanj"]),
    "bytes": (numpy.array([b"ab"]), ["b'ab'"]),
    "str": (numpy.array(["a\0b", "\ud800"]), [r"a\x00b", r"\ud800"]),
    "datetime": (numpy.array(["2026-01-02", "NaT"], "datetime64[D]"), ["2026-01-02", "NaT"]),
    "datetime in nanoseconds": (numpy.array([1], "datetime64[ns]"), ["1970-01-01T00:00:00.000000001"]),
    "void": (numpy.zeros(1, "V2"), [r"b'\x00\x00'"]),
    "object": (numpy.array([1, "a", None, object(), int]), [1, "a", None, "<object object>", "<class 'int'>"]),
    "records": (numpy.array([(1, 0.5, b"x")], "i4,f4,S1"), [[1, 0.5, "b'x'"]]),
    "records with arrays": (numpy.zeros(1, [("a", "i4", (2, 2))]), [[[[0, 0], [0, 0]]]]),
    "masked": (numpy.ma.array([1.0, 2.0], mask=[True, False]), [None, 2.0]),
    "nested": (numpy.arange(6).reshape(2, 3), [[0, 1, 2], [3, 4, 5]]),
    "three dimensions": (numpy.arange(4).reshape(2, 1, 2), [[[0, 1]], [[2, 3]]]),
    "reversed": (numpy.arange(3)[::-1], [2, 1, 0]),
    "transposed": (numpy.arange(4).reshape(2, 2).T, [[0, 2], [1, 3]]),
    "broadcast": (numpy.broadcast_to(7, (2, 2)), [[7, 7], [7, 7]]),
    "field of records": (numpy.array([(1, 2.5)], "i1,f8")["f1"], [2.5]),
    "0 dimensions": (numpy.array(3), 3),
    "empty": (numpy.zeros(0), []),
    "empty rows": (numpy.zeros((2, 0)), [[], []]),
    "a million empty rows": (numpy.zeros((10**6, 0)), []),
}


@pytest.mark.parametrize("name", ELEMENTS)
def test_elements(name):
    value, data = ELEMENTS[name]
    shown = snapshot(value)
    assert isinstance(shown, Array) and not shown.truncated and shown.sample is None
    assert (shown.type, shown.shape, shown.dtype) == (type(value).__name__, value.shape, str(value.dtype))
    assert json.dumps(shown.data) == json.dumps(data)  # 1, 1.0 and True are told apart


def test_elements_of_an_object_array_are_not_asked_for_their_display():
    class Odd:
        def __repr__(self):
            raise AssertionError("asked")

    endless = ()
    for _ in range(100):
        endless = (endless, endless)
    array = numpy.empty(3, object)
    array[:] = [Odd(), [array], endless]
    assert snapshot(array).data[:2] == ["<Odd object>", "<list object>"]


@pytest.mark.parametrize(("value", "text"), [
    (numpy.zeros((2, 3), "float32"), "float32 [2, 3]"), (numpy.float32(0.1), "0.1"), (numpy.float64(1e-320), "1e-320"),
    (numpy.int64(-3), "-3"), (numpy.bool_(True), "True"), (numpy.complex64(1j), "0+1j"), (numpy.array(math.nan), "nan"),
    (numpy.datetime64("2026-01-02"), "2026-01-02"), (numpy.array("a\nb"), r"a\nb"), (numpy.ma.masked, "masked"),
    (numpy.array(["a"]), "<U1 [1]"),
], ids=range(11))  # fmt: skip
def test_text(value, text):
    assert snapshot(value).text == text


def test_scalars_of_numpy_have_an_element_type_and_no_dimensions():
    shown = snapshot(numpy.float32(0.5))
    assert shown == Array("float32", "0.5", (), "float32", stride=(), data=0.5)
    assert snapshot(numpy.str_("a")) == Scalar("str_", "'a'") and snapshot(numpy.bytes_(b"a")).text == "b'a'"
    assert snapshot([numpy.str_("a"), {numpy.str_("b"): 1}]).text == "['a', {'b': 1}]"


RECORD = numpy.dtype([("a", "i4"), ("b", "m8[s]"), ("c", "f4", (2,)), ("d", [("e", "M8[ns]")])])


def masked_record():
    made = numpy.ma.zeros(1, RECORD)
    made["a"], made["c"][0, 1] = numpy.ma.masked, numpy.ma.masked
    return made


@pytest.mark.parametrize(("array", "data"), [
    (numpy.array(["1e4000", "1.5"], "g"), ["1e+4000", 1.5]), (numpy.array([1.5 + 2j], "G"), ["1.5+2j"]),
    (numpy.array([2**62], "m8[as]"), ["4611686018427387904 attoseconds"]),
    (numpy.zeros(1, RECORD), [[0, "0 seconds", [0.0, 0.0], ["1970-01-01T00:00:00.000000000"]]]),
    (masked_record(), [[None, "0 seconds", [0.0, None], ["1970-01-01T00:00:00.000000000"]]]),
    (masked_record()[0], [None, "0 seconds", [0.0, None], ["1970-01-01T00:00:00.000000000"]]),
    (numpy.array([numpy.float32(0.1), numpy.str_("a"), numpy.datetime64("2026"), numpy.int8(3), numpy.void(b"a")], "O"),
     [0.1, "a", "2026", 3, "b'a'"]),
], ids=["long double", "long complex", "long timedelta", "record", "masked record", "one", "scalars"])  # fmt: skip
def test_elements_that_python_has_no_number_for(array, data):
    assert snapshot(array).data == data


@pytest.mark.parametrize(("array", "stride"), [
    (numpy.zeros((2, 3), "i2"), (3, 1)), (numpy.zeros((2, 3)).T, (1, 3)), (numpy.zeros(5)[::-2], (-2,)),
    (numpy.zeros(2, "i1,f8")["f1"], None), (numpy.zeros(2, "V0"), None),
], ids=range(5))  # fmt: skip
def test_stride_counts_elements(array, stride):
    assert snapshot(array).stride == stride


def test_large_array_is_sampled_evenly():
    shown = snapshot(numpy.arange(48 * 96).reshape(48, 96))
    assert shown.data is None and shown.truncated
    assert len(shown.sample) == GRID and all(len(row) == GRID for row in shown.sample)
    assert shown.sample[0][:3] == [1, 5, 9] and shown.sample[1][:2] == [2 * 96 + 1, 2 * 96 + 5]
    assert shown.stats == Stats(0, 48 * 96 - 1, (48 * 96 - 1) / 2, 0, 0, 48 * 96)


SHAPES = [(65,), (1000,), (10**5,), (1, 100), (5, 5, 5), (2, 3, 4, 5), (2,) * 8, (100, 1, 1, 100), (3, 10**4)]


@pytest.mark.parametrize("shape", SHAPES)
def test_sample_of_any_shape(shape):
    array = numpy.arange(math.prod(shape)).reshape(shape)
    sample = snapshot(array).sample
    flat = [element for row in sample for element in row]
    assert 1 <= len(sample) <= GRID and 1 <= len(sample[0]) <= GRID
    assert flat == sorted(set(flat)) and set(flat) <= set(range(array.size))
    assert len({b - a for a, b in zip(sample[0], sample[0][1:], strict=False)}) <= 1


def test_sample_is_short():
    sample = snapshot(numpy.array([[1 / 3, 2.0, 123456.0, 1e-7, math.nan]] * 20)).sample
    assert sample[0] == [0.333, 2, 123000, 1e-07, "nan"]


@pytest.mark.parametrize("limit", [1, 2, 10, 1000, THIN])
@pytest.mark.parametrize("shape", [(1,), (10**9,), (3, 10**6), (7, 7, 7, 7), (10**4,) * 3, (2,) * 20])
def test_spacing_keeps_to_its_limit(shape, limit):
    counts = [len(range(*part.indices(length))) for part, length in zip(spacing(shape, limit), shape, strict=True)]
    assert 1 <= math.prod(counts) <= limit


def test_statistics_leave_out_what_is_not_finite():
    array = numpy.array([math.nan, math.inf, -math.inf, 1, 3])
    assert snapshot(array).stats == Stats(1, 3, 2, nan=1, inf=2, count=5)
    assert snapshot(numpy.full(5, math.nan)).stats == Stats(None, None, None, nan=5, inf=0, count=5)
    complexes = numpy.array([complex(math.nan, math.inf), complex(0, math.inf), 0])
    assert snapshot(complexes).stats == Stats(None, None, None, 1, 1, 3)
    assert snapshot(numpy.array(["a"])).stats is None


def test_statistics_of_numbers_that_overflow():
    assert snapshot(numpy.full(100, 1e308)).stats == Stats(1e308, 1e308, None, 0, 0, 100)
    assert snapshot(numpy.full(100, 60000, "float16")).stats.mean == 60000
    assert snapshot(numpy.array([-128, 127], "int8")).stats == Stats(-128, 127, -0.5, 0, 0, 2)
    assert snapshot(numpy.array([True, False, False, False])).stats == Stats(0, 1, 0.25, 0, 0, 4)


def test_statistics_of_very_many_elements_are_over_a_sample():
    exact, thin = numpy.ones(EXACT), numpy.ones((1200, 1000))
    assert snapshot(exact).stats.count == EXACT
    assert THIN / 2 <= snapshot(thin).stats.count <= THIN


def test_masked_elements_do_not_count():
    array = numpy.ma.array(numpy.arange(1000.0), mask=numpy.arange(1000) % 2 == 0)
    assert snapshot(array).stats == Stats(1, 999, 500, 0, 0, 500)
    assert snapshot(numpy.ma.array([1.0, 2.0])).data == [1.0, 2.0]
    assert snapshot(numpy.ma.masked_all(100)).stats == Stats(None, None, None, 0, 0, 0)


def test_subclass_is_looked_at_as_the_array_it_is():
    class Loud(numpy.ndarray):
        def _refuse(self, *args, **kwargs):
            raise AssertionError("asked")

        __repr__ = __str__ = __len__ = __iter__ = __getitem__ = __array_ufunc__ = __array_function__ = tolist = _refuse
        shape = dtype = strides = property(_refuse)

    loud = numpy.arange(3).view(Loud)
    Loud.__array_finalize__ = Loud._refuse
    shown = snapshot(loud)
    assert (shown.type, shown.data) == ("Loud", [0, 1, 2])


def test_array_is_copied_only_as_far_as_it_is_shown():
    array = numpy.zeros((4096, 4096), "float32")
    snapshot(array)
    tracemalloc.start()
    snapshot(array)
    snapshot(array.T)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000 < array.nbytes


def test_large_array_is_looked_at_sooner_than_its_elements_are_added_up():
    array = numpy.zeros((4096, 4096), "float32")
    assert processor_seconds(lambda: snapshot(array)) < processor_seconds(array.sum)
    assert len(msgspec.json.encode(snapshot(array))) < 2_000


def test_arrays_that_read_differently_are_kept_apart():
    table = ValueTable()
    alike = [numpy.array([1]), numpy.array([1.0]), numpy.array([True]), numpy.array([0.0]), numpy.array([-0.0])]
    assert len({table.add(array) for array in alike * 2}) == 5 == len(table.values)


def test_only_some_of_many_large_arrays_are_sampled():
    table = ValueTable()
    table.add([numpy.full(SMALL + 1, i) for i in range(50)] + [numpy.array(i) for i in range(40)])
    arrays = [value for value in table.values if isinstance(value, Array)]
    assert sum(array.sample is not None for array in arrays) == SAMPLED
    assert sum(array.data is not None for array in arrays) == 40


def test_list_of_arrays_is_not_cut():
    table = ValueTable()
    shown = table.values[table.add([numpy.zeros(1000)])]
    assert (shown.text, shown.truncated) == ("[float64 [1000]]", False)


def test_array_whose_library_keeps_it_on_a_device_shows_its_layout(monkeypatch):
    class Kept:
        shape, dtype = (2, 3), "float32"

        def __array__(self):
            raise AssertionError("copied")

    class Symbolic(Kept):
        shape = ("n",)

    monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(ndarray=Kept))
    assert snapshot(Kept()) == Array("Kept", "float32 [2, 3]", (2, 3), "float32", truncated=True)
    assert snapshot(Symbolic()) == Scalar("Symbolic", "<Symbolic object>")


ANY_ARRAY = arrays(
    scalar_dtypes() | unicode_string_dtypes() | byte_string_dtypes() | datetime64_dtypes() | array_dtypes(),
    array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6),
    fill=st.nothing(),
)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(ANY_ARRAY, st.data())
def test_any_array_is_bounded_strict_json_and_the_same_twice(array, data):
    if array.ndim:
        array = array[data.draw(basic_indices(array.shape, allow_newaxis=True, allow_ellipsis=False))]
    shown = snapshot(array)
    assert msgspec.json.encode(shown) == msgspec.json.encode(snapshot(array))
    assert len(shown.text) <= display.TEXT and len(msgspec.json.encode(shown)) < 100_000
    if isinstance(shown, Array):
        assert shown.shape == array.shape and (shown.data is None) == shown.truncated == (shown.sample is not None)
        assert shown.sample is None or (len(shown.sample) <= GRID and all(len(row) <= GRID for row in shown.sample))
