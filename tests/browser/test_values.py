"""What a step has changed is where the reader looks, however long the list and however short the pane."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from engine import trace as t
from tests.browser.conftest import Reader, serving
from tests.browser.test_everyone import PHONE
from tests.viewer.conftest import write_kernels
from tests.viewer.samples import lecture, vector

pytestmark = pytest.mark.browser
STEPS = {"offsets": 51, "mask": 52, "x": 53}
ERROR = "kernel.cu(3): error: expected a ';'\n      int i = 0\n               ^"


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the small lecture, at its end 31 more variables and a further walk through its kernel."""
    store: Path = tmp_path_factory.mktemp("crowded")
    made = lecture()
    variants = (*made.kernels[0].variants[:2], t.Variant("sm_100", "compiled", "gelu100", reason=ERROR))
    made.kernels[0] = msgspec.structs.replace(made.kernels[0], variants=variants)
    made.step(0, 10, t.KernelCard(0))
    main = made.call("main")
    made.step(main, 9, values={f"v{number}": number for number in range(30)} | {"words": "many words " * 55})
    inside = made.call("gelu_kernel", main)
    made.step(inside, 6, file=1, values={f"p{number}": number for number in range(8)})
    for line, name in enumerate(STEPS, 7):
        made.step(inside, line, file=1, values={name: vector(0.1 * line)})
    t.write(made.trace(), store / "traces" / "small.json")
    write_kernels(store)
    with serving(store / "traces") as address:
        yield address


IN_PANE = """(name) => {
  const pane = document.getElementById("variables").getBoundingClientRect();
  const row = document.querySelector(`#variables [data-name=${name}]`).getBoundingClientRect();
  return pane.height > 60 && pane.top <= row.top && row.top + 20 <= pane.bottom;
}"""


def in_pane(reader: Reader, name: str) -> bool:
    """Whether the top of a variable's row, with its name, is within its pane."""
    return bool(reader.page.evaluate(IN_PANE, name))


@pytest.mark.parametrize("window", [{}, {"viewport": {"width": 1440, "height": 620}}, PHONE])
def test_what_changes_is_in_view_and_the_focus_stays(reading, crowded: str, window: dict[str, object]):
    reader = reading("small/?step=50", at=crowded, **window)
    if window is PHONE:
        reader.page.tap("[data-sheet-open=panes]")
    focus = reader.page.evaluate("document.activeElement.outerHTML.slice(0, 99)")
    for name, step in STEPS.items():
        reader.press("l")
        assert (reader.step, in_pane(reader, name)) == (step, True)
    assert reader.page.evaluate("document.activeElement.outerHTML.slice(0, 99)") == focus
    assert "in-kernel" in reader.page.get_attribute("body", "class")


def test_a_sheet_opens_at_what_changed(reading, crowded: str):
    reader = reading("small/?step=53", at=crowded, **PHONE)
    reader.page.tap("[data-sheet-open=panes]")
    reader.until(lambda: in_pane(reader, "x"))


def test_a_long_value_takes_three_lines_until_it_is_opened(reading, crowded: str):
    reader = reading("small/?step=49", at=crowded)
    value = reader.page.locator("[data-name=words] .value")
    line = 20
    assert value.bounding_box()["height"] <= 3 * line + 4
    assert reader.page.locator(".unclip").count() == 1
    reader.page.click("[data-name=words] .unclip")
    assert value.bounding_box()["height"] > 5 * line
    assert reader.press("l", "h").page.get_attribute("[data-name=words] .unclip", "aria-expanded") == "true"
    reader.page.click("[data-name=words] .unclip")
    assert value.bounding_box()["height"] <= 3 * line + 4


def test_a_kernels_error_keeps_its_lines(reading, crowded: str):
    reader = reading("small/?step=51", at=crowded)
    reader.page.click("#kernel button:text('sm_100')")
    assert reader.page.inner_text("#kernel pre.missing") == ERROR
    assert reader.page.text_content("pre.reason") == ERROR
    assert reader.page.locator("pre.reason").evaluate("(node) => getComputedStyle(node).whiteSpace") == "pre"


@pytest.mark.parametrize("width", [1440, 1920, 375])
def test_a_kernels_card_is_whole(reading, crowded: str, width: int):
    reader = reading("small/?step=48", at=crowded, viewport={"width": width, "height": 900})
    assert reader.page.locator(".kernel-card .table").evaluate("(box) => box.scrollWidth - box.clientWidth") <= 0
    assert "compiled without a GPU" in reader.text(".kernel-card th")
