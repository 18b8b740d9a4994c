"""Which kernel is in play, and its stages."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.trace import KernelCard, Launch, Recording, Text, Variant
from tests.viewer.conftest import write_kernels
from tests.viewer.factory import Maker
from tests.viewer.samples import KERNEL, lecture
from viewer.errors import NotListed
from viewer.kernels import NO_KERNEL, compiled, in_play
from viewer.outline import sections

VARIANT = Variant("sm_90", "compiled", "gelu90", ("ptx",))


def played(made: Maker) -> list[tuple[int, int]]:
    recording = Recording(made.trace())
    return in_play(recording, sections(recording))


def test_a_kernel_is_in_play_from_its_launch_to_the_next_section():
    made = lecture()
    launch = made.kernels[0].launches[0].step
    main = 0
    end = made.step(main, 6, Text("# After"))
    assert played(made) == [(launch, 0), (end, NO_KERNEL)]


def test_a_card_brings_its_kernel_into_play():
    made = lecture()
    made.kernels[0] = replace(made.kernels[0], launches=())
    step = made.step(0, 7, KernelCard(0))
    inside = next(n for n, (place, _) in enumerate(made.steps) if made.places[place][1] == 1)
    assert played(made) == [(inside, 0)]
    assert step > inside


def test_the_last_of_two_launches_is_in_play():
    made = Maker("\n" * 9)
    main = made.call("main")
    for line in (1, 2, 3):
        made.step(main, line)
    sample = lecture().kernels[0]
    for step in (0, 2):
        changed = {"path": f"k{step}.py", "launches": (Launch(step, (1,)),)}
        made.kernels.append(replace(sample, **changed))
    assert played(made) == [(0, 0), (2, 1)]


def test_stages_are_coloured_and_linked(tmp_path: Path):
    write_kernels(tmp_path)
    found = compiled(tmp_path / "kernels", VARIANT, KERNEL)
    stage = found.stages["ptx"]
    assert (found.stale, found.missing) == (False, "")
    assert stage.source[5] == 6 and "%ctaid" in stage.html[5]
    assert len(stage.html) == len(stage.source) == 14
    assert stage.inlined == {8: [("triton/language/standard.py", 43)]}


def test_stages_of_another_source_are_stale(tmp_path: Path):
    write_kernels(tmp_path, source="other")
    assert compiled(tmp_path / "kernels", VARIANT, KERNEL).stale


def test_damaged_links_are_said_and_the_stage_is_still_shown(tmp_path: Path):
    write_kernels(tmp_path)
    (tmp_path / "kernels" / "gelu90" / "lines.json").write_text("{")
    found = compiled(tmp_path / "kernels", VARIANT, KERNEL)
    assert found.missing.startswith("lines.json is damaged") and len(found.stages["ptx"].html) == 14


def test_a_stage_that_is_gone_is_said(tmp_path: Path):
    write_kernels(tmp_path)
    (tmp_path / "kernels" / "gelu90" / "ptx").unlink()
    missing = compiled(tmp_path / "kernels", VARIANT, KERNEL).missing
    assert missing == "stage ptx cannot be read; record the lecture again"


def test_a_folder_that_is_gone_says_what_to_do(tmp_path: Path):
    with pytest.raises(NotListed, match="the stages compiled for sm_90 are gone; record the lecture again"):
        compiled(tmp_path / "kernels", VARIANT, KERNEL)
