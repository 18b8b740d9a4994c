"""A lecture hall: the presenter's window, recordings that change while they are shown, remembered preferences."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import trace as t
from tests.browser.conftest import Windows, serving
from tests.clocks import SECONDS, until
from tests.viewer.samples import SOURCE, lecture

pytestmark = pytest.mark.browser


@pytest.fixture
def desk(tmp_path: Path, windows: Windows) -> Iterator[tuple[Path, str]]:
    """A traces folder whose files the test changes, and the address of its server."""
    traces = tmp_path / "traces"
    t.write(lecture().trace(), traces / "small.json")
    with serving(traces) as address:
        yield traces, address
        windows.close()  # lets go of the server's events before it ends


def edited(**changes: object) -> t.Trace:
    """The small lecture after two lines were put above its functions."""
    made = lecture()
    made.files[0] = t.File(made.path, "# one\n# two\n" + SOURCE)
    made.places = [
        (kind, file, line + 2, end + 2, function) if file == 0 else (kind, file, line, end, function)
        for kind, file, line, end, function in made.places
    ]
    for name, value in changes.items():
        setattr(made, name, value)
    return made.trace()


def test_a_page_shows_the_new_recording_at_the_same_place(reading, desk):
    traces, address = desk
    reader = reading("small/?step=20", at=address)
    t.write(edited(title="Edited"), traces / "small.json")
    reader.until("document.title === 'Edited' && document.body?.dataset.ready === ''")
    assert (reader.line, reader.step) == (21, 20)


def test_a_lecture_that_now_fails_says_so_and_keeps_the_page(reading, desk):
    traces, address = desk
    reader = reading("small/?step=20", at=address)
    t.write(edited(title="Failed", status="error", reason="ZeroDivisionError: division by zero"), traces / "small.json")
    reader.page.wait_for_selector(".live")
    assert "The lecture now fails: ZeroDivisionError: division by zero" in reader.text(".live")
    assert reader.page.title() == "Kernels"
    reader.page.click(".live button")
    reader.until("document.title === 'Failed' && document.body?.dataset.ready === ''")
    assert "ended with an error" in reader.text("main .problem")


def test_a_lecture_that_cannot_be_recorded_says_so_until_it_can(reading, desk):
    traces, address = desk
    reader = reading(at=address)
    (traces / "small.failed").write_text("SyntaxError in small.py, line 3")
    reader.page.wait_for_selector(".live")
    assert "could not be recorded again: SyntaxError in small.py, line 3" in reader.text(".live")
    (traces / "small.failed").unlink()
    reader.page.wait_for_selector(".live", state="detached")


def test_the_header_says_that_a_lecture_ended_with_an_error(reading, desk):
    traces, address = desk
    t.write(edited(status="error", reason="ZeroDivisionError: division by zero"), traces / "small.json")
    reader = reading("small/?step=20", at=address)
    assert reader.text(".badge.bad") == "⚠ error, 1 warning"
    reader.page.click(".badge")
    assert reader.page.locator("#said .problem").bounding_box()["y"] > 0


def test_a_watched_lecture_says_on_the_page_that_it_does_not_compile_until_it_does(reading, tmp_path: Path):
    lecture_file, traces = tmp_path / "talk.py", tmp_path / "traces"
    good = 'from engine import text\n\n\ndef main():\n    text("# Talk {}")\n'
    lecture_file.write_text(good.format(1))
    command = [sys.executable, "-m", "engine", str(lecture_file), "-o", str(traces), "--watch"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as watching:
        try:
            until((traces / "talk.json").exists, "the first recording")
            with serving(traces) as address:
                reader = reading("talk/", at=address)
                lecture_file.write_text("def main(:\n")
                reader.page.wait_for_selector(".live")
                assert "could not be recorded again" in reader.text(".live") and "talk.py" in reader.text(".live")
                assert reader.text("main h2") == "Talk 1"
                lecture_file.write_text(good.format(2))
                reader.until("document.querySelector('main h2')?.textContent === 'Talk 2'")
                reader.until("document.body?.dataset.ready === '' && !document.querySelector('.live')")
                reader.page.goto("about:blank")  # lets go of the server's events before it ends
        finally:
            watching.send_signal(signal.SIGINT)
            watching.wait(SECONDS)


def test_the_presenters_window_is_in_step_with_the_audiences(reading):
    audience = reading("small/?step=4")
    with audience.page.expect_popup() as popup:
        audience.press("p")
    presenter = popup.value
    presenter.wait_for_selector("body.presenter[data-ready]")
    assert presenter.input_value("#step") == "4"
    assert presenter.inner_text(".desk .next-section") == "Next: GeLU, in 34 steps"
    presenter.keyboard.press("l")
    audience.until("document.getElementById('step').value === '5'")
    audience.press("l", "l").until("document.getElementById('step').value === '7'", presenter)
    assert audience.step == 7
    assert presenter.get_attribute("[data-toggle=notes]", "aria-pressed") == "true"
    assert audience.page.get_attribute("[data-toggle=notes]", "aria-pressed") == "false"


def test_theme_size_and_panes_are_remembered(reading):
    reader = reading(color_scheme="dark")
    assert reader.page.evaluate("document.documentElement.dataset.theme") == "dark"
    reader.page.click("[data-do=menu]")
    reader.page.click("[data-theme-next]")
    reader.press("Escape", "+", "e")
    before = reader.page.evaluate("getComputedStyle(document.documentElement).fontSize")
    reader.page.reload()
    reader.page.wait_for_selector("body[data-ready]")
    assert reader.page.evaluate("document.documentElement.dataset.theme") == "contrast"
    assert reader.page.evaluate("getComputedStyle(document.documentElement).fontSize") == before != "16px"
    assert reader.page.is_hidden("#panes")


def test_the_panes_are_dragged_and_remembered(reading):
    reader = reading()
    box = reader.page.locator("#divider").bounding_box()
    reader.page.mouse.move(box["x"] + 4, 400)
    reader.page.mouse.down()
    reader.page.mouse.move(box["x"] - 200, 400)
    reader.page.mouse.up()
    width = reader.page.locator("#panes").bounding_box()["width"]
    reader.page.reload()
    reader.page.wait_for_selector("body[data-ready]")
    assert reader.page.locator("#panes").bounding_box()["width"] == width > 560


def test_the_history_of_a_variable_leads_to_its_steps(reading):
    reader = reading("small/?step=10")
    reader.page.click("[data-history=total]")
    assert reader.page.is_visible("#history polyline")
    assert reader.text("#history li a") == "step 8 step 10 step 13 step 16 step 23 step 25 step 28 step 31"
    reader.page.click("#history li a >> text=step 28")
    assert reader.step == 28


def test_help_lists_the_keys_and_closes(reading):
    reader = reading().press("?")
    assert "step over" in reader.text("#help")
    assert reader.press("Escape").page.is_hidden("#help")
