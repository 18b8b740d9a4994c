"""How fast a recording of 100,000 steps opens and is stepped through, in a browser.

`pytest tests/benchmarks` runs these; the limits are those of the viewer's design, with room for a busy machine.
"""

import os
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from engine import trace as t
from tests.browser.conftest import serving
from tests.viewer.samples import long_lecture
from viewer.library import Library

pytestmark = pytest.mark.browser
SLACK = float(os.environ.get("BENCHMARK_SLACK", "3"))
"Factor on every limit: 1 on a machine that does nothing else."
STEPS = """async (keys) => {
  const spent = [];
  for (const key of keys) {
    const start = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    document.body.offsetHeight; // the layout the step makes necessary
    spent.push(performance.now() - start);
    await new Promise(requestAnimationFrame);
  }
  return spent;
}"""


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the long lecture, asked for once so that the server has read it."""
    traces = tmp_path_factory.mktemp("long") / "traces"
    t.write(long_lecture().trace(), traces / "long.json")
    with serving(traces) as address:
        yield f"{address}long/"


@pytest.fixture
def page(browser: Browser, long: str) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(long)
    page.wait_for_selector("body[data-ready]", timeout=60_000)
    yield page
    context.close()


def steps(page: Page, keys: str) -> list[float]:
    """Milliseconds each key took, all of which lead to another step."""
    before = page.input_value("#step")
    spent = page.evaluate(STEPS, list(keys))
    assert page.input_value("#step") != before
    return spent


def test_the_last_step_is_interactive_within_a_second(page: Page, long: str):
    page.goto("about:blank")
    start = time.perf_counter()
    page.goto(f"{long}?step=99999")
    page.wait_for_selector("body[data-ready]")
    seconds = time.perf_counter() - start
    print(f"\n100,000 steps open at the last one in {seconds:.2f} s")
    assert int(page.input_value("#step")) > 99_900
    assert seconds < 1.0 * SLACK


@pytest.mark.parametrize("start", [10, 50_000, 99_000])
def test_a_step_is_shown_within_a_frame_wherever_it_is(page: Page, long: str, start: int):
    page.goto(f"{long}?step={start}")
    page.wait_for_selector("body[data-ready]")
    steps(page, "llll")
    spent = steps(page, "l" * 100 + "h" * 50 + "j" * 50)
    p95 = statistics.quantiles(spent, n=20)[-1]
    print(f"\na step near {start}: median {statistics.median(spent):.1f} ms, p95 {p95:.1f} ms")
    assert p95 < 16.7 * SLACK


def test_the_cost_of_a_step_does_not_depend_on_its_number(page: Page, long: str):
    medians = []
    for start in (10, 99_000):
        page.goto(f"{long}?step={start}")
        page.wait_for_selector("body[data-ready]")
        steps(page, "llll")
        medians.append(statistics.median(steps(page, "l" * 100)))
    assert medians[1] < 2 * medians[0] + 2


def test_the_server_prepares_a_long_recording_once(tmp_path: Path, benchmark):
    t.write(long_lecture(20_000).trace(), tmp_path / "long.json")
    data = benchmark.pedantic(lambda: Library(tmp_path).entry("long").data(), rounds=1)
    assert len(data) < 60 * 20_000
