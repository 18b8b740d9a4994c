"""`observe`: what an author may ask for, and what of it is in the recording, the terminal and the print-out."""

import pytest

from engine import observe, trace
from engine.trace import Evidence, Observation
from tests.engine.hearing import Hearing
from tests.recordings import record

CUDA = """\
__global__ void twice(const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 2.0f * x[i];
}
"""


@pytest.fixture
def source(heard: Hearing):
    heard.lecture.with_name("twice.cu").write_text(CUDA)
    return "twice.cu"


def test_it_is_kept_until_it_can_be_checked(heard: Hearing, source):
    observe(
        "It *reads*.", source, r"ld\.global", count=1, stage="sass", targets="sm_90", constants={"N": 4, "HOW": "x"}
    )
    [made] = heard.claims
    reason = "the recording ended before its kernels were compiled"
    assert made.observation == Observation("It *reads*.", 0, "sass", r"ld\.global", 1, reason=reason)
    assert (made.targets, made.constants) == (("sm_90",), (("N", "4"), ("HOW", "'x'")))
    assert heard.kernels[0].name == "twice" and not heard.warnings


def test_a_kernel_of_torch_compile_is_named(heard: Hearing):
    observe("It is fused.", "triton_poi_*", "ld", targets=["sm_90", "sm_80"])
    [made] = heard.claims
    assert (made.kernel, made.observation.kernel, made.targets) == ("triton_poi_*", -1, ("sm_90", "sm_80"))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"pattern": "(ld"}, "'(ld' is no regular expression: missing ), unterminated subpattern at position 0"),
        ({"stage": "pxt"}, "'pxt' is no stage; name one of ttir, ttgir, llir, ptx, sass, source"),
        ({"count": -1}, "count=-1 is no count; give a whole number from 0 on, or leave it out"),
        ({"count": True}, "count=True is no count; give a whole number from 0 on, or leave it out"),
        ({"targets": "H100"}, "'H100' is no target; name an architecture such as sm_80, sm_90 or sm_100"),
        ({"targets": 90}, "targets=90 names no targets; give one such as 'sm_90', or several in a list"),
        ({"targets": [90]}, "targets=[90] names no targets; give one such as 'sm_90', or several in a list"),
        ({"constants": ["N"]}, "constants=['N'] are no constants; give values by name, {'BLOCK_SIZE': 1024}"),
        ({"name": "thrice"}, "'twice.cu' has no kernel 'thrice'; it has twice"),
        ({"kernel": len}, "<built-in function len> is no Triton kernel; decorate its function with @triton.jit"),
    ],
)
def test_what_cannot_be_asked_is_a_warning_and_the_sentence_stands(heard: Hearing, source, asked, said):
    observe("It reads.", **{"kernel": source, "pattern": "ld", **asked})
    assert (heard.warnings, heard.claims) == ([f"observe(): {said}"], [])
    assert heard.outputs == [Observation("It reads.", reason=said)]


def test_outside_a_recording_it_prints(tmp_path, monkeypatch, capsys):
    (tmp_path / "twice.cu").write_text(CUDA)
    monkeypatch.chdir(tmp_path)
    observe("It reads.", "twice.cu", "ld")
    observe("It reads.", "twice.cu", "(ld")
    said = capsys.readouterr()
    assert said.out == "It reads.\nIt reads.\n"
    assert said.err.startswith("warning: observe(): '(ld' is no regular expression")


LECTURE = """\
from engine import observe, text

def main():
    text("# Claims")
    observe("One load.", "twice.cu", r"ld\\.global", count=1)
    observe("Two loads.", "twice.cu", r"ld\\.global", count=2)
    observe("It multiplies.", "twice.cu", r"x\\[i\\]", stage="source")
    observe("It is fused.", "triton_*", "ld")
    observe("On Volta too.", "twice.cu", "ld", targets="sm_70")
"""


def test_each_claim_is_checked_when_the_lecture_has_ended(tmp_path):
    pytest.importorskip("cuda.bindings.nvrtc", reason="nothing here compiles CUDA")
    (tmp_path / "twice.cu").write_text(CUDA)
    recorded = record(tmp_path, LECTURE, "--target", "sm_80")
    warnings = [
        "6: observe('Two loads.') does not hold: sm_80: 1 found, 2 expected",
        "8: observe('It is fused.') could not be checked: the recording has no kernel 'triton_*'; it has twice",
    ]
    assert (recorded.exit_code, recorded.warnings()) == (0, warnings)
    assert all(f"lecture.py:{warning}" in recorded.stderr for warning in warnings)
    said = {output["markdown"]: output for step in recorded.steps for output in step["outputs"]}
    assert {output["kind"] for output in said.values()} == {"text"}
    [variant] = recorded.header["kernels"][0]["variants"]
    one = said["One load."]
    ptx = (tmp_path / "kernels" / variant["key"] / "ptx").read_text().split("\n")
    [evidence] = one["evidence"]
    [line] = evidence.pop("lines")
    assert evidence == {"target": "sm_80", "key": variant["key"], "holds": True, "count": 1}
    assert "ld.global" in ptx[line - 1] and (one["name"], one["stage"]) == ("twice", "ptx")
    assert said["It multiplies."]["evidence"] == [{"holds": True, "lines": [3], "count": 1}]
    assert said["On Volta too."]["evidence"] == [{"target": "sm_70", "reason": "not compiled for it"}]
    assert said["It is fused."]["reason"].startswith("the recording has no kernel")


NEVER_LAUNCHED = """\
import triton
import triton.language as tl
from engine import observe

@triton.jit
def zero_kernel(x_ptr):
    tl.store(x_ptr, 0.0)

def main():
    observe("It stores.", zero_kernel, "st")
"""


def test_of_a_kernel_that_was_never_launched_it_says_what_to_do(tmp_path):
    pytest.importorskip("triton")
    recorded = record(tmp_path, NEVER_LAUNCHED, "--target", "sm_80")
    reason = "it was never launched, so the types of its arguments are not known; launch it in the lecture"
    assert recorded.warnings() == [f"10: observe('It stores.') could not be checked: sm_80: {reason}"]


def test_a_recording_whose_numbers_lead_nowhere_is_refused():
    made = trace.Trace(trace.FORMAT, trace.VERSION, "", "x.py", "ok", output_table=[Observation("x", 3)])
    with pytest.raises(trace.TraceError, match="kernel of an observation out of range"):
        trace.decode(trace.encode(made), "x.json")
    nowhere = Observation("x", -1, evidence=(Evidence("sm_80", lines=(3, 0)),))
    made = trace.Trace(trace.FORMAT, trace.VERSION, "", "x.py", "ok", output_table=[nowhere])
    with pytest.raises(trace.TraceError, match="line of an observation out of range"):
        trace.decode(trace.encode(made), "x.json")
    good = Observation("x", -1, evidence=(Evidence("sm_80", holds=None),))
    made = trace.Trace(trace.FORMAT, trace.VERSION, "", "x.py", "ok", output_table=[good])
    assert trace.decode(trace.encode(made), "x.json").output_table == [good]
