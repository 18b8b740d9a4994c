"""A lecture's page, before it is HTML."""

import pytest

from engine import trace as t
from tests.viewer.factory import Maker
from tests.viewer.samples import lecture
from viewer.lecture import INLINE_GROUPS, page, study
from viewer.pages import LecturePage, Row
from viewer.urls import Urls


def shown(made: Maker, notes: bool = True) -> LecturePage:
    return page(study(made.trace(), "small"), Urls(), "r1", notes=notes)


def row(made: Maker, line: int) -> Row:
    return shown(made).files[0].rows[line - 1]


def test_every_line_is_on_the_page():
    made = lecture()
    assert [row.line for row in shown(made).files[0].rows] == list(range(1, made.source.count("\n") + 1))


def test_kinds_of_lines():
    wanted = {1: "code", 3: "blank", 5: "head", 6: "prose", 17: "comment", 18: "code", 33: "more", 40: "unrun"}
    assert {line: row(lecture(), line).kind for line in wanted} == wanted


def test_outputs_stand_after_the_last_line_of_their_statement():
    made = Maker("text(\n    '# A'\n)\n")
    made.step(made.call("main"), 1, t.Text("# A"), end_line=3)
    rows = shown(made).files[0].rows
    assert [row.kind for row in rows] == ["prose"] * 3
    assert [len(row.slots) for row in rows] == [0, 0, 1]


def test_a_call_that_only_prints_stays_code():
    assert row(lecture(), 26).kind == "code"
    assert row(lecture(), 26).slots[0].groups[1].passes == "2 passes"


def test_an_assignment_that_shows_something_stays_code():
    made = Maker("y = show(x)\n")
    made.step(made.call("main"), 1, t.Text("a"))
    assert row(made, 1).kind == "code" and row(made, 1).slots


def test_the_pass_of_each_output_is_named():
    groups = row(lecture(), 19).slots[0].groups
    assert [group.passes for group in groups] == ["Pass 1 of 2", "Pass 2 of 2"]


def test_a_statement_with_many_passes_leaves_most_of_them_out_and_says_so():
    made = Maker("print(i)\n")
    main = made.call("main")
    for number in range(500):
        made.step(main, 1, t.Stdout(f"{number}\n"))
    (slot,) = row(made, 1).slots
    assert (len(slot.groups), slot.rest, slot.visits) == (INLINE_GROUPS, 460, 500)


def test_notes_are_left_out_unless_asked_for():
    with_notes, without = (shown(lecture(), notes).files[0].rows[7] for notes in (True, False))
    assert with_notes.slots[0].groups[0].outputs == (t.Note("Say hello."),) and not with_notes.hidden
    assert without.slots == () and without.hidden


@pytest.mark.parametrize(
    ("source", "end", "hidden"),
    [
        ("text('a'); note('b')\n", 1, [True]),
        ("say('a', 'b')\n", 1, [True]),
        ("text(\n    'a'\n); note('b')\n", 3, [True, True, True]),
        ("x = say('a', 'b')\n", 1, [False]),
    ],
)
def test_of_a_statement_that_makes_a_note_and_a_text_the_text_is_left(source: str, end: int, hidden: list[bool]):
    made = Maker(source)
    made.step(made.call("main"), 1, t.Text("a"), t.Note("b"), end_line=end)
    rows = shown(made, notes=False).files[0].rows
    assert [row.hidden for row in rows] == hidden
    assert [group.outputs for slot in rows[-1].slots for group in slot.groups] == [(t.Text("a"),)]


def test_a_note_that_begins_where_a_text_ends_takes_nothing_with_it():
    made = Maker("text(\n    'a'\n); note(\n    'b')\n")
    main = made.call("main")
    made.step(main, 1, t.Text("a"), end_line=3)
    made.step(main, 3, t.Note("b"), end_line=4)
    rows = shown(made, notes=False).files[0].rows
    assert [row.hidden for row in rows] == [False, False, True, True]
    assert [slot.groups[0].outputs for row in rows for slot in row.slots] == [(t.Text("a"),)] and rows[2].slots


def test_a_line_is_ahead_until_its_statement_is_reached():
    made = lecture()
    reach = {line: row(made, line).reach for line in (5, 6, 9, 13, 14, 17, 20, 39, 40)}
    assert reach == {5: 0, 6: 0, 9: 3, 13: 4, 14: 4, 17: 6, 20: 20, 39: -1, 40: -1}


def test_a_slot_of_notes_alone_is_told_from_one_that_shows_more():
    made = Maker("note('a')\nboth()\n")
    main = made.call("main")
    made.step(main, 1, t.Note("a"))
    made.step(main, 2, t.Note("a"), t.Text("b"))
    assert [row(made, line).slots[0].only_notes for line in (1, 2)] == [True, False]


def test_a_warning_stands_at_its_line_and_at_the_outputs_that_replace_it():
    made = Maker("text(\n    'a'\n)\nx = 1\n")
    main = made.call("main")
    made.step(main, 1, t.Text("a"), end_line=3)
    made.step(main, 4)
    here, elsewhere = t.Warning("here", "lecture.py", 2), t.Warning("there", "other.py", 2)
    made.warnings += [here, elsewhere, t.Warning("nowhere")]
    assert [found.warnings for found in shown(made).files[0].rows] == [(), (here,), (), ()]
    assert row(made, 3).slots[0].warnings == (here,)


def test_hidden_lines_are_marked():
    made = Maker("a\nb\n")
    made.files[0] = t.File("lecture.py", "a\nb\n", hidden=(2,))
    made.step(made.call("main"), 1)
    assert [row.hidden for row in shown(made).files[0].rows] == [False, True]


def test_the_lecture_comes_first_and_other_files_after_it():
    made = lecture()
    made.files.reverse()
    for number, place in enumerate(made.places):
        made.places[number] = (place[0], 1 - place[1], *place[2:])
    assert [file.path for file in shown(made).files] == ["lectures/small.py", "kernels/gelu.py"]


def test_a_source_that_does_not_parse_is_shown_as_code():
    made = Maker("def (:\n  text('x')\n")
    made.step(made.call("main"), 2, t.Text("x"))
    assert [row.kind for row in shown(made).files[0].rows] == ["code", "code"]


def test_the_description_is_the_first_sentences_without_headings():
    assert shown(lecture()).description.startswith("A lecture about")


def test_an_exception_stands_at_the_statement_that_raised_it():
    made = Maker("x = 1 / 0\n", status="error")
    main = made.call("main")
    made.step(main, 1)
    made.step(main, 1, kind="error", error=t.Error("ZeroDivisionError", "division by zero", "Traceback ..."))
    assert row(made, 1).slots[0].errors == ((1, t.Error("ZeroDivisionError", "division by zero", "Traceback ...")),)
