"""The library as files."""

import json
import re
import shutil
import signal
from pathlib import Path

import pytest

from engine import trace as t
from tests.viewer.client import Client
from tests.viewer.factory import Maker
from viewer.app import create
from viewer.cli import main
from viewer.export import Export
from viewer.library import Library


def export(traces: Path, out: Path, *more: str) -> int:
    return main(["export", "--traces", str(traces), "--out", str(out), *more])


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def times(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_the_site_is_what_the_server_gives(traces: Path, tmp_path: Path):
    assert export(traces, tmp_path / "site", "--with-notes") == 0
    client = Client(create(traces))
    files = content(tmp_path / "site")
    for path in ("small/data.json", "_kernels/gelu90.json", "_kernels/gelu90/ptx", "_static/main.js"):
        assert files[path] == client.get(f"/{path}").content, path
    assert files["index.html"] == client.get("/").content
    served = client.get("/small/").text.replace(" data-live", "")
    assert files["small/index.html"].decode() == served


def test_every_link_of_the_site_leads_to_a_file_of_it(traces: Path, tmp_path: Path):
    export(traces, tmp_path / "site")
    for page in (tmp_path / "site").rglob("*.html"):
        for link in re.findall(r'(?:href|src)="([^"#?][^"?#]*)"', page.read_text()):
            target = (page.parent / link).resolve()
            assert target.is_file() or (target / "index.html").is_file(), link


def test_notes_are_published_only_when_asked_for(traces: Path, tmp_path: Path):
    for more, published in [((), False), (("--with-notes",), True), (("--single-file",), False)]:
        out = tmp_path / "-".join(("site", *more))
        export(traces, out, *more)
        assert any(b"Say hello" in data for data in content(out).values()) is published


def test_exporting_again_changes_no_byte_and_no_time(traces: Path, tmp_path: Path):
    export(traces, tmp_path / "site")
    before = content(tmp_path / "site"), times(tmp_path / "site")
    (traces / "small.json").touch()
    export(traces, tmp_path / "site")
    assert before == (content(tmp_path / "site"), times(tmp_path / "site"))


def test_what_two_recordings_share_counts_as_written(traces: Path, tmp_path: Path, capsys):
    (traces / "twin.json").write_bytes((traces / "small.json").read_bytes())
    export(traces, tmp_path / "site")
    files = len(content(tmp_path / "site"))
    assert f"{files} files, {files} of them written now" in capsys.readouterr().out


def test_what_is_no_longer_published_goes_and_what_others_put_there_stays(traces: Path, tmp_path: Path):
    made = Maker("x = 1\n")
    made.step(made.call("main"), 1)
    t.write(made.trace(), traces / "other.json")
    export(traces, tmp_path / "site")
    (tmp_path / "site" / "CNAME").write_text("course.example")
    (traces / "other.json").unlink()
    export(traces, tmp_path / "site")
    files = content(tmp_path / "site")
    assert "CNAME" in files and "small/index.html" in files and "other/index.html" not in files


def test_a_recording_that_cannot_be_shown_is_said_and_the_others_are_published(traces: Path, tmp_path: Path, capsys):
    (traces / "bad.json").write_bytes(b"")
    assert export(traces, tmp_path / "site") == 1
    assert "not published: bad.json" in capsys.readouterr().err
    assert "bad" not in (tmp_path / "site" / "index.html").read_text()
    assert (tmp_path / "site" / "small" / "index.html").is_file()


@pytest.mark.parametrize("more", [(), ("--single-file",)])
def test_a_picture_that_is_gone_is_said(traces: Path, tmp_path: Path, capsys, more: tuple[str, ...]):
    made = Maker("image('x')\n")
    made.step(made.call("main"), 1, t.Picture("x", "gone.svg"))
    t.write(made.trace(), traces / "pictures.json")
    assert export(traces, tmp_path / "site", *more) == 1
    assert "pictures.json: 'gone.svg' is not there any more" in capsys.readouterr().err
    assert (tmp_path / "site" / "index.html").is_file()


@pytest.mark.parametrize("more", [(), ("--single-file",)])
def test_stages_that_are_gone_are_said_once(traces: Path, tmp_path: Path, capsys, more: tuple[str, ...]):
    shutil.rmtree(traces.parent / "kernels" / "gelu90")
    assert export(traces, tmp_path / "site", *more) == 1
    assert capsys.readouterr().err.count("not published: small.json: 'gelu90/ptx' is not there any more") == 1


@pytest.mark.parametrize("more", [(), ("--single-file",)])
def test_nothing_to_export_is_one_sentence(tmp_path: Path, capsys, more: tuple[str, ...]):
    (tmp_path / "traces").mkdir()
    assert export(tmp_path / "traces", tmp_path / "site", *more) == 2
    assert capsys.readouterr().err.count("\n") == 1 and not (tmp_path / "site").exists()


def test_a_folder_that_cannot_be_written_is_one_sentence(traces: Path, tmp_path: Path, capsys):
    (tmp_path / "site").write_text("a file")
    assert export(traces, tmp_path / "site") == 2
    assert "cannot write to" in capsys.readouterr().err


def test_a_folder_of_other_things_is_refused_in_one_sentence(traces: Path, tmp_path: Path, capsys):
    home = tmp_path / "home"
    home.mkdir()
    (home / "thesis.tex").write_text("mine")
    assert export(traces, home) == export(traces, home, "--single-file") == 2
    assert content(home) == {"thesis.tex": b"mine"}
    said = f"viewer: {str(home)!r} holds other files and no earlier export; name a new or an empty folder with --out\n"
    assert capsys.readouterr().err == 2 * said


def test_an_empty_folder_and_an_export_cut_short_are_written(traces: Path, tmp_path: Path, monkeypatch):
    (tmp_path / "site").mkdir()
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("viewer.export.Export._lecture", lambda *_: signal.raise_signal(signal.SIGINT))
        Export(Library(traces), tmp_path / "site").run()
    assert (tmp_path / "site" / "index.html").is_file()
    assert export(traces, tmp_path / "site") == 0


def test_the_site_map_and_the_cards_name_whole_addresses(traces: Path, tmp_path: Path):
    export(traces, tmp_path / "site", "--url", "https://course.example/cs")
    assert "<loc>https://course.example/cs/small/</loc>" in (tmp_path / "site" / "sitemap.xml").read_text()
    page = (tmp_path / "site" / "small" / "index.html").read_text()
    assert '<meta property="og:url" content="https://course.example/cs/small/">' in page
    assert '<meta property="og:title" content="Kernels">' in page
    assert (tmp_path / "site" / ".nojekyll").is_file()


def test_a_site_map_is_written_only_where_the_address_is_known_else_that_is_said(traces: Path, tmp_path: Path, capsys):
    export(traces, tmp_path / "site", "--url", "https://course.example/cs")
    assert "sitemap" not in capsys.readouterr().out
    export(traces, tmp_path / "site")
    assert capsys.readouterr().out.count("no sitemap.xml") == 1
    assert not (tmp_path / "site" / "sitemap.xml").exists()


def test_a_note_that_a_lecture_fails_by_now_is_not_published(traces: Path, tmp_path: Path):
    (traces / "small.failed").write_text("SyntaxError in small.py, line 3")
    assert export(traces, tmp_path / "site") == 0
    assert not any(b"SyntaxError" in data for data in content(tmp_path / "site").values())


def test_a_lecture_that_was_never_recorded_is_said(traces: Path, tmp_path: Path, capsys):
    (traces / "talk.failed").write_text("SyntaxError in talk.py, line 3")
    assert export(traces, tmp_path / "site") == 1
    assert "not published: talk: the lecture could not be recorded: SyntaxError in talk.py" in capsys.readouterr().err


def test_a_single_file_needs_nothing_beside_it(traces: Path, tmp_path: Path):
    export(traces, tmp_path / "site", "--single-file")
    page = (tmp_path / "site" / "small.html").read_text()
    links = re.findall(r'(?:href|src)="([^"]*)"|url\("([^"]*)"\)', page)
    outside = {link for pair in links for link in pair if link and not link.startswith(("data:", "#", "?"))}
    assert outside == {"index.html"}
    assert json.loads(re.search(r'id="columns">(.*?)</script>', page)[1])["version"] == 2


def test_json_in_a_page_cannot_end_its_element(traces: Path, tmp_path: Path):
    made = Maker("x = 1\n")
    made.step(made.call("main"), 1, values={"x": "</script><!--<script>"})
    t.write(made.trace(), traces / "hostile.json")
    export(traces, tmp_path / "site", "--single-file")
    page = (tmp_path / "site" / "hostile.html").read_text()
    assert "</script><!--" not in page
    columns = json.loads(re.search(r'id="columns">(.*?)</script>', page)[1])
    assert columns["values"][0] == ["str", "'</script><!--<script>'"]
