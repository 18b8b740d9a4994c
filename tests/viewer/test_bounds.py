"""A hostile recording cannot name a file outside the folders that belong to it."""

from pathlib import Path

import pytest

from engine import trace as t
from tests.viewer.factory import Maker
from tests.viewer.samples import lecture
from viewer.bounds import inside
from viewer.cli import main
from viewer.errors import NotListed
from viewer.library import Library


@pytest.mark.parametrize("name", ["../secret", "a/../../secret", "a/../b", "/etc/passwd", "link", "a", "", "b\0", "no"])
def test_only_files_within_the_folder_are_there(tmp_path: Path, name: str):
    (tmp_path / "secret").write_text("s")
    (tmp_path / "in" / "a").mkdir(parents=True)
    (tmp_path / "in" / "b").write_text("b")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "secret")
    assert inside(tmp_path / "in", "b").read_text() == "b"
    with pytest.raises(NotListed):
        inside(tmp_path / "in", name)


def hostile(store: Path) -> None:
    """A recording whose kernel and picture are named by ways that lead out of the store."""
    (store / "files").mkdir()
    (store / "files" / "x").write_text("x")
    made = lecture()
    variant = t.Variant("sm_90", "compiled", "../../secret", ("ptx", "../../../secret/ptx"))
    made.kernels.append(t.Kernel("evil", "triton", "kernels/gelu.py", 1, 2, (variant,)))
    made.step(0, 7, t.Picture("x", f"../../{store.name}/files/x"))
    t.write(made.trace(), store / "traces" / "hostile.json")


def test_nothing_outside_the_store_is_read(traces: Path, tmp_path: Path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "ptx").write_text("secret")
    hostile(traces.parent)
    library = Library(traces)
    variant = library.variant("../../secret")
    with pytest.raises(NotListed, match="no name of a file of a recording"):
        library.stages.json(*variant)


def test_nothing_outside_the_folder_is_written(traces: Path, tmp_path: Path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "ptx").write_text("secret")
    hostile(traces.parent)
    before = set(tmp_path.rglob("*"))
    assert main(["export", "--traces", str(traces), "--out", str(tmp_path / "site")]) == 1
    written = set(tmp_path.rglob("*")) - before
    assert [path for path in written if not path.is_relative_to(tmp_path / "site")] == []
    assert not any(b"secret\n" in path.read_bytes() for path in written if path.is_file())


def test_a_key_with_a_slash_writes_nothing_outside(traces: Path, tmp_path: Path):
    made = Maker("x = 1\n")
    made.step(made.call("main"), 1)
    made.kernels.append(t.Kernel("k", "triton", "lecture.py", 1, 1, (t.Variant("sm_90", "compiled", "../../../up"),)))
    t.write(made.trace(), traces / "up.json")
    main(["export", "--traces", str(traces), "--out", str(tmp_path / "site")])
    assert not (tmp_path / "up.json").exists() and not (tmp_path.parent / "up.json").exists()
