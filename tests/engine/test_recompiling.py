"""`python -m engine recompile`: a kernel whose file was saved, compiled by a process that stays for the next."""

import json
import subprocess
import sys

import pytest

from engine.compile import compile_all
from tests.engine.compiled import ROOT
from tests.engine.test_compile import gelu_job
from tests.engine.test_renewal import SOURCE


@pytest.fixture
def kept(tmp_path, compilers):
    """A store and the key of a compilation in it."""
    [variant] = compile_all({0: [gelu_job()]}, ["sm_90"], tmp_path, workers=compilers)[0]
    return tmp_path, variant.key


def answers(store, *lines: str) -> tuple[int, list[dict], str]:
    command = [sys.executable, "-m", "engine", "recompile", str(store)]
    said = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(command, input=said, capture_output=True, text=True, cwd=ROOT, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def test_each_line_is_answered_and_the_end_of_them_ends_it(kept):
    store, key = kept
    texts = [SOURCE.replace("tl.load(x + i)", "tl.load(x + i) * 2"), SOURCE.replace("i = ", "i = = ")]
    lines = [json.dumps({"key": key, "path": "k.py", "text": text}) for text in texts]
    sooner = json.dumps({"key": key, "path": "k.py", "text": texts[0], "until": "ptx"})
    code, [changed, broken, soon], _ = answers(store, *lines, sooner)
    assert code == 0
    assert (changed["target"], changed["stages"]) == ("sm_90", ["ttir", "ttgir", "llir", "ptx", "sass"])
    assert (store / "kernels" / changed["key"] / "ptx").is_file() and changed["key"] != key
    assert soon["stages"] == ["ttir", "ttgir", "llir", "ptx"]
    assert soon["key"] != changed["key"] and soon["registers"] == changed["registers"]
    first, _, place, code_line, _, said = broken["reason"].split("\n")
    assert first == "k.py:7: SyntaxError: invalid syntax"
    assert (place, code_line.strip(), said) == (
        '  File "k.py", line 7', "i = = tl.arange(0, N)", "SyntaxError: invalid syntax",
    )  # fmt: skip
    assert "stages" not in broken


def test_what_is_no_request_is_said(tmp_path):
    code, said, error = answers(tmp_path, "{}")
    assert (code, said) == (2, [])
    assert error.startswith("engine: a line of standard input is no request")
