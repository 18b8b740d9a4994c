"""A benchmark's times and a profile's table are of the work alone, and are shown as they were taken."""

import copy
import gzip
import json
import math
import pickle
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine import benchmark, profile, profiles
from engine.errors import EngineError
from engine.timing import Timing, device_name, significant
from engine.trace import BenchmarkResult, ProfileTable
from tests.engine.hearing import Hearing, hearing


def nap() -> None:
    time.sleep(0.002)


def unwanted() -> None:
    raise AssertionError("it was run")


# ---------------------------------------------------------------- benchmark


def test_a_benchmark_shows_every_sample(heard: Hearing):
    result = benchmark("nap", nap, trials=3)
    assert heard.outputs == [BenchmarkResult("nap", result.samples, device_name(), "wall clock")]
    assert len(result.samples) == 3
    assert min(result.samples) >= 2.0


def test_warmups_are_run_and_not_counted(heard: Hearing):
    calls: list[int] = []
    result = benchmark("count", lambda: calls.append(len(calls)), warmups=4, trials=2, show=False)
    assert (len(calls), len(result.samples), heard.outputs) == (6, 2, [])


def test_a_floor_comes_with_its_source(heard: Hearing):
    benchmark("copy", nap, trials=1, floor=1.5, floor_source="8 GB at 4.8 TB/s")
    assert (heard.outputs[0].floor, heard.outputs[0].floor_source) == (1.5, "8 GB at 4.8 TB/s")


RESULT = Timing("gelu", (1.0, 2.0, 6.0), "H200", "CUDA events")


def test_the_result_is_a_number():
    assert (RESULT.median, RESULT.mean, RESULT.min, round(RESULT.stdev, 3)) == (2.0, 3.0, 1.0, 2.646)
    assert (float(RESULT), RESULT < 3, RESULT == 2.0, 8 / RESULT, max(RESULT, 1)) == (2.0, True, True, 4.0, 2.0)
    assert (f"{RESULT}", f"{RESULT:.1f}", str(RESULT)) == ("2 ms", "2.0", "2 ms")
    assert repr(RESULT) == "2 ms (median of 3, CUDA events, H200)"
    assert json.dumps({"ms": RESULT}) == '{"ms": 2.0}'
    assert Timing("one", (4.0,), "", "").stdev == 0.0


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda result: pickle.loads(pickle.dumps(result))])
def test_the_result_can_be_copied(again):
    assert (repr(again(RESULT)), again(RESULT).name, again(RESULT).samples) == (repr(RESULT), "gelu", (1.0, 2.0, 6.0))


