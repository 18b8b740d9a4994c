"""Pictures and words of what a program instance reads and writes."""

import re

import msgspec
import pytest

from engine import trace as t
from engine.errors import TraceError
from tests.viewer.samples import lecture
from viewer.accesses import CELLS, HEIGHT, PLANES, SAID, WIDTH, Plane, inside, said
from viewer.lecture import study


def plane(*shape: int, boxes: tuple[t.Slice, ...] | list[tuple[t.Slice, ...]] = ()) -> Plane:
    return Plane(t.Tensor("x", shape, tuple(1 for _ in shape), "torch.float32"), boxes)


def cells(path: str) -> set[tuple[int, int]]:
    """The unit cells that a path covers, none of them twice."""
    found = []
    for left, top, width, height in re.findall(r"M(-?\d+) (-?\d+)h(\d+)v(\d+)h-\3z", path):
        found += [(int(left) + x, int(top) + y) for x in range(int(width)) for y in range(int(height))]
    assert len(found) == len(set(found))
    return set(found)


def test_a_short_vector_is_one_row() -> None:
    assert cells(plane(10).path([((2, 5, 1),)])) == {(2, 0), (3, 0), (4, 0)}


@pytest.mark.parametrize(("start", "stop"), [(0, 256), (256, 300), (100, 101), (70, 120), (64, 128), (500, 1024)])
def test_a_long_vector_is_wrapped_into_rows(start: int, stop: int) -> None:
    drawn = plane(1000, boxes=[((1000, 1024, 1),)])
    assert drawn.row == 64
    assert cells(drawn.path([((start, stop, 1),)])) == {(at % 64, at // 64) for at in range(start, stop)}


def test_what_overhangs_is_in_view() -> None:
    assert plane(1000, boxes=[((1000, 1024, 1),)]).view() == (0, 0, 64, 16)
    assert plane(4, 6, boxes=[((-1, 1, 1), (4, 8, 1))]).view() == (0, -1, 8, 5)


def test_a_matrix_has_rows_and_columns_and_gaps_where_a_box_has_them() -> None:
    drawn = plane(8, 8)
    assert cells(drawn.path([((1, 3, 1), (2, 6, 1))])) == {(x, y) for x in range(2, 6) for y in (1, 2)}
    assert cells(drawn.path([((0, 7, 3), (1, 6, 2))])) == {(x, y) for x in (1, 3, 5) for y in (0, 3, 6)}


def test_a_box_with_too_many_gaps_is_drawn_without_them() -> None:
    assert plane(CELLS * 3).path([((0, 2 * CELLS - 1, 2),)]).count("M") == CELLS
    assert plane(CELLS * 3).path([((0, 2 * CELLS + 1, 2),)]).count("M") < 10


def test_further_dimensions_are_matrices_below_each_other() -> None:
    drawn = plane(2, 3, 2, 4)
    assert cells(drawn.path([((1, 2, 1), (0, 3, 2), (1, 2, 1), (0, 2, 1))])) == {
        (x, 3 * number + 1) for x in (0, 1) for number in (3, 5)
    }
    assert drawn.view() == (0, 0, 4, 6 * 3 - 1)


def test_of_very_many_matrices_the_first_are_drawn_and_that_is_said() -> None:
    drawn = plane(10**9, 2, 2)
    assert drawn.view()[3] == PLANES * 3 - 1
    assert drawn.path([((10**8, 10**8 + 1, 1), (0, 1, 1), (0, 1, 1))]) == ""
    assert f"the first {PLANES} of 1,000,000,000 matrices" in drawn.picture(1)["words"]


def test_a_tensor_without_dimensions_or_elements_has_a_picture_too() -> None:
    assert cells(plane().path([()])) == {(0, 0)}
    sizes = [shape.picture(shape.scale())["size"] for shape in (plane(), plane(0), plane(3, 0))]
    assert sizes == [[14, 14], [14, 14], [14, 42]]


def test_large_tensors_are_scaled_down_and_say_so() -> None:
    large, small = plane(4096, 4096), plane(2, 10)
    picture = large.picture(large.scale())
    assert picture["size"] == [HEIGHT, HEIGHT] and not picture["lines"]
    assert picture["words"] == "float32 [4096, 4096], 1,024 elements a pixel"
    picture = small.picture(small.scale())
    assert picture["size"] == [140, 28] and picture["words"] == "float32 [2, 10]"
    assert picture["lines"].count("v") == 9 and picture["lines"].count("h") == 1


def test_few_long_rows_can_still_be_told_apart() -> None:
    assert plane(3, 4000).picture(0.06)["size"] == [WIDTH, 12]


def test_tensors_of_a_launch_share_a_scale_where_they_are_alike() -> None:
    made = lecture()
    made.tensors = [t.Tensor(name, shape, shape, "float32") for name, shape in (("a", (128, 32)), ("b", (32, 64)))]
    made.accesses.clear()
    made.instances = [msgspec.structs.replace(made.instances[0], accesses=t.Pairs())]
    found = inside(t.Recording(made.trace()))["instances"][0]["tensors"]
    assert [tensor["size"] for tensor in found] == [[32, 128], [64, 32]]


def test_the_page_says_which_instance_does_what() -> None:
    recording = study(lecture().trace(), "small").recording
    [instance] = inside(recording)["instances"]
    assert instance["words"] == "gelu_kernel, program instance (0) of grid (1)"
    who = "gelu_kernel, program instance (0) of grid (1): "
    masked = "[0:60], 60 elements, 4 masked at [60:64], beyond its edge"
    assert said(recording) == {(1, 8): (f"{who}reads x_ptr{masked}",), (1, 9): (f"{who}writes y_ptr{masked}",)}


def test_what_is_said_of_a_line_is_cut() -> None:
    made = lecture()
    made.accesses = [t.Access("read", f"reads {number}", 0) for number in range(SAID + 3)]
    step = made.instances[0].step
    pairs = t.Pairs([step, *[0] * (SAID + 2)], list(range(SAID + 3)))
    made.instances = [msgspec.structs.replace(made.instances[0], accesses=pairs)]
    *_, before, last = said(t.Recording(made.trace()))[(1, 6)]
    assert before.endswith(f"reads {SAID - 1}") and last == "and 3 more accesses"


BROKEN = {
    "step": {"step": 10**6},
    "kernel": {"kernel": 1},
    "tensor": {"tensors": (0, 2)},
    "access": {"accesses": t.Pairs([41], [2])},
    "access's step": {"accesses": t.Pairs([10**6], [0])},
}


@pytest.mark.parametrize("what", BROKEN)
def test_an_instance_that_points_outside_the_tables_is_refused(what: str) -> None:
    trace = lecture().trace()
    trace.instances = [msgspec.structs.replace(trace.instances[0], **BROKEN[what])]
    with pytest.raises(TraceError, match="is damaged"):
        t.decode(t.encode(trace), "trace")


@pytest.mark.parametrize("box", [((0, 1, 1), (0, 1, 1)), ((3, 3, 1),), ((0, 2, 0),), ((0, 2**70, 1),)])
def test_a_box_that_is_none_is_refused(box: tuple[t.Slice, ...]) -> None:
    trace = lecture().trace()
    trace.access_table[0] = msgspec.structs.replace(trace.access_table[0], elements=t.Region(1, (box,)))
    with pytest.raises(TraceError, match="access out of range"):
        t.decode(t.encode(trace), "trace")
