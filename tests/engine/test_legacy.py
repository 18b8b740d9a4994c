"""Recordings of the original engine and of edtrace: the whole of two small ones, and what is refused."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import TraceError
from engine.trace import (
    Array,
    Edge,
    Graph,
    Link,
    Mapping,
    Node,
    Note,
    Object,
    Picture,
    Plot,
    Recording,
    Scalar,
    Sequence,
    Stats,
    Stdout,
    Text,
    Verbatim,
    Video,
    Warning,
    decode,
    encode,
    read,
)

SAMPLES = Path(__file__).parents[1] / "samples" / "legacy"
TREES, WAVES = "lecture_trees.py", "talk/waves.py"


@pytest.fixture(scope="module")
def original():
    return Recording(read(SAMPLES / "original.json"))


@pytest.fixture(scope="module")
def edtrace():
    return Recording(read(SAMPLES / "edtrace.json"))


def values(recording, step):
    """Expressions and their values' texts."""
    trace = recording.trace
    return {trace.names[name]: trace.values[value].text for name, value in recording.inspected.get(step, ())}


def value(recording, step, name):
    trace = recording.trace
    return next(trace.values[number] for key, number in recording.inspected[step] if trace.names[key] == name)


def outputs(recording, step):
    return [recording.trace.output_table[number] for number in recording.outputs.get(step, ())]


def test_what_the_original_is(original):
    trace = original.trace
    assert (trace.title, trace.lecture, trace.status, trace.run) == ("Trees that learn", TREES, "ok", {})
    assert [(file.path, file.hidden, file.visible) for file in trace.files] == [(TREES, (6,), True)]
    assert trace.warnings == []


def test_steps_of_the_original(original):
    assert [original.stack(step) for step in range(len(original))] == [
        [(TREES, 4, "main")],
        [(TREES, 5, "main")],
        [(TREES, 8, "main")],
        [(TREES, 8, "main"), (TREES, 11, "count")],
        [(TREES, 8, "main"), (TREES, 14, "count")],
        [(TREES, 8, "main"), (TREES, 14, "count"), (TREES, 11, "count")],
        [(TREES, 8, "main"), (TREES, 14, "count")],
        [(TREES, 8, "main")],
        [(TREES, 8, "main"), (TREES, 11, "count")],
        [(TREES, 8, "main"), (TREES, 17, "figures")],
        [(TREES, 8, "main"), (TREES, 18, "figures")],
        [(TREES, 8, "main"), (TREES, 19, "figures")],
        [(TREES, 8, "main"), (TREES, 20, "figures")],
    ]
    assert {original.kind(step) for step in range(len(original))} == {"line"}


def test_frames_go_on_and_a_second_call_is_another_one(original):
    frames = [original.frame[number] for number in original.activation]
    assert frames == [0, 0, 0, 1, 1, 2, 1, 0, 3, 4, 4, 4, 4]


def test_values_of_the_original(original):
    assert values(original, 3) == {"depth": "1"} and values(original, 5) == {"depth": "0"}
    assert values(original, 7) == {"leaves": "[[1, 2.5], {'oak': 'tall'}]"}
    assert [original.trace.names[name] for name in original.cleared[7]] == ["depth"]


def test_outputs_of_the_original(original):
    reason = "the recording, made by the original engine, has its address only"
    assert [outputs(original, step) for step in (1, 5, 9, 10, 11, 12)] == [
        [Text("# Trees that learn")],
        [Stdout("leaf\n")],
        [
            Picture("images/oak.png", width=400, reason=reason),
            Picture(
                "var/files/image-0123456789abcdef0123456789abcdef-ash_png",
                "image-0123456789abcdef0123456789abcdef-ash_png",
                width=0.5,
            ),
        ],
        [
            Link(
                "Forests",
                "https://example.org/forests",
                authors=("A. Woods", "B. Glade"),
                date="2001-05-01",
                description="Many trees vote.\n\n- read this first",
            ),
            Link("count", path=TREES, line=11),
        ],
        [Note("Ask who has seen one.")],
        [Verbatim("if x:\n    split"), Text("<b>bold</b> claim")],
    ]


def test_what_the_edtrace_recording_is(edtrace):
    trace = edtrace.trace
    assert (trace.title, trace.lecture) == ("waves", WAVES)
    assert [(file.hidden, file.animated, file.source.count("\n")) for file in trace.files] == [((2, 7), (6,), 10)]
    assert trace.warnings == [
        Warning("an output of kind 'card' is shown as plain text, since this engine does not know that kind", WAVES, 6)
    ]


