"""Charts that answer to the pointer, the drawing that stands without them, and specifications that mean harm."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import trace as t
from tests.browser.conftest import serving
from tests.browser.test_accessibility import AXE, RUN
from tests.browser.test_publishing import static_host
from tests.viewer.factory import Maker
from tests.viewer.samples import BARS, charts, hostile_charts, lecture, space
from viewer.cli import main

pytestmark = pytest.mark.browser
DRAWING = "img[alt='bandwidth of two GPUs']"
DRAWN = ".plot.drawn[data-library={}] .chart svg"
LOOKED = """async () => {
  const told = (node) => new Promise((done) => new IntersectionObserver(done, { rootMargin: "300px" }).observe(node));
  await Promise.all([...document.querySelectorAll(".plot")].map(told));
  await fetch(document.body.dataset.columns);
}"""
"Ends when the page has been told which charts are near, and what it then asked for is known to have been asked for."


Q = {"field": "data", "type": "quantitative"}
FROM_NOTHING = [
    {"data": {"sequence": {"start": 0, "stop": 1e12}}, "encoding": {"x": Q}},
    {"transform": [{"calculate": "length(sequence(1e12))", "as": "data"}], "encoding": {"x": Q}},
    {"transform": [{"impute": "tb", "key": "gpu", "keyvals": {"start": 0, "stop": 1e12}, "value": 0}]},
    {"transform": [{"density": "tb", "steps": 1e12}], "encoding": {"x": {**Q, "field": "value"}}},
    {"transform": [{"quantile": "tb", "step": 1e-12}], "encoding": {"x": {**Q, "field": "prob"}}},
    {"encoding": {"x": {**Q, "field": "tb", "bin": {"step": 1e-12}}}},
    {"encoding": {"x": {**Q, "field": "tb", "axis": {"tickCount": 1e12}}}},
    {"encoding": {"color": {**Q, "scale": {"type": "quantize", "scheme": {"name": "blues", "count": 1e12}}}}},
    {"transform": [{"calculate": "pad('a', 1e12, 'x')", "as": "data"}], "encoding": {"text": {"field": "data"}}},
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A traces folder with charts, with hostile ones, and with none."""
    traces = tmp_path_factory.mktemp("charts") / "var" / "traces"
    t.write(charts(traces.parent / "files").trace(), traces / "charts.json")
    t.write(hostile_charts(traces.parent / "files").trace(), traces / "hostile.json")
    t.write(lecture().trace(), traces / "small.json")
    t.write(space().trace(), traces / "space.json")
    made = Maker("plot(a)\n", path="nothing.py")
    nothing = [t.Plot("vega-lite", {**BARS, "mark": "point", **spec}) for spec in FROM_NOTHING]
    made.step(made.call("main"), 1, *nothing)
    t.write(made.trace(), traces / "nothing.json")
    return traces


@pytest.fixture(scope="module")
def hall(store: Path) -> Iterator[str]:
    with serving(store) as address:
        yield address


@pytest.fixture(scope="module")
def published(store: Path) -> Path:
    """The lectures exported to site/ and alone/, without the hostile ones."""
    for out, *more in (("site",), ("alone", "--single-file")):
        main(["export", "--traces", str(store), "--out", str(store.parent / out), *more])
    return store.parent


def test_charts_are_drawn_over_their_drawing_and_answer_to_the_pointer(reading, hall: str):
    reader = drawn(reading("charts/", at=hall))
    assert reader.page.is_hidden(DRAWING)
    reader.page.hover(".mark-rect path >> nth=1")
    reader.page.wait_for_selector(".chart .tip")
    assert reader.page.inner_text(".chart .tip") == "gpu: H200\ntb: 4.8"
    assert "Squares" in reader.text(".plot[data-library=plotly]") and reader.page.is_hidden(".plot .missing")
    reader.page.hover(".scatterlayer .point >> nth=1", force=True)
    reader.page.wait_for_selector(".hoverlayer .hovertext")


def test_a_surface_is_drawn_in_the_pages_colours_and_leaves_the_wheel_to_the_page(reading, hall: str):
    reader = reading("space/", at=hall, color_scheme="dark")
    canvas = reader.page.wait_for_selector(".plot.drawn[data-scripts*=gl3d] canvas")
    axis = "document.querySelector('.plot[data-scripts*=gl3d] .chart')._fullLayout.scene.xaxis"
    assert reader.page.evaluate(f"[{axis}.gridcolor, {axis}.showbackground]") == ["rgb(50, 54, 62)", False]
    before = reader.page.evaluate("scrollY")
    canvas.hover()
    reader.page.mouse.wheel(0, 200)
    reader.until(f"scrollY > {before}")
    reader.page.wait_for_selector(".chart .still[src^='data:image/png']", state="attached")
    reader.page.emulate_media(media="print")
    assert reader.page.is_visible(".chart .still") and reader.page.is_hidden(".chart canvas")


def test_where_a_browser_draws_no_surface_the_card_says_why(reading, hall: str):
    reader = reading("small/", at=hall)
    reader.page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    reader.open("space/")
    card = reader.page.wait_for_selector(".plot[data-scripts*=gl3d] .missing p")
    assert card.inner_text() == (
        "It is not drawn here: this browser draws nothing in three dimensions (WebGL is off)."
    )


def test_a_chart_that_makes_too_much_from_nothing_is_refused_and_its_card_says_why(reading, hall: str):
    reader = reading("nothing/", at=hall)
    reader.until(f"document.querySelectorAll('.plot .missing p').length === {len(FROM_NOTHING)}")
    cards = reader.page.locator(".plot .missing p").all_inner_texts()
    assert all("items made from nothing, and at most 20,000 are." in card for card in cards), cards


