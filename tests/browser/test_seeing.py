"""What is shown at a step: passes, values, stack, the kernel beside its PTX."""

import pytest

pytestmark = pytest.mark.browser


def test_variables_are_those_of_the_step_and_changes_are_marked_in_words(reading):
    reader = reading("small/?step=10")
    assert reader.variables() == {"total": "1024", "trial": "0", "dims": "(1024, 2048) tuple · 2"}
    assert reader.text(".var.changed .when") == "● changed ● new"
    assert reading("small/?step=19").variables()["time"] == "3072"


def test_variables_of_a_later_call_do_not_show_those_of_an_earlier_one(reading):
    assert reading("small/?step=23").variables() == {"total": "0", "dims": "(1024, 2048) tuple · 2", "time": "3072"}


def test_going_back_shows_what_was_then(reading):
    reader = reading("small/?step=13")
    assert reader.variables()["total"] == "2048"
    assert reader.press("h", "h", "h").variables()["total"] == "1024"


def test_a_container_opens(reading):
    reader = reading("small/?step=6")
    reader.page.click("#variables summary")
    assert reader.text("#variables .parts") == "0: 1024 1: 2048"


def test_a_large_array_is_a_heat_map_that_says_what_it_leaves_out(reading):
    reader = reading("small/?step=39")
    assert reader.page.is_visible("canvas.heat")
    shown = reader.variables()["x"]
    assert "float32 [64]" in shown and "min -2.1 · mean 0.25 · max 4 · 1 inf" in shown


def test_a_small_array_is_a_table(reading):
    reader = reading("small/?step=45")
    assert reader.page.locator("[data-name=y] .matrix td").count() == 16


def test_each_pass_of_a_loop_shows_its_own_output(reading):
    reader = reading("small/?step=11")
    slot = ".slot[data-spot='11']"
    assert reader.text(f"{slot} .group.shown") == "trial 0"
    assert reader.text(f"{slot} .chip span") == "pass 1 of 6"
    reader.page.click(f"{slot} [aria-label='next pass']")
    assert (reader.step, reader.text(f"{slot} .group.shown")) == (14, "trial 1")
    reader.page.click(f"{slot} [aria-label='last pass']")
    assert (reader.step, reader.text(f"{slot} .group.shown")) == (32, "trial 2")


def test_the_stack_leads_to_the_callers(reading):
    reader = reading("small/?step=10")
    reader.page.click("#tab-stack")
    assert reader.text("#stack code") == "measure intro main"
    reader.page.click("#stack li:nth-child(2) button")
    assert reader.line == 18


def test_raw_shows_the_code_of_text_lines(reading):
    reader = reading()
    assert reader.page.is_hidden("#f0L7")
    reader.press("Shift+R")
    assert reader.page.is_visible("#f0L7") and "# @inspect dims" in reader.text("#f0L15")


def test_animate_shows_nothing_ahead_of_the_step(reading):
    reader = reading("small/?step=4&animate=1")
    assert reader.page.is_visible(".text >> text=A lecture about") and reader.page.is_hidden("#f0L15")
    assert reader.press("l").page.is_visible("#f0L15")
    assert reader.press("h").page.is_hidden("#f0L15")
    assert reader.press("a").page.is_visible("#f0L15")


def test_the_kernel_in_play_stands_beside_its_ptx(reading):
    reader = reading("small/?step=39")
    assert reader.page.is_hidden("#kernel")
    reader.press("l").page.wait_for_selector("#kernel .kernel-head")
    assert "compiled for sm_90 without a GPU" in reader.text("#kernel .kernel-head")
    assert "run in the interpreter" in reader.text("#kernel .kernel-head")
    reader.page.wait_for_selector("#kernel .listing >> text=ld.global.v4.b32")
    reader.press("l", "l")
    assert reader.text("#kernel .listing:first-child li.running") == "offsets = pid * BLOCK + tl.arange(0, BLOCK)"
    assert reader.text("#kernel .listing:last-child li.running") == "mov.u32 %r3, %tid.x;"