def test_library_frames_are_left_out(edtrace):
    assert edtrace.stack(2) == [(WAVES, 6, "main"), (WAVES, 11, "forward")]


def test_values_of_edtrace(edtrace):
    x = value(edtrace, 0, "x")
    assert x == Array(
        "Tensor", "float32 [2, 2]", (2, 2), "torch.float32", data=[[1.0, 2.0], [3.0, "nan"]],
        stats=Stats(1, 3, 2, nan=1, inf=0, count=4),
    )  # fmt: skip
    assert values(edtrace, 1) == {
        "net": '''Wave(height=3.5, label="it's")''', "names": "{'1': (None,), 'inf': inf}", "when": "2026-01-02",
        "n": "3", "yes": "True", "scalar": "7",
    }  # fmt: skip
    kinds = {name: type(value(edtrace, 1, name)) for name in values(edtrace, 1)}
    assert kinds == {"net": Object, "names": Mapping, "when": Scalar, "n": Scalar, "yes": Scalar, "scalar": Array}
    assert [edtrace.trace.names[name] for name in edtrace.cleared[2]] == ["x"]


def test_outputs_of_edtrace(edtrace):
    assert outputs(edtrace, 1) == [
        Plot("vega-lite", {"title": {"text": "Waves"}, "mark": "line"}, alt="Waves"),
        Graph((Node("a", "start"), Node("b", "b")), (Edge("a", "b"),)),
        Video(
            "var/files/video-0123456789abcdef0123456789abcdef-sea.mp4",
            "video-0123456789abcdef0123456789abcdef-sea.mp4",
            width=600,
        ),
        Verbatim('{\n "title": "Tide"\n}'),
        Verbatim("as it is"),
    ]


@pytest.mark.parametrize("name", ["original.json", "edtrace.json"])
def test_what_was_read_can_be_written_as_a_recording_of_this_engine(name):
    trace = read(SAMPLES / name)
    assert decode(encode(trace), "again") == trace


# ---------------------------------------------------------------- recordings that are not as they should be


def step(line=1, path="a.py", **more):
    return {"stack": [{"path": path, "line_number": line, "function_name": "main", "code": "x = 1"}], **more}


def converted(files=None, steps=(), **more):
    whole = {"files": {"a.py": "x = 1\n"} if files is None else files, "steps": list(steps), **more}
    return Recording(decode(json.dumps(whole).encode(), "a.json"))


def test_lines_to_hide_that_are_none_are_passed_over():
    recording = converted(hidden_line_numbers={"a.py": [1, "x", -1, 10**30], "b.py": [1]})
    assert recording.trace.files[0].hidden == (1,)
    assert converted(hidden_line_numbers={"a.py": True}).trace.files[0].hidden == ()


def test_recording_without_steps():
    assert (len(converted()), converted().trace.lecture) == (0, "a.py")
    assert converted(files={}).trace.files == []


@pytest.mark.parametrize("files", [{}, {"a.py": ""}, {"a.py": "x = 0\n"}, {"a.py": None}])
def test_lines_that_are_missing_are_taken_from_the_steps(files):
    recording = converted(files, [step(line=4)])
    source = recording.trace.files[0].source
    assert source.split("\n")[3] == "x = 1" and recording.place(0) == ("a.py", 4, "main")
    assert [warning.path for warning in recording.trace.warnings] == ["a.py"]


@pytest.mark.parametrize("rendering", [
    {"type": "plot", "data": "not JSON"}, {"type": "graph", "data": {"nodes": 3}}, {"type": "link"}, "just a text",
    None, 7, {"type": None, "data": None}, {"type": "hologram", "data": [1, {"a": 2}]},
], ids=str)  # fmt: skip
def test_output_that_is_not_understood_is_shown_as_text_with_a_warning(rendering):
    recording = converted(steps=[step(renderings=[rendering])])
    assert isinstance(outputs(recording, 0)[0], Verbatim) and len(recording.trace.warnings) == 1


def test_plot_as_a_string_and_styles_of_other_kinds():
    renderings = [
        {"type": "plot", "data": '{"mark": "bar"}'}, {"type": "image", "data": "a.png", "style": {"width": "wide"}},
        {"type": "markdown", "data": "a", "style": "bold"}, {"type": "image", "data": "var/files/../../secret"},
    ]  # fmt: skip
    found = outputs(converted(steps=[step(renderings=renderings)]), 0)
    assert found[0] == Plot("vega-lite", {"mark": "bar"})
    assert (found[1].width, found[2], found[3].file) == (None, Text("a"), "")


