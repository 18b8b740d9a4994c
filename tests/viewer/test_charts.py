"""Charts that could not be drawn say what they show and why there is nothing to see."""

import pytest

from engine import trace as t
from tests.viewer.factory import Maker
from viewer import render
from viewer.charts import caption
from viewer.lecture import page, study
from viewer.urls import Urls


@pytest.mark.parametrize(
    ("plot", "said"),
    [
        (t.Plot("vega-lite", {"title": "Time"}, alt="time over size"), "time over size"),
        (t.Plot("vega-lite", {"title": "Time"}), "Time"),
        (t.Plot("vega-lite", {"title": {"text": "Time"}}), "Time"),
        (t.Plot("plotly", {"layout": {"title": {"text": "Time"}}}), "Time"),
        (t.Plot("plotly", {"layout": []}), ""),
        (t.Plot("vega-lite", {"title": ["two", "lines"]}), ""),
        (t.Plot("matplotlib"), ""),
    ],
)
def test_the_words_of_a_chart(plot: t.Plot, said: str):
    assert caption(plot) == said


def test_the_recorded_reason_stands_in_the_card():
    made = Maker("plot(\n    chart\n)\n")
    made.step(made.call("main"), 1, t.Plot("vega-lite", {"title": "Time <s>"}), end_line=3)
    made.warnings.append(t.Warning("plot(): the chart has no drawing, since vl-convert is missing", "lecture.py", 1))
    html = render.lecture(page(study(made.trace(), "small"), Urls(), "r1"))
    card = html.partition("<strong>Chart not drawn.</strong>")[2].partition("</div>")[0]
    assert card.split("\n") == [" Time &lt;s&gt;", "<p>the chart has no drawing, since vl-convert is missing</p>"]
