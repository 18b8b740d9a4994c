"""A sentence about a kernel leads to the very lines it is about."""

import pytest

pytestmark = pytest.mark.browser
LAST = "observed/?step=48"


def selected(reader) -> list[str]:
    reader.page.wait_for_selector("#kernel li.selected")
    return [row.get_attribute("data-n") for row in reader.page.locator("#kernel li.selected").all()]


def test_the_sentence_selects_the_lines_of_the_target_that_is_shown(reading):
    reader = reading(LAST)
    reader.page.click(".claim >> text=reads")
    assert selected(reader) == ["10"]
    assert reader.text("#kernel .targets [aria-pressed=true]") == "sm_90"
    reader.page.click("#kernel .targets button:text('sm_80')")
    reader.page.click(".claim >> text=reads")
    assert selected(reader) == ["10"]
    assert reader.text("#kernel .targets [aria-pressed=true]") == "sm_80"
    assert reader.text(".link-state") == "1 line of PTX selected."


def test_one_that_holds_for_another_target_leads_there(reading):
    reader = reading(LAST)
    reader.page.click(".claim >> text=It stores twice.")
    assert selected(reader) == ["12", "13"]
    assert reader.text("#kernel .targets [aria-pressed=true]") == "sm_80"
    assert reader.text(".refuted") == "does not hold for sm_90: 1 found, 2 expected"


def test_the_kernels_own_lines_are_selected_in_its_source(reading):
    reader = reading(LAST)
    reader.page.focus(".claim >> text=It masks.")
    reader.press("Enter")
    assert selected(reader) == ["8", "9"]
    assert reader.page.locator("#kernel .listing:first-child li.selected").count() == 2
    assert reader.text(".link-state") == "2 lines of the source selected."


def test_the_pane_of_an_autotuned_kernel_says_what_was_measured(reading):
    reader = reading(LAST)
    assert reader.text("#kernel .tunings summary") == (
        "Autotuned for 2 keys: BLOCK = 64, 2 warps, 3 stages ran, nothing was measured"
    )
    reader.page.click("#kernel .tunings summary")
    assert reader.text("#kernel .tunings tr.ran") == (
        "BLOCK = 128, 4 warps, 3 stages 0.25 ms was the fastest "
        "BLOCK = 64, 2 warps, 3 stages not measured ran, nothing was measured"
    )
    assert "it could not run" in reader.text("#kernel .tunings table")
