"""What axe-core, the checker of accessibility rules, finds on the viewer's pages."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.browser
AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
# Colours are judged once they have settled: a changed theme and a new step fade in.
RUN = """async () => {
  await Promise.allSettled(document.getAnimations().map((animation) => animation.finished));
  const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const found = await axe.run(document, { runOnly: rules });
  return found.violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
}"""


def violations(page) -> list[str]:
    """What axe-core finds, in each theme."""
    page.evaluate(AXE)
    found = []
    for theme in ("light", "dark", "contrast"):
        page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
        found += [f"{theme}: {violation}" for violation in page.evaluate(RUN)]
    return found


@pytest.mark.parametrize("path", ["small/?step=26", "small/?step=42&raw=1", "small/?step=2&showNotes=1"])
def test_no_serious_violation_on_a_lecture(reading, path: str):
    reader = reading(path, bypass_csp=True)
    if "step=42" in path:
        reader.page.hover("#kernel li[data-source='8']")
    assert violations(reader.page) == []


def test_no_serious_violation_where_compilations_are_compared(reading):
    reader = reading("small/?step=42", bypass_csp=True)
    reader.page.select_option("[aria-label='Compare with']", label="beside sm_80")
    reader.page.wait_for_selector(".compared")
    assert violations(reader.page) == []


def test_no_serious_violation_on_a_phone_with_its_sheets_and_menus_open(reading):
    reader = reading("small/?step=42", bypass_csp=True, viewport={"width": 375, "height": 700}, has_touch=True)
    reader.page.evaluate(AXE)
    for opened in ("[data-sheet-open=panes]", "#kernel .costs summary", "[data-sheet-open=outline]", "[data-do=menu]"):
        reader.page.tap(opened)
        assert reader.page.evaluate(RUN) == [], opened


def test_no_serious_violation_in_the_dialogs(reading):
    reader = reading("small/?step=10", bypass_csp=True)
    reader.page.evaluate(AXE)
    reader.press("?")
    assert reader.page.evaluate(RUN) == []
    reader.press("Escape")
    reader.page.click("[data-history=total]")
    assert reader.page.evaluate(RUN) == []


def test_no_serious_violation_on_the_index(windows, site: str):
    page = windows.page(site, bypass_csp=True)
    page.goto(site)
    page.evaluate(AXE)
    assert page.evaluate(RUN) == []
