"""`python -m engine recompile`: a kernel whose file was saved, compiled by a process that stays for the next."""

import json
import os
import subprocess
import sys

import pytest

from engine.compile import compile_all, recompile
from engine.recompiling import KEPT
from tests.engine.compiled import ROOT
from tests.engine.test_compile import gelu_job
from tests.engine.test_renewal import SOURCE


@pytest.fixture
def kept(tmp_path, compilers):
    """A recording's store and the key of a compilation in it."""
    [variant] = compile_all({0: [gelu_job()]}, ["sm_90"], tmp_path / "recorded", workers=compilers)[0]
    return tmp_path / "recorded", variant.key


def answers(store, made, *lines: str) -> tuple[int, list[dict], str]:
    command = [sys.executable, "-m", "engine", "recompile", str(store), str(made)]
    said = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(command, input=said, capture_output=True, text=True, cwd=ROOT, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def test_each_line_is_answered_and_the_end_of_them_ends_it(kept, tmp_path):
    store, key = kept
    texts = [SOURCE.replace("tl.load(x + i)", "tl.load(x + i) * 2"), SOURCE.replace("i = ", "i = = ")]
    lines = [json.dumps({"key": key, "texts": {"k.py": text}}) for text in texts]
    sooner = json.dumps({"key": key, "texts": {"k.py": texts[0]}, "until": "ptx"})
    code, [changed, broken, soon], _ = answers(store, tmp_path / "made", *lines, sooner)
    assert code == 0
    assert (changed["target"], changed["stages"]) == ("sm_90", ["ttir", "ttgir", "llir", "ptx", "sass"])
    assert (tmp_path / "made" / "kernels" / changed["key"] / "ptx").is_file() and changed["key"] != key
    assert soon["stages"] == ["ttir", "ttgir", "llir", "ptx"]
    assert soon["key"] != changed["key"] and soon["registers"] == changed["registers"]
    first, _, place, code_line, _, said = broken["reason"].split("\n")
    assert first == "k.py:7: SyntaxError: invalid syntax"
    assert (place, code_line.strip(), said) == (
        '  File "k.py", line 7', "i = = tl.arange(0, N)", "SyntaxError: invalid syntax",
    )  # fmt: skip
    assert "stages" not in broken
    assert [folder.name for folder in (store / "kernels").iterdir()] == [key], "the recording's own folder is as it was"


class Idle:
    """Workers that have nothing to do."""

    def run(self, jobs, *_) -> None:
        raise AssertionError(f"{jobs} is compiled")


def test_what_was_recorded_is_found_and_not_compiled_again(kept, tmp_path):
    store, key = kept
    text = "import triton.language as tl\n\n" + gelu_job().work.objects[0].source + "# a remark\n"
    found = recompile(store, tmp_path / "made", key, {"k.py": text}, Idle())
    assert found.key.partition("-")[0] == key.partition("-")[0] and found.stages[-1] == "sass"
    one, other = (store / "kernels" / key / "ptx", tmp_path / "made" / "kernels" / found.key / "ptx")
    assert one.read_text() == other.read_text()


def test_what_is_no_request_is_said(tmp_path):
    code, said, error = answers(tmp_path, tmp_path / "made", "{}")
    assert (code, said) == (2, [])
    assert error.startswith("engine: a line of standard input is no request")


def test_what_was_made_last_is_kept_for_the_next_time(tmp_path):
    for age in range(KEPT + 3):
        (tmp_path / "made" / "kernels" / f"{age}").mkdir(parents=True)
        os.utime(tmp_path / "made" / "kernels" / f"{age}", (1000 - age, 1000 - age))
    assert answers(tmp_path, tmp_path / "made") == (0, [], "")
    assert {folder.name for folder in (tmp_path / "made" / "kernels").iterdir()} == set(map(str, range(KEPT)))
