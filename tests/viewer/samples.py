"""Sample recordings shared by the viewer's tests."""

from pathlib import Path

import msgspec

from engine import trace as t
from tests.viewer.factory import Maker

SOURCE = '''\
from engine import text, note
import torch


def main():
    text("# Kernels")
    text("A lecture about $x^2$ and *speed*.")
    note("Say hello.")
    intro()
    gelus()


def intro():
    text("## Benchmarking")
    dims = (1024, 2048)  # @inspect dims
    for dim in dims:
        # one size after the other
        time = measure(dim)  # @inspect time
        text(f"{dim} takes {time} ms")


def measure(dim):
    total = 0  # @inspect total
    for trial in range(3):
        total += dim  # @inspect total trial
        print("trial", trial)
    return total


def gelus():
    text("## GeLU")
    x = torch.randn(
        64,
    )  # @inspect x
    y = triton_gelu(x)  # @inspect y
    text("Done.")


def never():
    text("not run")
'''
KERNEL = '''\
import triton.language as tl


@triton.jit
def gelu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(y_ptr + offsets, x, mask=offsets < n)
'''


RESIDENCY = t.Residency(
    4, 64, (
        t.Limit("warps", 4, 64, 16), t.Limit("blocks", 1, 32, 32), t.Limit("registers", 2304, 16384, 7, 4),
        t.Limit("shared memory", 50176, 233472, 4),
    ),
)  # fmt: skip
"""What fits on an H100 of a kernel of 4 warps, 65 registers a thread and 48 KB of shared memory a block."""


def vector(step: float, small: bool = False) -> t.Array:
    """A one-dimensional array, with its elements when `small`."""
    values = [[round(step * row - column / 7, 3) for column in range(16)] for row in range(4)]
    return t.Array(
        "Tensor", "tensor of 64 float32", (64,), "torch.float32", "cpu", (1,),
        data=values[0] if small else None, sample=None if small else values,
        stats=t.Stats(-2.1, 4.0, 0.25, 0, 1, 64), truncated=not small,
    )  # fmt: skip


def touch(operation: str, words: str, tensor: int) -> t.Access:
    """What a block of 64 does to a vector of 60."""
    text = f"{words}[0:60], 60 elements, 4 masked at [60:64], beyond its edge"
    on, off = (t.Region(stop - start, (((start, stop, 1),),)) for start, stop in ((0, 60), (60, 64)))
    return t.Access(operation, text, tensor, on, off, masked_lanes=4)


