"""engine.lines: from each line of a compiled stage to the line of the source it comes from."""

import re
from collections.abc import Iterator

import pytest

from engine.lines import read_stages, stage_lines
from engine.lines_llvm import read_llvm
from engine.lines_mlir import read_mlir
from engine.lines_ptx import read_ptx
from engine.lines_sass import NUMBERED, number_origins, read_sass
from engine.trace import StageLines
from tests.engine.compiled import compiled
from viewer import kernels
from viewer.assembly import asides, counts, instructions

TARGETS = ("sm_80", "sm_90", "sm_100")
PROJECT = ("gelu_kernel", "softmax_kernel", "row_sum_kernel", "matmul_relu_kernel")
STAGES = ("ttir", "ttgir", "llir", "ptx", "sass")


def shown(text: str, origins: list) -> list[str]:
    """Each line that is code with its origin, as `k.py:3 < k.py:9 | text`; others as `- | text`."""
    lines = []
    for line, origin in zip(text.split("\n"), origins, strict=True):
        words = "-" if origin is None else " < ".join(f"{path}:{number}" for path, number in origin) or "?"
        lines.append(f"{words} | {line.strip()}")
    return lines


# ---------------------------------------------------------------- MLIR


def test_mlir_locations():
    text = """\
#loc = loc("k.py":3:0)
#loc1 = loc(unknown)
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @f(%x: !tt.ptr<f32> loc("x"(#loc))) attributes {noinline = false} {
    %c = arith.constant 1 : i32 loc(#loc1)
    %a = tt.load %x : !tt.ptr<f32> loc(#loc5)
    %b = "tt.reduce"(%a) <{axis = 0 : i32}> ({
    ^bb0(%p: f32 loc(callsite(#loc1 at #loc5)), %q: f32 loc(callsite(#loc1 at #loc5))):
      %s = arith.addf %p, %q : f32 loc(#loc7)
      tt.reduce.return %s : f32 loc(callsite(#loc1 at #loc5))
    }) : (f32) -> f32 loc(#loc6)
    scf.if %c {
      %d = arith.addi %c, %c : i32 loc("k.py":8:4 to :9)
    } else {
      %e = arith.addi %c, %c : i32 loc(fused<"m">[#loc1, "k.py":9:4])
    } loc(#loc8)
    tt.return loc(fused[#loc5, #loc])
  } loc(#loc)
} loc(#loc)
#loc2 = loc("k.py":5:8)
#loc4 = loc("lib.py":20:2)
#loc5 = loc("a"(#loc2))
#loc6 = loc(callsite(#loc4 at #loc5))
#loc7 = loc(callsite("deep.py":1:1 at #loc6))
#loc8 = loc("if"("k.py":7:0))"""
    assert [line for line in shown(text, read_mlir(text)) if not line.startswith("- | #")] == [
        '- | module attributes {"ttg.num-warps" = 4 : i32} {',
        'k.py:3 | tt.func public @f(%x: !tt.ptr<f32> loc("x"(#loc))) attributes {noinline = false} {',
        "? | %c = arith.constant 1 : i32 loc(#loc1)",
        "k.py:5 | %a = tt.load %x : !tt.ptr<f32> loc(#loc5)",
        'lib.py:20 < k.py:5 | %b = "tt.reduce"(%a) <{axis = 0 : i32}> ({',
        "- | ^bb0(%p: f32 loc(callsite(#loc1 at #loc5)), %q: f32 loc(callsite(#loc1 at #loc5))):",
        "deep.py:1 < lib.py:20 < k.py:5 | %s = arith.addf %p, %q : f32 loc(#loc7)",
        "k.py:5 | tt.reduce.return %s : f32 loc(callsite(#loc1 at #loc5))",
        "- | }) : (f32) -> f32 loc(#loc6)",
        "k.py:7 | scf.if %c {",
        'k.py:8 | %d = arith.addi %c, %c : i32 loc("k.py":8:4 to :9)',
        "- | } else {",
        'k.py:9 | %e = arith.addi %c, %c : i32 loc(fused<"m">[#loc1, "k.py":9:4])',
        "- | } loc(#loc8)",
        "k.py:5 | tt.return loc(fused[#loc5, #loc])",
        "- | } loc(#loc)",
        "- | } loc(#loc)",
    ]


