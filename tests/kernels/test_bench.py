"""The benchmark: what it refuses, what it writes; the timing itself on a GPU."""

import json
from pathlib import Path
from unittest.mock import MagicMock

import pytest
import torch

from kernels import bench
from kernels.__main__ import main
from kernels.catalog import Operation, Version
from kernels.tasks import Task
from kernels.timing import Timing, time_in_turns
from tests.recordings import ROOT

MEASURED = ROOT / "kernels" / "measured" / "h200.json"


def double(x: torch.Tensor) -> torch.Tensor:
    return x.double() * 2


def doubling(*versions: Version) -> Task:
    """A task on the CPU: to double 1000 numbers, 8 bytes each, beside a copy."""
    x = torch.randn(10, 100)
    operation = Operation("double", ("x",), "y", double, versions, scales=(1.0,), interpreted=(9, 9))
    return Task(operation, (x,), 8000, 0, 3, "copy", torch.clone, {"torch": lambda x: x + x})


def test_a_wrong_kernel_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    timed: list[str] = []

    def pretend(runs: dict[str, object], rounds: int) -> dict[str, Timing]:
        timed.extend(runs)
        return {name: Timing((2e-5, 1e-5, 4e-5)) for name in runs}

    monkeypatch.setattr(bench, "time_in_turns", pretend)
    right, wrong = Version("right", "triton", lambda x: 2 * x), Version("wrong", "triton", lambda x: 3 * x)
    right_figure, wrong_figure, torch_figure, ceiling = bench.measure(doubling(right, wrong)).figures
    assert timed == ["right triton", "torch torch", "copy"]
    assert (right_figure.milliseconds, right_figure.of_ceiling) == (2e-5, 1.0)
    assert right_figure.tb_per_s == pytest.approx(0.4)
    assert (wrong_figure.milliseconds, wrong_figure.of_ceiling) == (None, None)
    assert wrong_figure.wrong is not None and wrong_figure.wrong.startswith("y[0, 0] is ")
    assert (torch_figure.by, ceiling.by) == ("torch", "ceiling")


def test_the_median_and_the_tenths_of_the_runs() -> None:
    timing = Timing(tuple(float(ms) for ms in (5, 1, 2, 3, 4, 9, 6, 7, 8, 10)))
    assert (timing.median, timing.quantile(0.1), timing.quantile(0.9)) == (5.5, 2.0, 10.0)


def test_the_summary_has_no_samples_and_four_digits() -> None:
    figure = {"name": "gelu", "milliseconds": 0.50123456, "samples": [0.5, 0.6]}
    report = {"device": "a GPU", "measurements": [{"operation": "gelu", "figures": [figure]}]}
    short = {"name": "gelu", "milliseconds": 0.5012}
    assert bench.without_samples(report) == {
        "device": "a GPU", "measurements": [{"operation": "gelu", "figures": [short]}],
    }  # fmt: skip


@pytest.fixture
def measuring(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder to measure in, where an operation takes no time and the second one is interrupted."""
    about = {"device": "a GPU", "date": "2026-01-01", "versions": {}, "method": "none"}
    monkeypatch.setattr(bench, "about", about.copy)
    monkeypatch.setattr(bench, "time_in_turns", lambda runs, rounds: {name: Timing((1.0,)) for name in runs})
    right = Version("right", "triton", lambda x: 2 * x)
    todo = {"gelu": lambda: [doubling(right)], "softmax": interrupted}
    monkeypatch.setattr(bench, "tasks", lambda name: todo[name]())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def interrupted() -> list[Task]:
    raise KeyboardInterrupt


def test_an_interruption_costs_no_operation_that_was_measured(
    measuring: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(KeyboardInterrupt):
        bench.main(["gelu", "softmax"], Path("short.json"))
    for file in ("var/bench/a_GPU.json", "short.json"):
        [kept] = json.loads((measuring / file).read_text())["measurements"]
        assert kept["figures"][0]["milliseconds"] == 1
    assert "After each operation its figures are written to var/bench/a_GPU.json\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ("var", "kernels bench: cannot write var/bench/a_GPU.json: Not a directory; nothing was measured.\n"),
        ("a_file", "kernels bench: cannot write a_file/short.json: Not a directory; nothing was measured.\n"),
    ],
)
def test_figures_that_could_not_be_written_are_not_measured(
    measuring: Path, capsys: pytest.CaptureFixture[str], there: str, said: str
) -> None:
    (measuring / there).touch()
    assert bench.main(["gelu"], Path("a_file/short.json")) == 2
    assert capsys.readouterr() == ("", said)


def test_what_was_written_before_stays_until_there_are_new_figures(measuring: Path) -> None:
    (measuring / "short.json").write_text("before")
    with pytest.raises(KeyboardInterrupt):
        bench.main(["softmax"], Path("short.json"))
    assert [file.name for file in measuring.rglob("*.json")] == ["short.json"]
    assert (measuring / "short.json").read_text() == "before"


def test_a_disk_that_is_full_by_then_is_said_and_the_measuring_goes_on(
    measuring: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.main(["gelu"], Path("/dev/full")) == 0
    out, err = capsys.readouterr()
    assert "right" in out and err == (
        "kernels bench: cannot write /dev/full: No space left on device; copy the figures from here.\n"
    )


def test_without_nvidia_smi_the_driver_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_properties", MagicMock(return_value=MagicMock(total_memory=8e9)))
    monkeypatch.setenv("PATH", "")
    assert bench.about()["versions"]["driver"] == "unknown"


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_without_a_gpu_it_is_one_sentence_and_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench"]) == 2
    said = "kernels bench: PyTorch sees no NVIDIA GPU; run this on a machine that has one.\n"
    assert capsys.readouterr() == ("", said)


def test_the_figures_kept_in_the_repository_say_where_and_when_they_were_measured() -> None:
    kept = json.loads(MEASURED.read_text())
    assert MEASURED.stat().st_size < 50_000
    assert kept["device"] == "NVIDIA H200" and kept["date"].startswith("20") and kept["method"] == bench.METHOD
    assert kept["versions"].keys() == {"python", "torch", "triton", "cuda", "driver"}
    for measurement in kept["measurements"]:
        assert not any(figure["wrong"] for figure in measurement["figures"])
        assert [figure["of_ceiling"] for figure in measurement["figures"] if figure["by"] == "ceiling"] == [1.0]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch sees no NVIDIA GPU")
def test_a_copy_twice_as_large_takes_about_twice_as_long() -> None:
    x, y = torch.randn(2, 64 * 2**20, device="cuda")
    half = x.numel() // 2
    timings = time_in_turns({"whole": lambda: y.copy_(x), "half": lambda: y[:half].copy_(x[:half])}, rounds=20)
    assert len(timings["whole"].samples) == 20
    assert 1.7 < timings["whole"].median / timings["half"].median < 2.3


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch sees no NVIDIA GPU")
@pytest.mark.filterwarnings("ignore:.*torch.jit.script_method:DeprecationWarning")  # PyTorch 2.11 warns of itself
def test_the_command_writes_its_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert bench.main(["row_sum"], summary=tmp_path / "short.json") == 0
    (written,) = (tmp_path / "var" / "bench").iterdir()
    assert len(json.loads(written.read_text())["measurements"][0]["figures"][0]["samples"]) == 100
    assert "samples" not in (tmp_path / "short.json").read_text()
