"""engine.launches: what is noted of the kernels a lecture launches, and which lines of them are stepped through."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine import device, launches
from engine.interpreted import InterpreterHooks
from engine.patches import Patches
from tests.engine.compiled import KERNELS
from tests.recordings import ROOT, python_path

SCALE_LINES = [17, 18, 19, 20, 21, 22, 23, 11, 12, 24, 21]
"The statements of scale_kernel in pointwise.py, those of the helper `scaled` where it is called."


def watch(*arguments: str) -> list[list]:
    """What a sink is told while samples/kernels/lecture_launches.py runs in the interpreter."""
    environment = {**os.environ, "PYTHONPATH": python_path(ROOT), "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, str(KERNELS / "watch.py"), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def events():
    return watch()


def test_each_kernel_once_and_each_launch(events):
    assert [event for event in events if event[0] in ("kernel", "launched")] == [
        ["kernel", "scale_kernel", "pointwise.py", 15, 25],
        ["launched", "scale_kernel", [4], True],
        ["launched", "scale_kernel", [4], True],
        ["launched", "scale_kernel", [2], True],
        ["kernel", "ones_kernel", "pointwise.py", 28, 39],
        ["launched", "ones_kernel", [2, 1], True],
    ]


def test_first_instance_is_stepped_once_for_each_place_it_is_launched_from(events):
    lines = [event[2] for event in events if event[0] == "line"]
    assert lines == [*SCALE_LINES, *SCALE_LINES, 35, 36, 39]


def test_autotuned_kernel_runs_without_a_gpu_and_says_what_was_not_measured(events):
    [warning] = [event[1] for event in events if event[0] == "warn"]
    assert warning.startswith("ones_kernel is tuned on a GPU; here nothing was measured and BLOCK: 64,")


def test_what_was_not_measured_has_no_times_and_what_ran_is_marked(events):
    configs = [{"constants": {"BLOCK": str(block)}, "num_warps": warps, "num_stages": 3} for block, warps in _TUNED]
    [tuned] = [event[1:] for event in events if event[0] == "tuned"]
    assert tuned == ["ones_kernel", {"key": ["n = 100", "torch.float32"], "configs": configs, "ran": 0}]


_TUNED = ((64, 2), (32, 4))


def test_author_chooses_instances():
    events = watch('["last", 1, 9]')
    lines = [event[2] for event in events if event[0] == "line"]
    assert lines == [*SCALE_LINES * 2, *SCALE_LINES, 35, 36, 39]  # in a grid of 2 the last is instance 1
    warnings = [event[1] for event in events if event[0] == "warn"]
    assert warnings[0] == "scale_kernel has no program instance 9: its grid is (4,)"


def test_author_chooses_none():
    assert [event[2] for event in watch("[]") if event[0] == "line"] == [35, 36, 39]


@pytest.mark.parametrize(
    ("set_by_user", "gpu", "interpret"), [(None, False, "1"), (None, True, None), ("0", False, "0")]
)
def test_prepare(monkeypatch, set_by_user, gpu, interpret):
    monkeypatch.setenv("TRITON_INTERPRET", "put back afterwards")
    monkeypatch.delenv("TRITON_INTERPRET")
    if set_by_user:
        monkeypatch.setenv("TRITON_INTERPRET", set_by_user)
    monkeypatch.setattr(launches, "usable_gpu", lambda: gpu)
    launches.prepare()
    assert os.environ.get("TRITON_INTERPRET") == interpret


def test_plain_function_of_something_else():
    with pytest.raises(TypeError, match=r"is no Triton kernel; decorate its function with @triton\.jit"):
        launches.plain_function(device.usable_gpu)


def test_watching_imports_nothing():
    code = """
import sys
from pathlib import Path
from types import SimpleNamespace
from engine.launches import watching
with watching(SimpleNamespace(lecture=Path("lecture.py"), store=Path("var"))):
    assert not {"torch", "triton"} & set(sys.modules)
assert not any(type(finder).__module__.startswith("engine") for finder in sys.meta_path)
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_a_loop_may_end_at_a_number_given_at_run_time_whatever_numpy_thinks_of_arrays_of_one_element():
    """As in Triton 3.6, whose conversion NumPy 2.4 refuses: `int(array([4]))`."""
    numpy = pytest.importorskip("numpy")
    scalar = type("Scalar", (), {"handle": SimpleNamespace(data=numpy.array([4], dtype=numpy.int32))})
    scope = SimpleNamespace(set_attr=setattr)

    def of_triton(tensor, scope):
        scope.set_attr(tensor, "__index__", lambda number: int(number.handle.data))

    InterpreterHooks(launches.Launches(Told()), Patches())._with_index(of_triton)(scalar, scope)
    assert [*range(0, scalar(), 2)] == [0, 2]


class Told:
    """A sink that keeps what it is told."""

    store = lecture = "/nowhere"

    def __init__(self):
        self.kernels, self.launches, self.warnings = [], [], []

    def display_path(self, path):
        return Path(path).name

    def kernel(self, kernel):
        self.kernels.append((kernel.name, kernel.language, kernel.path))
        return len(self.kernels) - 1

    def launched(self, kernel, grid, interpreted):
        self.launches.append(kernel)

    def warn(self, message):
        self.warnings.append(message)


def triton_poi_fused_0():
    """Stands for a function that torch.compile wrote."""


def test_a_generated_kernel_that_comes_from_a_cache_is_loaded_from_its_file():
    whole = SimpleNamespace(fn=triton_poi_fused_0)
    reloads = []
    cached = SimpleNamespace(
        fn=SimpleNamespace(fn=None), _reload_kernel=lambda: reloads.append(1) or SimpleNamespace(fn=whole)
    )
    told = Told()
    watch = launches.Launches(told)
    for tuner in (cached, cached, SimpleNamespace(fn=whole)):
        watch.launched_generated(tuner)
    assert told.kernels == [("triton_poi_fused_0", "inductor", "test_launches.py")]
    assert (told.launches, told.warnings, reloads) == ([0, 0, 0], [], [1])


def test_a_generated_kernel_without_a_function_does_not_end_the_lecture():
    told = Told()
    watch = launches.Launches(told)
    tuner = SimpleNamespace(fn=SimpleNamespace(fn=None))
    for _ in range(2):
        watch.launched_generated(tuner)
    [warning] = told.warnings
    assert warning.startswith("a kernel that torch.compile wrote is not shown: AttributeError:") and not told.launches
