"""Signals that arrive while a lecture is recorded: their handlers run in the lecture, and the recording goes on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.clocks import SECONDS
from tests.engine.interpreters import interpreter
from tests.recordings import ROOT, record, show

RAISING = """
    import os, signal, threading, time

    class Slow:
        def __repr__(self):
            time.sleep(0.05)
            return "slow"

    def late(number, frame):
        raise TimeoutError("late")

    def count(slow):
        n = 0
        while True:
            n += 1  # {inspected}

    def main():
        signal.signal(signal.SIGALRM, late)
        for i in range(3):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.002)
                count(Slow())
            except TimeoutError as error:
                print(i, error)
        for i in range(3):
            try:
                threading.Timer(0.002, os.kill, (os.getpid(), signal.SIGINT)).start()
                count(Slow())
            except KeyboardInterrupt:
                print(i)
        a = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # @inspect a
        b = signal.signal(signal.SIGALRM, signal.SIG_DFL) is late  # @inspect b
"""


@pytest.mark.parametrize("inspected", ["", "@inspect slow len(str(n))"])
@pytest.mark.parametrize(
    ("version", "backend"),
    [("3.11", "settrace"), ("3.12", "settrace"), ("3.12", "monitoring"), ("3.13", "settrace"), ("3.13", "monitoring")],
)
def test_a_handler_that_raises(version: str, backend: str, inspected: str, tmp_path: Path) -> None:
    """Time limits and Ctrl-C that a lecture handles itself: as a rule they come when the tracer is at work."""
    python = interpreter(version)
    if python is None:
        pytest.skip(f"Python {version} is not set up here")
    run = record(tmp_path, RAISING.format(inspected=inspected), "--backend", backend, python=str(python))
    assert run.exit_code == 0 and run.warnings() == [], run.stderr
    assert run.stdout.splitlines() == [*(f"{i} late" for i in range(3)), *map(str, range(3))]
    assert run.value(31, "a") == run.value(32, "b") == "True"
    handled = [s for s in run.steps if s["line"] in (24, 30)]
    assert len(handled) == 6 and {s["depth"] for s in handled} == {0}


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "SystemExit", "GeneratorExit", "MemoryError"])
def test_what_an_object_raises_when_it_is_looked_at_ends_nothing(error: str, tmp_path: Path) -> None:
    run = record(tmp_path, f"""
        class Hostile:
            def __getattr__(self, name):
                raise {error}
            __repr__ = __len__ = __getitem__ = __format__ = __str__ = __getattr__ = lambda *_: exec("raise {error}")
        class Wrong(Exception, Hostile):
            __str__ = Hostile.__repr__
        def main():
            a = Hostile()  # @inspect a a.b len(a) a[0] str(a) f"{{a}}"
            b = [1, a]  # @inspect b
            raise Wrong
    """)  # fmt: skip
    assert run.value(9, "a") == f"<Hostile object, repr raised {error}>"
    assert {v["text"] for name, v in run.at(9)[-1]["values"].items() if name != "a"} <= {error, f"{error}: "}
    assert run.header["status"] == "error" and run.header["reason"].startswith("Wrong")


def test_ctrl_c_ends_an_object_that_takes_for_ever_to_look_at(tmp_path: Path) -> None:
    run = record(tmp_path, """
        import os, signal, threading
        class Endless:
            @property
            def size(self):
                threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
                while True:
                    pass
        def main():
            a = 3
            b = Endless()  # @inspect b.size
            while True:
                a += 1
    """)  # fmt: skip
    assert run.header["status"] == "interrupted" and run.exit_code == 1
    assert run.value(11, "b.size") == "not shown: interrupted"


def test_an_event_loop_hears_each_signal_once(tmp_path: Path) -> None:
    run = record(tmp_path, """
        import asyncio, os, signal
        heard = []
        async def work():
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGUSR1, heard.append, 1)
            for i in range(100):
                os.kill(os.getpid(), signal.SIGUSR1)
                await asyncio.sleep(0)
        def main():
            asyncio.run(work())
            n = len(heard)  # @inspect n
    """)  # fmt: skip
    assert run.exit_code == 0 and 90 <= int(run.value(12, "n")) <= 100


def test_signals_that_keep_coming_are_counted_as_without_the_recorder(tmp_path: Path) -> None:
    run = record(tmp_path, """
        import os, signal
        heard = []
        def main():
            signal.signal(signal.SIGUSR1, lambda *_: heard.append(1))
            for i in range(200):
                os.kill(os.getpid(), signal.SIGUSR1)
            n = len(heard)  # @inspect n
    """)  # fmt: skip
    assert run.value(8, "n") == "200"


NOTHING = "engine: interrupted before there was anything to record\n"
CTRL_C = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"


@pytest.mark.parametrize(
    ("source", "code", "says"),
    [
        (f"{CTRL_C}\ndef main():\n    pass\n", 1, NOTHING),
        (f"import weakref\nclass A: pass\na = A()\nr = weakref.ref(a, lambda _: exec('{CTRL_C}'))\ndel a\n",
         1, NOTHING),
        (f"def main():\n    a = 3\n    {CTRL_C}\n    a = 4\n", 1, "engine: lecture.py: interrupted (Ctrl-C); what"),
        ("import atexit, os, signal\ndef main():\n    atexit.register(os.kill, os.getpid(), signal.SIGINT)\n",
         0, "recorded"),
    ],
    ids=["importing", "a callback that could not raise", "main", "at exit"],
)  # fmt: skip
def test_ctrl_c_says_one_sentence(source: str, code: int, says: str, tmp_path: Path) -> None:
    run = record(tmp_path, source)
    assert run.exit_code == code and run.stderr.startswith(says), run.stderr
    assert "Traceback" not in run.stderr and "ignored" not in run.stderr


def test_ctrl_c_at_any_moment_of_starting_says_one_sentence(tmp_path: Path) -> None:
    """Before the first line of engine/__main__.py what is said is Python's own."""
    lecture = tmp_path / "lecture.py"
    lecture.write_text("def main():\n    a = 3\n")
    for moment in range(10):
        run = subprocess.Popen([sys.executable, "-m", "engine", lecture, "-o", tmp_path], cwd=ROOT, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
        time.sleep(moment * 0.03)
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=SECONDS)[1]
        ours = "Traceback" not in said and run.returncode != -signal.SIGINT
        assert str(ROOT / "engine") not in said
        assert not ours or (run.returncode, said) == (1, NOTHING) or said.startswith(("engine: lecture.py", "recorded"))


