"""What the kernel pane says where something of a kernel is not there, or not as it was."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine import trace as t
from tests.browser.conftest import serving
from tests.viewer.conftest import write_kernels
from tests.viewer.samples import lecture
from viewer.cli import main

pytestmark = pytest.mark.browser
FAILED = "ptxas failed:\n  line 3: unexpected token\n      ^"
GONE = "What was compiled could not be loaded ({}). Record the lecture again, and publish it again."


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with traces/small.json, whose kernel's sm_80 is gone and whose sm_90 is stale and incomplete."""
    root = tmp_path_factory.mktemp("cards")
    made = lecture()
    gone, stale, failed = made.kernels[0].variants
    made.kernels[0] = replace(made.kernels[0], variants=(gone, replace(stale, reason=FAILED), failed))
    t.write(made.trace(), root / "traces" / "small.json")
    write_kernels(root, source="another text")
    shutil.rmtree(root / "kernels" / "gelu80")
    main(["export", "--traces", str(root / "traces"), "--out", str(root / "alone"), "--single-file"])
    return root


@pytest.fixture(scope="module")
def server(store: Path) -> Iterator[str]:
    """The address of a server of it."""
    with serving(store / "traces") as address:
        yield address


def test_a_stale_compilation_says_so_and_an_incomplete_one_why(reading, server: str):
    reader = reading("small/?step=40", at=server)
    said = reader.page.locator("#kernel .listing:last-child .missing").all_inner_texts()
    assert said == ["The source has changed since this was compiled: the links may be off.", FAILED]


def test_a_target_for_which_nothing_was_compiled_says_why_beside_the_others(reading, server: str):
    reader = reading("small/?step=40", at=server)
    reader.page.click("#kernel button:text('sm_100')")
    assert reader.text("#kernel .listing:last-child") == "ptxas of this Triton does not know sm_100"
    assert reader.text("#kernel .listing:first-child").count("tl.load") == 1
    assert reader.page.locator("#kernel .targets button").all_inner_texts() == ["sm_80", "sm_90", "sm_100"]
    assert reader.page.locator("[aria-label=Specialisation]").count() == 0
    assert "not compiled for sm_100" in reader.text("#kernel .kernel-head")
    reader.page.hover("#kernel .listing:first-child li[data-n='8']")
    assert reader.text(".link-state") == "Line 8: there is no PTX to see what became of it."
    reader.page.click("#kernel button:text('sm_90')")
    reader.page.wait_for_selector("#kernel li[data-source='8']")


def test_why_nothing_was_compiled_can_be_read_on_a_phone(reading, server: str):
    reader = reading("small/?step=40", at=server, viewport={"width": 375, "height": 800}, has_touch=True)
    reader.page.tap("[data-sheet-open=panes]")
    reader.page.tap("#kernel button:text('sm_100')")
    box, pane = (reader.page.locator(place).bounding_box() for place in ("#kernel .missing", "#kernel"))
    assert pane["y"] < box["y"] and box["y"] + box["height"] < pane["y"] + pane["height"]


def test_what_was_compiled_and_is_gone_is_said_and_the_source_still_shown(reading, server: str):
    reader = reading("small/?step=40", at=server)
    reader.expected = "gelu80.json|404"
    reader.page.click("#kernel button:text('sm_80')")
    reader.page.wait_for_selector(f"#kernel .missing >> text={GONE.format('404 Not Found')}")
    assert "tl.load" in reader.text("#kernel .listing:first-child")
    reader.page.click("#kernel button:text('sm_90')")
    reader.page.wait_for_selector("#kernel li[data-source='8']")
    reader.page.select_option("[aria-label='Compare with']", label="beside sm_80")
    reader.page.wait_for_selector(f"#kernel > .missing >> text={GONE.format('404 Not Found')}")


def test_a_page_that_is_one_file_says_what_it_does_not_hold(reading, store: Path):
    reader = reading("small.html?step=40", at=f"{(store / 'alone').as_uri()}/")
    reader.page.click("#kernel button:text('sm_80')")
    reader.page.wait_for_selector(f"#kernel .missing >> text={GONE.format('it is not in this page')}")
