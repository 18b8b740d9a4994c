"""The lecture on GPU kernels, recorded as its author would: it says what it should, and its figures are right."""

import ast
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine import trace
from tests.once import once
from tests.recordings import ROOT, Recorded, python_path, recorded_once, run_engine
from viewer.assembly import instructions
from viewer.library import shown_files

pytest.importorskip("torch", reason="the lecture is about torch")
pytest.importorskip("triton", reason="the lecture is about Triton")

LECTURE = ROOT / "lectures" / "lecture_06.py"
IMAGES = LECTURE.parent / "images"

@pytest.fixture(scope="module")
def recorded() -> Recorded:
    """The whole lecture."""
    return recorded_once(
        "lecture_06", "lecture_06", lambda folder: run_engine(LECTURE.relative_to(ROOT), "-o", folder / "traces")
    )


def values(recorded: Recorded, function: str, expression: str) -> list[str]:
    """Every value that `expression` had in `function`, in order, as shown."""
    steps = (step for step in recorded.steps if step["function"] == function)
    return [step["values"][expression]["text"] for step in steps if expression in step["values"]]


def outputs(recorded: Recorded, kind: str) -> list[dict[str, Any]]:
    return [output for step in recorded.steps for output in step["outputs"] if output["kind"] == kind]


def test_it_ends_by_itself_without_a_warning(recorded: Recorded) -> None:
    assert (recorded.exit_code, recorded.header["status"], recorded.header["warnings"]) == (0, "ok", [])


def test_main_reads_as_a_table_of_contents(recorded: Recorded) -> None:
    headings = [text.removeprefix("## ") for text in recorded.texts() if text.startswith("## ")]
    assert headings == [
        "Two puzzles",
        "The GPU",
        "Threads, blocks, grids",
        "Warps and divergence",
        "Warp occupancy",
        "Thread coarsening",
        "Shared memory and its banks",
        "Coalesced access to HBM",
        "Waves, and the tail",
        "Arithmetic intensity",
        "A recipe",
        "Benchmarking",
        "Profiling",
        "One function, three GeLUs",
        "CUDA and Triton",
        "GeLU in CUDA",
        "GeLU in Triton",
        "Reading the PTX",
        "Softmax: a row is a block",
        "Row sum: a row in tiles",
        "Matrix multiplication: how often is a number read?",
        "Strides",
        "Matmul and ReLU in tiles",
        "The order of blocks, and L2",
        "torch.compile",
        "What a GPU measured",
        "Summary",
        "Further reading",
    ]


def test_each_section_is_a_function_that_opens_with_its_heading() -> None:
    functions = {node.name: node for node in ast.parse(LECTURE.read_text()).body if isinstance(node, ast.FunctionDef)}
    called = [ast.unparse(node) for node in functions["main"].body if isinstance(node, ast.Expr)]
    sections = [call.removesuffix("()") for call in called if call.endswith("()")]
    assert len(sections) == 28
    for name in sections:
        assert ast.unparse(functions[name].body[0]).startswith("text('## "), name


