"""What a lecture can do to its recording, and what the command line says of it. Exit codes: 0, 1 failed, 2 usage."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine import runner
from engine.builder import Builder
from engine.errors import TraceError
from engine.files import Files
from engine.trace import read, write_whole
from tests.clocks import SECONDS
from tests.recordings import ROOT, record, run_engine, show

GOOD = """
    def main():
        a = 3  # @inspect a
"""


@pytest.fixture
def earlier(tmp_path: Path) -> bytes:
    """A good trace of an earlier version of the lecture."""
    return record(tmp_path, GOOD).trace.read_bytes()


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("x = 1\n", "lecture.py defines no main()"),
        ("def main(n):\n    pass\n", "main() cannot be called without arguments"),
        ("main = 3\n", "lecture.py defines no main()"),
        ("def main(:\n", "lecture.py:1 is not valid Python"),
        ("import nowhere_to_be_found\ndef main():\n    pass\n", "No module named 'nowhere_to_be_found' (line 1)"),
        ("1 / 0\ndef main():\n    pass\n", "does not import: ZeroDivisionError: division by zero (line 1)"),
        ("raise SystemExit(3)\n", "does not import: SystemExit: 3 (line 1)"),
        ("class E(Exception):\n    def __str__(self): 1 / 0\nraise E\n", "does not import: E"),
        ("async def main():\n    yield 1\n", "main() would not run when it is called; take its yield out"),
        ("def main():\n    yield 1\n", "main() would not run when it is called; take its yield out"),
        ("# -*- coding: klingon -*-\n", "is not valid Python"),
        ("x = '\0'\n", "is not valid Python"),
        (b"# caf\xe9\ndef main():\n    pass\n", "is not valid Python"),
    ],
)
def test_lectures_that_cannot_be_run(tmp_path: Path, earlier: bytes, source: str | bytes, says: str) -> None:
    run = record(tmp_path, source)
    assert run.exit_code == 2
    assert says in run.stderr
    assert "Traceback" not in run.stderr and run.stderr.count("\n") == 1
    assert run.trace.read_bytes() == earlier


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere.py"], "there is no lecture 'nowhere.py'"),
        (["tests"], "'tests' is a folder"),
        (["README.md"], "is not valid Python"),
        ([], "the following arguments are required"),
        (["lecture.py", "--max-steps", "0"], "'0' is no whole number from 1 on"),
        (["lecture.py", "--serve", "--port", "70000"], "'70000' is not a port"),
        (["tests/samples/steps/calls.py", "--target", "h100"], "'h100' is no target"),
        (["tests/samples/steps/calls.py", "--visible", "nowhere.py"], "--visible 'nowhere.py' cannot be read"),
        (["show", "nowhere.json"], "cannot read 'nowhere.json': No such file or directory"),
        (["show", "tests"], "cannot read 'tests': Is a directory"),
        (["show", "pyproject.toml"], "'pyproject.toml' is not a lecture trace"),
    ],
)
def test_arguments_that_name_nothing(arguments: list[str], says: str, tmp_path: Path) -> None:
    out = [] if "show" in arguments else ["-o", str(tmp_path)]
    run = run_engine(*arguments, *out)
    assert run.returncode == 2
    assert says in run.stderr
    assert "Traceback" not in run.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["round.py"], "cannot read 'round.py': Too many levels of symbolic links"),
        (["y" * 300 + ".py"], "File name too long"),
        (["pipe.py"], "'pipe.py' is no ordinary file"),
        (["good.py", "-o", "round.py/traces"], "Too many levels of symbolic links; name another folder with -o"),
        (["good.py", "-o", "y" * 300], "File name too long; name another folder with -o"),
        (["good.py", "-o", "taken"], "'good.json' in it is a folder; name another folder with -o"),
        (["good.py", "--visible", "round.py"], "--visible 'round.py' cannot be read"),
        (["good.py", "--visible", "y" * 300], "File name too long"),
    ],
)
def test_paths_that_lead_nowhere(arguments: list[str], says: str, tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text("def main():\n    print('it ran')\n")
    (tmp_path / "round.py").symlink_to("round.py")
    (tmp_path / "taken/good.json").mkdir(parents=True)
    os.mkfifo(tmp_path / "pipe.py")
    run = run_engine(*arguments, cwd=tmp_path)
    assert run.returncode == 2 and says in run.stderr and run.stderr.count("\n") == 1
    assert run.stdout == ""


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text("def main():\n    pass\n")
    command = f"cd $(mktemp -d) && rmdir $PWD && exec {sys.executable} -m engine {tmp_path / 'good.py'}"
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False,
                         env={**os.environ, "PYTHONPATH": str(ROOT)})  # fmt: skip
    assert run.returncode == 2 and run.stderr == (
        "engine: the folder this was started in is no longer there; change to another one\n"
    )


@pytest.mark.parametrize("name", ["random.py", "typing.py", "msgspec.py", "x" * 245 + ".py"])
def test_a_lecture_recorded_from_its_own_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("def main():\n    a = 3  # @inspect a\n")
    run = run_engine(name, "-o", "traces", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert show(tmp_path / "traces" / name.replace(".py", ".json"))[1][0]["values"]["a"]["text"] == "3"


def test_a_visible_file_that_is_no_text_is_said(tmp_path: Path) -> None:
    (tmp_path / "latin.py").write_bytes(b"# caf\xe9\n")
    run = record(tmp_path, GOOD, "--visible", str(tmp_path / "latin.py"))
    assert run.exit_code == 0 and run.warnings() == [
        "1: this is no Python that can be read, so none of its statements are steps"
    ]


def test_what_show_cannot_write_is_one_sentence(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    trace = record(tmp_path, GOOD).trace
    for how in ([], ["--jsonl"]):
        with Path("/dev/full").open("w") as full:
            run = subprocess.run([sys.executable, "-m", "engine", "show", trace, *how], cwd=ROOT, stdout=full,
                                 stderr=subprocess.PIPE, text=True, check=False)  # fmt: skip
        assert run.returncode == 2
        assert run.stderr == "engine: cannot write to standard output: No space left on device\n"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git-lfs pointer"),
        (b"\xff\xfe", "is not a lecture trace"),
        (b"[]", "is not a lecture trace"),
        (b"{" * 100_000, "is not a lecture trace"),
        (b'{"format":"other","version":1}', "has format 'other'"),
        (b'{"format":"lecture-trace","version":2}', "has version 2"),
        (b'{"format":"lecture-trace","version":1}', "is damaged"),
        (b'{"hello": 1}', "x.json"),
    ],
)
def test_files_that_are_no_trace(tmp_path: Path, data: bytes, says: str) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(data)
    with pytest.raises(TraceError, match=says.replace("(", r"\(")):
        read(file)


def test_a_trace_cut_short_at_any_byte_is_refused(tmp_path: Path) -> None:
    data = record(tmp_path, GOOD).trace.read_bytes()
    file = tmp_path / "cut.json"
    for end in range(0, len(data) - 2, 7):
        file.write_bytes(data[:end])
        with pytest.raises(TraceError):
            read(file)


def test_numbers_that_point_nowhere_are_refused(tmp_path: Path) -> None:
    trace = record(tmp_path, GOOD).trace
    text = trace.read_text()
    damages = [('"place":[0]', '"place":[7]'), ('"value":[0]', '"value":[9]'), ('"caller":[-1]', '"caller":[5]')]
    for good, bad in damages:
        assert good in text
        trace.write_text(text.replace(good, bad))
        with pytest.raises(TraceError, match="damaged"):
            read(trace)


def test_a_failure_keeps_what_was_recorded(tmp_path: Path) -> None:
    run = record(tmp_path, """
        from engine import text
        def main():
            text("before")
            a = [][a_name_not_bound]
    """)  # fmt: skip
    assert run.exit_code == 1
    assert run.texts() == ["before"]
    assert run.header["status"] == "error" and "a_name_not_bound" in run.header["reason"]
    last = run.steps[-1]
    assert (last["kind"], last["line"], last["error"]["type"]) == ("error", 5, "NameError")
    assert "lecture.py" in last["error"]["traceback"] and "engine/" not in last["error"]["traceback"]


@pytest.mark.parametrize(
    ("leave", "status", "code"),
    [("sys.exit()", "ok", 0), ("sys.exit(0)", "ok", 0), ("sys.exit(3)", "error", 1), ("sys.exit('no')", "error", 1),
     ("raise KeyboardInterrupt", "interrupted", 1), ("raise MemoryError", "error", 1),
     ("raise BaseException('odd')", "error", 1), ("raise GeneratorExit", "error", 1)],
)  # fmt: skip
def test_ways_to_leave(tmp_path: Path, leave: str, status: str, code: int) -> None:
    run = record(tmp_path, f"import sys\ndef main():\n    a = 3  # @inspect a\n    {leave}\n")
    assert (run.header["status"], run.exit_code) == (status, code)
    assert run.value(3, "a") == "3"


IMPATIENT = """
import sys
from engine import cli, runner
runner.PATIENCE = 0.1
sys.exit(cli.main(sys.argv[1:]))
"""


def test_a_lecture_that_swallows_the_step_limit_is_ended(tmp_path: Path) -> None:
    lecture = tmp_path / "lecture.py"
    lecture.write_text("def main():\n    while True:\n        try:\n            while True:\n                a = 1\n"
                       "        except BaseException:\n            pass\n")  # fmt: skip
    command = [sys.executable, "-c", IMPATIENT, lecture, "-o", tmp_path, "--max-steps", "50"]
    assert subprocess.run(command, cwd=ROOT, stderr=subprocess.DEVNULL, check=False).returncode == 1
    header, steps = show(tmp_path / "lecture.json")
    assert header["status"] == "stopped" and "50" in header["reason"]
    assert len(steps) == 50


def start(lecture: Path, out: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "engine", lecture, "-o", out], cwd=ROOT,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip


WAITS = """
import time
def main():
    a = 3  # @inspect a
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interruption_keeps_what_was_recorded(tmp_path: Path, kind: signal.Signals) -> None:
    lecture = tmp_path / "lecture.py"
    lecture.write_text(WAITS)
    run = start(lecture, tmp_path / "traces")
    assert run.stdout is not None and run.stdout.readline() == b"ready\n"
    run.send_signal(kind)
    assert run.wait(SECONDS) == 1
    header, steps = show(tmp_path / "traces/lecture.json")
    assert header["status"] == "interrupted"
    assert steps[0]["values"]["a"]["text"] == "3"


