"""What several recordings of one lecture measured, side by side."""

import re
from pathlib import Path

import pytest

from engine import trace as t
from tests.viewer.client import Client
from tests.viewer.factory import Maker
from viewer.app import create
from viewer.cli import main
from viewer.measured import measured, same_lecture


def recording(device: str, *shown: t.Output, path: str = "lectures/gpu.py") -> t.Trace:
    made = Maker("show()\n" * len(shown), path=path, title="GPUs")
    activation = made.call("main")
    for line, output in enumerate(shown, 1):
        made.step(activation, line, output)
    trace = made.trace()
    trace.run = {"device": device, "started": "2026-11-29T21:23:06+00:00"}
    return trace


def timed(name: str, *samples: float) -> t.BenchmarkResult:
    return t.BenchmarkResult(name, samples, "a device", "CUDA events", 0.5, "its bandwidth")


MILLISECONDS, COUNTS = t.Table(("n", "ms"), ((1, 2.0),), "T"), t.Table(("n",), ((1,),), "T")
MINE = recording("CPU", timed("copy", 4.0, 5.0, 12.0), timed("copy", 1.0), timed("lost"), MILLISECONDS)
H200 = recording("NVIDIA H200", timed("copy", 2.0), timed("gelu", 3.0), COUNTS, path="gpu.py")


def test_benchmarks_are_aligned_by_name_and_by_how_often_it_came():
    timings = measured([MINE, H200]).timings
    medians = {name: [one and (one.median, one.reached) for one in found] for name, found in timings.items()}
    assert medians == {
        "copy": [(5.0, 0.1), (2.0, 0.25)],
        "copy (2)": [(1.0, 0.5), None],
        "gelu": [None, (3.0, 0.5 / 3)],
    }


def test_tables_are_shown_where_recordings_have_different_numbers_in_them():
    words = t.Table(("a",), (("b",), (True,)), "words")
    once, equal = t.Table(("a",), ((1,),), "once"), t.Table(("a",), ((1,),), "equal")
    both = [recording("CPU", MILLISECONDS, words, once, equal), recording("GPU", COUNTS, words, equal)]
    assert measured(both).tables == {"T": [MILLISECONDS, COUNTS]}


@pytest.mark.parametrize(("path", "same"), [("gpu.py", True), ("a/gpu.py", True), ("other.py", False)])
def test_recordings_belong_together_by_the_name_of_their_file(path: str, same: bool):
    assert same_lecture(MINE, recording("CPU", COUNTS, path=path)) is same


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """A folder with two recordings of one lecture, and one of another."""
    for name, trace in (("mine", MINE), ("h200", H200), ("other", recording("CPU", timed("x", 1.0), path="other.py"))):
        t.write(trace, tmp_path / "traces" / f"{name}.json")
    return tmp_path / "traces"


def test_the_page_names_device_and_date_of_each(pair: Path):
    client = Client(create(pair))
    page = re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", client.get("/mine/compare/").text))
    assert "mine recorded on CPU, 29 Nov 2026 h200 recorded on NVIDIA H200, 29 Nov 2026" in page
    copy = "copy 5 ms 10 % of the ceiling CUDA events on a device, median of 3 runs, 4 to 12 ms, floor 0.5 ms 2 ms"
    assert copy in page and "Medians of all runs." in page
    assert 'href="./mine/compare/"' in client.get("/").text and "other/compare" not in client.get("/").text
    assert [client.get(f"/{name}/compare/").status_code for name in ("h200", "other", "none")] == [200, 404, 404]


def test_the_page_is_exported_as_it_is_served(pair: Path, tmp_path: Path):
    main(["export", "--traces", str(pair), "--out", str(tmp_path / "site")])
    exported = (tmp_path / "site" / "h200" / "compare" / "index.html").read_bytes()
    assert exported == Client(create(pair)).get("/h200/compare/").content
    assert not (tmp_path / "site" / "other" / "compare").exists()


def test_single_files_link_to_it_too(pair: Path, tmp_path: Path):
    alone = tmp_path / "alone"
    main(["export", "--traces", str(pair), "--out", str(alone), "--single-file"])
    assert 'href="compare/mine.html"' in (alone / "index.html").read_text()
    page = (alone / "compare" / "mine.html").read_text()
    for link in re.findall(r'<a [^>]*href="([^"#?]+)"', page):
        assert (alone / "compare" / link).is_file(), link
    assert "_static" not in page and not (alone / "compare" / "other.html").exists()
