"""Every kind of output, as it is seen."""

import pytest

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def text(browser, site: str) -> str:
    """All visible text of the gallery."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site}gallery/?showNotes=1")
    page.wait_for_selector("body[data-ready]")
    found = page.inner_text("#lecture")
    context.close()
    return found


@pytest.mark.parametrize(
    "words",
    [
        "A text with", "$ nvidia-smi", "Cut here: the recording holds no more of it.", "def f():", "Breathe.",
        "the server answered 404", "https://course.example/gone.png", "Film not shown. no such file", "About it",
        "A paper A, B, C, D et al., 2024", "Chart not drawn. a scatter of points", "input → output (relu)",
        "Two GPUs", "132", "printed", "warned", "2 more operators", "Measured on a CPU", "2 ms mean of 3, 1 to 3 ms",
        "wall clock on a CPU · floor 0.5 ms (its bandwidth)", "not measured", "CUDA events on no GPU",
    ],
)  # fmt: skip
def test_each_output_says_what_it_holds(text: str, words: str):
    assert words in text


def test_pictures_are_drawn_in_the_width_asked_for(reading):
    reader = reading("gallery/")
    picture = reader.page.locator("img[alt='a teal drawing']")
    reader.until("document.querySelector('img[alt=\"a teal drawing\"]').complete")
    column = reader.page.locator("figure").first.bounding_box()["width"]
    assert picture.evaluate("image => image.naturalWidth") == 80
    assert abs(picture.bounding_box()["width"] - column / 2) < 2


def test_a_flame_graph_is_drawn_and_zoomed(reading):
    reader = reading("gallery/?step=15")
    reader.page.wait_for_selector(".flames button")
    buttons = reader.page.locator(".flames button")
    assert buttons.all_inner_texts() == ["all", "run", "forward", "aten::addmm", "aten::gelu", "backward"]
    assert reader.page.get_attribute(".flames button:text('forward')", "title") == "forward\n900 µs, 90.0 %"
    reader.page.click(".flames button:text('forward')")
    assert buttons.all_inner_texts() == ["all", "run", "forward", "aten::addmm", "aten::gelu"]
    width = reader.page.locator(".flames button:text('aten::addmm')").bounding_box()["width"]
    assert abs(width / reader.page.locator(".flames").bounding_box()["width"] - 2 / 3) < 0.02


def test_a_link_into_the_lectures_code_leads_there(reading):
    reader = reading("gallery/")
    reader.page.click("text=the kernel")
    assert reader.step == 2
