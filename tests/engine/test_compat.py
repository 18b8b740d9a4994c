"""Lectures written for the original engine, in both its editions, run unmodified."""

import importlib
import sys
from pathlib import Path

import pytest

from engine import api, compat
from engine.compat import installed
from tests.engine.hearing import Hearing
from tests.engine.server import serving
from tests.recordings import OFFLINE, ROOT, run_engine, show

SAMPLES = ROOT / "tests/samples/upstream"


def record(lecture: Path, folder: Path) -> list[dict]:
    """Header and steps of a recording made in `folder`, with the network out of reach."""
    done = run_engine(lecture, cwd=folder, **OFFLINE)
    assert done.returncode == 0, done.stderr
    header, steps = show(folder / f"var/traces/{lecture.stem}.json")
    return [header, *steps]


def summary(steps: list[dict], line: int) -> list[tuple[str, str]]:
    """Kind and gist of what was shown at a line."""
    outputs = [output for step in steps if step["line"] == line for output in step["outputs"]]
    gist = ("markdown", "text", "title", "source", "library")
    return [(output["kind"], next((output[name] for name in gist if output.get(name)), "")) for output in outputs]


def test_the_first_edition(tmp_path: Path):
    header, *steps = record(SAMPLES / "first_edition.py", tmp_path)
    assert header["status"] == "ok"
    assert summary(steps, 17) == [("text", "# Entropy")]
    assert summary(steps, 18) == [
        ("text", "How many bits a letter? "),
        ("link", "Prediction and Entropy of Printed English"),
        ("link", "[article]"),
    ]
    assert summary(steps, 19)[1] == ("link", "https://arxiv.org/pdf/1706.03762.pdf")
    assert summary(steps, 20) == [("verbatim", "H = sum\n  -p log p")]
    assert summary(steps, 21) == [("image", "https://no-such-host.invalid/entropy.png")]
    assert summary(steps, 22) == [("image", "images/none.png"), ("link", "[tweet]")]
    assert summary(steps, 27) == [("link", "tally")]
    assert summary(steps, 28) + summary(steps, 29) == [
        ("link", "[blog]"), ("link", "[video]"), ("link", "[X]"), ("link", "[talk]"),
    ]  # fmt: skip
    assert summary(steps, 32) == [("verbatim", "done")]
    values = {name: value["text"] for step in steps for name, value in step["values"].items()}
    assert values["counts"] == "{'a': 5, 'b': 2, 'r': 2, 'c': 1, 'd': 1}"
    assert (values["letters"], values["average"], values["where"]) == ("[5, 2, 1]", "2.2", "'var/first_edition'")
    assert (tmp_path / "var/first_edition").is_dir()
    assert [warning["line"] for warning in header["warnings"]] == [0, 21, 22]


def test_the_second_edition(tmp_path: Path):
    header, *steps = record(SAMPLES / "second_edition.py", tmp_path)
    assert header["status"] == "ok"
    assert [summary(steps, line) for line in (21, 22, 23, 24)] == [
        [("text", "## Gates")],
        [("text", "One text in "), ("text", "two calls")],
        [("verbatim", "if a:\n    b")],
        [("note", "Ask who has seen one.")],
    ]
    assert {name: value["text"] for name, value in steps[4]["values"].items()} == {
        "gate": "Gate(name='nand', inputs=[1, 0])", "gate.name": "'nand'", "gate.inputs": "[1, 0]",
    }  # fmt: skip
    assert [step["kind"] for step in steps if step["line"] == 26] == ["line"]  # stepped over
    assert [step["cleared"] for step in steps if step["line"] == 28] == [["total"]]
    assert summary(steps, 44) == [("text", "frame 0"), ("text", "frame 1")]
    assert summary(steps, 45) == [("plot", "vega-lite")]
    assert [kind for kind, _ in summary(steps, 47)] == ["graph"]
    assert summary(steps, 52) == []  # graph(None)
    assert summary(steps, 61) == [
        ("link", "Sheffer"), ("link", "https://arxiv.org/abs/2005.14165"), ("link", "squares"), ("link", "Gate"),
    ]  # fmt: skip
    assert summary(steps, 63) == [("link", "[article]"), ("link", "[post]"), ("link", "[video]")]
    assert summary(steps, 31) == [("verbatim", "red")]
    pictures = [output for step in steps for output in step["outputs"] if output["kind"] == "image"]
    assert [(bool(picture.get("file")), picture["width"]) for picture in pictures] == [(True, 0.5), (False, 200)]
    assert (tmp_path / "var/files" / pictures[0]["file"]).is_file()


def test_the_lectures_own_modules_come_first_but_never_the_engine(tmp_path: Path):
    """Its folder holds an `execute_util.py` and an `edtrace.py` that do not import, as a course's folder may."""
    header, *steps = record(SAMPLES / "own_modules/lecture.py", tmp_path)
    assert header["status"] == "ok"
    assert [output for step in steps for output in step["outputs"]] == [
        {"kind": "text", "markdown": "own modules"},
        {"kind": "link", "title": "(the course's own word)", "url": "https://example.org/a"},
        {"kind": "link", "title": "Own", "url": "https://example.org/own"},
    ]
    values = {name: value["text"] for step in steps for name, value in step["values"].items()}
    assert values == {"same": "True", "where": "'var'"}


