"""What a student meets who opens a lecture for the first time, on a laptop and on a phone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import trace as t
from tests.browser.conftest import serving
from tests.browser.test_everyone import PHONE
from tests.viewer.factory import Maker
from viewer.cli import main

pytestmark = pytest.mark.browser
WORDS = "A title that no header bar of a laptop can hold in one line, let alone a phone's"
SOURCE = """\
def main():
    text(title)
    note(secret)
    link(address)
    mask = tril(ones(2, 2))
    odd = tensor([1, nan])
    a_name_that_is_far_too_long_for_the_column_it_stands_in = word
    benchmark(copy)
    print(words)
"""
TRIANGLE = [[True, False], [True, True]]
MASK = t.Array("Tensor", "", (2, 2), "torch.bool", sample=TRIANGLE, stats=t.Stats(0, 1, 0.75, 0, 0, 4))
ODD = t.Array("Tensor", "", (64,), "torch.float32", sample=[[1.0, "nan"]], stats=t.Stats(1, 1, 1, 1, 0, 64))


def walk(device: str) -> t.Trace:
    """A lecture of all that is too long, with values drawn as pictures."""
    made = Maker(SOURCE, path="walk.py", title=WORDS, status="error", reason="it failed")
    main = made.call("main")
    made.step(main, 2, t.Text(f"# {WORDS}\n\n## Section"))
    made.step(main, 3, t.Note("A secret of the speaker's."))
    made.step(main, 4, t.Link("https://course.example/" + "segment/" * 20, "https://course.example/"))
    made.step(main, 5, values={"mask": MASK})
    made.step(main, 6, values={"odd": ODD})
    made.step(main, 7, values={"a_name_that_is_far_too_long_for_the_column_it_stands_in": "copied"})
    made.step(main, 8, t.BenchmarkResult("copy", (1.0, 2.0), device, "wall clock", 0.5, "its bandwidth"))
    made.step(main, 9, t.Stdout("word" * 80 + "\n"))
    made.warnings.append(t.Warning("a warning of " + "many words " * 20, "walk.py", 4))
    return made.trace()


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of two recordings of a lecture, of one that cannot be shown, and of one that was never recorded."""
    traces = tmp_path_factory.mktemp("walk") / "traces"
    for name in ("walk", "again"):
        t.write(walk(name), traces / f"{name}.json")
    (traces / "bad.json").write_text("")
    (traces / "never.failed").write_text("SyntaxError: " + "invalid" * 40)
    with serving(traces) as address:
        yield address


PAGES = ["", "walk/?step=6", "walk/compare/", "bad/", "none/"]
SMALL = """() => [...document.querySelectorAll("a, button, input, summary, [role=tab]")]
  .filter((node) => node.getClientRects().length && !node.closest(".text, .link, .missing, .skip, .no, .mark"))
  .map((node) => [node, node.getBoundingClientRect()])
  .filter(([, box]) => box.height < 43.5 || box.width < 43.5)
  .map(([node, box]) => `${node.outerHTML.slice(0, 80)} ${box.width} x ${box.height}`)"""


@pytest.mark.parametrize("path", PAGES)
def test_no_page_scrolls_sideways_on_a_phone_and_each_control_is_as_large_as_a_thumb(browser, hall: str, path: str):
    context = browser.new_context(**PHONE)
    page = context.new_page()
    page.goto(hall + path)
    if path.startswith("walk/?"):
        page.wait_for_selector("body[data-ready]")
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    assert page.evaluate(SMALL) == []
    for sheet in ("outline", "panes") if path.startswith("walk/?") else ():
        page.tap(f"[data-sheet-open={sheet}]")
        assert page.evaluate("document.documentElement.scrollWidth") == 375
        assert page.evaluate(SMALL) == []
    context.close()


PIXELS = """(name) => { const canvas = document.querySelector(`[data-name=${name}] canvas`);
  return [...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data].join(); }"""
LOW, HIGH, RED = "238,242,251,255", "20,48,127,255", "200,40,40,255"


def test_a_mask_is_a_picture_of_two_colours_whose_elements_can_be_read(reading, hall: str):
    reader = reading("walk/?step=5", at=hall)
    assert reader.page.evaluate(PIXELS, "mask") == ",".join([HIGH, LOW, HIGH, HIGH])
    shown = reader.variables()
    assert "all 4 elements" in shown["mask"] and "red" not in shown["mask"]
    assert "2 of 64 elements, evenly spaced; red: nan or inf" in shown["odd"]
    assert reader.page.evaluate(PIXELS, "odd").endswith(RED)
    box = reader.page.locator("[data-name=mask] canvas").bounding_box()
    reader.page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + box["height"] * 0.25)
    assert reader.page.get_attribute("[data-name=mask] canvas", "title") == "false"


def test_a_long_name_stands_beside_the_first_line_of_its_value(reading, hall: str):
    reader = reading("walk/?step=5", at=hall)
    row = "[data-name=a_name_that_is_far_too_long_for_the_column_it_stands_in]"
    name, value = (reader.page.locator(f"{row} {part}").bounding_box() for part in ("dt", "dd .value"))
    assert name["height"] > 2 * value["height"] and abs(name["y"] - value["y"]) < 5


def test_the_first_step_says_how_to_go_on(reading, hall: str):
    reader = reading("walk/", at=hall)
    assert "→" in reader.text("#variables") and reader.press("l").text("#variables").startswith("No variable")


HIT = """[...CSS.highlights.get("search-current")].map((range) => [range.toString(),
  range.startContainer.parentElement.closest("#variables, .row, .slot").id || "slot"]).join()"""


def test_the_hit_that_was_walked_to_stands_out_also_among_the_values(reading, hall: str):
    reader = reading("walk/", at=hall)
    reader.page.fill("#search input", "cop")
    assert reader.text("#hits") == "2 hits"
    reader.page.press("#search input", "Enter")
    assert reader.page.evaluate(HIT) == "cop,slot"
    reader.page.press("#search input", "Enter")
    assert reader.page.evaluate(HIT) == "cop,variables"
    reader.page.press("#search input", "Escape")
    assert reader.page.evaluate("CSS.highlights.get('search-current').size") == 0


def test_search_finds_no_note_that_is_not_shown(reading, hall: str):
    reader = reading("walk/", at=hall)
    reader.page.fill("#search input", "secret of")
    assert reader.text("#hits") == "no hit"
    reader = reading("walk/?showNotes=1", at=hall)
    reader.page.fill("#search input", "secret of")
    assert reader.text("#hits") == "1 hit"


def test_what_changed_is_announced(reading, hall: str):
    reader = reading("walk/?step=4", at=hall).press("l")
    reader.until("document.getElementById('announcer').textContent.endsWith(\"stands_in is 'copied'\")")


def test_single_files_lead_to_what_was_measured_and_back(reading, hall: str, tmp_path: Path):
    for name in ("walk", "again"):
        t.write(walk(name), tmp_path / "traces" / f"{name}.json")
    main(["export", "--traces", str(tmp_path / "traces"), "--out", str(tmp_path / "alone"), "--single-file"])
    reader = reading("walk.html", at=f"{(tmp_path / 'alone').as_uri()}/")
    reader.page.click("text=Lectures")
    reader.page.click("text=Compare what its recordings measured >> nth=0")
    assert "37.5 % of the ceiling" not in reader.text("main") and "33.3 % of the ceiling" in reader.text("main")
    reader.page.click("th >> text=walk")
    reader.page.wait_for_selector("body[data-ready]")
