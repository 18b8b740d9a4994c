"""Statements that the page has no row for: `# @hide`, notes that are not published, notes that are off."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import trace as t
from tests.browser.conftest import Reader, serving
from tests.viewer.conftest import write_kernels
from tests.viewer.samples import SOURCE, lecture
from viewer.cli import main

pytestmark = pytest.mark.browser
HIDDEN = (6, 9, 15, 23, 24)
WALK = """async (steps) => {
  const seen = [];
  for (let step = 0; step < steps; step++) {
    const [input, next] = [document.getElementById("step"), document.querySelector("[data-do=next]")];
    const lines = [...document.querySelectorAll(".row.current .no")].map((node) => Number(node.textContent));
    const current = document.querySelectorAll("[aria-current=step]");
    seen.push([Number(input.value), Number(document.getElementById("scrub").value), lines[0] ?? 0, current.length]);
    next.click();
  }
  return seen;
}"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with traces/small.json, five of its lines hidden, and site/, exported without notes."""
    root = tmp_path_factory.mktemp("unshown")
    made = lecture()
    made.files[0] = t.File(made.path, SOURCE, hidden=HIDDEN)
    t.write(made.trace(), root / "traces" / "small.json")
    t.write(lecture().trace(), root / "plain" / "traces" / "small.json")
    write_kernels(root)
    write_kernels(root / "plain")
    main(["export", "--traces", str(root / "plain" / "traces"), "--out", str(root / "site"), "--single-file"])
    return root


@pytest.fixture(scope="module")
def hiding(store: Path) -> Iterator[str]:
    """The address of a server of it."""
    with serving(store / "traces") as address:
        yield address


def walk(reader: Reader) -> dict[int, int]:
    """The line marked at each step, after a walk on which the slider and the field agreed and one thing was current."""
    seen = reader.page.evaluate(WALK, 48)
    assert [(step, slider, marked) for step, slider, _, marked in seen] == [(step, step, 1) for step in range(48)]
    reader.page.wait_for_url("**step=47*")
    return {step: line for step, _, line, _ in seen}


def test_a_hidden_line_is_stood_for_by_the_statement_before_it_or_the_def(reading, hiding: str):
    lines = walk(reading(at=hiding))
    assert {step: lines[step] for step in (0, 1, 3, 4, 5, 8, 9, 10, 47)} == {
        0: 5, 1: 7, 3: 7, 4: 14, 5: 14, 8: 22, 9: 22, 10: 25, 47: 10,
    }  # fmt: skip


def test_values_stack_and_address_are_those_of_the_hidden_line(reading, hiding: str):
    reader = reading("small/?step=4", at=hiding).press("l")
    assert reader.variables()["dims"] == "(1024, 2048) tuple · 2"
    reader.page.click("#tab-stack")
    assert "small.py:15" in reader.text("#stack .here")
    assert reader.page.locator(".standin").count() == 1 and reader.page.locator(".row.current .chip").count() == 0
    reader.page.wait_for_url("**step=5*")
    reader.until("document.getElementById('announcer').textContent.includes('intro line 15: not shown')")


def test_a_published_lecture_is_walked_past_its_notes(reading, store: Path):
    lines = walk(reading("small.html", at=f"{(store / 'site').as_uri()}/"))
    assert (lines[1], lines[2], lines[3]) == (7, 7, 9)


@pytest.mark.parametrize("query", ["", "&animate=1"])
def test_a_note_that_is_off_leaves_no_row_behind(reading, query: str):
    reader = reading(f"small/?step=2{query}")
    assert 'note(' not in reader.text("main") and "Say hello" not in reader.text("main")
    assert "Speaker" not in reader.text("main") and reader.page.is_hidden(".slot.only-notes")
    assert reader.line == 7
    assert reader.press("n").line == 8
    assert "Say hello." in reader.text(".slot.current")


def test_a_part_of_the_page_that_fails_leaves_the_others_at_the_same_step(reading):
    reader = reading()
    steps = reader.page.evaluate("""async () => {
      const { State } = await import("../_static/state.js");
      const state = new State({ clamp: (step) => step });
      const heard = [];
      state.listen((_, change) => { if (change.step) throw new Error("one part fails"); });
      state.listen(({ step }) => heard.push(step));
      state.go(3);
      state.go(4);
      return heard;
    }""")
    assert steps == [3, 4]
    reader.expected = "^one part fails$"
    reader.until(lambda: reader.problems == ["one part fails"] * 2)
