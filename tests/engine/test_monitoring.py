"""`--backend monitoring` records what `--backend settrace` records, byte for byte, and lets go of all it took."""

import json
import subprocess
import textwrap
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.engine.interpreters import interpreter
from tests.engine.programs import Program, programs
from tests.recordings import ROOT, Recorded, record, run_engine

SAMPLES = sorted((ROOT / "tests/samples/steps").glob("*.py"))
VERSIONS = ("3.12", "3.13")
EXAMPLES = 120


def python(version: str) -> str:
    """An interpreter that has `sys.monitoring`, else skip aloud."""
    path = interpreter(version)
    if path is None:
        pytest.skip(f"Python {version} is not set up here")
    return str(path)


def compare(cases: list[tuple[str, bool]], version: str) -> list[dict[str, str]]:
    """Those of the programs whose traces differ; of each is said whether all its local variables are recorded."""
    run = subprocess.run(
        [python(version), "-m", "tests.engine.both_backends"], cwd=ROOT, input=json.dumps(cases), text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    *differing, last = map(json.loads, run.stdout.splitlines())
    assert last == {"compared": len(cases)}
    return differing


@pytest.fixture(scope="module")
def random_programs() -> list[str]:
    """The same ones at every run, of the kind that the steps of settrace are tested with."""
    sources: list[str] = []

    @settings(max_examples=EXAMPLES, derandomize=True, database=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(programs())
    def collect(program: Program) -> None:
        sources.append("\n".join(program.plain) + "\n")

    collect()
    return sources


@pytest.mark.parametrize("version", VERSIONS)
def test_random_programs_leave_the_same_trace(version: str, random_programs: list[str]) -> None:
    differing = compare([(source, bool(number % 2)) for number, source in enumerate(random_programs)], version)
    assert not differing, differing[0]["source"]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_golden_corpus_leaves_the_same_trace(version: str, tmp_path: Path) -> None:
    samples = [str(path) for path in SAMPLES]
    for backend in ("settrace", "monitoring"):
        run = run_engine(*samples, "-o", tmp_path / backend, "--reproducible", "--backend", backend,
                         python=python(version))  # fmt: skip
        assert run.returncode == 0, run.stderr
    for sample in SAMPLES:
        name = f"{sample.stem}.json"
        assert (tmp_path / "monitoring" / name).read_bytes() == (tmp_path / "settrace" / name).read_bytes(), name


PROGRAMS = {
    "stepping over a recursion": """
        def down(n):
            return n and down(n - 1)
        def main():
            down(3)  # @stepover
            down(1)
    """,
    "a generator that is thrown into": """
        def count():
            try:
                yield 1
                yield 2
            except KeyError:
                yield 3
            finally:
                last = 8
        def main():
            g = count()
            next(g)
            a = g.throw(KeyError("x"))
            g.close()
            for n in count(): pass
    """,
    "threads, one of them older than the recording": """
        import threading
        ready, over = threading.Event(), threading.Event()
        def old():
            ready.wait()
            unseen = 5
            over.set()
        older = threading.Thread(target=old)
        older.start()
        def work(n):
            m = n + 1
        def main():
            ready.set()
            over.wait()
            older.join()
            for n in range(2):
                t = threading.Thread(target=work, args=(n,), name=f"worker {n}")
                t.start()
                t.join()
    """,
    "a thread that `threading` knows nothing of": """
        import _thread
        def work(lock):
            unseen = 4
            lock.release()
        def main():
            lock = _thread.allocate_lock()
            lock.acquire()
            _thread.start_new_thread(work, (lock,))
            lock.acquire()
    """,
    "tasks": """
        import asyncio
        async def each(n):
            for i in range(n):
                yield i
                await asyncio.sleep(0)
        async def work(n):
            async for i in each(n):
                m = i
        async def all_work():
            await asyncio.gather(work(2), work(3))
        def main():
            asyncio.run(all_work())
    """,
    "exceptions on their way": """
        class Guard:
            def __enter__(self):
                return self
            def __exit__(self, kind, error, trace):
                return kind is KeyError
        def fail(error):
            raise error
        def main():
            with Guard():
                fail(KeyError)
            try:
                fail(ValueError)
            except ValueError as e:
                [fail(e) for _ in ()]
            return fail(IndexError)
    """,
    "an exception where another one was": """
        from contextlib import suppress
        def main():
            with suppress(KeyError):
                a = sum([*[x for x in range(2)], 1])
                raise KeyError(a)
            return sum([missing, *[x for x in range(2)]])
    """,
}


@pytest.mark.parametrize("version", VERSIONS)
def test_hard_programs_leave_the_same_trace(version: str) -> None:
    assert compare([(textwrap.dedent(source), False) for source in PROGRAMS.values()], version) == []


def monitored(folder: Path, source: str, *arguments: str) -> Recorded:
    return record(folder, source, "--backend", "monitoring", *arguments, python=python("3.12"))


def test_after_a_recursion_error_nothing_is_missing(tmp_path: Path) -> None:
    """Where `sys.settrace` is switched off by one, and leaves a gap."""
    run = monitored(tmp_path, """
        def down(n):
            return down(n + 1)
        def main():
            for i in range(2):
                try:
                    down(0)
                except RecursionError:
                    a = 9  # @inspect a
    """)  # fmt: skip
    assert run.header["status"] == "ok" and run.warnings() == []
    caught = run.at(9)[0]["index"]
    assert [s["depth"] for s in run.steps[: caught + 1]] == [0, 0, 0, *range(1, caught - 2), 0]
    assert [s["values"]["a"]["text"] for s in run.at(9)] == ["9", "9"]


def test_the_step_limit_holds(tmp_path: Path) -> None:
    run = monitored(tmp_path, """
        def main():
            while True:
                try:
                    a = 5
                except BaseException:
                    break
    """, "--max-steps", "50")  # fmt: skip
    assert run.header["status"] == "stopped" and len(run.steps) == 50 and run.warnings() == []


def test_what_is_timed_is_not_watched(tmp_path: Path) -> None:
    run = monitored(tmp_path, """
        from engine import benchmark
        def work():
            pass
        def main():
            benchmark("work", work)
            work()
    """)  # fmt: skip
    assert run.lines("work") == [4] and run.lines() == [6, 7]


def test_a_lecture_may_have_its_own_tracer(tmp_path: Path) -> None:
    run = monitored(tmp_path, """
        import sys
        def main():
            sys.settrace(lambda *_: None)
            a = 5
            sys.settrace(None)
            b = 7
    """)  # fmt: skip
    assert run.lines() == [4, 5, 6, 7] and run.warnings() == []


def test_a_module_made_visible_when_it_has_run_before(tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text("def f():\n    return 2\nf()\n")
    run = monitored(tmp_path, """
        def main():
            import shown
            shown.f()
            import shown  # @visible
            shown.f()
    """)  # fmt: skip
    assert run.lines("f") == [2] and run.lines() == [3, 4, 5, 6]


TAKEN = """
    import sys
    for number in range(6):
        sys.monitoring.use_tool_id(number, f"tool {number}")
    from engine.cli import main
    sys.exit(main(sys.argv[1:]))
"""


def test_no_tool_number_left_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "lecture.py").write_text("def main():\n    a = 2\n")
    run = subprocess.run(
        [python("3.12"), "-c", textwrap.dedent(TAKEN), "lecture.py", "--backend", "monitoring"], cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 2
    assert run.stderr.startswith("engine: --backend monitoring finds all tool numbers taken (tool 0, tool 1, ")
    assert len(run.stderr.splitlines()) == 1 and not (tmp_path / "var").exists()


def test_python_3_11_has_no_monitoring(tmp_path: Path) -> None:
    path = interpreter("3.11")
    if path is None:
        pytest.skip("Python 3.11 is not set up here")
    run = run_engine(SAMPLES[0], "-o", tmp_path, "--backend", "monitoring", python=str(path))
    assert run.returncode == 2
    assert run.stderr == ("engine: --backend monitoring needs Python 3.12 or later, this is 3.11; "
                          "use --backend settrace\n")  # fmt: skip


LETS_GO = """
    import sys
    from pathlib import Path
    from engine.recorder import Recorder
    path = Path("lecture.py").resolve()
    space = {}
    exec(compile(path.read_bytes(), str(path), "exec"), space)
    for _ in range(8):
        recorder = Recorder(path, path.parent, root=path.parent, inspect_all=False, max_steps=99, backend="monitoring")
        recorder.watch(str(path))
        recorder.start()
        space["main"]()
        recorder.stop()
        print(len(recorder.builder), [sys.monitoring.get_tool(n) for n in range(6)])
"""


def test_the_tool_number_is_given_back(tmp_path: Path) -> None:
    (tmp_path / "lecture.py").write_text("def main():\n    a = 2\n")
    run = subprocess.run([python("3.12"), "-c", textwrap.dedent(LETS_GO)], cwd=tmp_path, capture_output=True, text=True,
                         env={"PYTHONPATH": str(ROOT)}, check=False)  # fmt: skip
    assert run.stdout == "1 [None, None, None, None, None, None]\n" * 8, run.stderr


INSIDE = """
    from contextlib import suppress
    from pathlib import Path
    from engine.recorder import Recorder
    from engine.trace import Access, Kernel, Recording, Region, Tensor, encode
    path = Path("lecture.py").resolve()
    found = []
    for backend in ("settrace", "monitoring"):
        recorder = Recorder(path, path.parent, root=path.parent, inspect_all=False, max_steps=99, backend=backend)
        def launch(function, index):
            kernel = recorder.kernel(Kernel("kernel", "triton", recorder.display_path(str(path)), 1, 4))
            recorder.step_inside(function.__code__, True)
            recorder.entered(kernel, index, (2,), (Tensor("x", (8,), (1,), "int32"),))
            with suppress(ZeroDivisionError):
                function()
            recorder.step_inside(function.__code__, False)
            recorder.left()
        def read(at):
            recorder.accessed(0, Access("read", f"reads x[{at}]", elements=Region(1, (((at, at + 1, 1),),))))
            return at
        space = {"launch": launch, "read": read}
        exec(compile(path.read_bytes(), str(path), "exec"), space)
        recorder.watch(str(path))
        recorder.start()
        space["main"]()
        recorder.stop()
        trace = recorder.finish("ok", "", {})
        found.append(encode(trace))
    assert found[0] == found[1]
    recording = Recording(trace)
    recording.check()
    for step, made in recording.accesses.items():
        place, instance = recording.place(step), recording.instance(step)
        print(place[1], recording.kind(step), instance.index, [trace.access_table[number].text for number in made])
"""


def test_accesses_of_program_instances_belong_to_the_same_steps(tmp_path: Path) -> None:
    (tmp_path / "lecture.py").write_text(textwrap.dedent("""\
        def kernel():
            a = read(0)
            b = helper() + read(2) + read(2)
            return read(3) / 0

        def helper():
            return read(1)

        def main():
            read(4)
            launch(kernel, (0,))  # @stepover
            for index in (0, 1):
                launch(kernel, (index,))
    """))
    run = subprocess.run([python("3.12"), "-c", textwrap.dedent(INSIDE)], cwd=tmp_path, capture_output=True, text=True,
                         env={"PYTHONPATH": str(ROOT)}, check=False)  # fmt: skip
    assert run.stdout == "".join(
        f"2 line ({index},) ['reads x[0]']\n7 line ({index},) ['reads x[1]']\n"
        f"3 resume ({index},) ['reads x[2]']\n4 line ({index},) ['reads x[3]']\n"
        for index in (0, 1)
    ), run.stderr