def test_mlir_path_with_parentheses_and_an_alias_of_itself():
    text = '%a = x loc("my (1) file.py":4:1)\n%b = x loc(#loc1)\n#loc1 = loc("n"(#loc1))'
    assert read_mlir(text) == [(("my (1) file.py", 4),), (), None]


# ---------------------------------------------------------------- LLVM IR

LLVM = """\
; ModuleID = 'm'
@smem = external addrspace(3) global [0 x i8]

define void @f(ptr %0) !dbg !4 {
  %2 = load i32, ptr %0, !dbg !7
  %3 = add i32 %2, 1, !dbg !8
  %4 = add i32 %3, 1
  switch i32 %4, label %5 [
    i32 1, label %5
  ], !dbg !7

5:                                                ; preds = %1
    #dbg_value(i32 %2, !9, !DIExpression(), !7)
  ret void, !dbg !10
}

declare i32 @g()
!1 = !DIFile(filename: "k.py", directory: "dir")
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 3, unit: !0)
!5 = distinct !DILexicalBlockFile(scope: !4, file: !6, discriminator: 0)
!6 = !DIFile(filename: "lib.py", directory: "/lib")
!7 = !DILocation(line: 5, column: 8, scope: !4)
!8 = !DILocation(line: 20, column: 2, scope: !5, inlinedAt: !7)
!10 = !DILocation(line: 0, column: 0, scope: !4)"""


def test_llvm_locations():
    origins, words = read_llvm(LLVM)
    assert shown(LLVM, origins)[2:16] == [
        "- | ",
        "dir/k.py:3 | define void @f(ptr %0) !dbg !4 {",
        "dir/k.py:5 | %2 = load i32, ptr %0, !dbg !7",
        "/lib/lib.py:20 < dir/k.py:5 | %3 = add i32 %2, 1, !dbg !8",
        "? | %4 = add i32 %3, 1",
        "dir/k.py:5 | switch i32 %4, label %5 [",
        "dir/k.py:5 | i32 1, label %5",
        "dir/k.py:5 | ], !dbg !7",
        "- | ",
        "- | 5:                                                ; preds = %1",
        "- | #dbg_value(i32 %2, !9, !DIExpression(), !7)",
        "? | ret void, !dbg !10",
        "- | }",
        "- | ",
    ]
    assert words == {
        "k.py:5:8": (("dir/k.py", 5),),
        "lib.py:20:2 @[ k.py:5:8 ]": (("/lib/lib.py", 20), ("dir/k.py", 5)),
        "k.py:0:0": (),
    }


# ---------------------------------------------------------------- PTX


def test_ptx_directives_labels_comments_and_debug_data_are_not_code():
    text = """\
.version 8.7
.visible .entry f(
\t.param .u64 f_param_0
)
.reqntid 128
{
\t.reg .b32 \t%r<3>;
$L__func_begin0:
\t.loc\t1 3 0
// %bb.0:
\tmov.u32 \t%r1, %tid.x;
$L__tmp0: add.s32 \t%r2, %r1, 1;
\t.loc\t1 4 2
\t@%p1 bra \t$L__BB0_2;
\t{ // callseq 0, 0
\t.param .b32 param0;
\tst.param.b32 \t[param0], %r1;
\tcall.uni (retval0),
\tg,
\t(
\tparam0
\t);
\t} // callseq 0
\t{ .reg .b16 t; mov.b32 {t, _}, %r1; }
\t.pragma "nounroll";
$L__BB0_2:
\t.loc\t1 0 0
\tret;
}
\t.file\t1 "k.py"
\t.section\t.debug_info
\t{
.b32 35
mov.u32 looks like code
\t}
\t.section\t.debug_macinfo\t{\t}"""
    code = [line for line in shown(text, read_ptx(text)) if not line.startswith("-")]
    assert code == [
        "k.py:3 | mov.u32 \t%r1, %tid.x;",
        "k.py:3 | $L__tmp0: add.s32 \t%r2, %r1, 1;",
        "k.py:4 | @%p1 bra \t$L__BB0_2;",
        "k.py:4 | st.param.b32 \t[param0], %r1;",
        "k.py:4 | call.uni (retval0),",
        "k.py:4 | g,",
        "k.py:4 | (",
        "k.py:4 | param0",
        "k.py:4 | );",
        "k.py:4 | { .reg .b16 t; mov.b32 {t, _}, %r1; }",
        "? | ret;",
    ]