@pytest.mark.parametrize(
    ("number", "shown"),
    [(4.2143, "4.21"), (1234.6, "1235"), (0.012345, "0.0123"), (0.0, "0"), (50.0, "50"), (3e-9, "0.000000003")],
)
def test_three_digits(number: float, shown: str):
    assert significant(number) == shown


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: benchmark("a", 5), TypeError,
            "benchmark() takes a function to run, not int; put `lambda: ` before it",
        ),
        (
            lambda: profile("a", None), TypeError,
            "profile() takes a function to run, not NoneType; put `lambda: ` before it",
        ),
        (
            lambda: benchmark("a", unwanted, trials=0), ValueError,
            "benchmark('a'): trials=0; give a whole number from 1 on",
        ),
        (
            lambda: benchmark("a", unwanted, trials=1.5), TypeError,
            "benchmark('a'): trials=1.5; give a whole number from 1 on",
        ),
        (
            lambda: benchmark("a", unwanted, warmups="3"), TypeError,
            "benchmark('a'): warmups='3'; give a whole number from 0 on",
        ),
        (
            lambda: profile("a", unwanted, warmups=-1), ValueError,
            "profile('a'): warmups=-1; give a whole number from 0 on",
        ),
        (
            lambda: profile("a", unwanted, warmups=None), TypeError,
            "profile('a'): warmups=None; give a whole number from 0 on",
        ),
        *(
            (
                lambda floor=floor: benchmark("a", unwanted, floor=floor), error,
                f"benchmark('a'): floor={floor!r}; give milliseconds, a number from 0 on, or leave it out",
            )
            for floor, error in (
                ("fast", TypeError), ([], TypeError), (-1, ValueError), (math.nan, ValueError), (math.inf, ValueError),
            )
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_is_said_before_anything_runs(heard: Hearing, call, error, message):
    with pytest.raises(error) as raised:
        call()
    assert (str(raised.value), heard.outputs) == (message, [])


def test_a_source_that_is_no_text_does_not_cost_the_measurement(heard: Hearing):
    benchmark("nap", nap, trials=1, floor=1, floor_source=4.8)
    assert heard.outputs[0].floor_source == "4.8"


def events_during(call) -> list[str]:
    """Names of the functions a tracer sees while `call()` runs."""
    seen: list[str] = []

    def trace(frame, event, arg):
        seen.append(frame.f_code.co_name)

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
        assert sys.gettrace() is trace
    finally:
        sys.settrace(before)
    return seen


def work() -> None:
    pass


def test_what_is_timed_is_not_traced(heard: Hearing):
    seen = events_during(lambda: benchmark("work", work))
    assert "benchmark" in seen
    assert "work" not in seen


def test_what_fails_is_the_lectures_own_and_the_tracer_is_back(heard: Hearing):
    def fail() -> None:
        raise ZeroDivisionError("mine")

    def call() -> None:
        with pytest.raises(ZeroDivisionError, match="mine"):
            benchmark("fail", fail)

    assert "fail" not in events_during(call)
    assert heard.outputs == []


def test_outside_a_recording_it_prints(capsys: pytest.CaptureFixture[str]):
    result = benchmark("nap", nap, trials=2)
    assert capsys.readouterr().out == f"nap: {result!r}\n"


# ---------------------------------------------------------------- profile


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


def multiply(torch):
    a = torch.ones(64, 64)
    return lambda: torch.relu(a @ a)


def test_a_profile_is_a_table_the_costliest_first(heard: Hearing, torch):
    result = profile("mm", multiply(torch))
    shown = heard.outputs[0]
    columns = ("operator", "calls", "self CPU %", "self CPU ms", "CPU ms")
    assert shown == ProfileTable("mm", columns, result.rows, device_name(), "", shown.timeline)
    assert {"aten::mm", "aten::relu"} <= {row[0] for row in shown.rows}
    selves = [row[3] for row in shown.rows]
    assert selves == sorted(selves, reverse=True)
    assert sum(row[2] for row in shown.rows) == pytest.approx(100, abs=1)
    assert str(result).splitlines()[0] == f"mm ({device_name()})"


def test_the_timeline_is_a_chrome_trace(heard: Hearing, torch):
    profile("mm", multiply(torch))
    trace = json.loads(gzip.decompress(heard.file(heard.outputs[0].timeline)))
    assert "aten::mm" in {event.get("name") for event in trace["traceEvents"]}


def test_stacks_begin_at_the_lectures_own_function(heard: Hearing, torch):
    def layer() -> None:
        torch.relu(torch.ones(256, 256) @ torch.ones(256, 256))

    result = profile("mm", layer, with_stack=True)
    stacks = heard.file(heard.outputs[0].stacks).decode()
    assert stacks == result.stacks
    lines = [line.rpartition(" ") for line in stacks.splitlines()]
    assert {path.split(";")[0].split(": ")[1] for path, _, _ in lines} == {"layer"}
    assert any(path.endswith(";aten::mm") for path, _, _ in lines)
    assert all(int(time) > 0 for _, _, time in lines)
    assert "0x" not in stacks
    assert not any("(" in str(row[0]) for row in result.rows)


def test_recording_again_does_not_fill_the_disk(tmp_path: Path, torch):
    for _ in range(2):
        with hearing(tmp_path) as heard:
            profile("mm", multiply(torch), with_stack=True)
            profile("mm", multiply(torch), with_stack=True)
    assert len(heard.files) == 4


def test_the_profiler_says_nothing_on_the_terminal(capfd: pytest.CaptureFixture[str], heard: Hearing, torch):
    profile("mm", lambda: print("mine", file=sys.stderr), warmups=0)
    assert capfd.readouterr().err == "mine\n"


def test_what_is_profiled_is_not_traced(heard: Hearing, torch):
    assert "work" not in events_during(lambda: profile("work", work))


def test_what_fails_in_a_profile_can_be_profiled_again(heard: Hearing, torch):
    with pytest.raises(ZeroDivisionError):
        profile("fail", lambda: 1 / 0)
    profile("mm", multiply(torch))
    assert len(heard.outputs) == 1


def event(name: str, device: str, own: float, whole: float, around=None) -> SimpleNamespace:
    """What torch's profiler says of `name`, in microseconds on a GPU; each was called once, as in its averages."""
    return SimpleNamespace(
        name=name, key=name, count=1, device_type=SimpleNamespace(name=device), cpu_parent=around,
        self_device_time_total=own, device_time_total=whole, self_cpu_time_total=1.0, cpu_time_total=1.0,
        stack=["lecture.py(3): run", "profiles.py(9): _measured"],
    )  # fmt: skip


def test_the_profilers_own_work_is_no_operator_and_takes_no_kernels_time(monkeypatch: pytest.MonkeyPatch):
    """As PyTorch 2.11 told of `torch.add` on an H200: CUPTI asked for a buffer while the kernel was launched."""
    outer = event("aten::outer", "CPU", 0.0, 24.4)
    add = event("aten::add", "CPU", 12.2, 24.4, outer)
    buffer = event("Activity Buffer Request", "CPU", 12.2, 12.2, add)
    kernel = event("add_kernel", "CUDA", 12.2, 12.2)
    events = [outer, add, buffer, kernel]
    _, rows = profiles._rows(events, profiles._counted_twice(events), ("CPU", "cpu"), ("GPU", "device"))
    assert [(row[0], *row[2:5]) for row in rows] == [
        ("add_kernel", 100.0, 0.0122, 0.0122), ("aten::add", 100.0, 0.0122, 0.0122), ("aten::outer", 0.0, 0.0, 0.0122)
    ]  # fmt: skip
    monkeypatch.setattr(profiles, "cuda", lambda: "a GPU")
    assert profiles._stacks([add, buffer]) == "lecture.py(3): run;aten::add 12\n"


def test_a_profile_within_a_profile_is_refused_and_does_not_empty_the_outer_one(heard: Hearing, torch):
    def layer() -> None:
        multiply(torch)()
        with pytest.raises(EngineError) as raised:
            profile("inner", unwanted)
        assert str(raised.value) == "profile('inner') is called within another profile; torch takes one at a time"

    profile("outer", layer, warmups=0)
    [shown] = heard.outputs
    assert "aten::mm" in {row[0] for row in shown.rows}


def test_without_torch_it_says_what_to_do(heard: Hearing, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(EngineError, match=r"profile\('mm'\) needs torch, which is not installed; pip install torch"):
        profile("mm", work)


# ---------------------------------------------------------------- on a GPU


class Queue:
    """A GPU that works off in order what a CPU puts into its queue; both clocks in milliseconds.

    Stands for `torch` and `torch.cuda` as far as benchmarks use them. To put something into the queue takes the CPU
    0.005, to prepare a Triton kernel's launch 0.15; to write the filler takes the GPU 0.06, the kernel 0.5.
    """

    uint8 = OutOfMemoryError = MemoryError

    def __init__(self, free=2**40):
        self.cuda, self.free, self.cpu, self.gpu, self.written = self, free, 0.0, 0.0, 0

    def put(self, gpu, cpu=0.005):
        self.cpu += cpu
        self.gpu = max(self.gpu, self.cpu) + gpu
        return self.gpu

    def kernel(self):
        self.put(0.5, cpu=0.15)

    def is_available(self):
        return True

    def get_device_name(self):
        return "a queue"

    def empty(self, size, dtype, device):
        if size > self.free:
            raise MemoryError
        return SimpleNamespace(zero_=lambda: self.write(size))

    def write(self, size):
        self.written += size
        self.put(0.06 * min(size / 2**28, 1))

    def Event(self, enable_timing):
        event = SimpleNamespace()
        event.record = lambda: setattr(event, "at", self.put(0))
        event.elapsed_time = lambda end: end.at - event.at
        return event

    def synchronize(self):
        self.cpu = self.gpu = max(self.cpu, self.gpu)


def test_a_launch_that_takes_the_cpu_long_to_prepare_is_not_in_the_kernels_time(heard: Hearing, monkeypatch):
    queue = Queue()
    monkeypatch.setitem(sys.modules, "torch", queue)
    result = benchmark("kernel", queue.kernel, trials=4)
    assert [round(sample, 6) for sample in result.samples] == [0.5] * 4
    assert (result.method, result.device) == ("CUDA events", "a queue")
    assert queue.written >= 4 * 2**28, "the L2 cache is overwritten before each run"


def test_what_the_cpu_does_itself_is_in_the_time(heard: Hearing, monkeypatch):
    queue = Queue()
    monkeypatch.setitem(sys.modules, "torch", queue)
    result = benchmark("sleep", lambda: queue.put(0, cpu=50.0), trials=3)
    assert all(49.5 < sample < 50.1 for sample in result.samples)


def test_a_gpu_whose_memory_is_used_up_is_still_timed(heard: Hearing, monkeypatch):
    queue = Queue(free=2**20)
    monkeypatch.setitem(sys.modules, "torch", queue)
    assert len(benchmark("kernel", queue.kernel, trials=2).samples) == 2


@pytest.mark.gpu
def test_on_a_gpu_times_are_the_gpus_own(heard: Hearing, torch):
    if not torch.cuda.is_available():
        pytest.skip("needs an NVIDIA GPU")
    a = torch.ones(2048, 2048, device="cuda")
    result = benchmark("mm", lambda: a @ a)
    table = profile("mm", lambda: a @ a)
    assert (result.method, result.device) == ("CUDA events", torch.cuda.get_device_name())
    assert table.columns == ("operator", "calls", "self GPU %", "self GPU ms", "GPU ms", "self CPU ms", "CPU ms")
    assert table.rows[0][3] > 0
