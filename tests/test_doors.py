"""The one-way doors between the pieces, proved from what their files import and from what a fresh process loads."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PIECES = ("lectures", "engine", "viewer", "kernels")
ALLOWED_TOP = {"lectures", "engine", "viewer", "kernels", "tests", "pyproject.toml", "README.md", "Makefile", "LICENSE",
               "CHANGELOG.md", "constraints.txt"}  # fmt: skip


def imports(file: Path) -> Iterator[str]:
    """Dotted names of the modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}: relative import"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def all_imports(piece: str) -> set[str]:
    return {name for file in (ROOT / piece).rglob("*.py") for name in imports(file)}


def of(names: set[str], *pieces: str) -> set[str]:
    return {name for name in names if name.split(".")[0] in pieces}


def test_the_engine_knows_nothing_of_viewer_kernels_and_lectures() -> None:
    assert of(all_imports("engine"), "viewer", "kernels", "lectures", "tests") == set()


def test_the_viewer_knows_only_the_format() -> None:
    names = all_imports("viewer")
    assert of(names, "kernels", "lectures", "tests", "torch", "triton", "numpy") == set()
    beyond = {name for name in of(names, "engine") if not name.startswith("engine.trace")}
    assert beyond <= {"engine", "engine.errors", "engine.errors.TraceError"}


def test_kernels_need_torch_and_triton_only() -> None:
    third_party = {name.split(".")[0] for name in all_imports("kernels")} - set(sys.stdlib_module_names)
    assert third_party <= {"kernels", "torch", "triton", "cuda", "numpy"}


def test_a_lecture_imports_the_authoring_api_only() -> None:
    names = {name for file in (ROOT / "lectures").glob("*.py") for name in imports(file)}
    inner = {name for name in of(names, "engine") if name.count(".") > 1}
    assert inner == set()
    assert of(names, "viewer", "tests") == set()


def test_the_trace_depends_on_nothing_else() -> None:
    """It reads legacy traces through a module that imports it, so that import waits until it is needed."""
    names = set(imports(ROOT / "engine/trace.py"))
    assert {name for name in of(names, "engine") if name.count(".") == 1} <= {"engine.errors", "engine.legacy"}


def test_the_tracer_knows_nothing() -> None:
    names = {name.split(".")[0] for name in imports(ROOT / "engine/tracer.py")}
    assert names - set(sys.stdlib_module_names) == {"engine"}
    assert not names & {"io", "pathlib", "json", "os", "pickle"}


@pytest.mark.parametrize("module", ["viewer.app", "viewer.cli", "engine.trace", "engine.cli", "engine.runner"])
def test_light_modules_load_nothing_heavy(module: str) -> None:
    program = f"import sys, {module}; print(*sorted(set(sys.modules) & {{'torch', 'triton', 'numpy', 'altair'}}))"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""


def test_a_lecture_starts_with_what_recording_needs(tmp_path: Path) -> None:
    """What is imported before a lecture's first line is what its author waits for."""
    lecture = tmp_path / "lecture.py"
    lecture.write_text("import sys\ndef main():\n    print(*sys.modules)\n")
    bare = subprocess.run([sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True,
                          check=True)  # fmt: skip
    run = subprocess.run([sys.executable, "-m", "engine", lecture, "-o", tmp_path], cwd=ROOT, capture_output=True,
                         text=True, check=True)  # fmt: skip
    loaded = set(run.stdout.split()) - set(bare.stdout.split())
    foreign = {name.split(".")[0] for name in loaded} - set(sys.stdlib_module_names)
    assert foreign <= {"engine", "lecture", "msgspec", "typing_extensions"}
    assert not loaded & {"asyncio", "concurrent", "email", "http", "logging", "multiprocessing", "ssl", "xml"}
    assert not loaded & {f"engine.{name}" for name in ("api", "assets", "downloads", "figures", "graphs", "legacy",
                         "processes", "profiles", "show", "triton_compiler", "watching")}  # fmt: skip


@pytest.mark.parametrize("module", ["viewer.cli", "viewer.export"])
def test_an_export_starts_without_the_server(module: str) -> None:
    program = f"import sys, {module}; print(*{{name.split('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not set(run.stdout.split()) & {"fastapi", "pydantic", "starlette", "uvicorn"}


def test_the_top_level() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no git checkout")
    top = {line.split("/")[0] for line in listed.stdout.splitlines()}
    assert {name for name in top if not name.startswith(".")} <= ALLOWED_TOP
