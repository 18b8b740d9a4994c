"""engine.workers: jobs in processes of their own, which may crash, hang or be told to stop."""

import threading
import time
from pathlib import Path

import pytest

from engine import workers
from engine.request import CudaRequest, Job, Result
from engine.workers import run_jobs
from tests.clocks import SECONDS

SCRIPT = """
import os, signal, sys, time
import msgspec
from engine.request import Job, Result
for line in sys.stdin.buffer:
    what = msgspec.json.decode(line, type=Job).work.source
    if what == "crash":
        print("LLVM ERROR: cannot select", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGABRT)
    if what == "leave":
        sys.exit(3)
    if what == "hang":
        time.sleep(3600)
    answer = Result(reason=f"{what} {os.environ.get('TRITON_INTERPRET')}")
    sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\\n")
    sys.stdout.buffer.flush()
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Stands in for the process that compiles; a job's source says how it behaves."""
    (tmp_path / "script.py").write_text(SCRIPT)
    real = workers._SCRIPT
    monkeypatch.setattr(workers, "_SCRIPT", tmp_path / "script.py")
    monkeypatch.setenv("PYTHONPATH", str(real.parents[1]))
    monkeypatch.syspath_prepend(real.parents[1])


def job(what: str) -> Job:
    return Job(CudaRequest("k", "k.cu", what, {}, ""), "sm_90", "0", "")


def run(*whats: str, **options) -> dict[str, Result]:
    results = {}
    run_jobs([job(what) for what in whats], lambda job, result: results.update({job.work.source: result}), **options)
    return results


def test_each_job_is_answered(script, monkeypatch):
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    assert {what: result.reason for what, result in run("a", "b", "c").items()} == {
        "a": "a None", "b": "b None", "c": "c None",
    }  # fmt: skip


def test_a_crash_costs_its_own_job_only(script):
    results = run("crash", "a", "leave", "b", count=1)
    assert results["crash"].reason == "the compiler's process was killed by signal 6\nLLVM ERROR: cannot select"
    assert results["leave"].reason == "the compiler's process ended with code 3"
    assert not results["crash"].lasting
    assert (results["a"].reason, results["b"].reason) == ("a None", "b None")


def test_a_job_that_hangs_is_ended(script):
    results = {}
    with workers.Workers(1) as kept:
        for what, seconds in (("hang", 0.2), ("a", workers.SECONDS)):
            kept.run([job(what)], lambda job, result: results.update({job.work.source: result}), seconds)
    assert results["hang"].reason == "the compiler did not end within 0.2 seconds"
    assert results["a"].reason == "a None"


def test_processes_stay_for_more_jobs(script):
    before = children()
    results = {}
    with workers.Workers(1) as kept:
        for what in ("a", "leave", "b"):
            kept.run([job(what)], lambda job, result: results.update({job.work.source: result}))
            running = children() - before
        assert len(running) == 1  # the one that left was replaced
    assert (results["a"].reason, results["b"].reason) == ("a None", "b None")
    assert children() == before


def test_no_process_is_left(script):
    before = children()
    run("a", "b")
    assert children() == before


def test_no_process_is_left_after_an_interrupt(script, monkeypatch):
    before = children()
    done = threading.Event()

    def interrupted(thread, timeout):
        while children() == before:
            time.sleep(0.01)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(threading.Thread, "join", interrupted)
        run_jobs([job("hang")], lambda job, result: done.set())
    assert done.wait(SECONDS)  # the thread that waited for the process has been told that it is gone
    assert children() == before


def children() -> set[str]:
    """Processes that any thread of this one started."""
    return {child for path in Path("/proc/self/task").glob("*/children") for child in path.read_text().split()}


def test_the_assembler_of_torch_compile_is_not_used(monkeypatch):
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    monkeypatch.setenv("TRITON_PTXAS_PATH", "/site-packages/torch/bin/ptxas")
    assert not {"TRITON_INTERPRET", "TRITON_PTXAS_PATH"} & set(workers.environment())
    monkeypatch.setenv("TRITON_PTXAS_PATH", "/my/own/ptxas")
    assert workers.environment()["TRITON_PTXAS_PATH"] == "/my/own/ptxas"
