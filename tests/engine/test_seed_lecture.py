"""The lecture of 2025, written for the original engine, is recorded unmodified: offline, without a GPU, to its end."""

import ast
import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.recordings import OFFLINE, ROOT, Recorded, recorded_once, run_engine

LECTURE = ROOT.parent / "shared/seeds/lecture_06.py"
BESIDE = ROOT / "tests/samples/seed"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not LECTURE.is_file(), reason=f"needs {LECTURE.name} of 2025 in the project's shared folder"),
    pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="needs torch and triton"),
]


def record(folder: Path) -> subprocess.CompletedProcess[str]:
    """Record it in `folder`, which has what it reads."""
    for path in [LECTURE, *BESIDE.iterdir()]:
        if path.is_file():
            shutil.copyfile(path, folder / path.name)
    (folder / "var").mkdir()  # the lecture writes stacks there
    return run_engine(
        "lecture_06.py", "-o", "traces", cwd=folder, **OFFLINE, CUDA_VISIBLE_DEVICES="", OMP_NUM_THREADS="1",
        TORCHDYNAMO_DISABLE="1",  # a C++ compiler is not needed then, and half the time
    )  # fmt: skip


@pytest.fixture(scope="module")
def recorded() -> Recorded:
    return recorded_once("seed", "lecture_06", record)


@pytest.fixture(scope="module")
def recording(recorded: Recorded) -> list[dict]:
    """Header and steps."""
    return [recorded.header, *recorded.steps]


def test_it_ends_by_itself(recorded: Recorded, recording: list[dict]):
    said = recorded.stderr
    assert (recorded.exit_code, "recorded traces/lecture_06.json" in said) == (0, True), said[-2000:]
    assert recorded.trace.stat().st_size <= 250_000
    header, *steps = recording
    assert (header["status"], header["reason"], header["files"]) == ("ok", "", ["lecture_06.py"])
    assert header["steps"] == len(steps) > 6000
    assert not [step["error"] for step in steps if step["error"]]


def calls_of(function: str) -> list[tuple]:
    """What the calls of `text` and `link` in a function of the lecture say, read from its source."""
    tree = ast.parse(LECTURE.read_text(encoding="utf-8"))
    [found] = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function]
    calls = [node for node in ast.walk(found) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    said = []
    for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
        if call.func.id == "text":
            said.append(("text", ast.literal_eval(call.args[0])))
        elif call.func.id == "link":
            fields = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
            said.append(("link", fields["title"], fields["url"]))
    return said


@pytest.mark.parametrize("function", ["announcements", "review_of_gpus", "further_reading"])
def test_it_says_what_the_lecture_says(recording: list[dict], function: str):
    outputs = [output for step in recording[1:] if step["function"] == function for output in step["outputs"]]
    said = [
        ("text", output["markdown"]) if output["kind"] == "text" else ("link", output["title"], output["url"])
        for output in outputs
        if output["kind"] in ("text", "link")
    ]
    assert said == calls_of(function)
    assert said


def test_it_links_to_its_own_functions_and_shows_what_it_read(recording: list[dict]):
    outputs = [output for step in recording[1:] for output in step["outputs"]]
    inside = [(link["title"], link["path"]) for link in outputs if link["kind"] == "link" and link.get("path")]
    assert inside == [(name, "lecture_06.py") for name in ("manual_gelu", "create_cuda_gelu", "triton_gelu")]
    verbatim = [output["text"] for output in outputs if output["kind"] == "verbatim"]
    assert (BESIDE / "gelu.cu").read_text() in verbatim
    assert sum("Self CPU" in text for text in verbatim) == 9  # the profiler's tables


def test_its_values_are_those_asked_for(recording: list[dict]):
    values = {name: value for step in recording[1:] for name, value in step["values"].items()}
    assert (values["dims"]["text"], values["num_layers"]["text"]) == ("(1024, 2048)", "4")
    assert values["y1"]["shape"] == [2, 3]
    assert values["y1"]["data"][0] == pytest.approx([1 / 3] * 3)
    assert values["cuda_gelu"]["text"] == "None"
    assert values["times"]["type"] == "list"


def test_pictures_that_cannot_be_had_are_cards(recording: list[dict]):
    header, *steps = recording
    pictures = [output for step in steps for output in step["outputs"] if output["kind"] == "image"]
    assert len(pictures) == 7
    assert all(picture["reason"] and not picture.get("file") for picture in pictures)
    assert pictures[0]["width"] == 800
    said = [warning for warning in header["warnings"] if "image(" in warning["message"]]
    assert [warning["line"] for warning in said] == [61, 74, 85, 361, 364, 367, 438]


def test_a_near_miss_of_a_directive_is_a_warning(recording: list[dict]):
    misses = [warning for warning in recording[0]["warnings"] if "directive" in warning["message"]]
    assert [(miss["line"], miss["message"]) for miss in misses] == [
        (182, "'@ inspect' is no directive; did you mean '@inspect'?")
    ]
