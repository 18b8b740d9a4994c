"""Which instructions stand on the lines of a stage, and which lines are none."""

import re
from collections.abc import Iterator

import pytest

from tests.recordings import ROOT
from viewer.assembly import Instruction, asides, counts, explain, instructions
from viewer.library import Library

PTX = """\
// Generated
.visible .entry f(
	.param .u64 f_param_0
)
.reqntid 128
{
	.reg .b32 	%r<3>;
$L__tmp0: add.s32 	%r1, %r2, 1;
	mov.u32 	%r3, %tid.x; // the thread
	@%p1 ld.global.v4.b32 { %r1, %r2, %r3, %r4 }, [ %rd1 + 0 ];
	@!%p1 bra 	$L__BB0_2;
	{ .reg .b16 t; mov.b32 {t, _}, %r1; }
	call.uni (retval0),
	g,
	(
	param0
	);
waitLoop:
	@!complete bra.uni waitLoop;
$L__BB0_2:
	fma.rn.f32 	%r1, %r2, %r3, %r4;
	ret;
}
	.section	.debug_info
	{
.b8 1
	}"""


def opcodes(text: str, stage: str) -> dict[int, str]:
    """Opcodes by line, those of one line with a comma between."""
    found = instructions(text.split("\n"), stage)
    return {line: ", ".join(one.guard + one.opcode for one in ones) for line, ones in enumerate(found, 1) if ones}


def test_instructions_of_ptx():
    assert opcodes(PTX, "ptx") == {
        8: "add.s32", 9: "mov.u32", 10: "@ld.global.v4.b32", 11: "@!bra", 12: "mov.b32", 13: "call.uni",
        19: "@!bra.uni", 21: "fma.rn.f32", 22: "ret",
    }  # fmt: skip


SASS = """\
	.section	.text.f,"ax",@progbits
f:
.text.f:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P1 LDG.E R8, desc[UR4][R2.64] ;
        /*0020*/              @UP0 UIADD3 UR4, UR5, URZ, URZ ;
        /*0030*/                   HFMA2.MMA R3, -RZ, RZ, 0, 0 ;
        /*0040*/                   HFMA2 R3, R4, R5, R6 ;
.L_x_0:
        /*0050*/                   BRA `(.L_x_0);"""


def test_instructions_of_sass():
    assert opcodes(SASS, "sass") == {
        4: "LDC", 5: "@!LDG.E", 6: "@UIADD3", 7: "HFMA2.MMA", 8: "HFMA2", 10: "BRA",
    }  # fmt: skip


def test_sentences_of_lines_stand_once():
    lines = ["mov.u32 %r1, %tid.x;", "ret;", "mov.u32 %r2, %r3;", ".reg .b32 %r;", "@!%p1 ret;", "ret;", "frobnicate;"]
    found = explain(instructions(lines, "ptx"), "ptx")
    assert found.text == [0, 1, 2, -1, 3, 1, -1]
    assert found.texts[0][0] == "mov.u32" and found.texts[0][1].endswith(" %tid.x is the thread's index in its block.")
    assert found.texts[3] == ("ret", "Returns: from a kernel, ends the thread. Only where its predicate does not hold.")


def test_instructions_are_counted_by_the_line_they_come_from():
    source = [-1] * 9 + [35, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0]
    assert counts(instructions(PTX.split("\n"), "ptx"), source, "ptx") == {"load": {35: 1}, "fma": {0: 1}}
    assert counts(instructions(SASS.split("\n"), "sass"), [], "sass") == {"load": {0: 1}, "fma": {0: 1}}


def test_asides():
    left = {*range(1, len(PTX.split("\n")) + 1)} - {*asides(PTX.split("\n"), [], "ptx")}
    assert left == {*range(8, 23)}
    assert asides(SASS.split("\n"), [], "sass") == [1]
    assert asides(["ret void", "!1 = !{}", "; c", "5:  ; preds", "}"], [], "llir") == [2, 3]
    assert asides(["#loc = loc(unknown)", "#blocked = #ttg", "module {", "}"], [], "ttgir") == [1]
    assert asides([".b8 1", ""], [7, -1], "ptx") == [2]  # the links know better
    assert asides([""], [], "unknown") == []


def recorded() -> Iterator[tuple[str, str]]:
    """Every stage of the recordings that lie beside the lectures: its name and its text."""
    library = Library(ROOT / "lectures" / "recorded")
    for entry in library.entries():
        for kernel in entry.trace.kernels if entry.trace else ():
            for variant in kernel.variants:
                for stage in variant.stages:
                    yield stage, library.stage(variant.key, stage).read_text(encoding="utf-8")


def test_the_recording_beside_the_lectures_has_no_opcode_without_a_sentence():
    unknown, seen = set(), set()
    for stage, text in recorded():
        if stage in ("ptx", "sass"):
            for one in (one for line in instructions(text.split("\n"), stage) for one in line):
                seen.add(one.opcode)
                if not one.sentence(stage):
                    unknown.add(one.opcode)
    assert not unknown
    assert {"ld.global.v4.b32", "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16", "LDG.E.128"} <= seen


def test_code_only_leaves_out_no_code_of_the_recording_beside_the_lectures():
    some = 0
    for stage, text in recorded():
        plain = text.removesuffix("\n").split("\n")
        left_out = {*asides(plain, [], stage)}  # what the text alone says; the compiler's links only keep more
        some += len(left_out)
        assert all(re.match(NO_CODE[stage], plain[line - 1]) for line in left_out)
        if stage in ("ptx", "sass"):
            assert not left_out & {line for line, found in enumerate(instructions(plain, stage), 1) if found}
    assert some > 1000


NO_CODE = {
    "ttir": r"#loc|\s*$", "ttgir": r"#loc|\s*$", "llir": r"[;!\s]*$|[;!]|attributes|source|target|declare|\s+#dbg",
    "ptx": r"\s*//|\s*(?:[.{})]|$)(?!.*:\s*$)", "sass": r"\s*(?:\.[a-z]+\s|//|$)",
}  # fmt: skip
"What a line that is no instruction, label or predicate begins with."


@pytest.mark.parametrize("guard", ["", "@", "@!"])
def test_an_unknown_opcode_has_no_sentence_whatever_stands_before_it(guard: str):
    assert explain([(Instruction("frobnicate", "", guard),)], "ptx").text == [-1]
