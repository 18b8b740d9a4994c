"""Phones, printers, keyboards, screen readers."""

import pytest

pytestmark = pytest.mark.browser
PHONE = {"viewport": {"width": 375, "height": 700}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize("path", ["small/?step=0", "small/?step=26", "small/?step=42"])
def test_a_phone_never_scrolls_sideways(reading, path: str):
    reader = reading(path, **PHONE)
    assert reader.page.evaluate("document.documentElement.scrollWidth") == 375
    reader.page.tap("[data-sheet-open=panes]")
    assert reader.page.evaluate("document.documentElement.scrollWidth") == 375


def test_buttons_under_the_thumbs_are_large_enough(reading):
    reader = reading(**PHONE)
    for button in reader.page.locator(".transport button:visible").all():
        box = button.bounding_box()
        assert box["width"] >= 40 and box["height"] >= 44 and box["y"] > 600


def test_outline_and_values_are_sheets_on_a_phone(reading):
    reader = reading("small/?step=10", **PHONE)
    assert reader.page.is_hidden("#outline") and reader.page.is_hidden("#panes")
    reader.page.tap("[data-sheet-open=panes]")
    assert reader.variables()["total"] == "1024"
    reader.page.tap("[data-sheet-open=outline]")
    assert reader.page.is_hidden("#panes")
    reader.page.tap("#outline >> text=GeLU")
    assert reader.step == 38 and reader.page.is_hidden("#outline")


SWIPE = """(by) => {
  const box = document.getElementById("lecture");
  const touch = (x) => new Touch({ identifier: 1, target: box, clientX: x, clientY: 300 });
  box.dispatchEvent(new TouchEvent("touchstart", { touches: [touch(200)], bubbles: true }));
  box.dispatchEvent(new TouchEvent("touchend", { changedTouches: [touch(200 + by)], bubbles: true }));
}"""


def test_a_swipe_steps(reading):
    reader = reading(**PHONE)
    reader.page.evaluate(SWIPE, -120)
    assert reader.step == 1
    reader.page.evaluate(SWIPE, 120)
    assert reader.step == 0
    reader.page.evaluate(SWIPE, -20)
    assert reader.step == 0


def test_paper_has_all_text_code_and_outputs(reading):
    reader = reading("small/?step=4&animate=1")
    reader.page.emulate_media(media="print")
    text = reader.page.inner_text("main")
    for words in ("A lecture about", "1024 takes", "2048 takes", "Pass 2 of 2", "trial 2", 'text("not', "tl.store("):
        assert words in text
    assert reader.page.is_hidden(".transport") and reader.page.is_hidden("#panes") and reader.page.is_hidden(".chip")


def test_paper_cuts_nothing_at_its_edge(reading):
    reader = reading("gallery/", viewport={"width": 718, "height": 1000})
    reader.page.emulate_media(media="print")
    assert reader.page.evaluate("document.documentElement.scrollWidth") == 718
    for box in reader.page.locator("main .table, main pre, main .plot").all():
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth + 1"), box.inner_text()


def test_on_a_phone_the_pass_stands_below_its_line_and_covers_no_code(reading):
    reader = reading("small/?step=13", **PHONE)
    chip, code = (reader.page.locator(f".row.current {part}").bounding_box() for part in ("code > .chip", "code"))
    assert chip["y"] >= code["y"] + 15 and chip["y"] + chip["height"] <= code["y"] + code["height"] + 1


def test_landmarks_and_headings_are_real(reading):
    reader = reading()
    for role in ("banner", "navigation", "main", "complementary", "search"):
        assert reader.page.get_by_role(role).count() >= 1, role
    assert reader.page.get_by_role("heading", level=1).inner_text() == "Kernels"
    assert reader.page.get_by_role("heading", level=3).all_inner_texts() == ["Benchmarking", "GeLU"]


FOCUS = """(() => {
  const at = document.activeElement;
  return [at.tagName, at.id || at.dataset.do || at.className, getComputedStyle(at).outlineStyle];
})()"""


def test_every_control_is_reached_by_the_tab_key_and_shows_where_it_is(reading):
    reader = reading()
    seen = set()
    for _ in range(40):
        reader.press("Tab")
        tag, name, outline = reader.page.evaluate(FOCUS)
        seen.add(name)
        assert outline != "none" or tag == "BODY" or name == "lecture", name
    assert {"skip", "next", "menu", "step", "scrub", "divider", "tab-variables"} <= seen


def test_the_skip_link_leads_to_the_lecture(reading):
    reader = reading().press("Tab", "Enter")
    assert reader.page.evaluate("document.activeElement.id") == "lecture"