def lecture() -> Maker:
    """A small lecture with a loop, a helper called twice, a kernel and every step kind but an error."""
    made = Maker(SOURCE, title="Kernels", path="lectures/small.py")
    kernel = made.file("kernels/gelu.py", KERNEL)
    main = made.call("main")
    made.step(main, 6, t.Text("# Kernels"))
    made.step(main, 7, t.Text("A lecture about $x^2$ and *speed*."))
    made.step(main, 8, t.Note("Say hello."))
    made.step(main, 9)
    intro = made.call("intro", main)
    made.step(intro, 14, t.Text("## Benchmarking"))
    dims = t.Sequence("tuple", "(1024, 2048)", 2, (made.value(1024), made.value(2048)))
    made.step(intro, 15, values={"dims": dims})
    for number, dim in enumerate((1024, 2048)):
        made.step(intro, 16)
        made.step(intro, 18)
        measure = made.call("measure", intro)
        made.step(measure, 23, values={"total": 0})
        for trial in range(3):
            made.step(measure, 24)
            made.step(measure, 25, values={"total": dim * (trial + 1), "trial": trial})
            made.step(measure, 26, t.Stdout(f"trial {trial}\n"))
        made.step(measure, 27)
        made.step(intro, 18, kind="resume", values={"time": dim * 3})
        made.step(intro, 19, t.Text(f"{dim} takes {dim * 3} ms"))
    made.step(main, 9, kind="resume")
    made.step(main, 10)
    gelus = made.call("gelus", main)
    made.step(gelus, 31, t.Text("## GeLU"))
    made.step(gelus, 32, end_line=34, values={"x": vector(0.5)})
    launch = made.step(gelus, 35)
    inside = made.call("gelu_kernel", gelus)
    first, _, load, store = (made.step(inside, line, file=kernel, values={"pid": 0}) for line in range(6, 10))
    made.tensors += [t.Tensor(name, (60,), (1,), "torch.float32") for name in ("x_ptr", "y_ptr")]
    made.accesses += [touch("read", "reads x_ptr", 0), touch("write", "writes y_ptr", 1)]
    made.instances.append(t.Instance(first, 0, (0,), (1,), (0, 1), t.Pairs([load, store - load], [0, 1])))
    made.step(gelus, 35, kind="resume", values={"y": vector(0.25, small=True)})
    made.step(gelus, 36, t.Text("Done."))
    made.step(main, 10, kind="resume")
    costs = {"num_warps": 4, "registers": 65, "spills": 0, "shared": 49152, "occupancy": 1.0}
    variants = (
        t.Variant("sm_80", "compiled", "gelu80", ("ptx",), **costs),
        t.Variant("sm_90", "compiled", "gelu90", ("ptx",), **costs | {"occupancy": 0.25, "residency": RESIDENCY}),
        t.Variant("sm_100", "compiled", "gelu100", reason="ptxas of this Triton does not know sm_100"),
    )
    launches = (t.Launch(launch, (1,), True),)
    made.kernels.append(t.Kernel("gelu_kernel", "triton", "kernels/gelu.py", 4, 9, variants, launches))
    made.warnings.append(t.Warning("'@inpsect' is not a directive; did you mean '@inspect'?", "lectures/small.py", 15))
    return made

DRAWING = "<svg xmlns='http://www.w3.org/2000/svg' width='80' height='40'><circle r='40' fill='teal'/></svg>"
PROFILED = tuple((f"aten::op{n}", n * 7 % 12 + 0.5, f"{n * 900}us" if n % 2 else f"{n}.5ms") for n in range(12))
STACKS = "run;forward;aten::addmm 600\nrun;forward;aten::gelu 300\nrun;backward 100\nnot a stack\n"


def gallery(files: Path) -> Maker:
    """A lecture that shows one of each kind of output, its pictures and stacks in the folder `files`."""
    files.mkdir(parents=True, exist_ok=True)
    (files / "drawing.svg").write_text(DRAWING)
    (files / "stacks.txt").write_text(STACKS)
    (files / "timeline.json").write_text('{"traceEvents": []}')
    shown: list[t.Output] = [
        t.Text("# Gallery\n\nA *text* with $\\frac{a}{b}$."),
        t.Verbatim("$ nvidia-smi\nno devices", truncated=True),
        t.Verbatim("def f():\n    return 1\n", "python"),
        t.Picture("drawing.svg", "drawing.svg", width=0.5, alt="a teal drawing"),
        t.Picture("https://course.example/gone.png", reason="the server answered 404"),
        t.Video("film.mp4", reason="no such file"),
        t.Link("A paper", "https://paper.example/", authors=tuple("ABCDE"), date="2024", description="On it."),
        t.Link("the kernel", path="gallery.py", line=3),
        t.Note("Breathe."),
        t.Plot("vega-lite", {"mark": "line"}, "drawing.svg", "a line that rises"),
        t.Plot("plotly", {}, "", "a scatter of points"),
        t.Graph((t.Node("x", "input"), t.Node("y", "output")), (t.Edge("x", "y", "relu"),)),
        t.Table(("GPU", "SMs"), (("H100", 132), ("B200", None)), "Two GPUs"),
        t.Stdout("printed\n"),
        t.Stderr("warned\n"),
        t.ProfileTable("mlp", ("operator", "ms", "time"), PROFILED, "a CPU", "stacks.txt", "timeline.json"),
        t.BenchmarkResult("matmul", (1.0, 2.0, 9.0), "a CPU", "wall clock", 0.5, "its bandwidth"),
        t.BenchmarkResult("matmul", (), "no GPU", "CUDA events"),
        t.Table(("kernel", "ms"), ((f"void at::native::elementwise_kernel<{'BinaryFunctor' * 12}>", 1.5),)),
    ]
    return _shows(shown, "gallery.py", "Gallery")