def test_killed_while_recording_the_earlier_trace_stands(tmp_path: Path, earlier: bytes) -> None:
    lecture = tmp_path / "lecture.py"
    lecture.write_text(WAITS)
    run = start(lecture, tmp_path / "traces")
    assert run.stdout is not None and run.stdout.readline() == b"ready\n"
    run.kill()
    run.wait(SECONDS)
    assert (tmp_path / "traces/lecture.json").read_bytes() == earlier


def test_killed_at_any_moment_of_writing_the_earlier_trace_stands(tmp_path: Path) -> None:
    """A process that does nothing but write two traces in turn is killed at random moments."""
    path = tmp_path / "x.json"
    texts = [b"a" * 3_000_000, b"b" * 3_000_000]
    program = f"""
from pathlib import Path
from engine.trace import write_whole
path = Path({str(path)!r})
while True:
    for letter in (b"a", b"b"):
        write_whole(letter * 3_000_000, path)
        print(".", flush=True)
"""
    write_whole(texts[0], path)
    for moment in range(8):
        run = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE)
        assert run.stdout is not None and run.stdout.readline()
        time.sleep(moment * 0.003)
        run.kill()
        run.wait()
        assert path.read_bytes() in texts


def test_a_full_disk_is_an_error_and_harms_nothing(
    tmp_path: Path, earlier: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "traces/lecture.json"

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TraceError, match="No space left on device; what was there before is unchanged"):
        write_whole(b"x", path)
    assert path.read_bytes() == earlier
    assert [file.name for file in path.parent.iterdir()] == ["lecture.json"]


