"""Charts as they are sent to a browser, and the points of those that have no drawing."""

import re
from base64 import b64encode
from html import unescape
from pathlib import Path
from struct import pack

import msgspec
import pytest

from engine import trace as t
from tests.viewer.client import Client
from tests.viewer.samples import BARS, SQUARES, charts, space
from viewer import plots as plotting
from viewer.app import create
from viewer.bundle import digest
from viewer.cli import main
from viewer.plots import ROWS, SCRIPTS, interactive, points
from viewer.render import STATIC

DEEP = "vendor/plotly-gl3d.min.js"
LINE = {"type": "scatter", "x": [1, 2], "y": [3, 4]}


def sent(spec: object, library: str = "plotly") -> object:
    """What a browser gets of a chart, None where it gets nothing."""
    chart = interactive(t.Plot(library, spec))
    return msgspec.json.decode(chart.spec) if chart else None


@pytest.mark.parametrize(
    ("spec", "left"),
    [
        ({"data": [LINE]}, {"data": [LINE], "layout": {}, "frames": []}),
        ({"data": [{}], "layout": {"height": 9}}, {"data": [{}], "layout": {"height": 9}, "frames": []}),
        ({"data": [{**LINE, "type": "scattergl"}]}, {"data": [LINE], "layout": {}, "frames": []}),
        ({"data": [LINE], "layout": {"images": [1]}, "config": {"a": 1}}, {"data": [LINE], "layout": {}, "frames": []}),
        ({"data": [LINE, {"type": "surface"}]}, {"data": [LINE, {"type": "surface"}], "layout": {}, "frames": []}),
        ({"data": [{"type": "bar"}, {"type": "surface"}]}, None),
        ({"data": [{"type": "sankey"}]}, None),
        ({"data": [{"type": "image", "source": "a.png"}]}, None),
        ({"data": [{"type": ["bar"]}]}, None),
        ({"data": [7]}, None), ({"data": 7}, None), ({"data": []}, None), ([], None), (None, None),
    ],
)  # fmt: skip
def test_of_a_plotly_figure_goes_what_the_bundle_draws_without_asking_for_pictures(spec: object, left: object):
    assert sent(spec) == left


def test_a_vega_lite_chart_goes_as_it_is_and_a_matplotlib_one_not_at_all():
    assert sent(BARS, "vega-lite") == BARS
    assert [sent(spec, "vega-lite") for spec in (None, {}, [1])] == [None] * 3 and sent(None, "matplotlib") is None


def test_equal_charts_have_one_key():
    one, same, other = (interactive(t.Plot("vega-lite", spec)).key for spec in (BARS, dict(BARS), {"mark": "bar"}))
    assert one == same != other


def encoded(code: str, *numbers: float) -> dict[str, str]:
    data = b64encode(pack(f"<{len(numbers)}{code}", *numbers)).decode()
    return {"dtype": {"d": "f8", "b": "i1"}[code], "bdata": data}


@pytest.mark.parametrize(
    ("traces", "rows"),
    [
        ([{**LINE, "name": "a"}, {"y": [5]}], [("a", 1, 3), ("a", 2, 4), ("2", "", 5)]),
        ([{"x": ["A", "B"], "y": encoded("d", 0.5, 2.0)}], [("1", "A", 0.5), ("1", "B", 2.0)]),
        ([{"x": encoded("b", -1), "y": {"dtype": "f8", "bdata": "!"}}], [("1", -1, "")]),
        ([{**LINE, "type": "scatter3d", "z": [5, 6]}, {"y": [7]}], [("1", 1, 3, 5), ("1", 2, 4, 6), ("2", "", 7, "")]),
        ([{"type": "surface", "x": [1, 2], "y": [3, 4], "z": [[1, 2], [3, 4]]}], []),
        ([{"z": [[1]], "x": {"dtype": "f8", "bdata": "AAA=", "shape": "2, 2"}, "y": 7}], []),
    ],
)  # fmt: skip
def test_the_points_of_a_figure(traces: list[object], rows: list[object]):
    assert points(t.Plot("plotly", {"data": traces})) == (rows, 0)


def test_of_many_points_the_first_are_listed_and_the_others_counted():
    rows, more = points(t.Plot("plotly", {"data": [{"y": list(range(ROWS + 5))}]}))
    assert (len(rows), more) == (ROWS, 5)


def test_no_library_can_end_the_element_that_holds_it():
    for path in SCRIPTS:
        text = (STATIC / path).read_text(encoding="utf-8")
        assert not re.search(r"</script|<!--|\r", text, re.IGNORECASE), path


@pytest.fixture
def charted(tmp_path: Path) -> Path:
    """A traces folder with a lecture of charts."""
    traces = tmp_path / "var" / "traces"
    t.write(charts(traces.parent / "files").trace(), traces / "charts.json")
    t.write(space().trace(), traces / "space.json")
    return traces


def test_the_server_gives_the_charts_of_a_lecture_and_no_others(charted: Path):
    client = Client(create(charted))
    key = interactive(t.Plot("plotly", SQUARES)).key
    assert client.get(f"/charts/plots/{key}.json").json() == {**SQUARES, "frames": []}
    assert client.get("/charts/plots/none.json").status_code == 404
    assert f'data-plot="plots/{key}.json"' in client.get("/charts/").text


def test_a_chart_is_encoded_once_for_its_page_and_its_data(charted: Path, monkeypatch: pytest.MonkeyPatch):
    plots, encoded = [], plotting.interactive
    monkeypatch.setattr(plotting, "interactive", lambda plot: plots.append(plot) or encoded(plot))
    client = Client(create(charted))
    shown = re.findall(r'data-plot="([^"]+)"', client.get("/charts/").text)
    assert [client.get(f"/charts/{path}").status_code for path in shown] == [200] * 3
    assert len(plots) == 3


@pytest.mark.parametrize("folder", ["charted", "traces"])
def test_libraries_are_published_only_where_a_lecture_needs_them(request, tmp_path: Path, folder: str):
    recordings: Path = request.getfixturevalue(folder)
    main(["export", "--traces", str(recordings), "--out", str(tmp_path / "site")])
    main(["export", "--traces", str(recordings), "--out", str(tmp_path / "alone"), "--single-file"])
    for path in SCRIPTS:
        assert (tmp_path / "site" / "_static" / path).exists() is (folder == "charted")
        pages = "".join(page.read_text() for page in (tmp_path / "alone").glob("*.html"))
        assert (f'id="{path}"' in pages) is (folder == "charted")


def test_a_single_file_may_run_the_libraries_it_holds(charted: Path, tmp_path: Path):
    main(["export", "--traces", str(charted), "--out", str(tmp_path / "alone"), "--single-file"])
    for name, held in (("charts", SCRIPTS - {DEEP}), ("space", {DEEP})):
        page = (tmp_path / "alone" / f"{name}.html").read_text()
        policy = unescape(page.partition("</head>")[0])
        for path in SCRIPTS:
            assert (digest((STATIC / path).read_text(encoding="utf-8")) in policy) is (path in held)
            assert page.count(f'<script type="text/plain" id="{path}">') == (path in held)