@pytest.mark.parametrize(("shape", "contents"), [
    ([2], 5), ([2, 2], [1, 2]), ([3], [{"a": 1}] * 3), ([2], ["a", "b"]), ([], [1]), ([2], [0] * 1000), ([2**40], [1]),
], ids=str)  # fmt: skip
def test_array_whose_elements_are_not_as_it_says_has_a_layout_or_a_text(shape, contents):
    env = {"x": {"type": "numpy.ndarray", "contents": contents, "dtype": "int64", "shape": shape}}
    shown = value(converted(steps=[step(env=env)]), 0, "x")
    assert isinstance(shown, Array) and shown.shape == tuple(shape)
    assert len(json.dumps(shown.data)) < 100


def test_large_array_is_sampled():
    contents = [[row * 100 + column for column in range(100)] for row in range(50)]
    env = {"x": {"type": "torch.Tensor", "contents": contents, "dtype": "torch.int64", "shape": [50, 100]}}
    shown = value(converted(steps=[step(env=env)]), 0, "x")
    assert (len(shown.sample), len(shown.sample[0]), shown.truncated, shown.data) == (17, 20, True, None)
    assert shown.stats == Stats(0, 4999, 2499.5, 0, 0, 5000)


def test_deep_and_wide_values_are_bounded():
    deep = {"type": "int", "contents": 1}
    for _ in range(100):
        deep = {"type": "list", "contents": [deep] * 2}
    wide = {"type": "list", "contents": [{"type": "int", "contents": n} for n in range(1000)]}
    recording = converted(steps=[step(env={"deep": wide, "wide": wide})])
    assert isinstance(value(recording, 0, "wide"), Sequence) and value(recording, 0, "wide").truncated
    assert len(recording.trace.values) < 1100


REFUSED = {
    "list": (b"[1]", "'a.json' is not a lecture trace: it is no JSON object; record the lecture again"),
    "other object": (b'{"a": 1}', "'a.json' is not a lecture trace: it has no 'files'; record the lecture again"),
    "no steps": (b'{"files": {}}', "'a.json' is not a lecture trace: it has no 'steps'; record the lecture again"),
    "files that are none": (b'{"files": 3, "steps": []}', "it has no 'files'"),
    "step that is none": (b'{"files": {}, "steps": [3]}', "'a.json' is damaged: its step 0 has no 'stack'"),
    "empty stack": (b'{"files": {}, "steps": [{"stack": []}]}', "its step 0 has no 'stack'"),
    "frame that is none": (b'{"files": {}, "steps": [{"stack": [3]}]}', "a frame of step 0 has no path or line"),
    "line that is none": (json.dumps({"files": {}, "steps": [step(line=0)]}).encode(), "step 0 has no path or line"),
    "far line": (json.dumps({"files": {}, "steps": [step(line=2_000_000)]}).encode(), "step 0 has no path or line"),
    "values that are none": (json.dumps({"files": {}, "steps": [step(env=[1])]}).encode(), "outputs of step 0"),
    "cut off": (b'{"files": {"a.py": "x', "'a.json' is not a lecture trace ("),
    "deep": (b'{"files": ' + b"[" * 100_000, "'a.json' is not a lecture trace ("),
    "no UTF-8": (b'{"files": {"\xff": ""}, "steps": []}', "'a.json' is not a lecture trace ("),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_one_sentence(name):
    data, sentence = REFUSED[name]
    with pytest.raises(TraceError) as raised:
        decode(data, "a.json")
    assert sentence in str(raised.value) and "\n" not in str(raised.value) and "again" in str(raised.value)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def damaged(draw):
    """One of the samples with some part of it replaced by something else."""
    whole = json.loads((SAMPLES / draw(st.sampled_from(["original.json", "edtrace.json"]))).read_bytes())
    at = whole
    for _ in range(draw(st.integers(0, 8))):
        key = draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        if not (isinstance(at[key], dict | list) and at[key]):
            break
        at = at[key]
    at[draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))] = draw(JUNK)
    return json.dumps(whole).encode()


@settings(max_examples=300)
@given(damaged())
def test_any_damage_ends_in_a_recording_or_in_one_sentence(data):
    try:
        trace = decode(data, "a.json")
    except TraceError as error:
        assert "\n" not in str(error)
    else:
        assert encode(decode(encode(trace), "again")) == encode(trace)