# ---------------------------------------------------------------- the modules


def test_everything_is_as_it_was_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    before = object()
    monkeypatch.setitem(sys.modules, "reference", before)
    finders = list(sys.meta_path)
    with installed(tmp_path):
        assert importlib.import_module("edtrace").text is api.text
        assert importlib.import_module("edtrace.reference").Reference is api.Reference
        assert importlib.import_module("reference") is not before
    assert sys.modules["reference"] is before
    assert not [name for name in sys.modules if name.startswith(("edtrace", "execute_util"))]
    assert sys.meta_path == finders


def test_everything_is_as_it_was_after_a_failure(tmp_path: Path):
    finders = list(sys.meta_path)
    with pytest.raises(ZeroDivisionError), installed(tmp_path):
        importlib.import_module("execute_util")
        raise ZeroDivisionError
    assert "execute_util" not in sys.modules
    assert sys.meta_path == finders


@pytest.mark.parametrize("name", [*compat.ENGINE, *compat.SUPPLIED])
def test_each_module_gives_what_it_says(tmp_path: Path, name: str):
    if name in ("torch_util", "gpu_util"):
        pytest.importorskip("torch")
    with installed(tmp_path):
        module = importlib.import_module(name)
        assert module.__name__ == name
        assert [wanted for wanted in module.__all__ if not hasattr(module, wanted)] == []


def test_a_package_beside_the_lecture_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "basic_util").mkdir()
    (tmp_path / "basic_util/__init__.py").write_text("own = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    with installed(tmp_path):
        assert importlib.import_module("basic_util").own


OWN_ARXIV = """
import {library}

def arxiv_reference(url, **fields):
    raise OSError("no network")
"""


@pytest.mark.parametrize(
    ("library", "warnings"),
    [
        ("json", ["arxiv_util.py beside the lecture has no entry for https://example.org/p (OSError: no network)"]),
        ("no_such_library", [
            "arxiv_util.py beside the lecture needs no_such_library, which is not installed; the engine's own is used"
        ]),
    ],
)  # fmt: skip
def test_what_the_lectures_own_module_cannot_do_the_engines_does(heard: Hearing, tmp_path: Path, library, warnings):
    (tmp_path / "arxiv_util.py").write_text(OWN_ARXIV.format(library=library))
    with installed(tmp_path):
        found = importlib.import_module("arxiv_util").arxiv_reference("https://example.org/p", notes="n")
    assert (found, heard.warnings) == (api.Reference(url="https://example.org/p", notes="n"), warnings)


def test_the_lectures_own_mistakes_are_its_own(tmp_path: Path):
    (tmp_path / "basic_util.py").write_text("1 / 0")
    with installed(tmp_path), pytest.raises(ZeroDivisionError):
        importlib.import_module("basic_util")


def test_torch_util(tmp_path: Path):
    torch = pytest.importorskip("torch")
    with installed(tmp_path):
        device = importlib.import_module("torch_util").get_device()
        other = importlib.import_module("gpu_util").cuda_if_available()
        memory = importlib.import_module("gpu_util").get_max_memory_usage(lambda: torch.ones(4, device=device))
    assert device == other == torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    assert (memory > 0) == torch.cuda.is_available()


def test_file_util(heard: Hearing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    with installed(tmp_path), serving() as web:
        file_util = importlib.import_module("file_util")
        web.answers["/data.txt"] = 200, "text/plain", b"numbers"
        file_util.download_file(f"{web.url}/data.txt", "here.txt")
        file_util.download_file(f"{web.url}/data.txt", "here.txt")
        path = file_util.cached(f"{web.url}/data.txt", "data")
        file_util.ensure_directory_exists("a/b")
        assert (Path("here.txt").read_bytes(), Path(path).read_bytes()) == (b"numbers", b"numbers")
        assert path.startswith("var/files/data-")
        assert path.endswith("_data_txt.txt")
        assert (web.asked["/data.txt"], Path("a/b").is_dir()) == (2, True)
        assert file_util.relativize(str(tmp_path / "a")) == "a"


def test_a_file_that_cannot_be_had_is_an_error_in_a_sentence(heard: Hearing, tmp_path: Path):
    with installed(tmp_path), serving() as web:
        file_util = importlib.import_module("file_util")
        with pytest.raises(Exception, match=r"127\.0\.0\.1 answered 404 Not Found"):
            file_util.download_file(f"{web.url}/none", str(tmp_path / "none"))
    assert not (tmp_path / "none").exists()


def test_arxiv_util_and_reference(heard: Hearing, tmp_path: Path):
    with installed(tmp_path):
        arxiv_util, reference = importlib.import_module("arxiv_util"), importlib.import_module("reference")
    page = "https://example.org/p"
    assert arxiv_util.arxiv_reference(page, notes="n") == api.Reference(url=page, notes="n")
    assert [arxiv_util.is_arxiv_link(url) for url in ("https://arxiv.org/abs/1", page)] == [True, False]
    assert reference.join("a", "b") == "a\nb"
