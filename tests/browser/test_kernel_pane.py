"""The kernel pane: when it is loaded, and what it can be told to show."""

import pytest

pytestmark = pytest.mark.browser
SELECT = "(detail) => document.dispatchEvent(new CustomEvent('kernel:select', { detail }))"


def test_its_script_and_style_come_with_the_first_kernel(reading):
    reader = reading("small/?step=39")
    loaded = "performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1))"
    pane = {"kernel.js", "kernel.css", "listing.js", "variants.js"}
    assert not pane & set(reader.page.evaluate(loaded))
    reader.press("l").page.wait_for_selector("#kernel .kernel-head")
    assert pane <= set(reader.page.evaluate(loaded))
    assert reader.page.locator(".pair").evaluate("(pair) => getComputedStyle(pair).display") == "grid"


def test_a_pane_that_cannot_be_loaded_says_so_and_is_asked_for_again(reading):
    reader = reading("small/?step=39")
    reader.page.route("**/kernel.css", lambda route: route.abort())
    reader.press("l").page.wait_for_selector("#kernel .missing")
    assert reader.text("#kernel") == "The kernel pane could not be loaded: kernel.css did not come"
    reader.page.unroute("**/kernel.css")
    reader.press("l").page.wait_for_selector("#kernel .kernel-head")
    assert [problem for problem in reader.problems if "ERR_FAILED" not in problem] == []
    reader.problems.clear()


def test_it_is_told_which_lines_of_which_stage_to_show(reading):
    reader = reading("small/?step=2")
    detail = {"kernel": 0, "variant": 0, "stage": "ptx", "lines": [10, 12]}
    reader.page.evaluate(SELECT, detail)
    reader.page.wait_for_selector("#kernel .listing:last-child li.selected")
    assert reader.text("#kernel .targets [aria-pressed=true]") == "sm_80"
    assert reader.text("#kernel li.selected") == (
        "ld.global.v4.b32 { %r4, %r5, %r6, %r7 }, [ %rd2 + 0 ]; st.global.v4.b32 [ %rd3 + 0 ], { %r4, %r5, %r6, %r7 };"
    )
    assert reader.text(".link-state") == "2 lines of PTX selected."
    reader.page.evaluate(SELECT, detail | {"variant": "gelu90", "lines": [6]})
    reader.until("document.querySelector('#kernel .targets [aria-pressed=true]')?.textContent === 'sm_90'")
    reader.page.wait_for_selector("#kernel li.selected >> text=%ctaid.x")
    reader.page.click("#kernel .targets button:text('sm_80')")
    reader.page.wait_for_selector("#kernel li[data-source='8']")
    assert reader.page.locator("#kernel li.selected").count() == 0


def test_a_link_of_the_page_selects_lines_too_and_on_a_phone_opens_the_panes(reading):
    reader = reading("small/?step=2", viewport={"width": 375, "height": 700}, has_touch=True)
    reader.page.evaluate("""() => { document.querySelector('.row').innerHTML =
        '<a href="?" data-kernel="0" data-variant="1" data-stage="ptx" data-lines="10 12">the two</a>' }""")
    reader.page.tap("text=the two")
    reader.page.wait_for_selector("#kernel li.selected >> text=ld.global")
    assert reader.page.locator("#kernel li.selected").count() == 2 and reader.step == 2


def test_panes_that_were_put_away_come_back_for_a_kernel_that_is_asked_for(reading):
    reader = reading("small/?step=2&hideEnv=1")
    assert reader.page.is_hidden("#panes")
    reader.page.evaluate(SELECT, {"kernel": 0})
    reader.page.wait_for_selector("#kernel .kernel-head")
    reader.page.evaluate(SELECT, {"kernel": 7})
    assert "in-kernel" in reader.page.get_attribute("body", "class")