TOO_EARLY = """
import sys
from engine import cli, recorder
def interrupted(_):
    raise KeyboardInterrupt
recorder.Recorder.start = interrupted
sys.exit(cli.main(sys.argv[1:]))
"""


def test_ctrl_c_just_before_anything_is_recorded_leaves_a_recording_of_nothing(tmp_path: Path) -> None:
    lecture = tmp_path / "lecture.py"
    lecture.write_text("def main():\n    a = 3\n")
    run = subprocess.run([sys.executable, "-c", TOO_EARLY, lecture, "-o", tmp_path], cwd=ROOT, text=True,
                         capture_output=True, check=False)  # fmt: skip
    assert run.returncode == 1 and run.stderr.startswith("engine: lecture.py: interrupted (Ctrl-C)"), run.stderr
    header, steps = show(tmp_path / "lecture.json")
    assert header["status"] == "interrupted" and steps == []


def test_ctrl_c_is_the_end_of_several_lectures_and_the_one_that_runs_is_kept(tmp_path: Path) -> None:
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    first.write_text("import time\ndef main():\n    a = 3\n    print('ready', flush=True)\n    time.sleep(60)\n")
    second.write_text("def main():\n    a = 3\n")
    run = subprocess.Popen([sys.executable, "-m", "engine", first, second, "-o", tmp_path], cwd=ROOT, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)  # fmt: skip
    assert run.stdout is not None and run.stdout.readline() == "ready\n"
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does
    said = run.communicate(timeout=SECONDS)[1]
    assert run.returncode == 1 and "Traceback" not in said and said.startswith("engine: first.py: interrupted")
    assert show(tmp_path / "first.json")[0]["status"] == "interrupted" and not (tmp_path / "second.json").exists()


def test_ctrl_c_while_kernels_are_compiled_costs_their_stages_and_no_more(tmp_path: Path) -> None:
    """A thread waits until the lecture's end, when Ctrl-C is ignored, and then until it is not."""
    (tmp_path / "twice.cu").write_text('extern "C" __global__ void twice(float *x) { x[threadIdx.x] *= 2.0f; }\n')
    run = record(tmp_path, """
        import os, signal, threading, time
        from pathlib import Path
        from engine import kernel
        def interrupt():
            for ignored in (False, True):
                while (signal.getsignal(signal.SIGINT) == signal.SIG_IGN) == ignored:
                    time.sleep(0.001)
            os.kill(os.getpid(), signal.SIGINT)
        def main():
            threading.Thread(target=interrupt, daemon=True).start()
            kernel(Path(__file__).parent / "twice.cu")
    """)  # fmt: skip
    assert run.exit_code == 1 and "Traceback" not in run.stderr and "recorded" in run.stderr
    assert run.header["status"] == "ok" and [k["name"] for k in run.header["kernels"]] == ["twice"]
    assert not run.header["kernels"][0]["variants"]
    assert [w for w in run.warnings() if w.startswith("0: interrupted (Ctrl-C) while the kernels were compiled")]


def test_ctrl_c_while_a_claim_is_checked_costs_the_claims_and_no_more(tmp_path: Path) -> None:
    """A pattern that takes for ever, as a regular expression may that tries everything again and again."""
    (tmp_path / "twice.cu").write_text('extern "C" __global__ void twice(float *x) { x[threadIdx.x] *= 2.0f; }\n')
    run = record(tmp_path, """
        import os, signal, time
        from pathlib import Path
        from engine import observe
        def endless(text):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)
            return [1]
        def main():
            observe("It doubles.", Path(__file__).parent / "twice.cu", endless, stage="source")
            observe("It does.", Path(__file__).parent / "twice.cu", "x", stage="source")
    """)  # fmt: skip
    assert run.exit_code == 1 and "Traceback" not in run.stderr and "recorded" in run.stderr
    assert [o["reason"] for step in run.steps for o in step["outputs"]] == ["interrupted (Ctrl-C)"] * 2
    assert [w for w in run.warnings() if w.startswith("0: interrupted (Ctrl-C) while what the lecture observes")]
