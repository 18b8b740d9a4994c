"""Inside a kernel: the picture of what the program instance reads and writes at each line, and its words."""

import pytest

pytestmark = pytest.mark.browser

LOAD, STORE = 43, 44
BOX = "(path) => { const { x, y, width, height } = path.getBBox(); return [x, y, width, height]; }"


def figures(reader) -> list[str]:
    return [" ".join(text.split()) for text in reader.page.locator("#accesses figcaption").all_inner_texts()]


def shapes(reader, figure: int) -> dict[str, list[float]]:
    """Bounding boxes, in elements, of the shapes drawn of a tensor, by what they stand for."""
    paths = reader.page.locator("#accesses figure").nth(figure).locator("svg > path:not(.edge, .lines)")
    return {path.get_attribute("class"): path.evaluate(BOX) for path in paths.all()}


def test_stepping_inside_shows_what_each_line_reads_and_writes(reading):
    reader = reading("small/?step=42")
    assert reader.text("#accesses summary") == "gelu_kernel, program instance (0) of grid (1)"
    assert figures(reader) == [f"{name} float32 [60], rows of 32 not at this line" for name in ("x_ptr", "y_ptr")]
    assert shapes(reader, 0) == shapes(reader, 1) == {}
    reader.press("l")
    x, y = figures(reader)
    assert x == ("x_ptr float32 [60], rows of 32 reads x_ptr[0:60], 60 elements, 4 masked at [60:64], beyond its edge")
    assert y.endswith("not at this line")
    assert shapes(reader, 0) == {"read": [0, 0, 32, 2], "masked": [28, 1, 4, 1]} and shapes(reader, 1) == {}
    reader.press("l")
    assert shapes(reader, 0) == {"earlier": [0, 0, 32, 2]}
    assert shapes(reader, 1) == {"write": [0, 0, 32, 2], "masked": [28, 1, 4, 1]}
    assert reader.press("l").page.is_hidden("#accesses")


def test_masked_elements_differ_by_hatching_and_outline_too(reading):
    reader = reading(f"small/?step={LOAD}")
    dashes = "(path) => getComputedStyle(path).strokeDasharray"
    masked, read = (reader.page.locator(f"#accesses path.{name}") for name in ("masked", "read"))
    assert (masked.evaluate(dashes), read.evaluate(dashes)) == ("3px, 2px", "none")
    fill = "(path) => document.querySelector(path.getAttribute('fill').slice('url('.length, -1)).tagName"
    assert masked.evaluate(fill) == "pattern"


def test_the_words_are_spoken_with_the_step_and_the_picture_is_not(reading):
    reader = reading("small/?step=42")
    reader.press("l").until("document.getElementById('announcer').textContent.includes('; reads x_ptr[0:60], 60 e')")
    assert reader.page.locator("#accesses svg:not([aria-hidden=true])").count() == 0


def test_it_stays_closed_when_it_was_closed(reading):
    reader = reading(f"small/?step={LOAD}")
    reader.page.click("#accesses summary")
    reader.page.wait_for_selector("#accesses details:not([open])")
    assert reader.press("l").page.locator("#accesses details[open]").count() == 0
    assert reader.text("#accesses summary") == "gelu_kernel, program instance (0) of grid (1)"


@pytest.mark.parametrize("width", [375, 1024])
def test_it_fits_its_column(reading, width: int):
    reader = reading(f"small/?step={STORE}", viewport={"width": width, "height": 800}, has_touch=width < 500)
    if width < 500:
        reader.page.click("[data-sheet-open=panes]")
    reader.page.wait_for_selector("#accesses figure")
    assert reader.page.locator("#accesses").evaluate("(box) => box.scrollWidth <= box.clientWidth")
    reader.page.locator("#accesses .now").scroll_into_view_if_needed()
    assert reader.page.is_visible("#accesses .now")


def test_paper_and_a_page_without_a_script_say_it_in_words(reading, windows, site: str):
    said = "program instance (0) of grid (1): reads x_ptr[0:60], 60 elements, 4 masked at [60:64], beyond its edge"
    page = windows.page(site, java_script_enabled=False)
    page.goto(f"{site}small/")
    assert said in page.inner_text("main")
    reader = reading(f"small/?step={LOAD}")
    assert said not in reader.page.inner_text("main")
    reader.page.emulate_media(media="print")
    assert said in reader.page.inner_text("main")
