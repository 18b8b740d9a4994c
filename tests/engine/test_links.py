"""A link shows a page, a work, or a place in the lecture."""

import functools
import sys
from dataclasses import dataclass

import pytest

from engine import Reference, link
from engine.trace import Link
from tests.engine.hearing import Hearing


@dataclass(frozen=True)
class OwnReference:
    """The lecture's folder may hold a `reference.py` of its own."""

    title: str
    url: str
    authors: list[str]
    notes: str


PAPER = Reference(
    title="Attention Is All You Need", authors=["Ashish Vaswani", "Noam Shazeer"], date="2017-06-12T17:57:34Z",
    url="https://arxiv.org/abs/1706.03762", description="The Transformer.", notes="Read section 3.",
)  # fmt: skip


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: link("https://a.example/b"), Link("https://a.example/b", "https://a.example/b")),
        (lambda: link("https://a.example/b", title="B"), Link("B", "https://a.example/b")),
        (lambda: link(title=" [article]", url="https://a"), Link("[article]", "https://a")),
        (lambda: link(url="https://a", organization="OpenAI"), Link("https://a", "https://a", authors=("OpenAI",))),
        (lambda: link(title="Only words"), Link("Only words")),
        (
            lambda: link(PAPER, style={"color": "gray"}),
            Link(
                "Attention Is All You Need", "https://arxiv.org/abs/1706.03762",
                authors=("Ashish Vaswani", "Noam Shazeer"), date="2017-06-12",
                description="The Transformer.\n\nRead section 3.",
            ),
        ),
        (
            lambda: link(OwnReference("T", "https://t", ["A B"], "n")),
            Link("T", "https://t", authors=("A B",), description="n"),
        ),
    ],
)  # fmt: skip
def test_links_to_pages(heard: Hearing, call, expected):
    call()
    assert (heard.outputs, heard.warnings) == ([expected], [])


def test_an_empty_link_is_nothing(heard: Hearing):
    link("")
    assert (heard.outputs, heard.warnings) == ([], [])


def test_a_field_no_reference_has_is_said(heard: Hearing):
    link("https://a", titel="A")
    assert heard.outputs == [Link("https://a", "https://a")]
    assert heard.warnings == [
        "link() takes no 'titel'; a reference has title, authors, organization, date, url, description, notes"
    ]


def plain():
    """On line PLAIN."""


PLAIN = plain.__code__.co_firstlineno


def decorated(function):
    @functools.wraps(function)
    def wrapper():
        return function()

    return wrapper


@decorated
def under_a_decorator():
    pass


class Shape:
    def area(self):
        pass


CLASS = PLAIN + 20


@pytest.mark.parametrize(
    ("thing", "title", "line"),
    [
        (plain, "plain", PLAIN),
        (functools.partial(plain), "plain", PLAIN),
        (under_a_decorator, "under_a_decorator", PLAIN + 15),
        (Shape, "Shape", CLASS),
        (Shape(), "Shape", CLASS),
        (Shape.area, "area", CLASS + 1),
        (Shape().area, "area", CLASS + 1),
        (sys.modules[__name__], __name__, 1),
    ],
)
def test_links_to_source(heard: Hearing, thing, title, line):
    link(thing)
    assert (heard.outputs, heard.warnings) == ([Link(title, path="test_links.py", line=line)], [])


@pytest.mark.parametrize("thing", [len, 5, int, eval("lambda: 0"), object()])
def test_what_has_no_source_is_said(heard: Hearing, thing):
    link(thing)
    kind = type(thing).__name__
    assert heard.outputs == []
    assert heard.warnings == [
        f"link() takes an address, a Reference, or a function or class written in a file, not this {kind}"
    ]
