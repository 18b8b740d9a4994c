"""What the program instances that are stepped through read and write, as a recording has it."""

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine.memory_hooks import POINTERS, MemoryHooks
from engine.patches import Patches
from tests.recordings import ROOT, Recorded, show

pytest.importorskip("torch", reason="kernels are given tensors of torch")
pytest.importorskip("triton", reason="it is about Triton's interpreter")

KERNELS = ROOT / "tests" / "samples" / "kernels"
Places = set[tuple[int, ...]]
Touch = tuple[str, str, Places, Places]
"Tensor, operation, elements and what masked-off lanes point at."


def record(out: Path) -> Path:
    """Record samples/kernels/lecture_touching.py into `out`; the trace."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "record.py", "lecture_touching.py", "-o", str(out), "--reproducible"]
    run = subprocess.run(command, cwd=KERNELS, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return out / "lecture_touching.json"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    trace = record(tmp_path_factory.mktemp("touching") / "traces")
    return Recorded(0, "", "", trace, *show(trace))


def accesses(recorded: Recorded, kernel: str) -> list[list[dict[str, Any]]]:
    """The accesses of each program instance of a kernel, in order."""
    found: dict[int, list[dict[str, Any]]] = {}
    for step in recorded.steps:
        if step["instance"] and step["instance"]["kernel"] == kernel:
            frame = step["frame"] if step["function"] == kernel else max(found)
            found.setdefault(frame, []).extend(step["accesses"])
    return list(found.values())


def places(region: dict[str, Any]) -> Places:
    found = [place for box in region["boxes"] for place in product(*(range(*along) for along in box))]
    assert len(found) == len(set(found)) == region["count"]
    return set(found)


def touched(accesses: list[dict[str, Any]]) -> list[Touch]:
    return [(a["tensor"], a["operation"], places(a["elements"]), places(a["masked"])) for a in accesses]


def texts(recorded: Recorded, kernel: str) -> list[str]:
    return [access["text"] for instance in accesses(recorded, kernel) for access in instance]


def lanes(mask: np.ndarray, *coordinates: np.ndarray) -> tuple[Places, Places]:
    """Where the lanes at work are, and those masked off."""
    *spread, mask = np.broadcast_arrays(*coordinates, mask)
    on, off = (set(zip(*(part[which].tolist() for part in spread), strict=True)) for which in (mask, ~mask))
    return on, off


# ---------------------------------------------------------------- the four kernels, by their own index arithmetic


def gelu(pid: int, N: int, block: int, shape: tuple[int, ...]) -> list[Touch]:
    offsets = pid * block + np.arange(block)
    on, off = lanes(offsets < N, offsets)
    if len(shape) > 1:  # the elements as one row; what is masked in the last instance goes on from the last row
        on = {divmod(place, shape[1]) for (place,) in on}
        off = {(shape[0] - 1, place - (shape[0] - 1) * shape[1]) for (place,) in off}
    return [("x_ptr", "read", on, off), ("y_ptr", "write", on, off)]


def softmax(row: int, N: int, block: int) -> list[Touch]:
    columns = np.arange(block)
    on, off = lanes(columns < N, np.array(row), columns)
    return [("x_ptr", "read", on, off), ("y_ptr", "write", on, off)]


def row_sum(row: int, N: int, block: int) -> list[Touch]:
    tiles = [start + np.arange(block) for start in range(0, N, block)]
    return [*(("x_ptr", "read", *lanes(columns < N, np.array(row), columns)) for columns in tiles),
            ("y_ptr", "write", {(row,)}, set())]  # fmt: skip


def matmul_relu(i: int, j: int, M: int, N: int, K: int, block: tuple[int, int, int]) -> list[Touch]:
    m, n = (i * block[0] + np.arange(block[0]))[:, None], (j * block[1] + np.arange(block[1]))[None, :]
    found: list[Touch] = []
    for start in range(0, K, block[2]):
        k = start + np.arange(block[2])
        found.append(("a_ptr", "read", *lanes((m < M) & (k[None, :] < K), m, k[None, :])))
        found.append(("b_ptr", "read", *lanes((k[:, None] < K) & (n < N), k[:, None], n)))
    return [*found, ("c_ptr", "write", *lanes((m < M) & (n < N), m, n))]


EXPECTED = {
    "gelu_kernel": [
        *(gelu(pid, 1000, 256, (1000,)) for pid in (0, 3)),
        *(gelu(pid, 1030, 256, (10, 103)) for pid in (0, 4)),
    ],
    "softmax_kernel": [softmax(5, 90, 128)],
    "row_sum_kernel": [row_sum(2, 10, 4)],
    "matmul_relu_kernel": [matmul_relu(i, i, 100, 50, 70, (64, 32, 32)) for i in (0, 1)],
}


@pytest.mark.parametrize("kernel", EXPECTED)
def test_elements_are_those_of_the_kernels_own_index_arithmetic(recorded: Recorded, kernel: str) -> None:
    assert [touched(instance) for instance in accesses(recorded, kernel)] == EXPECTED[kernel]


def test_an_access_belongs_to_the_statement_that_made_it(recorded: Recorded) -> None:
    source = (ROOT / "kernels/matmul_relu.py").read_text().splitlines()
    inside = [step for step in recorded.steps if step["function"] == "matmul_relu_kernel"]
    assert {(step["line"], a["tensor"]) for step in inside for a in step["accesses"]} == {
        (line, f"{name}_ptr")
        for line, text in enumerate(source[:50], 1)
        for name in "abc"
        if text.strip().startswith((f"{name} = tl.load(", f"tl.store({name}_ptrs"))
    }


def test_what_is_masked_is_counted_with_what_a_row_has_no_columns_for(recorded: Recorded) -> None:
    (*_, last) = texts(recorded, "gelu_kernel")
    assert last == "writes y_ptr[9, 97:103], 6 elements, 250 masked at [9, 103:353], beyond its edge"
    assert texts(recorded, "softmax_kernel")[0] == (
        "reads x_ptr[5, 0:90], 90 elements, 38 masked at [5, 90:128], beyond its edge"
    )


def test_descriptors_are_watched_too(recorded: Recorded) -> None:
    *_, store = texts(recorded, "matmul_relu_fast_kernel")
    assert store == (
        "writes c[128:200, 128:130], 144 elements, 16,240 masked at [128:200, 130:256] and [200:256, 128:256], "
        "beyond its edge"
    )


# ---------------------------------------------------------------- other ways to memory


def test_helpers_stepped_and_not(recorded: Recorded) -> None:
    made = [(s["function"], s["kind"], a["text"]) for s in recorded.steps for a in s["accesses"]
            if (s["instance"] or {}).get("kernel") == "helped_kernel"]  # fmt: skip
    assert made == [
        ("pick", "line", "reads x_ptr[0:6], 6 elements, 2 masked at [6:8], beyond its edge"),
        ("helped_kernel", "resume", "reads y_ptr[0:8], 8 elements"),
        ("helped_kernel", "line", "reads x_ptr[1:6], 5 elements, 3 masked at [6:9], beyond its edge"),
        ("helped_kernel", "line", "writes y_ptr[0:8], 8 elements"),
    ]


OTHERS = {
    "histogram_kernel": [
        "reads x_ptr[0:5], 5 elements, 3 masked at [5:8], beyond its edge",
        "updates atomically counts_ptr[0:3], 3 elements for 5 lanes, 3 masked at [0]",
        "updates atomically counts_ptr[5], 1 element",
    ],
    "strided_kernel": [
        "reads x_ptr[0:4, 0:7:2], 16 elements",
        "writes y_ptr[4, 1:3], 2 elements, 2 masked at [5, 1:3], beyond its edge",
    ],
    "gather_kernel": [
        "reads rows_ptr[0:4], 4 elements",
        "reads table_ptr[2:4, 0:8] and table_ptr[7, 0:8], 24 elements for 32 lanes",
        "writes table_ptr[0, 0], 1 element",
    ],
    "straying_kernel": [
        "reads x_ptr[0:3], 3 elements, 1 lane outside the tensor",
        "reads outside every tensor of the launch, 2 masked, 2 lanes",
        "reads x_ptr[2], 1 element",
        "reads outside every tensor of the launch, 3 lanes",
        "writes nothing of x_ptr, 4 masked at [0:3], 1 of them outside it",
    ],
    "tuple_kernel": ["reads pair[1][0:4], 4 elements", "writes row.pointer[0:7:2], 4 elements"],
    "same_kernel": [
        "reads x_ptr[0:4], 4 elements", "writes y_ptr[0:4], 4 elements",
        "reads x_ptr[0, 0:4], 4 elements", "writes y_ptr[0:4, 0], 4 elements",
    ],
}  # fmt: skip


@pytest.mark.parametrize("kernel", OTHERS)
def test_other_ways_to_memory(recorded: Recorded, kernel: str) -> None:
    assert texts(recorded, kernel) == OTHERS[kernel]


def test_a_statement_that_reaches_memory_often_is_cut_and_says_so(recorded: Recorded) -> None:
    said = texts(recorded, "repeating_kernel")
    assert len(said) == 32 + 2
    assert said[31:33] == ["reads x_ptr[31:35], 4 elements", "further accesses of this statement are left out"]


def test_tensors_are_described(recorded: Recorded) -> None:
    [[load, *_]] = accesses(recorded, "strided_kernel")
    assert (load["shape"], load["stride"], load["dtype"]) == ([4, 8], [10, 1], "torch.float32")


# ---------------------------------------------------------------- instances


def test_steps_say_which_instance_of_which_grid_they_are_in(recorded: Recorded) -> None:
    inside = [step["instance"] for step in recorded.steps if step["function"].startswith("matmul_relu_k")]
    assert [i for n, i in enumerate(inside) if i not in inside[:n]] == [
        {"kernel": "matmul_relu_kernel", "index": [at, at], "grid": [2, 2]} for at in (0, 1)
    ]


def test_nothing_else_of_a_kernels_file_is_stepped_through(recorded: Recorded) -> None:
    assert {step["function"] for step in recorded.steps if not step["instance"]} == {"main", "others"}


def test_instances_are_those_that_the_author_names(recorded: Recorded) -> None:
    instances = [(s["instance"]["kernel"], s["instance"]["index"]) for s in recorded.steps if s["instance"]]
    distinct = dict.fromkeys((kernel, *index) for kernel, index in instances)
    assert [index for kernel, *index in distinct if kernel == "gelu_kernel"] == [[0], [3], [4]]
    assert [index for kernel, *index in distinct if kernel == "softmax_kernel"] == [[5]]


def test_a_launch_that_is_stepped_over_or_timed_leaves_no_instance(recorded: Recorded) -> None:
    assert len(accesses(recorded, "gelu_kernel")) == 4
    assert len(json.loads(recorded.trace.read_bytes())["instances"]) == 4 + 1 + 1 + 2 + 1 + 9


def test_two_recordings_are_equal_to_the_byte(recorded: Recorded, tmp_path: Path) -> None:
    assert record(tmp_path / "traces").read_bytes() == recorded.trace.read_bytes()


def test_show_says_it_to_people(recorded: Recorded) -> None:
    command = [sys.executable, "-m", "engine", "show", str(recorded.trace)]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "\n          reads a_ptr[0:64, 0:32], 2,048 elements\n" in shown


# ---------------------------------------------------------------- another Triton


def interpreter(*lacking: str) -> Any:
    """A stand-in for `triton.runtime.interpreter`, without some functions of its builder."""
    names = {*POINTERS, "create_masked_load", "create_masked_store", "create_atomic_rmw", "create_atomic_cas"}
    builder = type("InterpreterBuilder", (), dict.fromkeys(names - set(lacking), lambda *_: None))
    executor = type("GridExecutor", (), {"_init_args_hst": lambda *_: ([], {})})
    return SimpleNamespace(InterpreterBuilder=builder, GridExecutor=executor, _implicit_cvt=lambda argument: argument)


@pytest.mark.parametrize("wanted", [False, True])
def test_the_builder_is_its_own_except_while_an_instance_is_stepped_through(wanted: bool) -> None:
    module, hooks = interpreter(), MemoryHooks(SimpleNamespace())
    builder = module.InterpreterBuilder
    before = dict(vars(builder))
    hooks.install(module, Patches())
    hooks.launch(wanted)
    assert dict(vars(builder)) == before
    hooks.listen()
    replaced = {name for name, function in vars(builder).items() if before[name] is not function}
    assert replaced == ({name for name in before if name.startswith("create_")} if wanted else set())
    hooks.stop()
    assert dict(vars(builder)) == before


def test_a_triton_that_lacks_a_function_runs_unwatched_and_says_so() -> None:
    warnings: list[str] = []
    module, hooks = interpreter("create_addptr"), MemoryHooks(SimpleNamespace(warn=warnings.append))
    before = dict(vars(module.InterpreterBuilder))
    hooks.install(module, Patches())
    hooks.launch(True)
    hooks.listen()
    assert dict(vars(module.InterpreterBuilder)) == before and hooks.tensors == ()
    [warning] = warnings
    assert warning == "this version of Triton has another interpreter: what its kernels read and write is not recorded"


def test_what_goes_wrong_with_looking_is_said_and_the_kernel_runs() -> None:
    warnings: list[str] = []
    module, hooks = interpreter(), MemoryHooks(SimpleNamespace(warn=warnings.append))
    hooks.install(module, Patches())
    hooks.launch(True)
    hooks.listen()
    assert module.InterpreterBuilder().create_masked_load(SimpleNamespace(data="no pointers", attr={}), None) is None
    hooks.stop()
    [warning] = warnings
    assert warning.startswith("what the kernel reads and writes here could not be recorded: AttributeError: ")
