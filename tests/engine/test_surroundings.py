"""What a lecture does to the process around it: threads and processes that go on, functions of Python it replaces."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.interpreters import interpreter
from tests.recordings import ROOT, record


def test_threads_that_main_leaves_are_waited_for_as_python_does(tmp_path: Path) -> None:
    run = record(tmp_path, """
        import threading, time
        from concurrent.futures import ThreadPoolExecutor
        def work():
            time.sleep(0.1)
            print("late")
        def main():
            threading.Thread(target=work, name="left").start()
            threading.Timer(0.05, work).start()
            ThreadPoolExecutor(1).submit(int)
    """)  # fmt: skip
    assert run.header["status"] == "ok" and run.warnings() == []
    assert [s["outputs"][0]["text"] for s in run.at(6)] == ["late\n"] * 2
    assert {s["thread"] for s in run.at(6)} > {"left"}


BARE = """
    import _thread, threading, time
    from _thread import start_new_thread
    def work(n, lock):
        a = n + 1  # @inspect a
        lock.release()
        if n == 3:
            raise ValueError("made for the test")
    def main():
        for n in range(2):
            lock = _thread.allocate_lock()
            lock.acquire()
            [_thread.start_new_thread, start_new_thread][n](work, (n, lock))
            lock.acquire()
        b = len(threading.enumerate())  # @inspect b
        others = _thread._count()
        start_new_thread(work, (3, lock))
        while _thread._count() > others or lock.locked(): time.sleep(0.001)