@pytest.mark.parametrize(
    ("function", "expression", "expected"),
    [
        ("two_puzzles", "times_the_work", ["262144.0"]),
        ("the_gpu", "register_kb", ["256.0"]),
        ("threads_blocks_grids", "i", ["485"]),
        ("warps_and_divergence", "turns", ["2", "1"]),
        ("warp_occupancy", "registers_per_block", ["20480"]),
        ("warp_occupancy", "warps", ["12"]),
        ("warp_occupancy", "blocks", ["3", "16", "8", "4", "3", "2"]),
        ("warp_occupancy", "fraction", ["0.1875", "1.0", "0.5", "0.25", "0.1875", "0.125"]),
        ("warp_occupancy", "example.fraction", ["0.1875"]),
        ("warp_occupancy", "resident", ["16"]),
        ("warp_occupancy", "limit", ["'shared memory'"]),
        ("thread_coarsening", "warps", ["53", "7"]),
        ("bank_conflicts", "row", ["1"]),
        ("bank_conflicts", "column", ["32"]),
        ("bank_conflicts", "padded", ["1"]),
        ("bank_conflicts", "swizzled", ["1"]),
        ("coalesced_access", "row", ["128"]),
        ("coalesced_access", "column", ["1024"]),
        ("waves_of_blocks", "waves", ["1", "2", "2", "5", "41"]),
        ("three_gelus", "times_as_many", ["11.0"]),
        ("gelu_in_triton", "num_blocks", ["8"]),
        ("reading_ptx", "elements_per_thread", ["8"]),
        ("softmax_of_rows", "reads", [str(5 * 32 * 100 + 2 * 32)]),
        ("softmax_of_rows", "writes", [str(3 * 32 * 100 + 2 * 32)]),
        ("row_sum_in_tiles", "total", ["39"]),
        ("row_sum_in_tiles", "tiles", ["4"]),
        ("traffic_of_matmul", "reads", ["256", "1024", "512", "256", "128"]),
        ("traffic_of_matmul", "shared_kb", ["96.0"]),
        ("measured_on_a_gpu", "intensity", ["32.0"]),
        ("strides", "x.stride()", ["(4, 1)"]),
        ("strides", "t.stride()", ["(1, 4)"]),
        ("strides", "place", ["6"]),
        ("order_of_blocks", "loaded", ["90"]),
        ("order_of_blocks", "loaded_grouped", ["54"]),
    ],
)
def test_its_figures_are_computed_while_it_runs(
    recorded: Recorded, function: str, expression: str, expected: list[str]
) -> None:
    assert values(recorded, function, expression) == expected


def test_arithmetic_intensity_goes_from_a_constant_to_n_over_6(recorded: Recorded) -> None:
    counted, formula = map(float, values(recorded, "traffic_of_matmul", "intensity")[:4]), 2 * 8**3
    by_tile = [formula / (4 * (2 * 8**3 / tile + 8**2)) for tile in (1, 2, 4, 8)]
    assert list(counted) == pytest.approx(by_tile)
    assert by_tile[-1] == pytest.approx(8 / 6)


def test_the_tail_of_160_blocks_on_148_sms(recorded: Recorded) -> None:
    busy = [float(text) for text in values(recorded, "waves_of_blocks", "busy")]
    assert busy[:3] == pytest.approx([1, 160 / 296, 1])


@pytest.mark.parametrize("name", ["gelu", "softmax", "row_sum", "matmul_relu"])
def test_each_kernel_is_launched_and_stepped_inside(recorded: Recorded, name: str) -> None:
    [kernel] = [k for k in recorded.header["kernels"] if k["name"] == f"{name}_kernel" and k["language"] == "triton"]
    assert kernel["path"] == f"kernels/{name}.py"
    assert kernel["launches"]
    if recorded.header["run"]["device"] == "CPU":
        inside = {step["line"] for step in recorded.steps if step["function"] == f"{name}_kernel"}
        assert len(inside) > 5
        assert all(kernel["line"] <= line <= kernel["end_line"] for line in inside)


def test_the_last_block_of_gelu_is_stepped_with_its_mask(recorded: Recorded) -> None:
    assert values(recorded, "gelu_kernel", "pid") == ["0", "3"]


def test_the_tiles_of_a_and_b_are_read_in_turn_and_that_of_c_is_written(recorded: Recorded) -> None:
    inside = [step for step in recorded.steps if step["function"] == "matmul_relu_kernel"]
    assert all(step["instance"]["index"] == [1, 0] and step["instance"]["grid"] == [2, 2] for step in inside)
    tiles = [f"reads {name}" for k in range(0, 96, 32)
             for name in (f"a_ptr[64:128, {k}:{k + 32}], 2,048", f"b_ptr[{k}:{k + 32}, 0:64], 2,048")]  # fmt: skip
    assert [access["text"] for step in inside for access in step["accesses"]] == [
        f"{said} elements" for said in (*tiles, "writes c_ptr[64:128, 0:64], 4,096")
    ]


