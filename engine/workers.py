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
    """Run `jobs` and call `done` with each and its result as it ends, from several threads, one call at a time.

    At most `count` processes work at once, by default one for each processor this process may use. All have ended when
    this returns, or raises (KeyboardInterrupt).
    """
    crew = _Crew(list(jobs)[::-1], done, seconds)
    if count is None:
        count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = [threading.Thread(target=crew.work, daemon=True) for _ in range(min(count, len(jobs)))]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            while thread.is_alive():  # in short waits, so that Ctrl-C is heard
                thread.join(0.2)
    finally:
        crew.stop()


class _Crew:
    """The threads that feed the processes."""

    def __init__(self, jobs: list[Job], done: Callable[[Job, Result], None], seconds: float) -> None:
        self.jobs = jobs
        self.done = done
        self.seconds = seconds
        self.lock = threading.Lock()
        self.workers: set[_Worker] = set()

    def work(self) -> None:
        """Take jobs until there are none; a process that died is replaced."""
        worker: _Worker | None = None
        while (job := self._next()) is not None:
            if worker is None:
                worker = _Worker()
                self.workers.add(worker)
            result = worker.perform(job, self.seconds)
            with self.lock:
                self.done(job, result)
            if not worker.alive:
                worker.end()
                worker = None
        if worker is not None:
            worker.end()

    def _next(self) -> Job | None:
        with self.lock:
            return self.jobs.pop() if self.jobs else None

    def stop(self) -> None:
        with self.lock:
            self.jobs.clear()
        for worker in self.workers:
            worker.end()


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

    def end(self) -> None:
        """Make sure that the process is gone."""
        self.alive = False
        self.process.kill()
        self.process.wait()
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
