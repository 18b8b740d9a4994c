"""Modules as one script."""

from pathlib import Path

import pytest

from viewer.bundle import modules, script
from viewer.errors import ViewerError
from viewer.plots import SCRIPTS
from viewer.render import STATIC


def test_modules_stand_after_those_they_import(tmp_path: Path):
    (tmp_path / "a.js").write_text('import { one as uno } from "./b.js";\nimport * as b from "./b.js";\nuno(b);\n')
    (tmp_path / "b.js").write_text("export function one() {}\nexport const two = 2;\nconst three = 3;\n")
    assert script(tmp_path, "a.js") == (
        "const module_b = (() => {\nfunction one() {}\nconst two = 2;\nconst three = 3;\n"
        "\nreturn { one, two };\n})();\n"
        "const module_a = (() => {\nconst { one: uno } = module_b;\nconst b = module_b;\nuno(b);\n\nreturn {  };\n})();"
    )


def test_a_module_imported_later_runs_when_it_is_first_asked_for(tmp_path: Path):
    (tmp_path / "a.js").write_text('import { one } from "./b.js";\nconst go = () => import("./c.js");\ngo(one);\n')
    (tmp_path / "b.js").write_text("export const one = 1;\n")
    (tmp_path / "c.js").write_text(
        'import { one } from "./b.js";\nimport * as d from "./d.js";\nexport const two = d(one);\n'
    )
    (tmp_path / "d.js").write_text("export function three() {}\n")
    assert modules(tmp_path, "a.js") == ("b.js",)
    assert script(tmp_path, "a.js").split("\n") == [
        "const once = (make) => { let made; return () => (made ??= make()); };",
        "const module_d = once(() => {", "function three() {}", "", "return { three };", "});",
        "const module_c = once(() => {", "const { one } = module_b;", "const d = module_d();", "const two = d(one);",
        "", "return { two };", "});",
        "const module_b = (() => {", "const one = 1;", "", "return { one };", "})();",
        "const module_a = (() => {", "const { one } = module_b;",
        "const go = () => Promise.resolve().then(() => module_c());", "go(one);", "", "return {  };", "})();",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ['import x from "./b.js";', "export default 1;", "export { x };", 'import "./b.js";', "x = import(y);"]
)
def test_another_form_of_import_is_refused(tmp_path: Path, text: str):
    (tmp_path / "a.js").write_text(text)
    with pytest.raises(ViewerError, match=r"a\.js imports or exports in a form that cannot be joined"):
        script(tmp_path, "a.js")


@pytest.mark.parametrize("entry", ["main.js", "old.js"])
def test_the_viewers_own_modules_can_be_joined(entry: str):
    assert "</script" not in script(STATIC, entry)


def test_script_and_style_stay_small():
    """Until a kernel or a chart is shown, a page loads what main.js imports at once and one style sheet."""
    at_once = ["main.js", "theme.js", "app.css", *modules(STATIC, "main.js")]
    assert not {"kernel.js", "vega.js", "plotly.js"} & {*at_once}
    assert sum((STATIC / name).stat().st_size for name in at_once) <= 120_000
    charts = {STATIC / path for path in SCRIPTS}
    everything = {path for pattern in ("*.js", "*.css") for path in STATIC.rglob(pattern)} - charts
    assert sum(path.stat().st_size for path in everything) <= 190_000