def test_the_cuda_kernels_are_shown(recorded: Recorded) -> None:
    shown = [kernel["name"] for kernel in recorded.header["kernels"] if kernel["language"] == "cuda"]
    assert shown == ["gelu_kernel", "gelu_double_kernel"]


def test_without_a_gpu_it_says_what_it_did_not_measure(recorded: Recorded) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU, so the lecture measures it")
    said = " ".join(recorded.texts())
    assert "**This machine has no usable GPU.** Times below are of one core of its CPU" in said
    assert said.count("not measured here") >= 5
    measured = [table for table in outputs(recorded, "table") if "samples" in table]
    assert {table["method"] for table in measured} == {"wall clock"}


@pytest.mark.gpu
def test_on_a_gpu_it_measures_there_and_keeps_what_was_launched(recorded: Recorded) -> None:
    import torch

    if not torch.cuda.is_available():
        pytest.skip("this machine has no GPU")
    assert {table["method"] for table in outputs(recorded, "table") if "samples" in table} == {"CUDA events"}
    assert "not measured here" not in " ".join(recorded.texts())
    launched = {k["name"] for k in recorded.header["kernels"] for v in k["variants"] if v["origin"] == "launched"}
    assert {"gelu_kernel", "softmax_kernel", "row_sum_kernel", "matmul_relu_kernel"} <= launched


def test_it_races_three_gelus_against_a_copy(recorded: Recorded) -> None:
    assert not outputs(recorded, "verbatim"), "an output that could not be recorded"
    measured = {table["name"]: table for table in outputs(recorded, "table") if "samples" in table}
    assert {"mlp", "copy", "naive GeLU", "built-in GeLU"} <= measured.keys()
    assert measured["naive GeLU"]["floor"] == sorted(measured["copy"]["samples"])[2]


def test_the_scaling_of_matmul_shows_its_floor(recorded: Recorded) -> None:
    specs = [plot["spec"] for plot in outputs(recorded, "plot")]
    [spec] = [spec for spec in specs if spec["title"].startswith("Matrix multiplication on this")]
    curves = {row["line"] for row in spec["data"]["values"]}
    assert curves == {"measured", "cubic", "floor"}
    floor = {row["milliseconds"] for row in spec["data"]["values"] if row["line"] == "floor"}
    assert floor == {min(row["milliseconds"] for row in spec["data"]["values"] if row["line"] == "measured")}


def test_it_profiles_single_operations_and_a_network(recorded: Recorded) -> None:
    titles = [profile["title"] for profile in outputs(recorded, "profile")]
    wanted = ["add", "matmul", "matmul of dimension 128", "cdist", "gelu(a + b)", "softmax(a + b)", "mlp"]
    assert [title for title in titles if title in wanted] == wanted
    [mlp] = [profile for profile in outputs(recorded, "profile") if profile["title"] == "mlp"]
    assert mlp["stacks"], "no flame graph"


def test_the_figures_of_the_h200_are_those_kept_beside_the_kernels(recorded: Recorded) -> None:
    kept = json.loads((ROOT / "kernels" / "measured" / "h200.json").read_text())
    title = f"Measured on an {kept['device']}"
    [table] = [table for table in outputs(recorded, "table") if table.get("title") == title]
    figures = [figure for task in kept["measurements"] for figure in task["figures"]]
    assert sorted(row[3] for row in table["rows"]) == sorted(figure["milliseconds"] for figure in figures)
    ms = {figure["name"]: figure["milliseconds"] for figure in kept["measurements"][0]["figures"]}
    assert values(recorded, "measured_on_a_gpu", "slower") == [repr(ms["torch, by operators"] / ms["torch"])]


