"""The sections of a lecture."""

from engine.trace import Recording, Text
from tests.viewer.factory import Maker
from viewer.outline import section_at, sections


def outline(*texts: str) -> list[tuple[int, str, int]]:
    made = Maker("\n" * 20)
    main = made.call("main")
    for line, text in enumerate(texts, 1):
        made.step(main, line, Text(text))
    return [(section.level, section.title, section.step) for section in sections(Recording(made.trace()))]


def test_headings_become_sections_in_order_of_steps():
    assert outline("# GPUs", "plain", "## Warps of `32`") == [(1, "GPUs", 0), (2, "Warps of 32", 2)]


def test_levels_left_out_are_closed_up():
    assert outline("## A", "#### B") == [(1, "A", 0), (2, "B", 1)]


def test_a_number_sign_in_code_is_no_heading():
    assert outline("```\n# not a heading\n```", "#hashtag") == []


def test_a_heading_shown_again_by_the_same_statement_is_one_section():
    made = Maker("\n" * 9)
    main = made.call("main")
    for _ in range(3):
        made.step(main, 1, Text("# Again"))
    assert len(sections(Recording(made.trace()))) == 1


def test_a_step_is_in_the_last_section_that_began():
    made = Maker("\n" * 9)
    main = made.call("main")
    for line, text in enumerate(["before", "# One", "in one", "# Two"], 1):
        made.step(main, line, Text(text))
    found = sections(Recording(made.trace()))
    titles = [section.title if (section := section_at(found, step)) else None for step in range(4)]
    assert titles == [None, "One", "One", "Two"]
