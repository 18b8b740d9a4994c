"""Claims about compiled code: what they select and count, when they hold, and what the author is told."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from engine.claims import LINES, Claim, judge, selector
from engine.trace import Evidence, Kernel, Observation, Variant, read
from engine.verdicts import verdict

PTX = """\
.reqntid 128
mov.u32 %r1, %ctaid.x;
@%p1 ld.global.v4.b32 { %r1, %r2, %r3, %r4 }, [ %rd1 + 0 ];
@%p1 ld.global.b32 %r5, [ %rd2 + 0 ];
st.global.b32 [ %rd3 + 0 ], %r5; // ld.global ld.global
"""
LOADED = r"@%p\d ld\.global(\.v(?P<n>\d))?"


def claim(pattern: object, count: int | None = None, stage: str = "ptx", **more: object) -> Claim:
    return Claim(Observation("A sentence.", 0, stage, expected=count), selector(pattern), **more)


@pytest.mark.parametrize(
    ("pattern", "count", "lines", "found", "holds"),
    [
        (r"ld\.global", None, (3, 4, 5), 4, True),
        (r"^@.*ld\.global", 2, (3, 4), 2, True),
        (LOADED, 5, (3, 4), 5, True),
        (LOADED, 8, (3, 4), 5, False),
        (r"wgmma", None, (), 0, False),
        (r"wgmma", 0, (), 0, True),
        (r"ctaid\.x;\n@%p1 ld", 1, (2, 3), 1, True),
        (r"\.reqntid 128\n", 1, (1,), 1, True),
        (lambda text: [n for n, line in enumerate(text.split("\n"), 1) if "%p1" in line], 2, (3, 4), 2, True),
        (lambda text: {5, 2}, None, (2, 5), 2, True),
        (lambda text: (), None, (), 0, False),
    ],
)
def test_a_pattern_selects_lines_and_counts(pattern, count, lines, found, holds):
    evidence = judge(claim(pattern, count), PTX)
    assert (evidence.lines, evidence.count, evidence.holds) == (lines, found, holds)
    assert bool(evidence.reason) is not holds


def test_a_group_n_counts_elements_and_not_loads():
    assert judge(claim(LOADED, 8), PTX).reason == "5 found, 8 expected"
    assert judge(claim("wgmma"), PTX).reason == "nothing found"


@pytest.mark.parametrize(
    ("select", "said"),
    [
        (lambda text: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda text: exec("raise SystemExit"), "SystemExit: "),
        (lambda text: True, "ValueError: the function returned True, not the numbers of lines"),
        (lambda text: "3", "ValueError: the function returned '3', not the numbers of lines"),
        (lambda text: [0], "ValueError: the function returned [0]; the text has lines 1 to 6"),
        (lambda text: [7], "ValueError: the function returned [7]; the text has lines 1 to 6"),
        (r"st\.(?P<n>\w+)", "ValueError: the group n matched 'global', which is no number to count with"),
    ],
)
def test_what_fails_is_evidence_of_nothing(select, said):
    assert judge(claim(select), PTX) == Evidence(reason=f"what selects its lines failed: {said}")


def test_a_long_selection_is_cut_and_says_so():
    evidence = judge(claim("x"), "x\n" * (LINES + 5))
    assert (len(evidence.lines), evidence.count, evidence.truncated, evidence.holds) == (LINES, LINES + 5, True, True)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(ld", r"'\(ld' is no regular expression: missing \), unterminated subpattern at position 0"),
        ("x*", "'x\\*' matches even where there is nothing; name what must stand there"),
        (8, "8 is neither a regular expression nor a function of the stage's text"),
    ],
)
def test_what_cannot_select_is_said_in_a_sentence(pattern, said):
    with pytest.raises(ValueError, match=said):
        selector(pattern)


# ---------------------------------------------------------------- against compilations

BLOCKS = {"256": "ld.global", "1024": "ld.global ld.global"}
"PTX by BLOCK_SIZE; for sm_100 nothing."


def compiled(*targets: str, blocks: tuple[str, ...] = ("1024",)) -> Kernel:
    variants = tuple(
        Variant(target, "compiled", f"{target}-{block}", ("ptx",), constants={"BLOCK_SIZE": block})
        for block in blocks for target in targets
    )  # fmt: skip
    return Kernel("gelu_kernel", "triton", "gelu.py", 4, 9, variants)


def text_of(variant: Variant, stage: str) -> str:
    assert stage == "ptx"
    return "" if variant.target == "sm_100" else BLOCKS[variant.constants["BLOCK_SIZE"]]


def asked(made: Claim, kernel: Kernel, read: Callable[[Variant, str], str] = text_of) -> tuple[Observation, list[str]]:
    return verdict(made, [kernel], read, lambda kernel: "def kernel():\n    x = tl.load(p)\n")


def test_it_holds_everywhere():
    found, complaints = asked(claim("ld"), compiled("sm_80", "sm_90"))
    assert complaints == []
    assert [(one.target, one.key, one.told, one.holds) for one in found.evidence] == [
        ("sm_80", "sm_80-1024", "", True), ("sm_90", "sm_90-1024", "", True),
    ]  # fmt: skip


def test_where_it_does_not_hold_is_said_target_by_target():
    found, complaints = asked(claim("ld", 2), compiled("sm_80", "sm_90", "sm_100"))
    assert [one.holds for one in found.evidence] == [True, True, False]
    assert complaints == [
        "observe('A sentence.') does not hold: sm_100: nothing found, 2 expected (it holds for sm_80, sm_90)"
    ]


def test_compilations_for_the_same_target_are_told_apart():
    kernel = compiled("sm_80", "sm_90", blocks=("1024", "256"))
    found, complaints = asked(claim("ld", 2), kernel)
    assert [one.told for one in found.evidence] == ["BLOCK_SIZE = 1024"] * 2 + ["BLOCK_SIZE = 256"] * 2
    assert "; ".join(complaints) == (
        "observe('A sentence.') does not hold: sm_80, sm_90 with BLOCK_SIZE = 256: 1 found, 2 expected "
        "(it holds for sm_80, sm_90 with BLOCK_SIZE = 1024)"
    )
    found, complaints = asked(claim("ld", 2, constants=(("BLOCK_SIZE", "1024"),)), kernel)
    assert ([one.told for one in found.evidence], complaints) == (["", ""], [])


def test_warps_tell_compilations_apart_too():
    kernel = compiled("sm_80")
    variants = tuple(msgspec.structs.replace(kernel.variants[0], num_warps=warps) for warps in (4, 8))
    found, _ = asked(claim("ld"), msgspec.structs.replace(kernel, variants=variants))
    assert [one.told for one in found.evidence] == ["4 warps", "8 warps"]


def test_targets_limit_the_claim_and_one_that_was_not_asked_for_is_no_complaint():
    found, complaints = asked(claim("ld", targets=("sm_90", "sm_75")), compiled("sm_80", "sm_90a"))
    assert complaints == []
    assert [(one.target, one.holds, one.reason) for one in found.evidence] == [
        ("sm_90a", True, ""), ("sm_75", None, "not compiled for it"),
    ]  # fmt: skip


def test_what_was_not_compiled_is_not_held_to_be_true():
    kernel = Kernel("gelu_kernel", "triton", "gelu.py", 4, 9, (Variant("sm_80", "compiled", "", reason="no\nway"),))
    found, complaints = asked(claim("ld", 0), kernel)
    assert found.evidence == (Evidence("sm_80", reason="no"),)
    assert complaints == ["observe('A sentence.') could not be checked: sm_80: no"]
    for kernel, said in (
        (Kernel("gelu_kernel", "triton", "gelu.py", 4, 9), "gelu_kernel was not compiled"),
        (compiled("sm_80"), "gelu_kernel was not compiled with BLOCK_SIZE = 512"),
    ):
        found, complaints = asked(claim("ld", constants=(("BLOCK_SIZE", "512"),)), kernel)
        assert (found.kernel, found.evidence, found.reason) == (0, (), said)
        assert complaints == [f"observe('A sentence.') could not be checked: {said}"]


def test_a_stage_that_is_not_there_or_cannot_be_read_is_said():
    found, [complaint] = asked(claim("ld", stage="sass"), compiled("sm_80"))
    assert found.evidence[0].holds is None
    assert complaint.endswith("could not be checked: sm_80: it has no stage sass")

    def gone(variant: Variant, stage: str) -> str:
        raise FileNotFoundError(2, "No such file or directory")

    found, [complaint] = asked(claim("ld"), compiled("sm_80"), gone)
    assert complaint.endswith("could not be checked: sm_80: its ptx cannot be read: No such file or directory")


def test_the_kernels_own_lines_are_counted_as_in_their_file():
    found, complaints = asked(claim(r"tl\.load", stage="source"), compiled("sm_80"))
    assert (found.evidence, complaints) == ((Evidence(holds=True, lines=(5,), count=1),), [])


def test_a_kernel_can_be_called_by_its_name_in_the_recording():
    named = claim("ld", kernel="gelu_*")
    assert asked(replace(named, observation=Observation("A sentence.")), compiled("sm_80"))[0].kernel == 0
    found, [complaint] = asked(replace(named, kernel="triton_poi_*"), compiled("sm_80"))
    assert (found.kernel, found.evidence) == (-1, ())
    assert complaint.endswith("could not be checked: the recording has no kernel 'triton_poi_*'; it has gelu_kernel")


# ---------------------------------------------------------------- against what a GPU ran

RECORDED = Path(__file__).parents[2] / "lectures" / "recorded"


@pytest.mark.parametrize(
    ("kernel", "pattern", "stage"),
    [
        ("gelu_kernel", r"@%p\d ld\.global", "ptx"),
        ("gelu_kernel", r"\bLDG\.E", "sass"),
        ("matmul_relu_kernel", r"\bwgmma\.mma_async", "ptx"),
        ("triton_poi_fused_add_mul_tanh_*", r"\bst\.global", "ptx"),
        ("triton_poi_fused_add_mul_tanh_*", r"\btanh\b", "source"),
    ],
)
def test_what_was_launched_on_a_gpu_is_looked_at_as_it_ran(kernel, pattern, stage):
    recorded = read(RECORDED / "lecture_06.json")
    sources = {file.path: file.source.split("\n") for file in recorded.files}
    launched = [one for one in recorded.kernels if any(variant.origin == "launched" for variant in one.variants)]
    made = claim(pattern, stage=stage, kernel=kernel)
    found, complaints = verdict(
        made, launched,
        lambda variant, stage: (RECORDED / "kernels" / variant.key / stage).read_text(),
        lambda kernel: "\n".join(sources[kernel.path][kernel.line - 1 : kernel.end_line]),
    )  # fmt: skip
    assert complaints == []
    assert found.evidence and all(one.holds and one.lines for one in found.evidence)
    assert {one.target for one in found.evidence} == {"" if stage == "source" else "sm_90"}