def _shows(shown: list[t.Output], path: str, title: str) -> Maker:
    """One statement for each output."""
    made = Maker("show()\n" * len(shown), path=path, title=title)
    main = made.call("main")
    for line, output in enumerate(shown, 1):
        made.step(main, line, output)
    return made


def observed() -> Maker:
    """The small lecture, which ends with what it observes of its kernel, here an autotuned one, and its card."""
    made = lecture()
    configs = (
        t.TunedConfig({"BLOCK": "64"}, 2, 3, 0.5), t.TunedConfig({"BLOCK": "128"}, 4, 3, 0.25),
        t.TunedConfig({"BLOCK": "4096"}, 8, 3, reason="it could not run"),
    )  # fmt: skip
    tunings = (
        t.Tuning(("n = 64", "torch.float32"), configs, 1, "Triton's benchmark on NVIDIA H200"),
        t.Tuning(("n = 128", "torch.float32"), (t.TunedConfig({"BLOCK": "64"}, 2, 3),), 0),
    )
    made.kernels[0] = msgspec.structs.replace(made.kernels[0], tunings=tunings)
    everywhere = {"sm_80": "gelu80", "sm_90": "gelu90"}
    held = tuple(t.Evidence(target, key, holds=True, lines=(10,), count=4) for target, key in everywhere.items())
    made.step(
        0, 36,  # in main, which began first
        t.Observation("`ld.global` reads *four* [elements](https://a.example/).", 0, "ptx", "ld", 4, (
            *held, t.Evidence("sm_100", reason="ptxas of this Triton does not know sm_100"),
        )),
        t.Observation("It stores twice.", 0, "ptx", "st", 2, (
            t.Evidence("sm_80", "gelu80", holds=True, lines=(12, 13), count=2),
            t.Evidence("sm_90", "gelu90", holds=False, lines=(12,), count=1, reason="1 found, 2 expected"),
        )),
        t.Observation("It masks.", 0, "source", "mask", None, (t.Evidence(holds=True, lines=(8, 9), count=2),)),
        t.Observation("It is fused.", reason="the recording has no kernel 'triton_*'; it has gelu_kernel"),
        t.KernelCard(0),
    )  # fmt: skip
    return made


LONG = """\
from engine import text


def main():
    text("# A long lecture")
    total = 0
    for number in range(20000):
        total += square(number)
        print(total)
    text("## The end")


def square(number):
    result = number * number
    return result
"""