def test_ptx_code_before_the_first_location_comes_from_nowhere():
    text = "{\n\tmov.u32 %r1, %tid.x;\n}"
    assert read_ptx(text) == [None, (), None]


def test_ptx_inlining_by_directive():
    text = """\
{
\t.loc\t1 9 4
\t.loc\t2 20 2, function_name $L__info_string0, inlined_at 1 9 4
\ta;
\t.loc\t2 5 2, function_name $L__info_string1, inlined_at 2 20 2
\tb;
\t.loc\t2 20 2, function_name $L__info_string0, inlined_at 1 11 4
\tc;
\t.loc\t2 5 2, function_name $L__info_string1, inlined_at 2 20 2
\td;
\t.loc\t1 12 4
\te;
}
\t.file\t1 "k.py"
\t.file\t2 "lib.py\""""
    assert [line for line in shown(text, read_ptx(text)) if not line.startswith("-")] == [
        "lib.py:20 < k.py:9 | a;",
        "lib.py:5 < lib.py:20 < k.py:9 | b;",
        "lib.py:20 < k.py:11 | c;",
        "lib.py:5 < lib.py:20 < k.py:11 | d;",
        "k.py:12 | e;",
    ]


def test_ptx_inlining_by_the_words_of_llvm():
    _, names = read_llvm(LLVM)
    text = '{\n\t.loc\t2 20 2   // lib.py:20:2 @[ k.py:5:8 ]\n\ta;\n}\n\t.file 1 "dir/k.py"\n\t.file 2 "/lib/lib.py"'
    assert read_ptx(text, names)[2] == (("/lib/lib.py", 20), ("dir/k.py", 5))
    assert read_ptx(text)[2] == (("/lib/lib.py", 20),)  # without them, where it stands is all there is


def test_ptx_inline_assembly_has_one_place():
    """LLVM 22 (Triton 3.9) adds one to the line for each line of inline assembly."""
    text = """\
{
\t.loc\t1 7 9
\tbefore;
\t// begin inline asm
\t.loc\t1 7 9
\tmov.u32 %r1, 0x0;
\t.loc\t1 8 9
\tmov.u32 %r2, 0x0;
\t.loc\t1 9 9
\t@%p1 ld.global.v4.b32 { %r1, %r2 }, [ %rd1 + 0 ];

\t// end inline asm
\tafter;
\t.loc\t1 11 5
\t// begin inline asm
\t@%p1 st.global.b32 [ %rd3 + 0 ], { %r9 };
\t// end inline asm
}
\t.file\t1 "k.py\""""
    assert [line for line in shown(text, read_ptx(text)) if not line.startswith("-")] == [
        "k.py:7 | before;",
        "k.py:7 | mov.u32 %r1, 0x0;",
        "k.py:7 | mov.u32 %r2, 0x0;",
        "k.py:7 | @%p1 ld.global.v4.b32 { %r1, %r2 }, [ %rd1 + 0 ];",
        "k.py:7 | after;",
        "k.py:11 | @%p1 st.global.b32 [ %rd3 + 0 ], { %r9 };",
    ]


# ---------------------------------------------------------------- SASS


def test_origins_are_numbered_for_the_assembler():
    inlined = ", function_name $L, inlined_at 1 9 0"
    text = f'{{\n.loc 1 3 0\n\ta;\n\tb;\n.loc 1 4 0{inlined}\n\tc;\n.loc 1 3 0\n\td;\n}}\n.file 1 "k.py"'
    numbered, table = number_origins(text, read_ptx(text))
    assert numbered.split("\n") == [
        "{", "\t.loc\t1 1 0", "\ta;", "\tb;", "\t.loc\t1 2 0", "\tc;", "\t.loc\t1 1 0", "\td;", "}",
        f'\t.file\t1 "{NUMBERED}"', "",
    ]  # fmt: skip
    assert table == [(("k.py", 3),), (("k.py", 4), ("k.py", 9))]


