"""The kernel pane: when it is loaded, and what it can be told to show."""

import pytest

from tests.viewer.conftest import PTX

pytestmark = pytest.mark.browser
SELECT = "(detail) => document.dispatchEvent(new CustomEvent('kernel:select', { detail }))"


def test_its_script_and_style_come_with_the_first_kernel(reading):
    reader = reading("small/?step=39")
    pane = {"kernel.js", "kernel.css", "listing.js", "compare.js"}
    assert not pane & {url.rpartition("/")[2] for url in reader.asked}
    reader.press("l").page.wait_for_selector("#kernel .kernel-head")
    assert pane <= {url.rpartition("/")[2] for url in reader.asked}
    assert reader.page.locator(".pair").evaluate("(pair) => getComputedStyle(pair).display") == "grid"


def test_a_pane_that_cannot_be_loaded_says_so_and_is_asked_for_again(reading):
    reader = reading("small/?step=39")
    reader.expected = "ERR_FAILED"
    reader.page.route("**/kernel.css", lambda route: route.abort())
    reader.press("l").page.wait_for_selector("#kernel .missing")
    assert reader.text("#kernel") == "The kernel pane could not be loaded: kernel.css did not come"
    reader.page.unroute("**/kernel.css")
    reader.press("l").page.wait_for_selector("#kernel .kernel-head")


