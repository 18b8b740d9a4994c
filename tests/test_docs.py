"""README against the code: every option, directive and name of the authoring API is described, and nothing else is."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import engine
from engine.directives import NAMES

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()


def options(*command: str) -> set[str]:
    """Long options that a command's help lists."""
    help_ = [sys.executable, "-m", *command, "--help"]
    run = subprocess.run(help_, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", run.stdout)) - {"--help"}


@pytest.mark.parametrize(
    "command", [("engine",), ("engine", "show"), ("viewer", "serve"), ("viewer", "export")], ids=" ".join
)
def test_every_option_is_in_the_readme(command: tuple[str, ...]) -> None:
    missing = {option for option in options(*command) if option not in README}
    assert missing == set()


def test_the_readme_names_no_option_that_is_not_there() -> None:
    known = options("engine") | options("engine", "show") | options("viewer", "serve") | options("viewer", "export")
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README)) <= known


def test_every_directive_and_name_is_in_the_readme() -> None:
    assert {f"@{name}" for name in NAMES} <= set(re.findall(r"@\w+", README))
    assert set(engine.__all__) <= set(re.findall(r"\w+", README))
    for name in engine.__all__:
        assert callable(getattr(engine, name))


def test_what_the_readme_points_to_is_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        if "://" not in target:
            assert (ROOT / target).exists(), target


def test_nothing_names_a_private_place() -> None:
    listed = subprocess.run(["git", "grep", "-nIE", r"/wor[k]/|/tmp/bas[h]_jobs|[.]librar[y]/", "--", ":!*/vendor/*"],
                            cwd=ROOT, capture_output=True, text=True, check=False)  # fmt: skip
    assert listed.stdout == ""