def test_a_disk_that_is_full_for_real(tmp_path: Path, earlier: bytes) -> None:
    """The kernel refuses the file beyond a size, as it refuses one on a full disk."""
    (tmp_path / "lecture.py").write_text("def main():\n    for i in range(9000):\n        a = [i] * 20  # @inspect a\n")
    command = f"ulimit -f 50; exec {sys.executable} -m engine {tmp_path / 'lecture.py'} -o {tmp_path / 'traces'}"
    run = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 2 and "cannot write" in run.stderr and "Traceback" not in run.stderr
    assert (tmp_path / "traces/lecture.json").read_bytes() == earlier
    assert [file.name for file in (tmp_path / "traces").iterdir()] == ["lecture.json"]


def test_memory_that_runs_out_costs_a_value_or_the_rest(tmp_path: Path) -> None:
    lecture = tmp_path / "lecture.py"
    lecture.write_text("""class Big:
    def __repr__(self):
        return "x" * (1 << 36)
def main():
    a = Big()  # @inspect a
    b = bytearray(1 << 36)
""")
    command = f"ulimit -v 4000000; exec {sys.executable} -m engine {lecture} -o {tmp_path}"
    run = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    header, steps = show(tmp_path / "lecture.json")
    assert run.returncode == 1 and header["status"] == "error" and header["reason"].startswith("MemoryError")
    assert steps[0]["values"]["a"]["text"] == "<Big object, repr raised MemoryError>" and steps[-1]["line"] == 6


