"""What a lecture prints, closes and replaces does the same to the lecture as without a recorder, and is recorded."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recordings import ROOT, Recorded, record, show


def printed(run: Recorded) -> list[tuple[str, str]]:
    return [(o["kind"], o["text"]) for s in run.steps for o in s["outputs"]]


def unrecorded(path: Path) -> tuple[str, str]:
    """What the lecture prints without a recorder."""
    program = f"import runpy; runpy.run_path({str(path)!r})['main']()"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT,
                         stdin=subprocess.DEVNULL)  # fmt: skip
    return run.stdout, run.stderr


def test_every_way_to_write(tmp_path: Path) -> None:
    run = record(tmp_path, """
        import sys
        def main():
            print("a", "b", sep="-", end="!")
            sys.stdout.write("c")
            sys.stdout.writelines(["d", "e"])
            sys.stdout.buffer.write("é\\n".encode()); sys.stdout.buffer.flush()
            print("f", file=sys.stderr, end="\\r")
            sys.stdout.flush()
            n = sys.stdout.write("ghi")  # @inspect n
            print(file=sys.__stdout__)
    """)  # fmt: skip
    assert printed(run) == [("stdout", "a-b!"), ("stdout", "c"), ("stdout", "de"), ("stdout", "é\n"), ("stderr", "f\r"),
                            ("stdout", "ghi"), ("stdout", "\n")]  # fmt: skip
    assert run.value(10, "n") == "3"
    assert sorted(run.stdout) == sorted("a-b!cdeé\nghi\n")


@pytest.mark.parametrize(
    ("statement", "recorded"),
    [
        ("sys.stdout = None", ""),
        ("sys.stdout = io.StringIO()", ""),
        ("sys.stdout = sys.__stdout__", "x\n"),
        ("sys.stdout = sys.stderr", "x\n"),
        ("sys.stdout.close()", ""),
        ("sys.stderr.close(); sys.stdout.flush()", "x\n"),
        ("sys.stdout = open(os.devnull, 'w')", ""),
        ("del sys.stdout; sys.stdout = None", ""),
    ],
)
def test_streams_that_a_lecture_replaces_or_closes(tmp_path: Path, statement: str, recorded: str) -> None:
    run = record(tmp_path, f"""
        import io, os, sys
        def main():
            {statement}
            try:
                print("x")
            except ValueError as error:
                said = str(error)  # @inspect said
    """)  # fmt: skip
    assert run.exit_code == 0 and "recorded" in run.stderr, run.stderr
    assert "".join(text for _, text in printed(run)) == recorded
    out, err = unrecorded(tmp_path / "lecture.py")
    assert run.stdout == out and run.stderr.startswith(err)
    if statement == "sys.stdout.close()":
        assert run.value(8, "said") == "'I/O operation on closed file.'"


def test_descriptors_that_a_lecture_closes_are_not_given_to_the_trace(tmp_path: Path) -> None:
    source = "import os\ndef main():\n    print('early', flush=True)\n    os.close(1); os.close(2)\n    a = 5\n"
    run = record(tmp_path, source)
    assert run.exit_code == 0 and run.stdout == "early\n" and "recorded" in run.stderr
    assert run.lines() == [3, 4, 4, 5]


def test_what_a_value_prints_when_it_is_looked_at_is_not_the_lectures(tmp_path: Path) -> None:
    run = record(tmp_path, """
        import os, sys
        from engine import text
        class Loud:
            def __repr__(self):
                print("loud")
                sys.stdout.buffer.write(b"bytes")
                text("said")
                return "Loud()"
            @property
            def size(self):
                print("louder", file=sys.stderr)
                return 3
        def main():
            a = Loud()  # @inspect a a.size
            b = 5; c = a  # @inspect c
            repr(a)
    """)  # fmt: skip
    assert run.value(15, "a") == "Loud()" and run.value(15, "a.size") == "3" and run.value(16, "c") == "Loud()"
    assert {s["function"] for s in run.steps[:4]} == {"main"}
    assert run.stdout == "loud\nbytes" and "louder" not in run.stderr
    assert run.texts() == ["said"] and printed_by(run, "__repr__") == ["loud\n", "bytes"]


def printed_by(run: Recorded, function: str) -> list[str]:
    return [o["text"] for s in run.steps if s["function"] == function for o in s["outputs"] if o["kind"] == "stdout"]


def test_at_a_terminal_the_status_line_is_no_output_and_takes_none_away(tmp_path: Path) -> None:
    """The lecture stays at its line 4 until the terminal has said so, then it is given the byte it waits for."""
    lecture, fifo = tmp_path / "lecture.py", tmp_path / "go"
    os.mkfifo(fifo)
    lecture.write_text("import sys\ndef main():\n    for i in range(2):\n        i or open('go').read()\n"
                       "        print('out', i)\n        print('err', i, file=sys.stderr)\n")  # fmt: skip
    process, terminal = pty.fork()
    if not process:
        os.chdir(tmp_path)
        os.environ["PYTHONPATH"] = str(ROOT)
        os.execv(sys.executable, [sys.executable, "-m", "engine", str(lecture), "-o", str(tmp_path)])
    said = b""
    while b"lecture.py:4 in main" not in said:
        said += read(terminal) or pytest.fail(f"it ended and said: {said!r}")
    fifo.write_bytes(b"go")
    seen = (said + b"".join(iter(lambda: read(terminal), b""))).decode()
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    assert "recording: " in seen
    outputs = [(o["kind"], o["text"]) for s in show(tmp_path / "lecture.json")[1] for o in s["outputs"]]
    assert outputs == [("stdout", "out 0\n"), ("stderr", "err 0\n"), ("stdout", "out 1\n"), ("stderr", "err 1\n")]
    for _, text in outputs:
        assert text.strip() + "\r\n" in seen


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other end is closed
        return b""
