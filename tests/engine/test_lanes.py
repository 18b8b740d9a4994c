"""engine.lanes and engine.regions: from pointers and a mask to elements, on tensors laid out in every way."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

np = pytest.importorskip("numpy", reason="Triton's interpreter works on numpy arrays")

from engine.lanes import Memory, accesses  # noqa: E402
from engine.regions import BOXES, region  # noqa: E402
from engine.trace import Tensor  # noqa: E402

ADDRESS, ITEMSIZE = 4096, 4


def memory(array, name="x") -> Memory:
    """A numpy array of int32 laid out like `array`, whose elements are their own distances from the first."""
    strides = tuple(stride // array.itemsize for stride in array.strides)
    return Memory(Tensor(name, array.shape, strides, "int32"), ADDRESS, ITEMSIZE)


def access(array, elements, mask=None):
    """A read of the elements that far from the first."""
    [(number, found)] = accesses("read", ADDRESS + ITEMSIZE * np.asarray(elements), mask, [memory(array)], 0)
    assert number == 0
    return found


def cover(boxes) -> list[tuple[int, ...]]:
    return [place for box in boxes for place in product(*(range(*along) for along in box))]


places = st.integers(1, 3).flatmap(
    lambda dimensions: st.lists(st.tuples(*[st.integers(-3, 9)] * dimensions), min_size=1, max_size=80)
)


@settings(max_examples=100)
@given(places)
def test_boxes_hold_each_place_once_and_no_other(found) -> None:
    shown = region(np.array(found, np.int64).T)
    covered = cover(shown.boxes)
    assert shown.count == len(set(found)) and len(covered) == len(set(covered))
    assert set(covered) == set(found) or (shown.truncated and set(covered) < set(found) and len(shown.boxes) == BOXES)


@pytest.mark.parametrize(
    ("found", "boxes"),
    [
        (np.arange(6)[None], [((0, 6, 1),)]),
        (np.arange(0, 12, 3)[None], [((0, 10, 3),)]),
        (np.array([[0, 1, 7]]), [((0, 2, 1),), ((7, 8, 1),)]),
        (np.divmod(np.arange(7, 35), 10), [((0, 1, 1), (7, 10, 1)), ((1, 3, 1), (0, 10, 1)), ((3, 4, 1), (0, 5, 1))]),
        (np.zeros((0, 3), np.int64), [()]),
    ],
    ids=["run", "strided run", "two runs", "the middle of a matrix's elements", "a tensor without dimensions"],
)
def test_boxes_are_few(found, boxes) -> None:
    assert list(region(np.array(found)).boxes) == boxes


def test_many_boxes_are_cut_and_counted() -> None:
    shown = region(np.arange(0, 1000)[None] ** 2)
    assert (shown.count, len(shown.boxes), shown.truncated) == (1000, BOXES, True)
    assert region(np.array([[0, 2**61], [0, 2**61]])).truncated


LAYOUTS = {
    "vector": np.zeros(30, np.int32),
    "matrix": np.zeros((5, 6), np.int32),
    "transposed": np.zeros((5, 6), np.int32).T,
    "every other column": np.zeros((5, 12), np.int32)[:, ::2],
    "rows of a wider matrix": np.zeros((5, 9), np.int32)[:, 1:7],
    "three dimensions, the middle one last": np.zeros((2, 3, 4), np.int32).swapaxes(1, 2),
    "one row": np.zeros((1, 7), np.int32),
    "one column": np.zeros((7, 1), np.int32),
    "no dimension": np.zeros((), np.int32),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_address_is_the_element_whose_it_is(layout: str) -> None:
    array = LAYOUTS[layout]
    where = [tuple(map(int, place)) for place in np.ndindex(array.shape)]
    strides = [stride // ITEMSIZE for stride in array.strides]
    elements = [sum(at * stride for at, stride in zip(place, strides, strict=True)) for place in where]
    for place, element in zip(where, elements, strict=True):
        assert cover(access(array, [element]).elements.boxes) == [place]
    assert set(cover(access(array, elements).elements.boxes)) == set(where)
    others = sorted({-1, max(elements) + 1, *range(max(elements))} - set(elements))
    assert access(array, others).outside == len(others)


def test_an_expanded_dimension_is_its_first_element() -> None:
    row = np.broadcast_to(np.zeros(4, np.int32), (3, 4))
    assert access(row, np.arange(4)).elements.boxes == (((0, 1, 1), (0, 4, 1)),)


def test_a_tensor_without_elements_has_none_to_reach() -> None:
    assert access(np.zeros((0, 4), np.int32), [0, 1]).outside == 2


@pytest.mark.parametrize("transposed", [False, True])
def test_a_tile_that_overhangs_goes_on_in_its_own_rows_and_columns(transposed: bool) -> None:
    array = np.zeros((10, 7), np.int32)
    array = array.T.copy().T if transposed else array
    stride_row, stride_column = (stride // ITEMSIZE for stride in array.strides)
    rows, columns = 8 + np.arange(4)[:, None], 4 + np.arange(8)[None, :]
    found = access(array, rows * stride_row + columns * stride_column, (rows < 10) & (columns < 7))
    assert set(cover(found.elements.boxes)) == set(product((8, 9), (4, 5, 6)))
    assert set(cover(found.masked.boxes)) == set(product(range(8, 12), range(4, 12))) - set(product((8, 9), (4, 5, 6)))
    assert found.text == ("reads x[8:10, 4:7], 6 elements, 26 masked at [8:10, 7:12] and [10:12, 4:12], "
                          "beyond its edge")  # fmt: skip


def test_a_tile_of_one_row_at_work_goes_on_by_its_addresses() -> None:
    rows, columns = np.arange(3, 7)[:, None], np.arange(-1, 3)[None, :]
    found = access(np.zeros((4, 6), np.int32), rows * 6 + columns, (rows < 4) & (columns >= 0))
    assert found.text == "reads x[3, 0:3], 3 elements, 13 masked at [3, -1] and [4:7, -1:3], beyond its edge"


def test_masked_lanes_of_no_grid_are_where_they_point() -> None:
    found = access(np.zeros(8, np.int32), [1, 5, 2, 90], [True, True, False, False])
    assert found.text == "reads x[1] and x[5], 2 elements, 2 masked at [2], 1 of them outside it"
    assert (found.masked_lanes, found.masked_outside) == (2, 1)


def test_all_masked() -> None:
    found = access(np.zeros(8, np.int32), np.arange(4), np.zeros(4, bool))
    assert found.text == "reads nothing of x, 4 masked at [0:4]"


def test_pointers_of_unknown_origin_belong_to_the_tensor_with_such_an_element() -> None:
    tensors = [memory(np.zeros(4, np.int32)), Memory(Tensor("y", (4,), (1,), "int32"), ADDRESS + 100, ITEMSIZE)]
    pointers = np.array([ADDRESS, ADDRESS + 104, ADDRESS + 4, 8], np.uint64)
    found = list(accesses("write", pointers, None, tensors, None))
    assert [(number, one.text) for number, one in found] == [
        (0, "writes x[0:2], 2 elements"),
        (1, "writes y[1], 1 element"),
        (-1, "writes outside every tensor of the launch, 1 lane"),
    ]
    [(number, masked)] = accesses("write", pointers[3:], np.array([False]), tensors, None)
    assert (number, masked.text) == (-1, "writes nothing, 1 masked")


def test_many_parts_are_counted_in_words() -> None:
    assert access(np.zeros(99, np.int32), [0, 1, 10, 20, 30, 40, 50, 61]).text == (
        "reads x[0:2] and x[10] and x[20] and 4 more parts, 8 elements"
    )


def test_parts_that_are_left_out_are_said() -> None:
    assert access(np.zeros(10**6, np.int32), np.arange(1, 1000) ** 2).text == (
        "reads x[1] and x[4] and x[9] and further parts (the first 256 are recorded), 999 elements"
    )
