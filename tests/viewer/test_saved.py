"""Kernels whose files are saved after they were recorded: noticed and compiled anew, for the author alone."""

import json
import re
from pathlib import Path

import pytest

from engine import trace as t
from tests.viewer.client import Client
from tests.viewer.conftest import PTX
from tests.viewer.samples import KERNEL, lecture
from viewer import live
from viewer.app import create
from viewer.cli import workshop
from viewer.errors import NotListed
from viewer.library import Library
from viewer.recompiler import Recompiler
from viewer.saved import WORK, Workshop

CHANGED = KERNEL.replace("tl.load", "2 * tl.load")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder the small lecture was recorded in, with its kernel as recorded."""
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "gelu.py").write_text(KERNEL)
    return tmp_path


@pytest.fixture(autouse=True)
def kept(traces: Path) -> None:
    """One variant of the small lecture can be compiled anew."""
    (traces.parent / "kernels" / "gelu90" / WORK).write_text("{}")


def saved(traces: Path, root: Path | None) -> dict[str, str]:
    [change] = live.state(Library(traces), Workshop(root, traces.parent) if root else None)
    return change.saved


def test_a_kernels_file_that_was_saved_is_noticed_until_it_is_as_recorded_again(traces: Path, root: Path):
    assert saved(traces, root) == {}
    (root / "kernels" / "gelu.py").write_text(CHANGED)
    first = saved(traces, root)
    assert list(first) == ["gelu90"] and saved(traces, None) == {}
    (root / "kernels" / "gelu.py").write_text(CHANGED + "\n")
    assert saved(traces, root).keys() == {"gelu90"} and saved(traces, root) != first
    (root / "kernels" / "gelu.py").write_bytes(KERNEL.replace("\n", "\r\n").encode())
    assert saved(traces, root) == {}


HELPER = "def tanh(x):\n    return x\n"


@pytest.fixture
def helped(traces: Path, root: Path) -> Path:
    """The kernel calls a helper, which stands in the file that is given."""
    made = lecture()
    made.file("helpers/tanh.py", HELPER)
    [kernel] = made.kernels
    variants = [t.Variant(v.target, "compiled", v.key, v.stages, sources=("helpers/tanh.py",)) for v in kernel.variants]
    made.kernels[:] = [t.Kernel("gelu_kernel", "triton", kernel.path, 4, 9, tuple(variants))]
    t.write(made.trace(), traces / "small.json")
    file = root / "helpers" / "tanh.py"
    file.parent.mkdir()
    file.write_text(HELPER)
    return file


def test_a_helpers_file_that_was_saved_is_noticed(traces: Path, root: Path, helped: Path):
    assert saved(traces, root) == {}
    helped.write_text(HELPER.replace("return x", "return x * x"))
    first = saved(traces, root)
    assert list(first) == ["gelu90"]
    (root / "kernels" / "gelu.py").write_text(CHANGED)
    assert saved(traces, root).keys() == {"gelu90"} and saved(traces, root) != first
    entries = Library(traces).entries()
    watched = Workshop(root, traces.parent).folders(entry.trace for entry in entries)
    assert watched == {(root / "kernels").resolve(), helped.parent.resolve()}


def test_the_page_is_given_what_a_saved_helper_makes_of_the_kernel(traces: Path, root: Path, helped: Path):
    app = create(traces, root)
    app.state.shelf.recompiler = made = Compiling(root / "made", t.Variant("sm_90", "compiled", "new", ("ptx",)))
    helped.write_text(HELPER + "\n")
    assert Client(app).get("/_renewed/gelu90.json").status_code == 200
    assert made.asked == [("gelu90", {"helpers/tanh.py": HELPER + "\n"}, "")], "the kernel's own file is as it was"


def test_what_cannot_be_compiled_anew_is_not_asked_for(traces: Path, root: Path):
    (root / "kernels" / "gelu.py").write_text(CHANGED)
    (traces.parent / "kernels" / "gelu90" / WORK).unlink()
    assert saved(traces, root) == {}
    assert Workshop(root, traces.parent).folders([Library(traces).entry("small").trace]) == set()


def test_a_file_that_is_gone_is_no_change(traces: Path, tmp_path: Path):
    assert saved(traces, tmp_path / "elsewhere") == {}


@pytest.mark.parametrize("path", ["../secret.py", "/etc/passwd", "kernels/../../secret.py", "secret.txt", "kernels"])
def test_nothing_outside_the_folder_is_looked_at(root: Path, path: str):
    (root.parent / "secret.py").write_text("x")
    (root / "secret.txt").write_text("x")
    with pytest.raises(NotListed):
        Workshop(root, root / "var").text(path)


def test_the_folders_of_the_kernels_are_watched(traces: Path, root: Path):
    entries = Library(traces).entries()
    assert Workshop(root, traces.parent).folders(entry.trace for entry in entries) == {(root / "kernels").resolve()}


class Compiling:
    """Stands in for the engine: keeps what it was asked, and gives one answer."""

    def __init__(self, made: Path, answer: t.Variant) -> None:
        self.asked: list[tuple[str, dict[str, str], str]] = []
        self.answer = answer
        self.made = made
        home = made / "kernels" / "new"
        home.mkdir(parents=True)
        (home / "ptx").write_text(PTX.replace("ld.global", "ld.volatile"))

    def compile(self, key: str, texts: dict[str, str], until: str) -> t.Variant:
        self.asked.append((key, texts, until))
        return self.answer


def test_the_page_is_given_what_the_saved_file_compiles_to(traces: Path, root: Path):
    app = create(traces, root)
    made = Compiling(root / "made", t.Variant("sm_90", "compiled", "new", ("ptx",), registers=30))
    app.state.shelf.recompiler = made
    (root / "kernels" / "gelu.py").write_text(CHANGED)
    found = json.loads(Client(app).get("/_renewed/gelu90.json?until=ptx").content)
    assert made.asked == [("gelu90", {"kernels/gelu.py": CHANGED}, "ptx")]
    assert (found["variant"]["key"], found["variant"]["registers"]) == ("new", 30)
    lines = [re.sub(r"<[^>]+>", "", line) for line in found["compiled"]["stages"]["ptx"]["html"]]
    assert "ld.volatile.v4.b32 { %r4, %r5, %r6, %r7 }, [ %rd2 + 0 ];" in map(str.strip, lines)


def test_what_does_not_compile_is_given_with_the_compilers_words(traces: Path, root: Path):
    app = create(traces, root)
    app.state.shelf.recompiler = Compiling(root / "made", t.Variant("sm_90", "compiled", "", reason="SyntaxError"))
    found = json.loads(Client(app).get("/_renewed/gelu90.json").content)
    assert (found["variant"]["reason"], found["compiled"]["stages"]) == ("SyntaxError", {})


def test_others_than_the_author_have_nothing_compiled(traces: Path, root: Path):
    assert Client(create(traces)).get("/_renewed/gelu90.json").status_code == 404
    assert Client(create(traces, root)).get("/_renewed/none.json").status_code == 404


@pytest.mark.parametrize(("host", "own"), [("127.0.0.1", True), ("localhost", True), ("0.0.0.0", False)])
def test_only_a_server_of_the_authors_own_machine_compiles(host: str, own: bool):
    assert workshop(host) == (Path.cwd() if own else None)


def test_an_engine_that_ends_is_said_and_started_again(tmp_path, monkeypatch):
    monkeypatch.setattr("viewer.recompiler.COMMAND", ("-c", "import sys; sys.stdin.readline(); print('{', flush=True)"))
    recompiler = Recompiler(tmp_path, tmp_path)
    for _ in range(2):
        assert recompiler.compile("key", {"k.py": ""}).reason.startswith("the engine's process ended")
    recompiler.close()
    assert recompiler.process is not None and recompiler.process.returncode is not None
    Recompiler(tmp_path, tmp_path).close()


def test_what_is_compiled_while_serving_is_kept_where_git_does_not_look(tmp_path):
    recompiler = Recompiler(tmp_path / "lectures" / "recorded", tmp_path)
    assert recompiler.made == tmp_path / "var" / "renewed"
    assert (recompiler.made / ".gitignore").read_text() == "*\n"
    recompiler.close()
    assert Recompiler(tmp_path / "lectures" / "recorded", tmp_path).made.is_dir()
    assert not (tmp_path / "lectures").exists()


def test_where_nothing_can_be_written_it_is_kept_until_the_server_ends(tmp_path):
    (tmp_path / "var" / "renewed").write_text("as good as a folder that is read only, for root too")
    recompiler = Recompiler(tmp_path, tmp_path)
    made = recompiler.made
    assert made.is_dir() and not made.is_relative_to(tmp_path)
    recompiler.close()
    assert not made.exists()
