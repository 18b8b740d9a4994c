"""What autotuning found: by key the configurations, their times and the one that ran. Triton's own tuner, no GPU."""

from types import SimpleNamespace

import msgspec
import pytest

from engine import trace
from engine.trace import TunedConfig, Tuning
from engine.tuning import CONFIGS, FAILED, LEFT_OUT, key_of, tuning
from tests.engine.compiled import KERNELS
from tests.recordings import Recorded, record

pytest.importorskip("triton", reason="its tuner is what is watched")
LECTURE = f"""
import sys
sys.path.insert(0, {str(KERNELS)!r})
import tuned_lecture

def main():
    tuned_lecture.main()
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory) -> Recorded:
    return record(
        tmp_path_factory.mktemp("tuned"), LECTURE, "--target", "sm_80", TRITON_INTERPRET="1", CUDA_VISIBLE_DEVICES=""
    )


def test_each_key_has_its_table_and_the_fastest_is_marked(recorded: Recorded):
    assert recorded.exit_code == 0, recorded.stderr
    [kernel] = recorded.header["kernels"]
    first, second = kernel["tunings"]
    assert (first["key"], second["key"]) == (["n = 100", "torch.float32"], ["n = 300", "torch.float32"])
    assert first["method"] == "the do_bench that the kernel was given"
    assert first["ran"] == 1
    common = {"num_warps": 2, "num_stages": 3}
    assert first["configs"] == [
        {"constants": {"BLOCK": "32"}, **common, "milliseconds": 0.5},
        {"constants": {"BLOCK": "64"}, **common, "milliseconds": 0.25},
        {"constants": {"BLOCK": "128"}, **common, "milliseconds": None, "reason": FAILED},
        {"constants": {"BLOCK": "256", "maxnreg": "64"}, "num_warps": 4, "num_stages": 3, "milliseconds": None,
         "reason": LEFT_OUT},
    ]  # fmt: skip
    assert second["configs"] == first["configs"]


def test_measuring_is_no_launch_of_the_lectures(recorded: Recorded):
    [kernel] = recorded.header["kernels"]
    assert [launch["grid"] for launch in kernel["launches"]] == [[2], [2], [5]]
    assert recorded.warnings() == []


# ---------------------------------------------------------------- stand-ins for Triton's objects


class Config:
    """As `triton.Config`."""

    num_warps, num_stages, num_ctas, maxnreg = 4, 3, 1, None

    def __init__(self, block: int) -> None:
        self.kwargs = {"BLOCK": block}


def tuner(count: int = 2) -> SimpleNamespace:
    return SimpleNamespace(arg_names=["x_ptr", "n", "BLOCK"], keys=["n"], configs=[Config(n) for n in range(count)])


X = SimpleNamespace(dtype="torch.float16")


def test_the_key_is_made_as_triton_makes_it():
    assert key_of(tuner(), (X, 7), {}) == (7, "torch.float16")
    assert key_of(tuner(), (), {"n": 7, "x_ptr": X, "other": X}) == (7, "torch.float16")


def test_where_nothing_was_measured_no_time_is_made_up():
    made = tuner()
    assert tuning(made, (X, 7), {}, {}, "", made.configs[0]) == Tuning(
        ("n = 7", "torch.float16"),
        (TunedConfig({"BLOCK": "0"}, 4, 3), TunedConfig({"BLOCK": "1"}, 4, 3)),
        ran=0,
    )


def test_a_benchmark_may_give_a_lone_number():
    made = tuner()
    found = tuning(made, (X, 7), {}, {made.configs[1]: 0.5}, "a clock", made.configs[1])
    assert [(one.milliseconds, one.reason) for one in found.configs] == [(None, LEFT_OUT), (0.5, "")]


def test_a_tuner_with_very_many_configurations_is_cut_and_says_so():
    made = tuner(CONFIGS + 1)
    found = tuning(made, (X, 7), {}, {}, "", made.configs[-1])
    assert (len(found.configs), found.truncated, found.ran) == (CONFIGS, True, -1)


def test_a_recording_whose_configuration_is_not_there_is_refused():
    kernel = trace.Kernel("k", "triton", "k.py", 1, 2, tunings=(Tuning(("n = 1",), (TunedConfig(),), 1),))
    made = trace.Trace(trace.FORMAT, trace.VERSION, "", "x.py", "ok", kernels=[kernel])
    with pytest.raises(trace.TraceError, match="configuration of an autotuned kernel out of range"):
        trace.decode(msgspec.json.encode(made), "x.json")
