"""Kernels' stages as JSON: made once for what their files hold, and while nobody waits."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.viewer.client import Client
from viewer import stages
from viewer.app import create
from viewer.cli import main
from viewer.library import Library


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Notes the key of every variant whose stages are coloured, after a look of the test's own."""

    def note(look: Callable[[], None] = lambda: None) -> list[str]:
        keys: list[str] = []
        real = stages.compiled

        def compiled(folder: Path, variant, source: str):
            look()
            keys.append(variant.key)
            return real(folder, variant, source)

        monkeypatch.setattr(stages, "compiled", compiled)
        return keys

    return note


def test_stages_are_made_once_for_what_their_files_hold(traces: Path, made):
    library, keys = Library(traces), made()
    variant, source = library.variant("gelu90")
    first = library.stages.json(variant, source)
    assert library.stages.json(variant, source) == first and keys == ["gelu90"]
    ptx = library.store / "kernels" / "gelu90" / "ptx"
    ptx.write_text(ptx.read_text() + "// more\n")
    assert library.stages.json(variant, source) != first and len(keys) == 2
    assert b'"stale":true' in library.stages.json(variant, source + "# edited\n") and len(keys) == 3


def test_what_was_asked_for_last_is_kept(traces: Path, made, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stages, "ROOM", 1)
    library, keys = Library(traces), made()
    for key in ("gelu90", "gelu90", "gelu80", "gelu80", "gelu90"):
        library.stages.json(*library.variant(key))
    assert keys == ["gelu90", "gelu80", "gelu90"]


def test_nobody_waits_while_stages_are_made(traces: Path, made):
    app = create(traces)
    free: list[bool] = []

    def look() -> None:
        free.append(app.state.shelf.lock.acquire(blocking=False))
        app.state.shelf.lock.release()

    made(look)
    assert Client(app).get("/_kernels/gelu90.json").status_code == 200
    assert free == [True]


def test_a_browser_keeps_stages_that_have_not_changed(traces: Path):
    client = Client(create(traces))
    tag = client.get("/_kernels/gelu90.json").headers["etag"]
    assert client.request("GET", "/_kernels/gelu90.json", if_none_match=tag).status_code == 304


@pytest.mark.parametrize("more", [(), ("--single-file",)])
def test_an_export_makes_each_once(traces: Path, tmp_path: Path, made, more: tuple[str, ...]):
    keys = made()
    assert main(["export", "--traces", str(traces), "--out", str(tmp_path / "site"), *more]) == 0
    assert {"gelu80", "gelu90"} <= {*keys} and len(keys) == len({*keys})