def resident() -> int:
    """Bytes of memory that this process has in use."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_memory_kept_for_the_recordings_end_is_not_in_use_before() -> None:
    before = resident()
    reserve = runner._reserve()
    assert reserve is not None and len(reserve) == runner.RESERVE and resident() - before < runner.RESERVE // 4


def test_memory_that_the_lecture_holds_to_its_end(tmp_path: Path) -> None:
    lecture = tmp_path / "lecture.py"
    lecture.write_text("""held = []
def main():
    a = [3]  # @inspect a
    size = 1 << 26
    while size > 64:
        try:
            held.append(bytearray(size))
        except MemoryError:
            size //= 2
    raise ValueError("all is held")
""")
    command = f"ulimit -v 500000; exec {sys.executable} -m engine {lecture} -o {tmp_path}"
    run = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    header, steps = show(tmp_path / "lecture.json")
    assert run.returncode == 1 and header["reason"] in ("ValueError: all is held", "MemoryError: ")
    assert steps[0]["values"]["a"]["text"] == "[3]"


SHORT = """
class A:
    def __repr__(self):
        return "A"
def main():
    print("ready", flush=True)
    for i in range(2000):
        a = [A(), {"x": i}]  # @inspect a i
"""


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_ended_at_any_moment_there_is_a_whole_trace(tmp_path: Path, earlier: bytes, kind: signal.Signals) -> None:
    """From the first step to after the trace is written: that moment comes within the delays below."""
    lecture, trace = tmp_path / "lecture.py", tmp_path / "traces/lecture.json"
    lecture.write_text(SHORT)
    for moment in range(8):
        run = start(lecture, trace.parent)
        assert run.stdout is not None and run.stderr is not None and run.stdout.readline() == b"ready\n"
        time.sleep(moment * 0.06)
        run.send_signal(kind)
        said = run.communicate(timeout=SECONDS)[1].decode()
        assert "Traceback" not in said
        found = read(trace)
        assert found.status in ("ok", "interrupted") and not found.warnings
        assert found.status == "ok" or kind != signal.SIGKILL


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "traces").write_text("a file")
    run = record(tmp_path, GOOD)
    assert run.exit_code == 2 and "cannot write" in run.stderr and "Traceback" not in run.stderr


@pytest.mark.parametrize("name", ["a b.py", "é ü.py", "1st-lecture.py", "random.py", "engine.py", "torch.py"])
def test_odd_file_names(tmp_path: Path, name: str) -> None:
    run = record(tmp_path, GOOD, name=name)
    assert run.exit_code == 0, run.stderr
    assert run.value(3, "a") == "3"


def test_a_lecture_behind_a_link_has_the_links_name(tmp_path: Path) -> None:
    (tmp_path / "real folder").mkdir()
    (tmp_path / "real folder/real.py").write_text("def main():\n    a = 2  # @inspect a\n")
    (tmp_path / "link.py").symlink_to(tmp_path / "real folder/real.py")
    run = run_engine(tmp_path / "link.py", "-o", tmp_path, cwd=Path("/"))
    assert run.returncode == 0, run.stderr
    _, steps = show(tmp_path / "link.json")
    assert steps[0]["path"].endswith("real folder/real.py") and steps[0]["values"]["a"]["text"] == "2"


@pytest.mark.parametrize(
    "data",
    [b"\xef\xbb\xbfdef main():\n    a = '\xc3\xa9'  # @inspect a\n",
     b"def main():\r\n    a = '\xc3\xa9'  # @inspect a\r\n",
     b"# -*- coding: latin-1 -*-\ndef main():\n    a = '\xe9'  # @inspect a\n",
     b"def main():\n\x0c\n    b = '\xe2\x80\xa8'; a = '\xc3\xa9'  # @inspect a\n"],
    ids=["BOM", "CRLF", "latin-1", "form feed and line separator"],
)  # fmt: skip
def test_odd_encodings(tmp_path: Path, data: bytes) -> None:
    run = record(tmp_path, data)
    assert run.exit_code == 0, run.stderr
    (step,) = [s for s in run.steps if "a" in s["values"]]
    assert step["values"]["a"]["text"] == "'é'"


def test_several_lectures_are_recorded_apart(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("import sys\nsys.leak = 1\ndef main():\n    a = 1  # @inspect a\n")
    (tmp_path / "two.py").write_text("import sys\ndef main():\n    a = hasattr(sys, 'leak')  # @inspect a\n")
    (tmp_path / "bad.py").write_text("def main():\n    1 / 0\n")
    run = run_engine(tmp_path / "one.py", tmp_path / "two.py", tmp_path / "bad.py", "-o", tmp_path)
    assert run.returncode == 1
    assert [show(tmp_path / f"{name}.json")[0]["status"] for name in ("one", "two", "bad")] == ["ok", "ok", "error"]
    assert show(tmp_path / "two.json")[1][0]["values"]["a"]["text"] == "False"


def test_what_differs_between_runs_can_be_left_out(tmp_path: Path) -> None:
    source = "import time\ndef main():\n    a = object()  # @inspect a\n    print(1)\n"
    traces = [record(tmp_path, source, "--reproducible").trace.read_bytes() for _ in range(2)]
    assert traces[0] == traces[1]
    assert record(tmp_path, source).header["run"]["python"]


def test_a_summary_and_the_warnings_are_printed(tmp_path: Path) -> None:
    run = record(tmp_path, "def main():\n    a = 1  # @inpsect a\n")
    assert "lecture.py:2: '@inpsect' is no directive; did you mean '@inspect'?" in run.stderr
    assert "lecture.json: 1 steps in" in run.stderr


def test_show_for_people(tmp_path: Path) -> None:
    trace = record(tmp_path, GOOD).trace
    assert "a = 3" in run_engine("show", trace).stdout
    assert run_engine("show", trace, "--step", "0").stdout.count("\n") == 3
    refused = run_engine("show", trace, "--step", "1")
    assert refused.returncode == 2 and "has no step 1; its 1 steps count from 0" in refused.stderr


def test_an_endless_loop_on_one_line_is_stopped_too(tmp_path: Path) -> None:
    run = record(tmp_path, "def main():\n    a = 2\n    while True: a += 1\n", "--max-steps", "20")
    assert (run.exit_code, len(run.steps), run.header["warnings"]) == (1, 20, [])
    assert run.header["status"] == "stopped"


def test_a_file_under_several_names_is_one_file_and_two_files_have_two_names(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/tool.py").write_text("a = 1\n")
    (tmp_path / "tool.py").write_text("a = 2\n")
    (tmp_path / "link.py").symlink_to(tmp_path / "a/tool.py")
    (tmp_path / "hard.py").hardlink_to(tmp_path / "a/tool.py")
    files = Files(Builder(), tmp_path / "a", tmp_path)
    same = {files.number(f"{tmp_path}/{name}") for name in ("a/tool.py", "link.py", "hard.py", "a/../a/./tool.py")}
    assert same == {0}
    names = [f"{tmp_path}/tool.py", "/gone/tool.py", "/gone//tool.py", "<made>", "x\udcff", r"x\udcff"]
    assert [files.number(name) for name in names] == [1, 2, 3, 4, 5, 6]
    paths = [file.path for file in files.builder.files]
    assert paths[:2] == ["tool.py", f"{tmp_path.name}/tool.py"] and len(set(paths)) == len(paths)
    (tmp_path / "hard.py").unlink()
    assert files.number(f"{tmp_path}/hard.py") == 0
