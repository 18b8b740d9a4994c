"""The recordings of a folder."""

import os
from pathlib import Path

import pytest

from engine import trace as t
from tests.viewer.factory import Maker
from tests.viewer.samples import lecture
from viewer.errors import NotListed, UsageError
from viewer.library import Library, card


def test_no_such_folder_is_one_sentence(tmp_path: Path):
    with pytest.raises(UsageError, match=r"there is no folder '.*gone'; record a lecture first: python -m engine"):
        Library(tmp_path / "gone")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git-lfs pointer"),
        (b'{"format":"lecture-trace","version":99}', "has version 99"),
        (b'{"format":"lecture-trace","ver', "is not a lecture trace"),
        (b"\xff\xfe\x00", "is not a lecture trace"),
        (b'{"format":"another","version":1}', "written by another program"),
        (b'{"format":"lecture-trace","version":1}', "is damaged"),
    ],
)
def test_a_file_that_cannot_be_shown_is_listed_with_what_is_wrong(traces: Path, content: bytes, said: str):
    (traces / "bad.json").write_bytes(content)
    bad, small = map(card, Library(traces).entries())
    assert (bad.name, bad.status, small.status) == ("bad", "broken", "ok")
    assert said in bad.said


def test_a_lecture_that_was_never_recorded_is_listed_with_its_error(traces: Path):
    (traces / "talk.failed").write_text("SyntaxError in talk.py, line 3: expected ':'.\n")
    library = Library(traces)
    small, talk = map(card, library.entries())
    assert (small.status, talk.name, talk.title, talk.status) == ("ok", "talk", "talk", "broken")
    assert talk.said == "the lecture could not be recorded: SyntaxError in talk.py, line 3: expected ':'"
    (traces / "talk.failed").write_text("SyntaxError in talk.py, line 4")
    assert library.entry("talk").problem.endswith("line 4")
    t.write(lecture().trace(), traces / "talk.json")
    assert library.entry("talk").trace is not None
    (traces / "talk.json").unlink()
    (traces / "talk.failed").unlink()
    with pytest.raises(NotListed):
        library.entry("talk")


def test_a_recording_whose_lecture_fails_by_now_says_so_on_its_card(traces: Path):
    (traces / "small.failed").write_text("SyntaxError in small.py, line 3")
    (small,) = map(card, Library(traces).entries())
    assert (small.status, small.failed) == ("ok", "SyntaxError in small.py, line 3")


def test_a_card_says_what_there_is_to_see(traces: Path):
    (small,) = map(card, Library(traces).entries())
    assert (small.title, small.steps, small.kernels) == ("Kernels", 48, 1)
    assert small.sections == ("Kernels", "Benchmarking", "GeLU")


def test_a_changed_file_is_read_again_and_an_unchanged_one_is_not(traces: Path):
    library = Library(traces)
    first = library.entry("small")
    assert library.entry("small") is first
    made = lecture()
    made.title = "Changed"
    t.write(made.trace(), traces / "small.json")
    os.utime(traces / "small.json", ns=(1, 1))
    again = library.entry("small")
    assert again.trace.title == "Changed" and again.revision != first.revision


@pytest.mark.parametrize("name", ["../small", "..", ".small", "no", "small.json", "a/b", "a\\b", "a\0b", ""])
def test_only_listed_names_are_recordings(traces: Path, name: str):
    with pytest.raises(NotListed):
        Library(traces).entry(name)


def test_a_name_that_the_site_uses_itself_is_refused(traces: Path):
    t.write(lecture().trace(), traces / "_static.json")
    assert card(Library(traces).entries()[0]).said == "the viewer uses the name '_static' itself; rename the file"


def test_only_files_that_a_recording_shows_are_served(traces: Path):
    files = traces.parent / "files"
    files.mkdir()
    for name in ("shown.svg", "secret.txt"):
        (files / name).write_text("<svg/>")
    (files / "out.svg").symlink_to(traces / "small.json")
    made = Maker("image('x')\n")
    names = ("shown.svg", "out.svg", "../traces/small.json")
    made.step(made.call("main"), 1, *(t.Picture("x", name) for name in names))
    t.write(made.trace(), traces / "pictures.json")
    library = Library(traces)
    assert library.file("shown.svg") == files / "shown.svg"
    for name in ("secret.txt", "out.svg", "../traces/small.json", "%2e%2e/traces/small.json"):
        with pytest.raises(NotListed):
            library.file(name)


def test_only_stages_that_a_recording_has_are_served(traces: Path):
    library = Library(traces)
    assert library.stage("gelu90", "ptx").read_text().startswith(".version")
    for key, stage in [("gelu90", "lines.json"), ("gelu90", "../gelu80/ptx"), ("no", "ptx"), ("..", "ptx")]:
        with pytest.raises(NotListed):
            library.stage(key, stage)
