"""engine.renewal: a kernel whose file was saved is compiled anew, with the types of its last launch."""

import ast

import msgspec
import pytest

from engine.compile import Wanted, compile_all, recompile
from engine.renewal import renewed
from engine.request import Constant, Constexpr, CudaRequest, Function, Module, Named, TritonRequest
from tests.clocks import processor_seconds
from tests.engine.compiled import ROOT, compiled
from tests.engine.test_compile import gelu_job

SOURCE = """\
import triton
import triton.language as tl


@triton.jit
def copy(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, tl.load(x + i))
"""


def functions(work) -> dict[str, Function]:
    return {thing.name: thing for thing in work.objects if isinstance(thing, Function)}


def test_the_function_as_it_stands_now():
    work = renewed(gelu_job().work, {"k.py": SOURCE})
    [kernel] = functions(work).values()
    assert (kernel.line, kernel.source) == (6, "".join(SOURCE.splitlines(keepends=True)[5:]))
    assert (work.signature, work.constants) == (gelu_job().work.signature, gelu_job().work.constants)


def test_names_that_are_new_in_the_file():
    text = """\
import triton
import triton.language as tl
from triton.language.extra import libdevice

SCALE = tl.constexpr(2.5)
SHIFT = 3
SHIFT = 4


@triton.jit
def twice(x):
    return x + x


@triton.jit
def copy(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, libdevice.tanh(twice(tl.load(x + i))) * SCALE + SHIFT + other)
"""
    work = renewed(gelu_job().work, {"k.py": text})
    found = functions(work)
    names = {name: work.objects[number] for name, number in found["copy"].names.items()}
    assert names == {
        "tl": Module("triton.language"),
        "libdevice": Named("triton.language.extra", "libdevice"),
        "SCALE": Constexpr(work.objects.index(Constant("float", "2.5"))),
        "SHIFT": Constant("int", "4"),
        "twice": found["twice"],
    }
    assert found["twice"].source == "def twice(x):\n    return x + x\n"


def test_of_two_functions_of_one_name_the_one_that_is_like_it():
    twin = SOURCE.partition("\n\n\n")[2].replace("+ i))", "+ i) * 2)")
    text = "\n" * 6 + SOURCE.replace("x + i", "x + i + 1") + "\n\n" + twin  # the changed first is nearest to the second
    [kernel] = functions(renewed(gelu_job().work, {"k.py": text})).values()
    assert kernel.source == "".join(text.splitlines(keepends=True)[11:14])
    second = msgspec.structs.replace(kernel, line=14, source=twin.partition("\n")[2])
    work = msgspec.structs.replace(gelu_job().work, objects=(second, *gelu_job().work.objects[1:]))
    [kernel] = functions(renewed(work, {"k.py": text})).values()
    assert kernel.source == twin.partition("\n")[2]


HELPED = """\
import triton
import triton.language as tl

WIDTH = 8


@triton.jit
def times(x, by: tl.constexpr = 2, width=WIDTH, size=len("ab")):
    return x * by


@triton.jit
def copy(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, times(tl.load(x + i)))
"""


def helped() -> TritonRequest:
    """As captured from `HELPED`."""
    tree = [define for define in ast.parse(HELPED).body if isinstance(define, ast.FunctionDef)]
    times, copy = ("".join(HELPED.splitlines(keepends=True)[d.lineno - 1 : d.end_lineno]) for d in tree)
    objects = (
        Function("jit", "copy", "k.py", 13, copy, names={"tl": 1, "times": 2}, annotations={"N": "constexpr"}),
        Module("triton.language"),
        Function("jit", "times", "k.py", 8, times, {}, annotations={"by": "constexpr"}, defaults=(3, 4, 3)),
        Constant("int", "2"),
        Constant("int", "8"),
    )  # fmt: skip
    return msgspec.structs.replace(gelu_job().work, objects=(*objects, Constant("int", "32")), constants=(((2,), 5),))


def test_defaults_of_helpers():
    assert functions(renewed(helped(), {"k.py": HELPED}))["times"].defaults == (3, 4, 3)
    text = HELPED.replace("= 2,", "= -5,").replace("WIDTH = 8", "WIDTH = 16")
    work = renewed(helped(), {"k.py": text})
    told = [work.objects[number] for number in functions(work)["times"].defaults]
    assert told == [Constant("int", "-5"), Constant("int", "16"), Constant("int", "2")]
    with pytest.raises(LookupError, match=r"another default for size now, len\('abc'\); record the"):
        renewed(helped(), {"k.py": HELPED.replace('"ab"', '"abc"')})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def other(): pass\n", "k.py no longer has a function copy; record the lecture again"),
        (SOURCE.replace("(x, y,", "(x,"), "copy takes other arguments now; record the lecture again to learn"),
    ],
)
def test_what_another_launch_must_tell(text, reason):
    with pytest.raises(LookupError, match=reason):
        renewed(gelu_job().work, {"k.py": text})


def test_a_file_that_the_kernel_does_not_come_from_changes_nothing():
    assert renewed(gelu_job().work, {"other.py": "x = 1\n"}) == gelu_job().work