def asked(reader) -> list[str]:
    """Addresses of the scripts for charts that the page has asked for, once it has looked which are near."""
    reader.page.evaluate(LOOKED)
    return [name for name in reader.asked if "vega" in name or "plotly" in name or "/plots/" in name]


def drawn(reader):
    """The page, when all its charts are drawn."""
    for library in ("vega-lite", "plotly"):
        reader.page.wait_for_selector(DRAWN.format(library))
    return reader


def test_a_library_is_loaded_only_when_a_chart_comes_near(reading, hall: str):
    assert asked(reading("small/?step=4", at=hall)) == []
    reader = reading("charts/?step=60", at=hall)
    assert asked(reader) == []
    reader.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    reader.page.wait_for_selector(".plot.drawn")
    assert any("vega.min.js" in name for name in asked(reader)) and not any("plotly" in name for name in asked(reader))


def fill(reader) -> str:
    reader.page.wait_for_selector(DRAWN.format("vega-lite"))
    return reader.page.evaluate("document.querySelector('.role-axis-title text').getAttribute('fill')")


def test_charts_follow_the_theme(reading, hall: str):
    reader = drawn(reading("charts/", at=hall, color_scheme="dark"))
    assert fill(reader) == "rgb(230, 231, 234)"
    reader.page.evaluate("for (const chart of document.querySelectorAll('.plot > .chart')) chart.dataset.before = ''")
    reader.page.click("[data-do=menu]")
    reader.page.click("[data-theme-next]")
    reader.until("!document.querySelector('.chart[data-before]')")
    assert reader.page.locator(".plot > .chart").count() == 2
    assert fill(reader) == "rgb(0, 0, 0)"


def test_a_chart_fits_a_phone(reading, hall: str):
    reader = reading("charts/", at=hall, viewport={"width": 375, "height": 700}, has_touch=True, is_mobile=True)
    drawn(reader)
    assert reader.page.evaluate("document.documentElement.scrollWidth") == 375
    for figure in reader.page.locator(".plot.drawn").all():
        assert figure.evaluate("figure => figure.scrollWidth <= figure.clientWidth")


@pytest.mark.parametrize("lost", ["**/vega.min.js", "**/plots/*.json", "**/vega.js"])
def test_the_drawing_stands_when_a_chart_cannot_be_drawn(windows, hall: str, lost: str):
    page = windows.page(hall)
    page.route(lost, lambda route: route.abort())
    with page.expect_console_message(lambda said: said.type == "info" and said.text.startswith("vega-lite: ")):
        page.goto(f"{hall}charts/")
    page.wait_for_selector(DRAWING)
    assert page.locator(".chart svg.marks").count() == 0


def test_the_drawing_stands_without_a_script_and_the_data_where_there_is_none(windows, hall: str):
    page = windows.page(hall, java_script_enabled=False)
    page.goto(f"{hall}charts/")
    page.wait_for_selector(DRAWING)
    page.click("summary >> text=Its data")
    assert page.inner_text(".plot td >> nth=5") == "4"


def test_paper_shows_the_drawing(reading, hall: str):
    reader = drawn(reading("charts/", at=hall))
    reader.page.emulate_media(media="print")
    reader.page.wait_for_selector(DRAWING)
    assert reader.page.is_hidden(DRAWN.format("vega-lite")) and reader.page.is_visible(DRAWN.format("plotly"))


def test_the_output_pane_shows_the_chart(reading, hall: str):
    reader = drawn(reading("charts/", at=hall))
    reader.page.click("#tab-output")
    reader.press("l", "h")
    reader.page.wait_for_selector(f"#output {DRAWING}")
    reader.press("l")
    assert reader.page.is_visible("#output .chart svg")


def test_no_serious_violation_of_accessibility(reading, hall: str):
    reader = drawn(reading("charts/", at=hall, bypass_csp=True))
    reader.page.evaluate(AXE)
    assert reader.page.evaluate(RUN) == []


HARMLESS = """() => [window.caught === undefined,
  !document.querySelector("main img:not([src^='../_files/'])"), !document.querySelector("main script"),
  ![...document.querySelectorAll("main a")].some((a) => /=.javascript:/i.test(a.outerHTML))]"""


def test_a_hostile_chart_runs_nothing_and_asks_nobody(reading, hall: str):
    reader = reading("hostile/", at=hall)
    page = reader.page
    for figure in page.locator("[data-plot]").all():
        figure.scroll_into_view_if_needed()
    ended = "document.querySelectorAll('.plot.drawn').length"
    reader.until(lambda: page.evaluate(ended) + len(reader.refused) == page.locator("[data-plot]").count())
    assert page.evaluate(ended) >= 4
    for bar in page.locator(".plot.drawn .mark-rect path").all():
        bar.click(force=True)
    assert page.url.startswith(f"{hall}hostile/") and page.evaluate(HARMLESS) == [True] * 4
    drawn = page.evaluate("[...document.querySelectorAll('.plot')].map(f => f.classList.contains('drawn'))")
    assert not any(drawn[:2])
    for number in (0, 1):
        page.wait_for_selector(f"img[alt='chart {number}']")


def test_an_exported_site_and_a_single_file_draw_charts_too(reading, published: Path):
    with static_host(published / "site") as address:
        drawn(reading("charts/", at=address))
    drawn(reading("charts.html", at=f"{(published / 'alone').as_uri()}/"))
