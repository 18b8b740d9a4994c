"""Modules as one script."""

from pathlib import Path

import pytest

from viewer.bundle import script
from viewer.errors import ViewerError
from viewer.render import STATIC


def test_modules_stand_after_those_they_import(tmp_path: Path):
    (tmp_path / "a.js").write_text('import { one as uno } from "./b.js";\nimport * as b from "./b.js";\nuno(b);\n')
    (tmp_path / "b.js").write_text("export function one() {}\nexport const two = 2;\nconst three = 3;\n")
    assert script(tmp_path, "a.js") == (
        "const module_b = (() => {\nfunction one() {}\nconst two = 2;\nconst three = 3;\n"
        "\nreturn { one, two };\n})();\n"
        "const module_a = (() => {\nconst { one: uno } = module_b;\nconst b = module_b;\nuno(b);\n\nreturn {  };\n})();"
    )


@pytest.mark.parametrize("text", ['import x from "./b.js";', "export default 1;", "export { x };", 'import "./b.js";'])
def test_another_form_of_import_is_refused(tmp_path: Path, text: str):
    (tmp_path / "a.js").write_text(text)
    with pytest.raises(ViewerError, match=r"a\.js imports or exports in a form that cannot be joined"):
        script(tmp_path, "a.js")


@pytest.mark.parametrize("entry", ["main.js", "old.js"])
def test_the_viewers_own_modules_can_be_joined(entry: str):
    assert "</script" not in script(STATIC, entry)


def test_script_and_style_stay_small():
    ours = [path for pattern in ("*.js", "*.css") for path in STATIC.glob(pattern)]
    assert sum(path.stat().st_size for path in ours) <= 120_000
