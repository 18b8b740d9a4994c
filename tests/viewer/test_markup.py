"""Markdown of a recording as HTML that can do no harm."""

import pytest

from viewer.markup import headings, markdown, safe_address


def test_headings_stand_below_the_page_title():
    assert markdown("# GPUs\n\n## Warps") == "<h2>GPUs</h2>\n<h3>Warps</h3>\n"


def test_mathematics_becomes_mathml():
    assert "<msup><mi>x</mi><mn>2</mn></msup>" in markdown("so $x^2$ it is")
    assert 'display="block"' in markdown("$$\\frac{a}{b}$$")


def test_a_formula_that_cannot_be_converted_is_shown_as_written():
    assert '<code class="formula">\\frac{' in markdown("$\\frac{$")


def test_prices_are_no_mathematics():
    assert markdown("from $5 to $6") == "<p>from $5 to $6</p>\n"


def test_html_in_a_text_is_shown_not_obeyed():
    assert markdown("vector<float> <b>x</b>") == "<p>vector&lt;float&gt; &lt;b&gt;x&lt;/b&gt;</p>\n"


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "![x](javascript:alert(1))",
        "$\\href{javascript:alert(1)}{x}$",
        "$\\style{color:red}{x}$",
        "$</math><script>alert(1)</script>$",
        "```<script>\nx\n```",
        '[x](https://a.example "onmouseover=alert(1)")',
        "<svg onload=alert(1)>",
    ],
)
def test_nothing_hostile_survives(hostile: str):
    html = markdown(hostile).lower()
    assert "<script" not in html and "<svg" not in html and "<img" not in html
    assert 'href="javascript' not in html and 'href="data' not in html
    assert " style=" not in html and " onload" not in html.replace("&lt;svg onload", "")


def test_a_picture_in_markdown_is_a_link_since_no_request_leaves_the_page():
    html = markdown("![a chart](https://a.example/x.png)")
    assert html == '<p><a href="https://a.example/x.png" rel="noopener noreferrer">a chart</a></p>\n'


def test_code_is_coloured_in_its_language():
    assert '<span class="k">def</span>' in markdown("```python\ndef f(): pass\n```")


def test_headings_are_read_without_their_marks():
    assert headings("# A *b* `c`\ntext\n\n### D") == [(1, "A b c"), (3, "D")]


@pytest.mark.parametrize("address", ["https://a.example/", "http://a.example", "mailto:a@b.example"])
def test_addresses_of_pages_are_kept(address: str):
    assert safe_address(f" {address} ") == address


@pytest.mark.parametrize("address", ["javascript:alert(1)", "JAVASCRIPT:x", "data:text/html,x", "file:///x", "x"])
def test_other_addresses_lead_nowhere(address: str):
    assert safe_address(address) == ""