SASS = """\
\t.section\t.text.f,"ax",@progbits
f:
.text.f:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
\t//## File "origins", line 2
        /*0010*/              @!P1 LDG.E R8, desc[UR4][R2.64] ;
        /*0020*/                   FADD R8, R8, R8 ;
\t//## File "origins", line 1
        /*0030*/                   EXIT ;
.L_x_0:
        /*0040*/                   BRA `(.L_x_0);
        /*0050*/                   NOP;
.L_x_1:"""


def test_sass_of_numbered_origins():
    text, origins = read_sass(SASS, [(("k.py", 3),), (("lib.py", 4), ("k.py", 9))])
    assert shown(text, origins) == [
        '- | .section\t.text.f,"ax",@progbits',
        "- | f:",
        "- | .text.f:",
        "? | /*0000*/                   LDC R1, c[0x0][0x28] ;",
        "lib.py:4 < k.py:9 | /*0010*/              @!P1 LDG.E R8, desc[UR4][R2.64] ;",
        "lib.py:4 < k.py:9 | /*0020*/                   FADD R8, R8, R8 ;",
        "k.py:3 | /*0030*/                   EXIT ;",
        "- | .L_x_0:",
        "? | /*0040*/                   BRA `(.L_x_0);",
        "? | /*0050*/                   NOP;",
        "- | .L_x_1:",
    ]


def test_sass_with_the_disassemblers_own_marks():
    text = """\
\t//## File "k.cu", line 7
        /*0000*/                   LDC R1 ;
\t//## File "lib.h", line 2 inlined at "lib.h", line 5
\t//## File "lib.h", line 5 inlined at "k.cu", line 9
\t//## File "k.cu", line 9
        /*0010*/                   FADD R8 ;
\t//## File "k.cu", line 9
        /*0020*/                   EXIT ;"""
    _, origins = read_sass(text)
    assert origins == [(("k.cu", 7),), (("lib.h", 2), ("lib.h", 5), ("k.cu", 9)), (("k.cu", 9),)]


# ---------------------------------------------------------------- columns


def test_column_of_a_stage():
    origins = [None, (), (("k.py", 3),), (("lib.py", 4), ("k.py", 9)), (("k.py", 2), ("k.py", 8)), (("lib.py", 4),)]
    lines = stage_lines(origins, "k.py", str.upper)
    assert lines.source == [-1, 0, 3, 9, 8, 0]
    assert lines.inlined == {4: [("LIB.PY", 4), ("K.PY", 9)], 5: [("K.PY", 2), ("K.PY", 8)], 6: [("LIB.PY", 4)]}


def test_stages_that_are_not_there():
    assert read_stages({}) == {}
    assert set(read_stages({"ptx": "{\n}"})) == {"ptx"}


# ---------------------------------------------------------------- what Triton makes of the project's kernels

CODE = {
    "ttir": r"= (?!loc)|^\s*(?:tt|scf|cf)\.",
    "ttgir": r"= (?!loc|#)|^\s*(?:tt|ttg|scf|cf)\.",
    "llir": r"^  (?!\s*;)\S",
    "ptx": r"^\s*(?:@!?%p\d+\s+)?[a-z][\w.:]*\s[^:]*;",
    "sass": r"^\s*/\*[0-9a-f]+\*/",
}
"What a line of each stage looks like that is an instruction for sure."


@pytest.mark.parametrize("kernel", PROJECT)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("stage", STAGES)
def test_every_line_has_an_entry_and_no_instruction_is_lost(kernel, target, stage):
    text, lines = compiled().text(kernel, target, stage), compiled().lines(kernel, target, stage)
    assert len(lines.source) == len(text)
    code = [n for n, line in enumerate(text) if re.search(CODE[stage], line) and not line.startswith(("#", "module"))]
    assert len(code) > 10
    assert [text[n] for n in code if lines.source[n] == -1] == []