HELPER = """\
import triton


@triton.jit
def times(x):
    return x * 2
"""
CALLER = SOURCE.replace("tl.load(x + i)", "times(tl.load(x + i))").replace("\n\n", "\nfrom sub.h import times\n\n", 1)


def apart() -> Wanted:
    """`CALLER` in k.py, as captured, with `HELPER` in sub/h.py."""
    copy, times = (text.partition("@triton.jit\n")[2] for text in (CALLER, HELPER))
    objects = (
        Function("jit", "copy", "k.py", 7, copy, names={"tl": 1, "times": 3}, annotations={"N": "constexpr"}),
        Module("triton.language"),
        Constant("int", "32"),
        Function("jit", "times", "sub/h.py", 5, times),
    )
    return Wanted("copy", msgspec.structs.replace(gelu_job().work, objects=objects), "k.py", "0" * 64)


def test_a_helper_in_another_file():
    work = apart().work
    now = functions(renewed(work, {"sub/h.py": "\n" + HELPER.replace("x * 2", "x * 3")}))
    assert (now["times"].line, now["times"].source) == (6, "def times(x):\n    return x * 3\n")
    assert now["copy"] == functions(work)["copy"]
    both = functions(renewed(work, {"k.py": "\n" + CALLER, "sub/h.py": "\n" + HELPER}))
    assert (both["copy"].line, both["times"].line) == (8, 6)
    with pytest.raises(SyntaxError) as raised:
        renewed(work, {"sub/h.py": "def times(x\n"})
    assert raised.value.filename == "sub/h.py"


def test_headers():
    work = CudaRequest("k", "cuda/k.cu", "__global__ void k() {}\n", {"a.cuh": "int a;\n", "../b.h": "int b;\n"}, "")
    changed = renewed(work, {"b.h": "int c;\n", "a.cuh": "int d;\n"})
    assert (changed.source, changed.headers) == (work.source, {"a.cuh": "int a;\n", "../b.h": "int c;\n"})


def test_cuda():
    work = CudaRequest("k", "k.cu", "", {}, "")
    changed = renewed(work, {"k.cu": "void host() {}\n__global__ void k() {}\n"})
    assert changed.source == "              \n__global__ void k() {}\n"
    with pytest.raises(LookupError, match="the file no longer has a kernel k"):
        renewed(work, {"k.cu": "__global__ void other() {}\n"})


def test_recompile(tmp_path, compilers):
    [before] = compile_all({0: [gelu_job()]}, ["sm_90"], tmp_path, workers=compilers)[0]
    changed = SOURCE.replace("tl.load(x + i)", "tl.load(x + i) * 2")
    now = recompile(tmp_path, tmp_path, before.key, {"k.py": changed}, compilers)
    assert (now.target, now.stages, now.reason) == ("sm_90", before.stages, "")
    texts = [(tmp_path / "kernels" / key / "ptx").read_text() for key in (before.key, now.key)]
    assert ["add.f32" in text or "mul.f32" in text for text in texts] == [False, True]
    broken = recompile(tmp_path, tmp_path, now.key, {"k.py": "def copy(x, y, N:\n"}, compilers)
    assert broken.stages == ()
    assert broken.reason.startswith("k.py:1: SyntaxError: '(' was never closed\n")


def test_recompile_with_a_helper_in_another_file(tmp_path, compilers):
    [before] = compile_all({0: [apart()]}, ["sm_90"], tmp_path, workers=compilers)[0]
    assert (before.reason, before.sources) == ("", ("sub/h.py",))
    now = recompile(tmp_path, tmp_path, before.key, {"sub/h.py": HELPER.replace("x * 2", "x - 7")}, compilers)
    texts = [(tmp_path / "kernels" / key / "ptx").read_text() for key in (before.key, now.key)]
    assert (now.reason, now.sources, texts[0] != texts[1]) == ("", ("sub/h.py",), True)
    assert now.key.endswith("-00000000"), "the kernel's own file is as it was"
    broken = recompile(tmp_path, tmp_path, before.key, {"sub/h.py": "def times(x\n"}, compilers)
    assert broken.reason.startswith("sub/h.py:1: SyntaxError: '(' was never closed\n")


def test_recompile_what_was_not_kept(tmp_path):
    nothing = recompile(tmp_path, tmp_path, "none", {"k.py": SOURCE})
    assert nothing.reason.startswith("what it was compiled from was not kept")


def test_recompile_a_kernel_of_the_project(compilers):
    path = "kernels/softmax.py"
    text = (ROOT / path).read_text()
    key, store = compiled().variant("softmax_kernel").key, compiled().store
    same = recompile(store, store, key, {path: text}, compilers)
    assert same.key == key  # the same text is the same kernel
    again = processor_seconds(lambda: recompile(store, store, key, {path: text}, compilers))
    assert again < 1  # it is found by its text, and nothing is compiled
    other = recompile(store, store, key, {path: text.replace("tl.exp(x)", "tl.exp2(x)")}, compilers)
    assert (other.reason, other.stages) == ("", same.stages)
    assert other.key != key
