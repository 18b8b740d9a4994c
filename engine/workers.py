"""Runs jobs in processes of their own, several at once, each job for a limited time."""

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

import msgspec

from engine.request import Job, Result

SECONDS = 60.0
"How long one job may take: compiling a kernel takes about half a second, the largest known to us twenty."

_SCRIPT = Path(__file__).with_name("compile_worker.py")


def run_jobs(
    jobs: Sequence[Job], done: Callable[[Job, Result], None], seconds: float = SECONDS, count: int | None = None
) -> None:
    """Run `jobs` in processes that are gone when this returns, or raises (KeyboardInterrupt). See `Workers.run`."""
    with Workers(count) as workers:
        workers.run(jobs, done, seconds)


class Workers:
    """Processes that compile. They stay, ready for more jobs, until `close`."""

    def __init__(self, count: int | None = None) -> None:
        """At most `count` of them, by default one for each processor this process may use."""
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self.count = count or available
        self.lock = threading.Lock()
        self.closed = False
        self.idle: list[_Worker] = []
        self.busy: set[_Worker] = set()

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def run(self, jobs: Sequence[Job], done: Callable[[Job, Result], None], seconds: float = SECONDS) -> None:
        """Run `jobs`, and call `done` with each and its result as it ends: from several threads, one call at a time."""
        round_ = _Round(self, list(jobs)[::-1], done, seconds)
        threads = [threading.Thread(target=round_.work, daemon=True) for _ in range(min(self.count, len(jobs)))]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():  # in short waits, so that Ctrl-C is heard
                thread.join(0.2)

    def take(self) -> "_Worker | None":
        """A process that is ready for a job; None when there shall be no more."""
        with self.lock:
            if self.closed:
                return None
            worker = self.idle.pop() if self.idle else _Worker()
            self.busy.add(worker)
            return worker

    def give_back(self, worker: "_Worker") -> None:
        """`worker` has done its job; one that is not alive is replaced when there is another."""
        with self.lock:
            self.busy.discard(worker)
            if worker.alive and not self.closed:
                self.idle.append(worker)
                return
        worker.end()

    def close(self) -> None:
        """End all processes. The thread that waits for a busy one hears of it and does the rest."""
        with self.lock:
            self.closed = True
            idle, busy = list(self.idle), list(self.busy)
        for worker in idle:
            worker.end()
        for worker in busy:
            worker.stop()


class _Round:
    """The threads that feed the processes with the jobs of one `run`."""

    def __init__(
        self, workers: Workers, jobs: list[Job], done: Callable[[Job, Result], None], seconds: float
    ) -> None:
        self.workers = workers
        self.jobs = jobs
        self.done = done
        self.seconds = seconds
        self.lock = threading.Lock()

    def work(self) -> None:
        """Take jobs until there are none."""
        while (job := self._next()) is not None:
            worker = self.workers.take()
            if worker is None:
                return
            result = worker.perform(job, self.seconds)
            self.workers.give_back(worker)
            with self.lock:
                self.done(job, result)

    def _next(self) -> Job | None:
        with self.lock:
            return self.jobs.pop() if self.jobs else None


class _Worker:
    """One process."""

    def __init__(self) -> None:
        self.said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `end`)
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(_SCRIPT)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said, env=environment(),
            start_new_session=True,  # a Ctrl-C is for the recording, which ends its processes itself
        )  # fmt: skip
        self.alive = True

    def perform(self, job: Job, seconds: float) -> Result:
        """The result of `job`, or why there is none."""
        assert self.process.stdin is not None and self.process.stdout is not None
        late = threading.Event()
        timer = threading.Timer(seconds, self._kill, [late])
        timer.start()
        try:
            self.process.stdin.write(msgspec.json.encode(job) + b"\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except OSError:
            answer = b""
        finally:
            timer.cancel()
        if answer.endswith(b"\n"):
            return msgspec.json.decode(answer, type=Result)
        self.alive = False
        if late.is_set():
            return Result(reason=f"the compiler did not end within {seconds:g} seconds", lasting=False)
        return Result(reason=self._last_words(), lasting=False)

    def _kill(self, late: threading.Event) -> None:
        late.set()
        self.process.kill()

    def _last_words(self) -> str:
        code = self.process.wait()
        self.said.seek(0)
        lines = self.said.read().decode(errors="replace").strip().splitlines()[-10:]
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        return "\n".join([f"the compiler's process {how}", *lines])

    def stop(self) -> None:
        """Make sure that the process is gone."""
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        """Make sure that nothing is left of the process; for the thread that talked with it."""
        self.alive = False
        self.stop()
        for stream in (self.process.stdin, self.process.stdout, self.said):
            if stream is not None and not stream.closed:
                _close(stream)


def _close(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except OSError:  # what was still to be written has no reader any more
        return


def environment() -> dict[str, str]:
    """Ours, but that Triton compiles, with its own assembler, and that the modules found here are found there.

    torch.compile, once it is imported, has all of the process use the assembler that comes with PyTorch; what is
    compiled here must not depend on whether a lecture used it.
    """
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    if environment.get("TRITON_PTXAS_PATH", "").endswith("torch/bin/ptxas"):
        del environment["TRITON_PTXAS_PATH"]
    here = str(_SCRIPT.parents[1])
    environment["PYTHONPATH"] = os.pathsep.join([here, *(path for path in sys.path if path and path != here)])
    return environment