def long_lecture(steps: int = 100_000) -> Maker:
    """A loop that calls a helper, with a new frame, three new values and a new output in each of its passes."""
    made = Maker(LONG, title="A long lecture", path="lectures/long.py")
    main = made.call("main")
    made.step(main, 5, t.Text("# A long lecture"))
    made.step(main, 6, values={"total": 0})
    total = 0
    for number in range((steps - 3) // 6):
        made.step(main, 7, values={"number": number})
        made.step(main, 8)
        helper = made.call("square", main)
        made.step(helper, 14, values={"result": number * number})
        made.step(helper, 15)
        total += number * number
        made.step(main, 8, kind="resume", values={"total": total})
        made.step(main, 9, t.Stdout(f"{total}\n"))
    made.step(main, 10, t.Text("## The end"))
    return made

BARS = {
    "mark": "bar", "width": 900, "data": {"values": [{"gpu": "A100", "tb": 2.0}, {"gpu": "H200", "tb": 4.8}]},
    "encoding": {"x": {"field": "gpu"}, "y": {"field": "tb", "type": "quantitative"}},
}  # fmt: skip
SQUARES = {"data": [{"x": [1, 2, 3], "y": [1, 4, 9], "name": "squares"}], "layout": {"title": {"text": "Squares"}}}
SURFACE = {"data": [{"type": "surface", "z": [[1, 2], [3, 5]]}], "layout": {"title": {"text": "Loss"}}}
TRAP = "https://elsewhere.example/"
"An origin that no page may ask, whatever a recording says."
HOSTILE_VEGA = [
    {**BARS, "data": {"url": f"{TRAP}data.json"}},
    {**BARS, "mark": {"type": "image", "url": f"{TRAP}a.png", "width": 20, "height": 20}},
    {**BARS, "transform": [{"calculate": "constructor.constructor('window.caught = 1')()", "as": "z"}]},
    {**BARS, "transform": [{"calculate": "{}.toString.constructor('window.caught = 1')()", "as": "gpu"}]},
    {**BARS, "title": "</script><img src=x onerror='window.caught = 1'>", "usermeta": {"embedOptions": {"loader": 1}}},
    {**BARS, "mark": {"type": "bar", "href": "javascript:caught = 1", "tooltip": "<img src=x onerror='caught = 1'>"}},
    {**BARS, "mark": {"type": "bar", "href": f"{TRAP}page"}},
    {"layer": 7, "data": None},
]  # fmt: skip
_MARKUP = "<a href='javascript:window.caught=1'>a</a><img src=x onerror='caught=1'><script>caught=1</script>"
HOSTILE_PLOTLY = [
    {**SQUARES, "layout": {"images": [{"source": f"{TRAP}a.png"}], "title": {"text": _MARKUP}}},
    {"data": [{"x": [1], "y": [2], "text": [_MARKUP], "mode": "text", "hovertemplate": _MARKUP}], "layout": {}},
    {"data": [{"type": "image", "source": f"{TRAP}a.png"}], "layout": {}},
    {"data": [{"type": "scattergeo", "lat": [1], "lon": [2]}], "layout": {}},
    {**SQUARES, "layout": {"template": "none", "font": {"family": f"x;background:url({TRAP})"}}},
    {**SQUARES, "config": {"plotlyServerURL": TRAP, "showSendToCloud": True}},
    {**SQUARES, "layout": 7, "frames": 7},
    {"data": 7},
]


def charts(files: Path) -> Maker:
    """A lecture with a chart of each library at its start, and far below it one more."""
    files.mkdir(parents=True, exist_ok=True)
    (files / "drawing.svg").write_text(DRAWING)
    shown = [
        t.Plot("vega-lite", BARS, "drawing.svg", "bandwidth of two GPUs"),
        t.Plot("plotly", SQUARES, "", "squares"),
        *(t.Text(f"Paragraph {number}.") for number in range(120)),
        t.Plot("vega-lite", {**BARS, "mark": "point"}, "drawing.svg", "far below"),
    ]
    return _shows(shown, "charts.py", "Charts")


def space() -> Maker:
    """A lecture with a chart in three dimensions, and room below it."""
    below = [t.Text(f"# {number}") for number in range(40)]
    return _shows([t.Plot("plotly", SURFACE, "", "a surface"), *below], "space.py", "Space")


def hostile_charts(files: Path) -> Maker:
    """A lecture whose charts try to run scripts, to ask other origins and to break the page."""
    files.mkdir(parents=True, exist_ok=True)
    (files / "drawing.svg").write_text(DRAWING)
    shown = [t.Plot("vega-lite", spec, "drawing.svg", f"chart {number}") for number, spec in enumerate(HOSTILE_VEGA)]
    return _shows([*shown, *(t.Plot("plotly", spec) for spec in HOSTILE_PLOTLY)], "hostile.py", "Charts")