@pytest.mark.parametrize("kernel", PROJECT)
@pytest.mark.parametrize("target", TARGETS)
def test_every_ptx_instruction_with_a_location_is_linked(kernel, target):
    text, lines = compiled().text(kernel, target, "ptx"), compiled().lines(kernel, target, "ptx")
    own = compiled().kernels[kernel]
    located = False
    unlinked = []
    for line, source in zip(text, lines.source, strict=True):
        if match := re.match(r"\s*\.loc\s+\d+\s+(\d+)", line):
            located = int(match[1]) > 0
        elif located and re.search(CODE["ptx"], line) and not own.line <= source <= own.end_line:
            unlinked.append(line)
    assert unlinked == []


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("kernel", "source", "instruction", "stage"),
    [
        ("gelu_kernel", "tl.load(", r"\bld\.global", "ptx"),
        ("gelu_kernel", "tl.load(", r"\bLDG\.", "sass"),
        ("gelu_kernel", "tl.load(", r"tt\.load ", "ttir"),
        ("gelu_kernel", "tl.load(", r"tt\.load ", "ttgir"),
        ("gelu_kernel", "tl.load(", r"ld\.global", "llir"),
        ("gelu_kernel", "tl.store(", r"\bst\.global", "ptx"),
        ("gelu_kernel", "tl.store(", r"\bSTG\.", "sass"),
        ("gelu_kernel", "tl.program_id(", r"%ctaid\.x", "ptx"),
        ("gelu_kernel", "tl.arange(", r"%tid\.x", "ptx"),
        ("softmax_kernel", "tl.exp(", r"\bex2\.approx", "ptx"),
        ("softmax_kernel", "numerator / denominator", r"\bdiv\.", "ptx"),
        ("matmul_relu_kernel", "a = tl.load(", r"cp\.async\.cg", "ptx"),
        ("matmul_relu_kernel", "b = tl.load(", r"cp\.async\.cg", "ptx"),
        ("matmul_relu_kernel", "tl.dot(", r"\b(?:mma\.sync|wgmma\.mma_async|tcgen05\.mma)", "ptx"),
        # ptxas before 13.1 says of Hopper's HGMMA that it comes from a line nearby, but not so of its WARPGROUP.ARRIVE
        ("matmul_relu_kernel", "tl.dot(", r"\b(?:HMMA|HGMMA|WARPGROUP\.ARRIVE|UTCHMMA)\b", "sass"),
        ("matmul_relu_kernel", "tl.store(", r"\bst\.global", "ptx"),
    ],
)
def test_source_line_and_instruction_belong_together(kernel, source, instruction, stage, target):
    line = compiled().line_with(kernel, source)
    text, lines = compiled().text(kernel, target, stage), compiled().lines(kernel, target, stage)
    sources = {lines.source[n] for n, words in enumerate(text) if re.search(instruction, words)}
    assert line in sources
    if stage == "ptx":  # the others may come from lines that do the same: b is loaded as a is
        others = {compiled().line_with("matmul_relu_kernel", f"{x} = tl.load(") for x in "ab"}
        assert sources <= {line, *(others if "cp" in instruction else ())}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("call", "instruction"), [("tl.max(", r"\bmax\.f32"), ("tl.sum(", r"\badd\.f32")])
def test_code_of_a_helper_leads_to_the_line_that_called_it(target, call, instruction):
    line = compiled().line_with("softmax_kernel", call)
    text, lines = compiled().text("softmax_kernel", target, "ptx"), compiled().lines("softmax_kernel", target, "ptx")
    numbers = [n for n, words in enumerate(text) if re.search(instruction, words) and lines.source[n] == line]
    assert len(numbers) > 4
    for n in numbers:
        *inside, outside = lines.inlined[n + 1]
        assert outside == ("kernels/softmax.py", line)
        assert {path for path, _ in inside} == {"triton/language/standard.py"}


@pytest.mark.parametrize("stage", STAGES)
def test_each_stage_tells_the_chain_of_inlining(stage):
    line = compiled().line_with("softmax_kernel", "tl.max(")
    chains = compiled().lines("softmax_kernel", "sm_90", stage).inlined.values()
    assert any(len(chain) == 3 and chain[-1] == ("kernels/softmax.py", line) for chain in chains)


def test_helper_of_another_file_of_the_author():
    inlined = compiled().lines("through_module_kernel", "sm_90", "ptx").inlined.values()
    line = compiled().line_with("through_module_kernel", "helpers.mean(")
    called = [("tests/samples/kernels/helpers.py", 9), ("tests/samples/kernels/awkward.py", line)]
    assert called in [chain[-2:] for chain in inlined]