def test_what_the_summary_says_of_the_puzzles_is_what_was_measured(recorded: Recorded) -> None:
    """"Eleven times as long", "half as long": words, which no figure in the lecture would correct."""
    (formula,), (function,) = (values(recorded, "two_puzzles", name) for name in ("formula", "function"))
    assert round(float(formula) / float(function)) == 11
    (times_as_long,) = values(recorded, "two_puzzles", "times_as_long")
    assert float(times_as_long) == pytest.approx(2, abs=0.25)
    (tiles,) = values(recorded, "measured_on_a_gpu", "tiles_tb_per_s")
    assert float(tiles) > 4.8, "the lecture says that this is more than HBM delivers"


def test_the_online_softmax_comes_to_the_sum_that_is_expected(recorded: Recorded) -> None:
    running = values(recorded, "row_sum_in_tiles", "running")
    assert float(running[-1]) == pytest.approx(float(*values(recorded, "row_sum_in_tiles", "expected")))


def test_the_kernel_that_is_said_to_ask_the_cache_is_the_one_linked(recorded: Recorded) -> None:
    [link] = [link for link in outputs(recorded, "link") if link.get("title", "").startswith("softmax_fast")]
    assert link["title"] == "softmax_fast_kernel", link


# ---------------------------------------------------------------- the diagrams


def test_each_diagram_is_shown_and_described(recorded: Recorded) -> None:
    shown = outputs(recorded, "image")
    assert {Path(image["source"]).stem for image in shown} == {path.stem for path in IMAGES.glob("*.svg")}
    for image in shown:
        assert image["source"].startswith("images/")
        assert image["alt"]
        assert (recorded.trace.parents[1] / "files" / image["file"]).is_file(), image["source"]


@pytest.mark.parametrize("path", sorted(IMAGES.glob("*.svg")), ids=lambda path: path.stem)
def test_a_diagram_is_self_contained(path: Path) -> None:
    root = ElementTree.parse(path).getroot()
    names = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert names[:3] == ["svg", "title", "desc"]
    assert all(element.text for element in list(root)[:2])
    assert set(names) <= {"svg", "title", "desc", "rect", "text", "line", "defs", "marker", "path"}
    assert "http" not in path.read_text().replace('xmlns="http://www.w3.org/2000/svg"', "")


def test_the_diagrams_are_what_their_program_draws(tmp_path: Path) -> None:
    code = f"from draw import DRAWINGS\nfrom pathlib import Path\nfor d in DRAWINGS: d().save(Path({str(tmp_path)!r}))"
    subprocess.run([sys.executable, "-c", code], cwd=IMAGES, check=True, env={"PYTHONDONTWRITEBYTECODE": "1"})
    drawn = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert drawn == {path.name: path.read_text() for path in IMAGES.glob("*.svg")}


# ---------------------------------------------------------------- what it says about PTX


OBSERVED = {
    "gelu_kernel": 12,
    "gelu_double_kernel": 1,
    "softmax_kernel": 1,
    "matmul_relu_kernel": 3,
    "cpp_fused_add_mul_tanh_0": 1,
    "triton_poi_fused_add_mul_tanh_0": 1,
}
"How many sentences of the lecture are held against each kernel; the last but one without a GPU, the last with one."


def observations(recorded: Recorded) -> list[dict[str, Any]]:
    return [output for output in outputs(recorded, "text") if "stage" in output]


def test_what_it_says_about_compiled_code_is_observed(recorded: Recorded) -> None:
    counted = Counter(output["name"] for output in observations(recorded))
    inductor = [name for name in counted if "fused" in name]
    assert len(inductor) <= 1, "torch.compile has one kernel to show, and none where it cannot build any"
    assert counted == {name: OBSERVED[name] for name in OBSERVED if "fused" not in name or name in inductor}


def test_each_observation_holds_wherever_it_is_made(recorded: Recorded) -> None:
    for output in observations(recorded):
        assert not output.get("reason"), output
        assert all(found.get("holds") in (True, None) for found in output["evidence"]), output
        assert any(found.get("holds") for found in output["evidence"]) or recorded.header["run"]["device"] != "CPU"


