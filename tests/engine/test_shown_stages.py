"""What the viewer makes of the stages of the kernels that the other tests compile."""

import re
from collections.abc import Iterator

import pytest

from engine.trace import StageLines
from tests.engine.compiled import compiled
from viewer.assembly import asides, counts, instructions
from viewer.kernels import compiled as shown

STAGES = ("ttir", "ttgir", "llir", "ptx", "sass")


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
    found = shown(compiled().store / "kernels", variant, source)
    line = compiled().line_with("matmul_relu_kernel", "tl.dot(")
    assert found.stages["ptx"].counts["tensor"][line] > 0 and found.stages["sass"].counts["tensor"]
    assert all(len(stage.text) in (0, len(stage.html)) for stage in found.stages.values())
