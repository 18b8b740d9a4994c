"""Statements, their executions, and what each execution showed."""

from engine.trace import Recording, Stdout, Text
from tests.viewer.factory import Maker
from tests.viewer.samples import lecture
from viewer.visits import visits


def test_each_pass_of_a_loop_keeps_its_own_output():
    found = visits(Recording(lecture().trace()))
    shown = found.spots[found.by_line[0, 26]]
    assert (shown.steps, shown.group) == ([11, 14, 17, 26, 29, 32], [0, 1, 2, 0, 1, 2])
    assert len(shown.groups) == 3


def test_what_a_resumed_statement_shows_belongs_to_the_visit_that_began_it():
    made = Maker("\n" * 9)
    main = made.call("main")
    made.step(main, 1)
    made.step(made.call("inner", main), 5)
    made.step(main, 1, Text("late"), kind="resume")
    found = visits(Recording(made.trace())).spots[0]
    assert (found.steps, found.groups, found.enters) == ([0], [(0,)], True)


def test_recursion_does_not_mix_the_outputs_of_its_frames():
    made = Maker("\n" * 9)
    outer = made.call("f")
    inner = made.call("f", outer)
    made.step(outer, 1)
    made.step(inner, 1)
    made.step(inner, 1, Stdout("inner"), kind="resume")
    made.step(outer, 1, Stdout("outer"), kind="resume")
    found = visits(Recording(made.trace())).spots[0]
    assert [made.outputs[found.groups[group][0]].text for group in found.group] == ["outer", "inner"]


def test_an_error_belongs_to_the_statement_that_raised_it():
    made = Maker("\n" * 9)
    main = made.call("main")
    made.step(main, 1)
    made.step(main, 1, kind="error")
    assert visits(Recording(made.trace())).spots[0].steps == [0]
