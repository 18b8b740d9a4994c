"""Stepping through a lecture as a reader does."""

import pytest

pytestmark = pytest.mark.browser
IN_VIEW = """[...document.querySelectorAll(".row.current, .slot.current")].map((node) => node.getBoundingClientRect())
    .some((box) => box.height && box.top >= document.querySelector(".bar").offsetHeight && box.bottom <= innerHeight)"""


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (["ArrowRight"], 7),
        (["l", "l", "h"], 7),
        (["l", "l", "l", "l"], 14),
        (["l", "l", "l", "Shift+ArrowRight"], 9),
        (["j", "j", "j", "j", "j"], 10),
        (["j", "j", "j", "j", "j", "k", "k"], 9),
        (["l", "l", "l", "l", "u"], 9),
        (["l", "l", "l", "Shift+ArrowRight", "Shift+ArrowLeft"], 9),
        (["ArrowLeft"], 6),
    ],
)
def test_keys_move_as_in_the_original(reading, keys: list[str], line: int):
    assert reading().press(*keys).line == line


def test_buttons_move_and_are_off_where_they_lead_nowhere(reading):
    reader = reading()
    assert reader.page.is_disabled("[data-do=previous]") and reader.page.is_disabled("[data-do=out]")
    reader.page.click("[data-do=next]")
    assert reader.step == 1 and reader.page.is_enabled("[data-do=previous]")


def test_the_address_names_the_step_and_back_leaves_the_page(reading):
    reader = reading()
    reader.page.goto(reader.site)
    reader.page.click("[data-lecture=small]")
    reader.page.wait_for_selector("body[data-ready]")
    reader.press("l", "l", "l")
    reader.page.wait_for_url("**/small/?step=3*")
    reader.page.go_back()
    assert reader.page.url == reader.site


@pytest.mark.parametrize(("asked", "step"), [("5", 5), ("999999", 47), ("-4", 0), ("x", 0), ("1e3", 1), ("", 0)])
def test_steps_out_of_range_are_clamped(reading, asked: str, step: int):
    assert reading(f"small/?step={asked}").step == step


def test_an_old_address_still_leads_to_its_step(reading):
    reader = reading("?trace=var/traces/small.json&step=4&raw=1&hideEnv=1&showNotes=1")
    assert reader.step == 4
    assert reader.page.get_attribute("[data-toggle=raw]", "aria-pressed") == "true"
    assert reader.page.is_hidden("#panes") and reader.page.is_visible(".note")


def test_a_link_survives_an_edit_of_the_lecture(reading):
    assert reading("small/?step=3&at=gelus.2").line == 32


def test_a_link_to_a_line_leads_to_its_first_visit(reading):
    assert reading("small/?source=lectures/small.py&line=25").step == 10


def test_going_to_a_step_by_number(reading):
    reader = reading().press("g")
    reader.page.keyboard.type("25")
    assert reader.press("Enter").step == 25


@pytest.mark.parametrize(("typed", "step"), [("", 5), ("abc", 5), ("-", 5), ("-3", 0), ("999", 47), ("7", 7)])
def test_what_is_no_number_stays_and_what_is_out_of_range_is_the_nearest(reading, typed: str, step: int):
    reader = reading("small/?step=5").press("g", "Backspace")
    reader.page.keyboard.type(typed)
    assert reader.press("Enter").step == step


def test_the_last_step_is_the_last_number(reading):
    reader = reading("small/?step=47")
    assert (reader.step, reader.text(".position")) == (47, "Step of 47")
    assert reader.page.get_attribute("#scrub", "aria-valuetext") == "step 47 of 47, GeLU"


def test_first_passes_only_is_seen_and_ended_in_the_header(reading):
    reader = reading("small/?step=35")
    assert reader.page.is_hidden(".mode") and reader.page.is_enabled("[data-do=next]")
    reader.press("c")
    assert reader.text(".mode") == "first passes ×"
    reader.page.click(".mode")
    assert reader.page.is_hidden(".mode")


def test_a_click_on_a_line_leads_to_its_next_visit_and_with_shift_to_the_one_before(reading):
    reader = reading()
    row = reader.page.locator("#f0L25")
    row.click()
    row.click()
    assert (reader.step, reader.line) == (13, 25)
    row.click(modifiers=["Shift"])
    assert reader.step == 10


def test_the_outline_follows_and_leads(reading):
    reader = reading()
    assert reader.text("#outline [aria-current]") == "Kernels"
    reader.page.click("#outline >> text=GeLU")
    assert (reader.step, reader.line) == (38, 31)
    assert reader.text("#outline [aria-current]") == "GeLU"


def test_the_scrubber_moves_and_names_the_section_under_the_pointer(reading):
    reader = reading()
    box = reader.page.locator("#scrub").bounding_box()
    reader.page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
    assert reader.text(".mark-name").startswith("GeLU · step 4")
    reader.page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
    assert reader.step in (42, 43) and reader.text("#outline [aria-current]") == "GeLU"


def test_the_step_is_announced_politely(reading):
    reader = reading().press("l")
    assert reader.page.get_attribute("#announcer", "aria-live") == "polite"
    reader.until("document.getElementById('announcer').textContent.includes('speed')")
    assert reader.page.text_content("#announcer").startswith("Step 1 of 47, main line 7: A lecture about")


def test_the_current_statement_is_always_in_view(reading):
    reader = reading(viewport={"width": 1000, "height": 420})
    for _ in range(40):
        reader.press("l").until(IN_VIEW)


def test_a_statement_that_is_in_view_is_not_scrolled_to(reading):
    reader = reading(reduced_motion="reduce").press("l", "l", "l", "l", "l")
    assert reader.page.evaluate("scrollY") == 0


def test_without_a_script_the_page_still_reads(windows, site: str):
    page = windows.page(site, java_script_enabled=False)
    page.goto(f"{site}small/")
    text = page.inner_text("main")
    for words in ("A lecture about", "1024 takes 3072 ms", "2048 takes 6144 ms", "Pass 2 of 2", "tl.load(x_ptr"):
        assert words in text
    assert page.is_hidden(".transport") and page.is_hidden("#panes")


def test_first_passes_only_walks_a_lecture_in_its_statements(reading):
    reader = reading().press("c")
    steps = [reader.step]
    while reader.press("l").step != steps[-1]:
        steps.append(reader.step)
    assert len(steps) == 27 and reader.step == 47
    assert [step for step in steps if 12 < step < 36] == [18, 19, 20]
    assert reader.press("h").step == steps[-2]
