"""The columns that variables are looked up in."""

from engine.trace import Recording
from tests.viewer.factory import Maker
from viewer.variables import CLEARED, variables


def test_events_are_sorted_by_frame_then_name_then_step():
    made = Maker("\n" * 9)
    main = made.call("main")
    made.step(main, 1, values={"x": 1, "y": 2})
    inner = made.call("inner", main)
    made.step(inner, 5, values={"x": 7})
    made.step(main, 2, values={"x": 3}, clear=("y",))
    found = variables(Recording(made.trace()))
    names = [made.names[name] for name in found.name]
    assert (found.frame, names, found.start) == ([0, 0, 1], ["x", "y", "x"], [0, 2, 4, 5])
    assert found.step == [0, 2, 0, 2, 1]
    texts = [value if value == CLEARED else made.values[value].text for value in found.value]
    assert texts == ["1", "3", "2", CLEARED, "7"]


def test_a_generator_keeps_its_variables_when_another_caller_resumes_it():
    made = Maker("\n" * 9)
    main = made.call("main")
    first = made.call("numbers", main, frame=9)
    made.step(first, 5, values={"n": 1})
    second = made.call("numbers", main, frame=9)
    made.step(second, 6, values={"n": 2})
    found = variables(Recording(made.trace()))
    assert (found.frame, found.step) == ([9], [0, 1])