"""


@pytest.mark.parametrize(("version", "backend"), [("3.11", "settrace"), ("3.12", "settrace"), ("3.13", "monitoring")])
def test_threads_that_threading_knows_nothing_of(version: str, backend: str, tmp_path: Path) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"Python {version} is not set up here")
    run = record(tmp_path, BARE, "--backend", backend, python=str(python))
    assert [s["values"]["a"]["text"] for s in run.at(5)] == ["1", "2", "4"]
    assert [s["thread"] for s in run.at(5)] == ["_thread-1", "_thread-2", "_thread-3"]
    plain = subprocess.run([python, tmp_path / "lecture.py"], check=False)
    assert plain.returncode == 0 and run.value(15, "b") == "2"  # the other one sees to the step limit
    (failed,) = [s for s in run.steps if s["kind"] == "error"]
    assert (failed["line"], failed["thread"], failed["error"]["type"]) == (8, "_thread-3", "ValueError")
    assert "Exception ignored in thread started by" in run.stderr and "function work" in run.stderr


def test_a_daemon_that_goes_on_is_left_and_said(tmp_path: Path) -> None:
    run = record(tmp_path, """
        import threading, time
        ready = threading.Event()
        def work():
            while ready.set() is None:
                time.sleep(0.001)
        def main():
            threading.Thread(target=work, daemon=True, name="endless").start()
            ready.wait()
    """)  # fmt: skip
    assert run.exit_code == 0 and run.at(5)
    (warning,) = run.warnings()
    assert "thread 'endless' was still running when main() had ended" in warning


def test_a_thread_that_leaves_is_no_failure(tmp_path: Path) -> None:
    run = record(tmp_path, """
        import sys, threading
        def main():
            t = threading.Thread(target=sys.exit, args=(3,)); t.start(); t.join()
    """)  # fmt: skip
    assert run.exit_code == 0 and not any(s["error"] for s in run.steps)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("subprocess.run(['true'])", "'true' prints"),
        ("subprocess.check_call('true', shell=True)", "'true' prints"),
        ("subprocess.Popen(args=['true'], stdout=sys.stdout.fileno()).wait()", "'true' prints"),
        ("os.system('true')", "'true' prints"),
        ("os.waitpid(os.posix_spawn('/bin/true', ['true'], {}), 0)", "process started here"),
        ("p = multiprocessing.get_context('fork').Process(target=int); p.start(); p.join()", "process started here"),
        ("p = multiprocessing.get_context('spawn').Process(target=int); p.start(); p.join()", "process started here"),
        ("p = os.fork() or os._exit(0); os.waitpid(p, 0)", "process started here"),
        ("subprocess.run(['true'], capture_output=True)", ""),
        ("subprocess.run(['/bin/true'], capture_output=True, close_fds=False)", ""),
        ("subprocess.run(['/bin/true'], close_fds=False)", "true' prints"),
        ("subprocess.check_output(['true'])", ""),
        ("subprocess.run(['true'], stdout=subprocess.DEVNULL)", ""),
        ("os.popen('true').read()", ""),
    ],
)
def test_processes_that_print_by_themselves_are_said(tmp_path: Path, statement: str, said: str) -> None:
    run = record(tmp_path, f"import multiprocessing, os, subprocess, sys\ndef main():\n    a = 3\n    {statement}\n")
    assert run.exit_code == 0, run.stderr
    assert [w.partition(": ")[0] for w in run.warnings()] == (["4"] if said else [])
    assert said in "".join(run.warnings()) and (not said or "is not recorded" in run.warnings()[0])


@pytest.mark.parametrize(("code", "status"), [(0, "ok"), (3, "error")])
def test_leaving_at_once_keeps_the_recording(tmp_path: Path, code: int, status: str) -> None:
    run = record(tmp_path, f"import os\ndef main():\n    a = 3  # @inspect a\n    os._exit({code})\n")
    assert (run.exit_code, run.header["status"]) == (code, status) and f"os._exit({code})" in run.header["reason"]
    assert run.value(3, "a") == "3"


NAMES = "print open len isinstance eval compile type sorted list dict id getattr str repr int tuple range zip next set"


@pytest.mark.parametrize(
    "statements",
    [
        "import builtins; [setattr(builtins, name, None) for name in {names!r}.split() if name != 'setattr']",
        "import os, time, threading; os.getpid = time.monotonic = time.time = threading.get_ident = None",
        "import os, tempfile, signal; os.fdopen = os.replace = os.fsync = tempfile.mkstemp = signal.signal = None",
        "import os, sys; os.chdir('/'); sys.path.clear(); os.environ.clear(); sys.argv.clear()",
        "import sys; sys.setrecursionlimit(120)",
        "import sys; sys.excepthook = sys.displayhook = sys.unraisablehook = None",
    ],
    ids=["builtins", "time and threads", "files and signals", "paths and environment", "recursion limit", "hooks"],
)
def test_functions_that_a_lecture_replaces(tmp_path: Path, statements: str) -> None:
    run = record(tmp_path, f"""
        def double(n):
            return 2 * n  # @inspect n
        def main():
            {statements.format(names=NAMES)}
            a = [double(3), {{"b": object}}]  # @inspect a
    """)  # fmt: skip
    assert run.exit_code == 0, run.stderr
    assert run.value(6, "a") == "[6, {'b': <class 'object'>}]" and run.value(3, "n") == "3"
    assert run.header["status"] == "ok" and run.warnings() == []


def test_a_relative_folder_is_the_one_it_was_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "lecture.py").write_text("import os\ndef main():\n    os.chdir('/')\n")
    run = subprocess.run([sys.executable, "-m", "engine", "lecture.py", "-o", "out"], cwd=tmp_path, check=False,
                         capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)})  # fmt: skip
    assert run.returncode == 0 and "recorded out/lecture.json" in run.stderr
    assert (tmp_path / "out/lecture.json").exists()


def test_a_main_that_is_a_generator_is_said(tmp_path: Path) -> None:
    run = record(tmp_path, "def main():\n    return (n for n in [1])\n")
    assert "main() is a generator, so nothing in it was executed" in run.warnings()[0]


@pytest.mark.parametrize(("version", "backend"), [("3.11", "settrace"), ("3.12", "monitoring")])
@pytest.mark.parametrize("method", ["entered", "FrameState.left", "FrameState.failed", "FrameState.at", "look_up"])
def test_a_fault_of_the_tracer_is_said_by_both_backends(
    method: str, version: str, backend: str, tmp_path: Path
) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"Python {version} is not set up here")
    owner, _, name = method.rpartition(".")
    run = record(tmp_path, f"""
        from engine import text, tracer
        def fail(*_):
            raise LookupError("made for the test")
        def f():
            yield 1
            [][1]
        def main():
            setattr(tracer.{owner or "Tracer"}, "{name}", fail)
            if "{method}" == "look_up":
                from engine import monitoring
                monitoring.MonitoringTracer.look_up = fail
            try:
                a = list(f())
            except IndexError:
                a = 3
            text("end")
    """, "--backend", backend, python=str(python))  # fmt: skip
    assert run.exit_code == 0 and run.texts() == ["end"]
    assert sum("LookupError: made for the test" in warning for warning in run.warnings()) == 1


def test_a_fault_of_the_recorder_is_said_once_and_not_the_lectures(tmp_path: Path) -> None:
    run = record(tmp_path, """
        from engine import text
        from engine.values import ValueTable
        def fail(*_):
            raise LookupError("made for the test")
        ValueTable.add = fail
        def main():
            a = 8  # @inspect a
            for i in range(2):
                a = 10  # @inspect a
            text("end")
    """)  # fmt: skip
    assert run.exit_code == 0 and run.texts() == ["end"] and run.lines() == [8, 9, 10, 9, 10, 9, 11]
    assert [w for w in run.warnings() if "LookupError: made for the test" in w] == run.warnings() != []
    assert len(run.warnings()) == 1


def test_the_helper_processes_of_a_library_are_its_own_affair(tmp_path: Path) -> None:
    library = tmp_path / "site-packages/starter.py"
    library.parent.mkdir()
    library.write_text("import subprocess, sys\ndef start():\n    subprocess.run([sys.executable, '-c', ''])\n")
    folder = str(library.parent)
    source = f"import sys\nsys.path.insert(0, {folder!r})\nimport starter\ndef main():\n    starter.start()\n"
    run = record(tmp_path, source)
    assert (run.exit_code, run.warnings()) == (0, [])


def test_a_forked_child_ends_as_it_would_anyway(tmp_path: Path) -> None:
    run = record(tmp_path, """
        import os, sys
        def main():
            for end in ("sys.exit(4)", "sys.exit()", "raise ValueError('the child')", "[][1]"):
                p = os.fork()
                if not p:
                    exec(end)
                    return
                code = os.waitpid(p, 0)[1] >> 8
                print(code)
            if not os.fork():
                return
            print(os.wait()[1])
    """)  # fmt: skip
    assert run.exit_code == 0 and run.stdout.split() == ["4", "0", "1", "1", "0"]
    assert "ValueError: the child" in run.stderr and run.header["status"] == "ok"


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("raise Hostile from Hostile()", "Hostile: <its message could not be had>"),
        ("raise HostileExit", "the lecture left through sys.exit(<Odd object, repr raised KeyboardInterrupt>)"),
        ("import threading; t = threading.Thread(target=fail); t.start(); t.join(); raise Hostile", "Hostile: <its"),
    ],
)
def test_an_exception_that_does_harm_when_it_is_looked_at(statement: str, says: str, tmp_path: Path) -> None:
    run = record(tmp_path, f"""
        class Hostile(Exception):
            def __init__(self): pass
            def __str__(self): raise SystemExit(7)
            def __repr__(self): raise KeyboardInterrupt
            def __getattribute__(self, name): raise MemoryError
        class Odd:
            def __repr__(self): raise KeyboardInterrupt
        class HostileExit(SystemExit):
            def __init__(self): SystemExit.__init__(self, Odd())
            def __getattribute__(self, name): raise MemoryError
        def fail():
            raise Hostile
        def main():
            a = 3  # @inspect a
            {statement}
    """)  # fmt: skip
    assert run.exit_code == 1 and run.header["status"] == "error" and run.header["reason"].startswith(says)
    assert run.value(15, "a") == "3" and run.steps[-1]["error"]["type"].startswith("Hostile")


@pytest.mark.parametrize(
    "statement",
    [
        "sys.modules.clear()", "sys.modules = {}",
        "[sys.modules.update({name: object()}) for name in ('torch', 'numpy', 'threading', 'engine', 'time')]",
        "os.closerange(3, 256)",
        "import engine.api; [vars(engine.api).pop(name) for name in list(vars(engine.api)) if name[0] != '_']",
    ],
)
def test_what_a_lecture_takes_away_from_the_process(statement: str, tmp_path: Path) -> None:
    run = record(tmp_path, f"""
        import os, sys
        class A:
            def __repr__(self): raise ValueError
        def main():
            a = 3  # @inspect a
            {statement}
            b = A()  # @inspect b
    """)  # fmt: skip
    assert run.exit_code == 0 and not run.warnings(), run.stderr
    assert (run.value(6, "a"), run.value(8, "b")) == ("3", "<A object, repr raised ValueError>")


@pytest.mark.parametrize(("version", "backend"), [("3.11", "settrace"), ("3.13", "monitoring")])
def test_what_a_lecture_takes_from_the_engine_is_put_back(version: str, backend: str, tmp_path: Path) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"Python {version} is not set up here")
    run = record(tmp_path, """
        import sys
        def double(n):
            return 2 * n
        def main():
            [vars(module).clear() for name, module in list(sys.modules.items()) if name.startswith("engine")]
            a = double(3)
            b = double(a)  # @inspect b
            for name in [name for name in sys.modules if name.startswith("engine")]: del sys.modules[name]
            from engine import text
            text("still here")
    """, "--backend", backend, python=str(python))  # fmt: skip
    assert run.exit_code == 0 and run.value(8, "b") == "12" and run.texts() == ["still here"]
    assert len(run.warnings()) == 1 and "the recorder failed here (NameError" in run.warnings()[0]


@pytest.mark.parametrize(
    "statement",
    [
        "resource.setrlimit(resource.RLIMIT_NOFILE, (3, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))",
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))",
        "os.umask(0o777)",
    ],
)
def test_limits_that_a_lecture_sets_are_its_own(statement: str, tmp_path: Path) -> None:
    run = record(tmp_path, f"import os, resource\ndef main():\n    a = 3  # @inspect a\n    {statement}\n")
    assert run.exit_code == 0 and run.value(3, "a") == "3"


def test_another_program_in_its_place_leaves_the_recording(tmp_path: Path) -> None:
    run = record(tmp_path, """
        import os, sys
        def main():
            try:
                os.execvp("nowhere-to-be-found", ["nowhere"])
            except OSError as error:
                a = type(error)  # @inspect a
            os.execv(sys.executable, [sys.executable, "-c", "print('another')"])
    """)  # fmt: skip
    assert run.stdout == "another\n" and run.value(7, "a") == "<class 'FileNotFoundError'>"
    assert run.header["status"] == "stopped" and "in its place through os.execv()" in run.header["reason"]