def test_the_elements_of_a_thread_are_counted_in_its_loads(recorded: Recorded) -> None:
    [output] = [output for output in observations(recorded) if output["markdown"] == "A thread loads eight elements."]
    texts = ptx_of(recorded, "gelu_kernel", BLOCK_SIZE="1024")
    assert [found["target"] for found in output["evidence"]] == list(texts)
    for found in output["evidence"]:
        lines = texts[found["target"]].split("\n")
        assert [re.findall(r"ld\.global\S*", lines[number - 1]) for number in found["lines"]] == [
            ["ld.global.v4.b32"], ["ld.global.v4.b32"],
        ]  # fmt: skip
        assert found["count"] == 8


def test_the_registers_of_the_ptx_of_gelu_are_of_the_kinds_named(recorded: Recorded) -> None:
    for target, text in ptx_of(recorded, "gelu_kernel", BLOCK_SIZE="1024").items():
        assert set(re.findall(r"\.reg\s+\.\w+\s+%(\w+)<", text)) == {"p", "r", "rd"}, target


@pytest.mark.parametrize(("target", "opcode"), [("sm_80", "mma.sync"), ("sm_90", "wgmma"), ("sm_100", "tcgen05.mma")])
def test_the_tensor_core_instruction_is_the_one_named(recorded: Recorded, target: str, opcode: str) -> None:
    [output] = [output for output in observations(recorded) if f"`{opcode}`" in output["markdown"]]
    [found] = output["evidence"]
    if found.get("holds") is None:
        pytest.skip(f"this recording has no PTX of matmul_relu_kernel for {target}")
    assert (found["target"], found["holds"]) == (target, True)


def test_kernels_of_the_lecture_can_be_put_beside_each_other(recorded: Recorded) -> None:
    triton = [kernel for kernel in recorded.header["kernels"] if kernel["language"] == "triton"]
    kinds = {
        kernel["name"]: {(variant["num_warps"], str(variant.get("constants"))) for variant in kernel["variants"]}
        for kernel in triton
    }
    assert len(kinds["gelu_kernel"]) >= 2  # in blocks of 1,024 and of 256
    assert {warps for warps, _ in kinds["gelu_kernel"]} == {4}
    assert {warps for warps, _ in kinds["gelu_fast_kernel"]} == {8}


def test_what_each_instruction_of_the_lectures_kernels_does_is_known(recorded: Recorded) -> None:
    unknown, seen = set(), set()
    for stage in ("ptx", "sass"):
        for path in (trace.store(recorded.trace.parent) / "kernels").glob(f"*/{stage}"):
            for one in (one for line in instructions(path.read_text().split("\n"), stage) for one in line):
                seen.add(one.opcode)
                if not one.sentence(stage):
                    unknown.add(one.opcode)
    assert not unknown and len(seen) > 100


def ptx_of(recorded: Recorded, name: str, language: str = "triton", **constants: str) -> dict[str, str]:
    """PTX by target of the variants that have these compile-time constants; skips where the recording has none."""
    [kernel] = [k for k in trace.read(recorded.trace).kernels if (k.name, k.language) == (name, language)]
    chosen = [v for v in kernel.variants if "ptx" in v.stages and constants.items() <= v.constants.items()]
    if not chosen:
        pytest.skip(f"this recording has no PTX of {name}: its kernels were not compiled")
    folder = trace.store(recorded.trace.parent) / "kernels"
    return {variant.target: (folder / variant.key / "ptx").read_text() for variant in chosen}


# ---------------------------------------------------------------- without the recorder

