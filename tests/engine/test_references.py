"""A paper on arXiv is looked up once, found in the original's caches, and is its address where neither is possible."""

import hashlib
from pathlib import Path

import pytest

from engine import Reference, downloads, link, url_reference
from engine.downloads import DownloadError
from engine.trace import Link
from tests.engine.hearing import Hearing

FEED = b"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <title>Query Results</title>
  <entry>
    <id>http://arxiv.org/abs/1706.03762v7</id>
    <published>2017-06-12T17:57:34Z</published>
    <title>Attention Is All
  You Need</title>
    <summary>  The dominant models ... </summary>
    <author><name>Ashish Vaswani</name></author>
    <author><name>Noam  Shazeer</name></author>
  </entry>
</feed>"""
EMPTY_FEED = b'<feed xmlns="http://www.w3.org/2005/Atom"><title>Query Results</title></feed>'
PAGE = b"""<!DOCTYPE html><html><head>
<meta name="citation_title" content="Attention Is All You Need" />
<meta name="citation_author" content="Vaswani, Ashish" /><meta name="citation_author" content="Shazeer, Noam" />
<meta name="citation_date" content="2017/06/12" />
<meta property="og:description" content="Abstract page"/><meta name="citation_abstract" content="The dominant
models ..." /></head></html>"""
QUERY = "http://export.arxiv.org/api/query?id_list=1706.03762"
PAPER = Reference(
    title="Attention Is All You Need", authors=["Ashish Vaswani", "Noam Shazeer"], date="2017-06-12",
    url="https://arxiv.org/abs/1706.03762", description="The dominant models ...",
)  # fmt: skip


@pytest.fixture(autouse=True)
def arxiv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes | Exception]:
    """What the network answers, by address; the addresses that were asked for are taken out of it."""
    monkeypatch.chdir(tmp_path)
    answers: dict[str, bytes | Exception] = {}

    def fetch(url: str, *rest: object) -> bytes:
        answer = answers.pop(url)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(downloads, "_fetch", fetch)
    return answers


def cache(folder: Path, url: str, ending: str, data: bytes) -> None:
    folder.mkdir(parents=True)
    name = "".join(letter if letter.isalnum() else "_" for letter in url).replace("___", "_")
    (folder / f"arxiv-{hashlib.md5(url.encode()).hexdigest()}-{name}{ending}").write_bytes(data)


def test_a_paper_is_looked_up_once(heard: Hearing, arxiv: dict[str, bytes]):
    arxiv[QUERY] = FEED
    assert url_reference("https://arxiv.org/abs/1706.03762") == PAPER
    assert url_reference("https://arxiv.org/abs/1706.03762") == PAPER
    assert (heard.outputs, heard.warnings) == ([], [])
    key = hashlib.md5(QUERY.encode()).hexdigest()
    assert heard.files == [f"arxiv-{key}-http_export_arxiv_org_api_query_id_list_1706_03762"]


def test_a_link_shows_what_is_known(heard: Hearing, arxiv: dict[str, bytes]):
    arxiv[QUERY] = FEED
    link("https://arxiv.org/pdf/1706.03762v5.pdf", title="[Vaswani+ 2017]", notes="Read it.")
    assert heard.outputs == [
        Link(
            "[Vaswani+ 2017]", "https://arxiv.org/pdf/1706.03762v5.pdf", authors=("Ashish Vaswani", "Noam Shazeer"),
            date="2017-06-12", description="The dominant models ...\n\nRead it.",
        )
    ]  # fmt: skip


@pytest.mark.parametrize("folder", ["var/files", "elsewhere/var/files"])
def test_a_feed_the_original_kept_is_used(heard: Hearing, tmp_path: Path, folder: str):
    cache(tmp_path / folder, QUERY, "", FEED)
    heard.lecture = tmp_path / "elsewhere/lecture.py"
    assert url_reference("https://arxiv.org/abs/1706.03762") == PAPER


@pytest.mark.parametrize("ending", ["", ".03762"])
def test_a_page_the_original_kept_is_used(heard: Hearing, tmp_path: Path, ending: str):
    cache(tmp_path / "var/files", "https://arxiv.org/abs/1706.03762", ending, PAGE)
    assert url_reference("https://arxiv.org/abs/1706.03762") == PAPER


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (DownloadError("this machine seems to be offline"), "this machine seems to be offline"),
        (EMPTY_FEED, "arXiv knows no such paper"),
        (b"Rate exceeded.", "what arXiv answered is not a feed (syntax error: line 1, column 0)"),
    ],
)
def test_a_paper_that_cannot_be_had_is_its_address(heard: Hearing, arxiv, answer, reason):
    arxiv[QUERY] = answer
    for _ in range(2):  # asking the network twice would be a KeyError
        link("https://arxiv.org/abs/1706.03762")
    assert heard.outputs == [Link("https://arxiv.org/abs/1706.03762", "https://arxiv.org/abs/1706.03762")] * 2
    assert heard.warnings == [f"no arXiv entry for https://arxiv.org/abs/1706.03762: {reason}"] * 2
    assert heard.files == []


@pytest.mark.parametrize(
    "url", ["https://arxiv.org/list/cs.LG/recent", "https://a.example/abs/1706.03762", "no address"]
)
def test_other_addresses_are_not_looked_up(heard: Hearing, url: str):
    assert url_reference(url, title="T") == Reference(title="T", url=url)
    assert heard.warnings == []


def test_old_identifiers(heard: Hearing, arxiv: dict[str, bytes]):
    arxiv["http://export.arxiv.org/api/query?id_list=hep-th/9901001"] = FEED
    assert url_reference("http://arxiv.org/abs/hep-th/9901001v2").title == "Attention Is All You Need"


def test_what_the_author_says_comes_first(heard: Hearing, arxiv: dict[str, bytes]):
    arxiv[QUERY] = FEED
    known = url_reference("https://arxiv.org/abs/1706.03762", title="Transformers", organization="Google")
    assert (known.title, known.organization, known.date) == ("Transformers", "Google", "2017-06-12")


@pytest.mark.parametrize(
    ("reference", "label"),
    [
        (PAPER, "[Vaswani+ 2017]"),
        (Reference(authors=["Claude Shannon"], date="1950-09-15"), "[Shannon 1950]"),
        (Reference(authors=["Kimi Team"]), "[Kimi Team ?]"),
        (Reference(title="GPT-J", url="https://a"), "[GPT-J]"),
        (Reference(url="https://a"), "[https://a]"),
        (Reference(), "[?]"),
    ],
)
def test_labels(reference: Reference, label: str):
    assert reference.label == label