CALLED = """async () => {
  const { Linked } = await import(new URL("../_static/linked.js", location.href));
  const shown = { stage: { inlined: { 3: [["more/lib.py", 4]] } }, lineOf: () => 0, inSource: () => false };
  return ["3", "4"].map((n) => Linked.prototype.describe.call(shown, { dataset: { n } }));
}"""


def test_code_that_is_called_in_another_file_is_not_called_the_compilers(reading):
    assert reading("small/?step=2").page.evaluate(CALLED) == [
        "From lib.py:4, in another file than the kernel.",
        "Compiler-generated: it belongs to no line of the source.",
    ]


def test_source_and_stage_light_each_other(reading):
    reader = reading("small/?step=40")
    reader.page.hover("#kernel li[data-source='8']")
    assert "tl.load" in reader.text("#kernel .listing:first-child li.lit")
    assert reader.text(".link-state span") == "From line 8."
    reader.page.click("#kernel .listing:first-child li[data-n='9']")
    assert "st.global.v4.b32" in reader.text("#kernel .listing:last-child li.pinned")
    reader.page.hover("#kernel li[data-source='7']")
    assert reader.text(".link-state span") == "From line 7, through standard.py:43."
    reader.page.hover("#kernel .listing:first-child li[data-n='5']")
    assert reader.text(".link-state") == "Line 5: no code emitted in PTX."


def test_directives_can_be_left_out_and_instructions_never_are(reading):
    reader = reading("small/?step=40")
    reader.page.click("#kernel button:text('Code only')")
    shown = reader.page.locator("#kernel .listing:last-child li[data-n]:visible").all_inner_texts()
    assert [line.split()[0] for line in shown] == ["mov.u32", "mov.u32", "ld.global.v4.b32", "st.global.v4.b32", "ret;"]


def test_a_target_that_could_not_be_compiled_says_why(reading):
    reader = reading("small/?step=40")
    reader.page.click("#kernel button:text('sm_100')")
    assert "ptxas of this Triton does not know sm_100" in reader.text("#kernel .missing")


def test_search_counts_and_walks_text_code_and_values(reading):
    reader = reading().press("/")
    reader.page.keyboard.type("takes")
    assert reader.text("#hits") == "2 hits"
    assert reader.press("Enter").line == 19
    assert reader.text("#hits") == "1 of 2"
    reader.press("Enter")
    assert reader.step == 35
    reader.page.fill("#search input", "6144")
    assert reader.text("#hits") == "2 hits"
    reader.page.fill("#search input", "no such thing")
    assert reader.text("#hits") == "no hit"


def test_other_files_are_looked_at_without_a_step(reading):
    reader = reading()
    reader.page.click(".sources button:text('kernels/gelu.py')")
    assert reader.page.is_visible("#f1L8") and reader.page.is_hidden("#f0L9") and reader.step == 0
    assert reader.press("l").page.is_visible("#f0L9")


@pytest.mark.parametrize("width", [1440, 375])
def test_the_header_counts_warnings_and_opens_them_and_their_lines_are_marked(reading, width: int):
    reader = reading("small/?step=47", viewport={"width": width, "height": 600})
    assert reader.page.get_attribute(".badge", "aria-label") == "1 warning"
    reader.page.locator(".badge").click()
    assert reader.page.is_visible(".warnings li") and reader.page.locator(".warnings li").bounding_box()["y"] > 0
    assert reader.page.evaluate("document.activeElement.id") == "said" and reader.step == 47
    assert reader.page.is_visible("#f0L15 .mark") and reader.page.locator(".row .mark").count() == 1
    assert "did you mean '@inspect'?" in reader.page.get_attribute("#f0L15 .mark", "title")
    assert reader.page.url.count("#") == 0


def test_warnings_of_the_recording_are_on_the_page(reading):
    reader = reading()
    reader.page.click(".warnings summary")
    assert "did you mean '@inspect'?" in reader.text(".warnings")
