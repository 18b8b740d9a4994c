"""Every kind of output, as it is seen."""

import pytest

pytestmark = pytest.mark.browser


SAID = (
    "A text with", "$ nvidia-smi", "Cut here: the recording holds no more of it.", "def f():", "Breathe.",
    "the server answered 404", "https://course.example/gone.png", "Film not shown: no such file.", "About it",
    "A paper A, B, C, D et al., 2024", "Chart not drawn. a scatter of points", "input → output (relu)",
    "Two GPUs", "132", "printed", "warned", "2 more operators", "Measured on a CPU", "2 ms median of 3, 1 to 9 ms",
    "wall clock on a CPU · floor 0.5 ms (its bandwidth)", "not measured", "CUDA events on no GPU",
)  # fmt: skip


def test_each_output_says_what_it_holds(reading):
    text = reading("gallery/?showNotes=1").page.inner_text("#lecture")
    assert [words for words in SAID if words not in text] == []


def test_pictures_are_drawn_in_the_width_asked_for(reading):
    reader = reading("gallery/")
    picture = reader.page.locator("img[alt='a teal drawing']")
    reader.until("document.querySelector('img[alt=\"a teal drawing\"]').complete")
    column = reader.page.locator("figure").first.bounding_box()["width"]
    assert picture.evaluate("image => image.naturalWidth") == 80
    assert abs(picture.bounding_box()["width"] - column / 2) < 2


def column(reader, number: int) -> list[str]:
    """The cells of one column of the profile's table, also of the rows that are folded away."""
    return reader.page.locator(f".profile tbody td:nth-child({number})").all_text_contents()


def test_a_profile_is_sorted_by_any_column_with_the_keyboard_too(reading):
    reader = reading("gallery/?step=15")
    time = reader.page.locator(".profile th >> nth=2")
    time.locator("button").click()
    assert column(reader, 3)[:4] == ["10.5ms", "9900us", "8.5ms", "8100us"]
    assert time.get_attribute("aria-sort") == "descending"
    reader.press("Enter")
    assert column(reader, 3)[:4] == ["0.5ms", "900us", "2.5ms", "2700us"]
    assert time.get_attribute("aria-sort") == "ascending"
    reader.page.click(".profile th >> nth=1")
    assert column(reader, 2) == [str(number + 0.5) for number in range(11, -1, -1)]
    assert time.get_attribute("aria-sort") is None
    reader.page.click(".profile th >> nth=0")
    assert column(reader, 1)[:3] == ["aten::op0", "aten::op1", "aten::op10"]
    assert reader.page.locator(".profile table >> nth=0").locator("tbody tr").count() == 10


def test_a_long_name_of_a_kernel_does_not_push_the_numbers_out_of_sight(reading):
    reader = reading("gallery/?step=15")
    box = reader.page.locator(".profile .table >> nth=0")
    box.locator("td >> nth=0").evaluate("cell => cell.textContent = 'void at::reduce_kernel<' + 'x'.repeat(300)")
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")


def test_a_profile_links_its_chrome_trace(reading):
    reader = reading("gallery/?step=15")
    with reader.page.expect_download() as got:
        reader.page.click("text=Chrome trace")
    assert got.value.suggested_filename == "timeline.json"


def test_a_benchmark_is_a_bar_beside_its_roofline(reading):
    reader = reading("gallery/")
    bar, floor = (reader.page.locator(f".benchmark .{name}") for name in ("bar", "floor"))
    assert abs(float(bar.get_attribute("width")) - 2 / 9 * 464) < 0.1
    assert abs(float(floor.get_attribute("x1")) - (8 + 0.5 / 9 * 464)) < 0.1


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
