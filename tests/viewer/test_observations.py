"""Observations on the page: the sentence and its links, and in words where it holds and where not."""

import re
from html import unescape

import pytest

from engine import trace as t
from tests.viewer.factory import Maker
from tests.viewer.samples import observed
from viewer import markup, single, site
from viewer.kernels import in_play
from viewer.library import Library
from viewer.observations import proof

KERNEL = t.Kernel("gelu_kernel", "triton", "gelu.py", 1, 9, tuple(
    t.Variant(f"sm_{number}", "compiled", f"k{number}", ("ptx",)) for number in (80, 90, 100)
))  # fmt: skip


def held(number: int, *lines: int, told: str = "") -> t.Evidence:
    return t.Evidence(f"sm_{number}", f"k{number}", told, True, lines, len(lines))


def test_targets_with_the_same_evidence_are_named_together():
    found = proof(t.Observation("x", 0, evidence=(held(80, 3), held(90, 3), held(100, 4, 5, 6, 9))), [KERNEL])
    assert [(one.state, one.where, one.said, one.found) for one in found.findings] == [
        ("holds", "sm_80, sm_90", "line 3", '{"0":[3],"1":[3]}'),
        ("holds", "sm_100", "lines 4 to 6, 9", '{"2":[4,5,6,9]}'),
    ]
    assert (found.place, found.kernel, found.key) == ("PTX of gelu_kernel", 0, "k80")
    assert found.found == '{"0":[3],"1":[3],"2":[4,5,6,9]}'


def test_a_sentence_that_does_not_hold_somewhere_leads_to_where_it_does():
    refuted = t.Evidence("sm_90", "k90", "4 warps", False, (3,), 1, "1 found, 2 expected")
    found = proof(t.Observation("x", 0, evidence=(refuted, held(80, 3))), [KERNEL])
    assert found.found == '{"0":[3]}'
    first = found.findings[0]
    assert (first.state, first.where, first.said) == ("refuted", "sm_90 with 4 warps", "1 found, 2 expected")
    assert proof(t.Observation("x", 0, evidence=(refuted,)), [KERNEL]).found == '{"1":[3]}'


def test_what_was_not_checked_leads_nowhere():
    nothing = t.Observation("x", 0, evidence=(t.Evidence("sm_75", reason="not compiled for it"),))
    found = proof(nothing, [KERNEL])
    assert (found.kernel, found.problem, found.findings[0].state) == (-1, "", "open")
    found = proof(t.Observation("x", reason="no kernel"), [KERNEL])
    assert (found.kernel, found.place, found.problem, found.findings) == (-1, "", "no kernel", ())


def test_many_lines_are_named_as_far_as_they_can_be_read():
    [finding] = proof(t.Observation("x", 0, evidence=(held(80, *range(1, 40, 2)),)), [KERNEL]).findings
    assert finding.said == "lines 1, 3, 5, 7, 9, 11 and 14 more"
    [finding] = proof(t.Observation("x", 0, evidence=(held(80),)), [KERNEL]).findings
    assert finding.said == "nowhere, as it says"


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("`ld` *reads* [x](https://a.example/)", "<code>ld</code> <em>reads</em> x"),
        ("# no heading\n\n- no list", "# no heading - no list"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
    ],
)
def test_a_sentence_is_words_that_can_stand_in_a_link(source, html):
    assert markup.sentence(source) == html


@pytest.fixture
def library(traces):
    t.write(observed().trace(), traces / "observed.json")
    return Library(traces)


def said(page: str) -> list[str]:
    """The observations of a page in words, without script."""
    found = re.findall(r'<p class="text observation">.*?</p>', page, re.DOTALL)
    return [" ".join(unescape(re.sub(r"<[^>]+>", "", one)).split()) for one in found]


def test_without_script_the_page_says_all_of_it(library):
    assert said(site.lecture(library.entry("observed"))) == [
        (
            "ld.global reads four elements. PTX of gelu_kernel · sm_80, sm_90: 4, on line 10; "
            "not checked for sm_100: ptxas of this Triton does not know sm_100"
        ),
        (
            "It stores twice. PTX of gelu_kernel · sm_80: 2, on lines 12 to 13; "
            "does not hold for sm_90: 1 found, 2 expected"
        ),
        "It masks. Source of gelu_kernel · lines 8 to 9",
        "It is fused. not checked: the recording has no kernel 'triton_*'; it has gelu_kernel",
    ]


def test_a_card_says_what_autotuning_found(library):
    page = site.lecture(library.entry("observed"))
    [first, second] = re.findall(r"<table><caption>Autotuned.*?</table>", page, re.DOTALL)
    words = " ".join(unescape(re.sub(r"<[^>]+>", " ", first)).split())
    assert words == (
        "Autotuned for n = 64, torch.float32 · times by Triton's benchmark on NVIDIA H200 "
        "Configuration Warps Stages ms BLOCK = 64 2 3 0.5 BLOCK = 128 4 3 0.25 the fastest "
        "BLOCK = 4096 8 3 it could not run"
    )
    assert "nothing was measured here" in second and "ran, not measured" in second


def test_links_lead_to_the_stages_text_or_inside_one_file_to_the_pane(library):
    page = site.lecture(library.entry("observed"))
    assert page.count('class="claim" href="../_kernels/gelu80/ptx"') == 2
    alone = single.lecture(library, library.entry("observed"), notes=False)
    assert said(alone) == said(page)
    assert alone.count('class="claim" href="#kernel"') == 3 and "_kernels/gelu80/ptx" not in alone


def test_an_observation_brings_its_kernel_into_play():
    made = Maker("observe()\n" * 3)
    made.kernels.append(KERNEL)
    main = made.call("main")
    for line, number in ((1, -1), (2, 0), (3, -1)):
        made.step(main, line, t.Observation("x", number))
    assert in_play(t.Recording(made.trace()), []) == [(1, 0)]
