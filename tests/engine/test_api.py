"""What a lecture says arrives as it was meant; what cannot be shown is said, and never ends the lecture."""

import subprocess
import sys
import textwrap
from pathlib import Path

import msgspec
import pytest

from engine import Reference, graph, image, kernel, link, make_graph, note, plot, table, text, url_reference, video
from engine.trace import Note, Picture, Text, Verbatim, Video
from tests.engine.hearing import Hearing
from tests.recordings import ROOT


class Silent:
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("call", "outputs", "warnings"),
    [
        (lambda: text("# Title"), [Text("# Title")], []),
        (lambda: text("red", style={"color": "red"}), [Text("red")], []),
        (lambda: text("a\n b", verbatim=True), [Verbatim("a\n b")], []),
        (lambda: text("int x;", verbatim=True, language="cuda"), [Verbatim("int x;", "cuda")], []),
        (lambda: text(5), [Text("5")], []),
        (lambda: text(b"raw"), [Text("b'raw'")], []),
        (lambda: text("half \ud800 pair"), [Text("half \\ud800 pair")], []),
        (lambda: text(None), [], ["text() was given None, so nothing is shown"]),
        (lambda: text(None, verbatim=True), [], ["text() was given None, so nothing is shown"]),
        (lambda: text(Silent()), [], ["text() was given a Silent whose str() fails: RuntimeError: no words"]),
        (lambda: note("aside"), [Note("aside")], []),
        (lambda: (text("a "), text("b")), [Text("a "), Text("b")], []),
        (lambda: graph(None), [], []),
    ],
)
def test_a_call_is_heard(heard: Hearing, call, outputs, warnings):
    call()
    assert (heard.outputs, heard.warnings) == (outputs, warnings)


def test_every_call_returns_nothing(heard: Hearing):
    assert [text("a"), note("b"), link(title="c", url="https://d"), table([[1]]), graph(["a"])] == [None] * 5


def test_very_long_text_is_cut_and_says_so(heard: Hearing):
    text("x" * 300_000, verbatim=True)
    text("y" * 300_000)
    assert heard.outputs == [Verbatim("x" * 200_000, truncated=True), Text("y" * 200_000)]
    assert heard.warnings == ["text() was given 300,000 characters; 200,000 are kept"]


class Hostile:
    """Answers nothing it is asked."""

    def __getattribute__(self, name: str) -> object:
        raise RuntimeError(f"no {name}")

    def __iter__(self):
        raise RuntimeError("not to be walked")

    def __bool__(self):
        raise RuntimeError("neither")


def odd_values() -> list[object]:
    """Made within the test: pytest itself looks into what it is given."""
    return [
        None, 5, -1.5, b"raw", "", "\0", [], [[]], {}, (), {1: 2}, {"nodes": 5}, {"data": [5]}, object(), type, len,
        ..., Silent(), Hostile(), [Hostile()], {"a": Hostile()}, range(3), iter([1]), float("nan"), Exception("x"),
    ]  # fmt: skip


@pytest.mark.parametrize("call", [text, note, image, video, link, plot, graph, table, kernel])
def test_no_call_ends_the_lecture(heard: Hearing, call):
    """What cannot be shown is said; the recording holds what it can hold."""
    for value in odd_values():
        assert call(value) is None
        assert call(value, style=value) is None
        assert call(value, no_such_argument=value) is None
    msgspec.json.encode(heard.outputs)
    assert heard.warnings


def test_a_call_written_wrongly_is_said(heard: Hearing):
    text("a", colour="red")
    text()
    assert make_graph([{"name": "a"}], []) is None
    assert heard.warnings == [
        "text() shows nothing: TypeError: text() got an unexpected keyword argument 'colour'",
        "text() shows nothing: TypeError: text() missing 1 required positional argument: 'message'",
        "make_graph() shows nothing: KeyError: 'id'",
    ]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"width": 800}, 800.0),
        ({"width": 0.5}, 0.5),
        ({"width": "50%"}, 0.5),
        ({"width": "300px"}, 300.0),
        ({"style": {"width": 200, "border": "1px"}}, 200.0),
        ({"style": "wide"}, None),
        ({}, None),
    ],
)
def test_widths(heard: Hearing, tmp_path: Path, given, kept):
    (tmp_path / "a.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    image("a.svg", **given)
    video("missing.mp4", **given)
    assert [output.width for output in heard.outputs] == [kept, kept]


@pytest.mark.parametrize("width", ["wide", -1, float("nan"), 0, []])
def test_what_is_no_width_is_said(heard: Hearing, tmp_path: Path, width):
    (tmp_path / "a.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    image("a.svg", width=width)
    assert heard.outputs[0].width is None
    assert heard.warnings == [f"image(): {width!r} is no width; give pixels, a fraction up to 1, or a percentage"]


def test_a_picture_that_is_not_there_is_a_card(heard: Hearing):
    image("images/none.png", alt="nothing")
    video(Path("none.mp4"))
    reason = "there is no such file, neither beside the lecture nor in the working folder"
    assert heard.outputs == [
        Picture("images/none.png", alt="nothing", reason=reason),
        Video("none.mp4", reason=reason),
    ]
    assert heard.warnings == [f"image('images/none.png'): {reason}", f"video('none.mp4'): {reason}"]


def run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
    )  # fmt: skip


def test_an_ordinary_run_prints(tmp_path: Path):
    (tmp_path / "x.py").write_text(textwrap.dedent("""\
        from engine import *

        def main():
            text("# Title")
            note("aside")
            image("a.png", alt="a picture")
            video("https://a.example/b.mp4")
            link("https://a.example", title="A"), link(main)
            table([[1, "one"], [20, "twenty"]], ["n", "word"])
            graph(["a"], [("a", "b", "to")])
            plot({"mark": "bar", "title": "Bars"})
            system_text(["echo", "hello"])
            print(url_reference("https://arxiv.org/abs/1706.03762").label)

        main()
        """))
    done = run(["x.py"], tmp_path)
    assert done.stdout.split("\n") == [
        "# Title",
        "[note: aside]",
        "[picture: a picture]",
        "[film: https://a.example/b.mp4]",
        "A (https://a.example)",
        f"main ({tmp_path / 'x.py'}:3)",
        "n   word",
        "1   one",
        "20  twenty",
        "a -> b (to)",
        "[vega-lite chart: Bars]",
        "hello",
        "[https://arxiv.org/abs/1706.03762]",
        "",
    ]
    assert done.stderr == (
        "warning: no arXiv entry for https://arxiv.org/abs/1706.03762: nothing is fetched without a recording\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["x.py"]


def test_importing_the_calls_loads_nothing_heavy():
    heavy = ["torch", "triton", "httpx", "altair", "matplotlib", "rich", "numpy", "fastapi", "plotly"]
    code = f"import engine.api, engine.measure, sys; print([name for name in {heavy} if name in sys.modules])"
    done = run(["-c", code], ROOT)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_references_are_the_same_class_everywhere(heard: Hearing):
    assert isinstance(url_reference("https://a.example", title="A"), Reference)
    assert heard.outputs == []