def test_it_is_told_which_lines_of_which_stage_to_show(reading):
    reader = reading("small/?step=2")
    detail = {"kernel": 0, "variant": 0, "stage": "ptx", "lines": [10, 12]}
    reader.page.evaluate(SELECT, detail)
    reader.page.wait_for_selector("#kernel .listing:last-child li.selected")
    assert reader.text("#kernel .targets [aria-pressed=true]") == "sm_80"
    assert reader.text("#kernel li.selected") == (
        "ld.global.v4.b32 { %r4, %r5, %r6, %r7 }, [ %rd2 + 0 ]; st.global.v2.b32 [ %rd3 + 0 ], { %r4, %r5, %r6, %r7 };"
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


def test_the_focus_stays_on_what_was_pressed(reading):
    reader = reading("small/?step=40")
    reader.page.focus("#kernel button:text('sm_80')")
    reader.press("Enter").until("document.activeElement.textContent === 'sm_80'")
    assert reader.text("#kernel .targets [aria-pressed=true]") == "sm_80"
    reader.page.focus("#kernel button:text('Code only')")
    reader.press("Enter").until("document.activeElement.getAttribute('aria-pressed') === 'true'")


def test_two_compilations_stand_beside_each_other_with_their_differences(reading):
    reader = reading("small/?step=40")
    reader.page.select_option("[aria-label='Compare with']", label="beside sm_80")
    reader.page.wait_for_selector(".compared")
    assert reader.text(".compared .sides") == "sm_90 sm_80"
    assert reader.text(".compared .facts") == (
        "Instructions, left and right: loads 1 = 1 · stores 1 = 1. "
        "2 of 10 lines differ: ≠ 2 changed · − 0 only on the left · + 0 only on the right. "
        "Ignored: numbers of registers and labels, source locations, debug sections and comments."
    )
    assert reader.page.locator(".compared [data-mark='≠'] code").all_inner_texts() == [
        ".version 8.7", ".version 8.6", *(
            f"\tst.global.{width}.b32 [ %rd3 + 0 ], {{ %r4, %r5, %r6, %r7 }};" for width in ("v4", "v2")
        ),
    ]  # fmt: skip
    assert reader.page.locator(".compared mark").all_inner_texts() == ["8.7", "8.6", ".v4", ".v2"]
    assert reader.page.locator(".compared li i").all_inner_texts().count("≠") == 2
    reader.page.focus(".compared")
    reader.press("ArrowDown")
    assert reader.text(".link-state") == "Differs."
    reader.press("ArrowDown")
    assert reader.text(".link-state") == "Alike." and reader.page.locator(".compared li.lit").count() == 1
    reader.page.select_option("[aria-label='Compare with']", label="Stop comparing")
    reader.page.wait_for_selector("#kernel li[data-source='8']")
    assert reader.page.locator(".compared").count() == 0


def test_a_stage_says_how_it_is_read_and_which_one_is_chosen_whatever_the_colours(reading):
    reader = reading("small/?step=40", forced_colors="active")
    assert reader.text(".link-state").startswith("PTX What each thread does, in NVIDIA's assembly: opcode, result,")
    chosen = reader.page.locator("#kernel .tabs button:text('PTX')")
    assert "NVIDIA's assembly" in chosen.get_attribute("title")
    tabs = reader.page.locator("#kernel .tabs button")
    styles = tabs.evaluate_all("(tabs) => tabs.map((tab) => [tab.textContent, getComputedStyle(tab).outlineStyle])")
    assert [name for name, style in styles if style == "solid"] == ["PTX", "sm_90"]


def test_what_an_instruction_does_is_said_under_the_pointer_and_at_the_caret(reading):
    reader = reading("small/?step=40")
    reader.page.hover("#kernel li[data-source='8']")
    assert reader.text(".link-state") == (
        "ld.global.v4.b32 Reads four 32-bit words (16 bytes at once) from global memory into registers. From line 8."
    )
    reader.page.hover("#kernel .listing:last-child li[data-n='9']")
    reader.page.focus("#kernel .listing:last-child")
    reader.press("ArrowUp", "ArrowUp", "ArrowUp")
    assert "ctaid.x is the block's index in the grid. From line 6." in reader.text(".link-state")
    reader.page.hover("#kernel .listing:first-child li[data-n='8']")
    assert reader.text(".link-state") == "Line 8 became 1 line of PTX."


@pytest.mark.parametrize("width", [1440, 375])
def test_the_source_has_counts_in_its_margin_and_the_stage_the_lines_it_comes_from(reading, width: int):
    reader = reading("small/?step=40", viewport={"width": width, "height": 800}, has_touch=True)
    if width == 375:
        reader.page.tap("[data-sheet-open=panes]")
    assert reader.text("#kernel .legend") == "L loads 1 S stores 1"
    margins = reader.page.locator("#kernel .listing:first-child .counts")
    assert margins.all_inner_texts() == ["1L", "1S"]
    assert margins.first.get_attribute("aria-label") == "loads: 1 (from global, shared or tensor memory)"
    shown = "(row) => getComputedStyle(row, '::after').content"
    assert reader.page.locator("#kernel li[data-source='8']").evaluate(shown) == '"◂8"'


COMPARE = """async ([stage, left, right]) => {
  const { compare } = await import(new URL("../_static/compare.js", location.href));
  return compare(left, right, stage).map(({ mark, left, right }) => `${mark} ${left} ${right}`);
}"""


CASES = [
    ("ptx", ["\tadd.s32 %r1, %r2, 1;", "// a"], ["$L__BB0_1:", "\tadd.s32 %r7, %r8, 1; // b"], ["+ 0 1", "= 1 2"]),
    ("ptx", ["\t.loc 1 2 3", "a;", "b;", "c;"], ["a;", "d;", "c;", "e;"], ["= 2 1", "≠ 3 2", "= 4 3", "+ 0 4"]),
    ("ptx", ["@%p1 bra $L__BB0_2;"], ["@!%p1 bra $L__BB0_3;"], ["≠ 1 1"]),
    ("sass", ["/*0010*/ FADD R1, R2.reuse, R3 ;"], [".L_x_2:", "/*0020*/ FADD R4, R5, R6 ;"], ["+ 0 1", "= 1 2"]),
    ("sass", ["  /*0010*/ LDG.E R1, [R2] ;"], ["  /*0010*/ LDG.E.64 R1, [R2] ;"], ["≠ 1 1"]),
    ("ttgir", ["%a_1 = tt.load %b_2 loc(#loc1)"], ["#loc = loc(u)", "%a = tt.load %b loc(#loc)"], ["= 1 2"]),
    ("ttir", ['f(%x: i32 loc("x"(#loc))) loc(#loc)'], ['f(%x: i64 loc("x"(#loc))) loc(#loc)'], ["≠ 1 1"]),
    ("llir", ["  %3 = add i32 %1, 1, !dbg !4", "!4 = x"], ["  %5 = add i32 %2, 1, !dbg !9", "; c"], ["= 1 1"]),
    ("ptx", [], ["ret;"], ["+ 0 1"]),
    (
        "ptx",
        ["@%p1 ld.global.b32 %r1, [%rd1];", "add.s32 %r2, %r1, 1;", "ret;"],
        ["mul.f32 %r5, %r6, %r7;", "@%p1 ld.global.v2.b32 {%r1, %r2}, [%rd1];", "ret;"],
        ["+ 0 1", "≠ 1 2", "− 2 0", "= 3 3"],
    ),
]


def test_what_differs_in_a_stage(reading):
    page = reading("small/?step=2").page
    for stage, left, right, rows in CASES:
        assert page.evaluate(COMPARE, [stage, left, right]) == rows, (stage, left, right)


WITHIN = """async ([stage, left, right]) => {
  const { bare } = await import(new URL("../_static/compare.js", location.href));
  const { mark, within } = await import(new URL("../_static/within.js", location.href));
  const ranges = within(left, right, (word) => bare(word, stage));
  return [left, right].map((line, side) => {
    const box = document.createElement("code");
    box.innerHTML = line.replace(/(\\w)(\\w)/g, "<b>$1</b>$2");
    mark(box, ranges[side]);
    return [...box.querySelectorAll("mark")].map((found) => found.textContent).join("");
  });
}"""

INSIDE = [
    ("ptx", "add.s32 %r1, %r2, 1; // a", "add.s64 %r7, %r8, 1; // b", [".s32", ".s64"]),
    ("ptx", "@%p1 bra $L__BB0_2;", "@!%p1 bra $L__BB0_3;", ["@", "@!"]),
    ("sass", "/*0010*/ LDG.E R1, [R2] ;", "/*0020*/ LDG.E.64 R4, [R2.reuse+0x10] ;", ["", ".64+0x10"]),
    ("ttgir", "%a = tt.load %b loc(#loc1)", "%a_1 = tt.load %b, %c loc(#loc2)", ["", ", %c"]),
    ("llir", "  %3 = fadd float %1, 1.0, !dbg !4", "  %5 = fadd double %2, 1.0, !dbg !9", ["float", "double"]),
    ("ptx", "ret;", "add.s32 %r1, %r2, 1;", ["", ""]),  # too little in common
]


def test_what_differs_within_lines(reading):
    page = reading("small/?step=2").page
    for stage, left, right, marked in INSIDE:
        assert page.evaluate(WITHIN, [stage, left, right]) == marked, (stage, left, right)


def test_the_occupancy_is_shown_with_its_arithmetic(reading):
    reader = reading("small/?step=40")
    assert reader.text("#kernel .costs summary") == (
        "4 warps · 65 registers · 0 spills · 49,152 B shared · occupancy 25 %, limited by shared memory"
    )
    reader.page.focus("#kernel .costs summary")
    reader.press("Enter")
    assert reader.page.locator("#kernel .arithmetic li").all_inner_texts() == [
        "warps: 64 ÷ 4 a block → 16 blocks",
        "blocks: at most 32 → 32 blocks",
        (
            "registers: 65 × 32 threads = 2,080 a warp, rounded up to 2,304; 16,384 ÷ 2,304 = 7 warps in each of "
            "4 parts, 28 ÷ 4 a block → 7 blocks"
        ),
        "▸ shared memory: 49,152 B and 1,024 B of the system's = 50,176 B a block; 233,472 ÷ 50,176 → 4 blocks",
    ]
    assert reader.page.locator("#kernel .arithmetic p").last.inner_text() == (
        "The least counts: 4 blocks × 4 warps = 16 of 64 warps = 25 %, limited by shared memory."
    )
    reader.page.click("#kernel button:text('sm_80')")  # of a recording that holds the result alone
    assert reader.text("#kernel .costs") == "4 warps · 65 registers · 0 spills · 49,152 B shared · occupancy 100 %"


def downloaded(reader) -> str:
    with reader.page.expect_download() as started:
        reader.page.click("#kernel .download")
    assert started.value.suggested_filename == "gelu90.ptx"
    return started.value.path().read_text()


def test_a_stage_can_be_downloaded_as_it_is(reading):
    reader = reading("small/?step=40")
    assert downloaded(reader) == PTX


@pytest.mark.parametrize(
    ("launches", "words"),
    [([{"grid": [8, 4]}], "grid 8 × 4"),
     ([{"grid": [8], "interpreted": True}, {"grid": [4]}], "2 launches, first grid 8, run in the interpreter"),
     ([{"grid": []}], "called as a function")],
)  # fmt: skip
def test_a_launch_is_told_by_its_grid_where_it_has_one(reading, launches, words):
    found = reading("small/").page.evaluate(
        "async (launches) => (await import(new URL('../_static/variants.js', location.href))).launches({ launches })",
        launches,
    )
    assert found == words