def test_cuda_kernel():
    assert compiled().kept_lines("squares").path == "tests/samples/kernels/squares.cu"
    for stage, load in (("ptx", "ld.global"), ("sass", "LDG")):
        text, lines = compiled().text("squares", "sm_90", stage), compiled().lines("squares", "sm_90", stage)
        assert {lines.source[n] for n, words in enumerate(text) if load in words} == {12}
        called = [("squares.cuh", 2), ("tests/samples/kernels/squares.cu", 12)]
        assert called in lines.inlined.values()


def test_callers_of_a_binary_that_cannot_be_assembled_again():
    from engine.triton_compiler import _completed

    table = [(("lib.py", 2), ("k.py", 9)), (("lib.py", 5), ("k.py", 9)), (("lib.py", 5), ("k.py", 11)), (("k.py", 3),)]
    assert _completed((("lib.py", 2),), table) == (("lib.py", 2), ("k.py", 9))
    assert _completed((("lib.py", 5),), table) == (("lib.py", 5),)  # from line 9 or from line 11
    assert _completed((("k.py", 3),), table) == (("k.py", 3),)
    assert (_completed((), table), _completed(None, table)) == ((), None)


# ---------------------------------------------------------------- what the viewer makes of them


def stages(name: str) -> Iterator[tuple[str, list[str], StageLines]]:
    """Every compilation's stage `name`: its kernel and target, its lines, and where these come from."""
    for kernel, variants in compiled().variants.items():
        for variant in variants:
            if name in variant.stages:
                text = (compiled().store / "kernels" / variant.key / name).read_text().removesuffix("\n").split("\n")
                lines = compiled().kept_lines(kernel, variant.target).stages[name]
                yield f"{kernel} {variant.target}", text, lines


@pytest.mark.parametrize("stage", ["ptx", "sass"])
def test_every_opcode_has_a_sentence(stage):
    found = [one for _, text, _ in stages(stage) for line in instructions(text, stage) for one in line]
    assert len({one.opcode for one in found}) > 50
    assert {one.opcode for one in found if not one.sentence(stage)} == set()


SAID = {
    "ttir": r"^\s*(?!#loc)\S",
    "ttgir": r"^\s*(?!#loc)\S",
    "llir": r"^  (?!\s*[;#])\S|^[\w.]+:|^define|^\}",
    "ptx": r"^\s*(?:@|[a-z][\w.:]*\s+[^\s].*;|[\w$]+:)",
    "sass": r"^\s*/\*[0-9a-f]+\*/|^\s*[\w.]+:",
}
"What an instruction, a label or a predicate looks like for sure."


@pytest.mark.parametrize("stage", STAGES)
def test_no_instruction_label_or_predicate_can_be_left_out(stage):
    some = 0
    for name, text, lines in stages(stage):
        for links in (lines.source, []):  # also where nothing is known of the lines
            left_out = [text[line - 1] for line in asides(text, links, stage)]
            some += len(left_out)
            assert not [line for line in left_out if re.search(SAID[stage], line)], name
        code = {line for line, origin in enumerate(lines.source, 1) if origin >= 0}
        assert not code & {*asides(text, lines.source, stage)}, name
        assert code, name
    assert some


def test_what_stands_in_the_margin_of_the_source():
    text, lines = compiled().text("gelu_kernel", "sm_90", "ptx"), compiled().lines("gelu_kernel", "sm_90", "ptx")
    found = counts(instructions(text, "ptx"), lines.source, "ptx")
    load, store = (compiled().line_with("gelu_kernel", words) for words in ("tl.load(", "tl.store("))
    assert (found["load"], found["store"]) == ({load: 2}, {store: 2}) and sum(found["fma"].values()) == 8


@pytest.mark.parametrize("target", ["sm_80", "sm_90", "sm_100"])
def test_a_matrix_product_uses_the_tensor_cores_at_its_line(target):
    variant = compiled().variant("matmul_relu_kernel", target)
    source = "\n".join(compiled().source("matmul_relu_kernel"))
    found = kernels.compiled(compiled().store / "kernels", variant, source)
    line = compiled().line_with("matmul_relu_kernel", "tl.dot(")
    assert found.stages["ptx"].counts["tensor"][line] > 0 and found.stages["sass"].counts["tensor"]
    assert all(len(stage.text) in (0, len(stage.html)) for stage in found.stages.values())