MEASURED = {
    "device": "NVIDIA H200", "date": "2026-11-29", "versions": {"torch": "2.11.0", "triton": "3.6.0"},
    "method": "CUDA events.",
    "product_by_size": [{"size": 16, "milliseconds": 0.01}, {"size": 32, "milliseconds": 0.02}],
    "measurements": [{"operation": operation, "dtype": dtype, "size": "16384x16384", "figures": [
        {"name": name, "by": by, "milliseconds": ms, "tb_per_s": 2.0, "tflop_per_s": 200.0, "of_ceiling": 0.5}
        for name, by, ms in (
            ("torch, by operators", "torch", 5.5), ("torch", "torch", 0.5), ("wrong", "torch", None),
            ("copy on the device", "ceiling", 0.6), (operation, "triton", 0.7), (operation, "cuda", 0.8),
            ("gelu_double", "cuda", 1.2),
        )
    ]} for operation, dtype in (("gelu", "float32"), ("softmax", "float32"), ("matmul_relu", "bfloat16"))],
}  # fmt: skip
"As `python -m kernels bench` writes it."

PROGRAM = """
import sys
from pathlib import Path
import lecture_06 as lecture
lecture.the_gpu()
lecture.softmax_of_rows()
lecture.compilation()
lecture.KERNELS = Path(sys.argv[1])
lecture.measured_on_a_gpu()
"""


def print_sections(folder: Path) -> None:
    """Run some sections in an ordinary program, as on a machine without a C++ compiler."""
    (folder / "measured").mkdir()
    (folder / "measured" / "h200.json").write_text(json.dumps(MEASURED))
    environment = {
        "PYTHONPATH": python_path(ROOT, LECTURE.parent), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1",
        "CXX": "no-such-compiler", "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"),
    }  # fmt: skip
    command = [sys.executable, "-c", PROGRAM, str(folder)]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 0, run.stderr
    (folder / "printed.md").write_text(run.stdout)


@pytest.fixture(scope="module")
def printed() -> dict[str, str]:
    """What they print, by heading."""
    sections = (once("printed", print_sections) / "printed.md").read_text().removeprefix("## ").split("\n## ")
    return {section.partition("\n")[0]: section for section in sections}


def test_an_ordinary_run_prints(printed: dict[str, str]) -> None:
    assert "B200  148" in printed["The GPU"]
    assert "[picture: Each program instance loads a row" in printed["Softmax: a row is a block"]


def test_a_machine_without_a_compiler_is_told_so(printed: dict[str, str]) -> None:
    assert "On this machine it could not: InvalidCxxCompiler: No working C++ compiler" in printed["torch.compile"]


def test_measurements_of_a_gpu_are_shown_with_device_and_date(printed: dict[str, str]) -> None:
    said = printed["What a GPU measured"]
    assert "**not** taken while this page was recorded. They are of an NVIDIA H200, 2026-11-29, with PyTorch" in said
    rows = [re.split(r" {2,}", line)[1] for line in said.splitlines() if line.startswith("gelu float32")]
    assert (rows[0], *rows[-2:]) == ("torch", "torch, by operators", "wrong"), "fastest first, what was not timed last"


def test_the_recording_made_on_a_gpu_opens_and_says_where_and_when_it_was_made() -> None:
    recorded = trace.read(ROOT / "lectures/recorded/lecture_06.json")
    assert (recorded.status, recorded.run["device"], recorded.warnings) == ("ok", "NVIDIA H200", [])
    assert recorded.run["started"].startswith("2026-")
    launched = [v for kernel in recorded.kernels for v in kernel.variants if v.origin == "launched"]
    assert launched and {v.device for v in launched} == {"NVIDIA H200"}
    kept = ROOT / "lectures/recorded"
    assert all((kept / "kernels" / v.key / stage).stat().st_size for v in launched for stage in v.stages)
    assert all({"ptx", "sass"} <= {*v.stages} and not v.reason for v in launched)
    assert shown_files(recorded) == {file.name for file in (kept / "files").iterdir()}
    assert sum(file.stat().st_size for file in kept.rglob("*") if file.is_file()) < 2 * 2**20
    benchmarks = [o for o in recorded.output_table if isinstance(o, trace.BenchmarkResult)]
    assert benchmarks and {b.method for b in benchmarks} == {"CUDA events"}
