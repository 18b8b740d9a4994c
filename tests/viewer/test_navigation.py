"""Where the keys lead."""

from engine.trace import Recording
from tests.viewer.factory import Maker
from tests.viewer.samples import lecture
from viewer.navigation import NOWHERE, moves


def nested() -> Maker:
    """main 0, callee 1 2 with a callee of its own 3, resumed 4, main resumed 5, main 6."""
    made = Maker("\n" * 9)
    main = made.call("main")
    made.step(main, 1)
    inner = made.call("inner", main)
    made.step(inner, 5)
    made.step(inner, 6)
    made.step(made.call("innermost", inner), 9)
    made.step(inner, 6, kind="resume")
    made.step(main, 1, kind="resume")
    made.step(main, 2)
    return made


def test_over_passes_the_calls_of_a_statement():
    assert moves(Recording(nested().trace())).over == [5, 2, 4, 4, 5, 6, NOWHERE]


def test_back_is_over_the_other_way():
    assert moves(Recording(nested().trace())).back == [NOWHERE, 0, 1, 2, 2, 0, 5]


def test_out_leads_to_where_the_caller_goes_on():
    assert moves(Recording(nested().trace())).out == [NOWHERE, 5, 5, 4, 5, NOWHERE, NOWHERE]


def test_threads_do_not_end_each_other():
    made = Maker("\n" * 9)
    main = made.call("main")
    worker = made.call("work", main, thread="worker")
    for activation, line in [(main, 1), (worker, 5), (main, 2), (worker, 6), (main, 3)]:
        made.step(activation, line)
    found = moves(Recording(made.trace()))
    assert found.over == [2, 3, 4, 4, NOWHERE]
    assert found.back == [NOWHERE, NOWHERE, 0, 1, 2]


def test_where_nothing_follows_over_leads_to_the_last_step():
    made = Maker("\n" * 9)
    main = made.call("main")
    made.step(main, 1)
    inner = made.call("inner", main)
    made.step(inner, 5)
    made.step(inner, 6, kind="error")
    assert moves(Recording(made.trace())).over == [2, 2, NOWHERE]


def test_walking_over_shows_a_lecture_in_its_own_statements():
    trace = lecture().trace()
    over, step, lines = moves(Recording(trace)).over, 0, []
    while step != NOWHERE:
        lines.append(trace.places.line[trace.steps.place[step]])
        step = over[step]
    assert lines == [6, 7, 8, 9, 9, 10, 10]


def test_an_empty_recording_leads_nowhere():
    made = Maker("")
    made.step(made.call("main"), 1)
    assert moves(Recording(made.trace())) == moves(Recording(made.trace()))
    assert moves(Recording(made.trace())).over == [NOWHERE]
