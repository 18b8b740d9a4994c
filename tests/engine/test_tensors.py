"""Tensors, modules and blocks of a kernel: what is recorded of each, and that looking disturbs nothing."""

import json
import math
import tracemalloc
import warnings
from types import SimpleNamespace

import pytest

from engine.trace import Array, Object, Scalar, Stats
from engine.values import ValueTable
from tests.clocks import processor_seconds
from tests.engine.snapshots import snapshot

torch = pytest.importorskip("torch", reason="torch is not installed")
numpy = pytest.importorskip("numpy", reason="numpy is not installed")

from torch.overrides import TorchFunctionMode  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

READABLE = {
    "bool": [True, False], "uint8": [1, 0], "int8": [1, 0], "uint16": [1, 0], "int16": [1, 0], "uint32": [1, 0],
    "int32": [1, 0], "uint64": [1, 0], "int64": [1, 0],
    "float16": [1.0, 0.0], "bfloat16": [1.0, 0.0], "float32": [1.0, 0.0], "float64": [1.0, 0.0],
    "float8_e4m3fn": [1.0, 0.0], "float8_e5m2": [1.0, 0.0],
    "float8_e4m3fnuz": [1.0, 0.0], "float8_e5m2fnuz": [1.0, 0.0],
    "complex32": ["1+0j", "0+0j"], "complex64": ["1+0j", "0+0j"], "complex128": ["1+0j", "0+0j"],
}  # fmt: skip
DTYPES = {str(dtype): dtype for dtype in vars(torch).values() if isinstance(dtype, torch.dtype)}


@pytest.mark.parametrize("name", READABLE)
@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
def test_elements_of(name):
    tensor = torch.tensor([1.0, 0.0]).to(getattr(torch, name))
    shown = snapshot(tensor)
    assert (shown.dtype, shown.shape, shown.device, shown.stride) == (f"torch.{name}", (2,), "cpu", (1,))
    assert json.dumps(shown.data) == json.dumps(READABLE[name])


@pytest.mark.parametrize("name", DTYPES)
def test_every_element_type_has_a_layout(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some element types are new, some are about to go
        tensor = torch.empty(2, 3, dtype=DTYPES[name])
    shown = snapshot(tensor)
    assert isinstance(shown, Array)
    assert (shown.dtype, shown.shape, shown.stride) == (name, (2, 3), (3, 1))
    assert (shown.data is None) == shown.truncated


@pytest.mark.parametrize("name", [n for n in READABLE if "float" in n] + ["float8_e8m0fnu"])
def test_every_bit_pattern_of_small_floats_reads_as_torch_reads_it(name):
    dtype = getattr(torch, name)
    bits = torch.arange(256, dtype=torch.uint8)
    if dtype.itemsize > 1:
        bits = torch.stack([bits] * dtype.itemsize, 1).reshape(-1)
    tensor = bits.view(dtype)
    ours = [x for part in tensor.split(16) for x in snapshot(part).data]
    for got, true in zip(ours, tensor.double().tolist(), strict=True):
        assert got == (true if math.isfinite(true) else repr(true)) or math.isclose(float(got), true, rel_tol=1e-3)


LAYOUTS = {
    "0 dimensions": (torch.tensor(3.5), 3.5),
    "0 dimensions, bfloat16": (torch.tensor(3.5, dtype=torch.bfloat16), 3.5),
    "matrix": (torch.arange(6).reshape(2, 3), [[0, 1, 2], [3, 4, 5]]),
    "transposed": (torch.arange(4).reshape(2, 2).T, [[0, 2], [1, 3]]),
    "expanded": (torch.tensor([1, 2]).expand(2, 2), [[1, 2], [1, 2]]),
    "every second": (torch.arange(6)[1::2], [1, 3, 5]),
    "empty": (torch.zeros(0), []),
    "empty rows": (torch.zeros(2, 0), [[], []]),
    "conjugate": (torch.tensor([1 + 2j]).conj(), ["1-2j"]),
    "negated": (torch.tensor([1 + 2j]).conj().imag, [-2.0]),
    "with gradient": (torch.tensor([1.0], requires_grad=True), [1.0]),
    "inside a graph": (torch.tensor([1.0], requires_grad=True) * 2, [2.0]),
    "parameter": (torch.nn.Parameter(torch.ones(1)), [1.0]),
    "not finite": (torch.tensor([math.nan, math.inf, 1.0]), ["nan", "inf", 1.0]),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout(name):
    tensor, data = LAYOUTS[name]
    shown = snapshot(tensor)
    assert (shown.type, shown.shape, shown.stride) == (type(tensor).__name__, tuple(tensor.shape), tensor.stride())
    assert (json.dumps(shown.data), shown.truncated) == (json.dumps(data), False)


def lazy_clone():
    return torch._lazy_clone(torch.ones(4))


def without_memory():
    tensor = torch.ones(100, 100)
    tensor.untyped_storage().resize_(0)
    return tensor


def quantised(per_channel=False):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch is about to give up quantised tensors
        if per_channel:
            scales, zeros = torch.tensor([0.5, 0.25]), torch.tensor([0, 0])
            return torch.quantize_per_channel(torch.ones(2, 2), scales, zeros, 0, torch.qint8)
        return torch.quantize_per_tensor(torch.tensor([0.5, -1.0]), 0.5, 2, torch.quint8)


def nested(layout, sizes=((2,), (3,))):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nested tensors are a prototype
        return torch.nested.nested_tensor([torch.ones(size) for size in sizes], layout=layout)


def narrowed():
    starts, lengths = torch.tensor([0, 1, 0]), torch.tensor([2, 3, 1])
    return torch.nested.narrow(torch.ones(3, 5), 1, starts, lengths, layout=torch.jagged)


def compressed():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # compressed sparse tensors are in beta
        return torch.eye(3).to_sparse_csr()


WITHOUT_ELEMENTS = {
    "meta": (lambda: torch.empty(3, device="meta"), "float32 [3] meta"),
    "sparse": (lambda: torch.eye(3).to_sparse(), "float32 [3, 3] sparse_coo"),
    "compressed sparse": (compressed, "float32 [3, 3] sparse_csr"),
    "mkldnn": (lambda: torch.ones(3, 3).to_mkldnn(), "float32 [3, 3] _mkldnn"),
    "quantised per channel": (lambda: quantised(per_channel=True), "qint8 [2, 2]"),
    "lazy clone": (lazy_clone, "float32 [4]"),
    "freed": (without_memory, "float32 [100, 100]"),
    "nested": (lambda: nested(torch.strided), "float32 [2, 2..3] nested"),
    "jagged": (lambda: nested(torch.jagged), "float32 [2, 2..3] nested"),
    "nested, of nothing": (lambda: nested(torch.strided, ()), "float32 [0] nested"),
    "nested matrices": (lambda: nested(torch.strided, ((2, 3), (4, 3))), "float32 [2, 2..4, 3] nested"),
    "jagged matrices": (lambda: nested(torch.jagged, ((2, 3), (4, 3))).transpose(1, 2), "float32 [2, 3, 2..4] nested"),
    "jagged narrowed": (narrowed, "float32 [3, 1..3] nested"),
    "uninitialized": (lambda: torch.nn.LazyLinear(2).weight, "float32 uninitialized"),
    "packed": (lambda: torch.zeros(3, dtype=torch.uint8).view(torch.float4_e2m1fn_x2), "float4_e2m1fn_x2 [3]"),
}


@pytest.mark.parametrize("name", WITHOUT_ELEMENTS)
def test_layout_alone(name):
    make, text = WITHOUT_ELEMENTS[name]
    shown = snapshot(make())
    assert (shown.text, shown.truncated, getattr(shown, "data", None)) == (text, True, None)


def test_lazy_clone_stays_lazy():
    clone = lazy_clone()
    snapshot(clone)
    assert torch._C._is_cow_tensor(clone)


def test_quantised_tensor_shows_the_numbers_it_stands_for():
    assert snapshot(quantised()).data == [0.5, -1.0]


def test_inside_vmap_and_grad():
    seen = []

    def look(x):
        seen.append(snapshot(x))
        return (x * x).sum()

    torch.vmap(look)(torch.ones(3, 2))
    torch.func.grad(look)(torch.ones(3, 2))
    assert [shown.text for shown in seen] == ["float32 [2] inside vmap or grad", "float32 [3, 2] inside vmap or grad"]


def test_fake_tensors():
    from torch._subclasses import FakeTensorMode

    with FakeTensorMode():
        shown = snapshot(torch.empty(3, 4))
    assert (shown.type, shown.text, shown.data) == ("FakeTensor", "float32 [3, 4]", None)


def test_symbolic_sizes_stay_symbols():
    from torch._subclasses import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    environment = ShapeEnv()
    with FakeTensorMode(shape_env=environment) as mode:
        size = environment.create_unbacked_symint()
        shown = snapshot(torch.empty(size, 3))
    assert (shown.text, environment.guards, mode is not None) == ("float32 [?, 3] strided", [], True)


def test_inference_tensor():
    with torch.inference_mode():
        assert snapshot(torch.ones(2)).data == [1.0, 1.0]


def test_large_tensor():
    tensor = torch.zeros(4096, 4096)
    tensor[1, 2] = math.nan
    shown = snapshot(tensor)
    assert (shown.text, shown.truncated, shown.data) == ("float32 [4096, 4096]", True, None)
    assert (len(shown.sample), len(shown.sample[0]), shown.stats.min, shown.stats.max) == (24, 24, 0.0, 0.0)
    assert shown.stats.count < tensor.numel()


def test_statistics():
    assert snapshot(torch.arange(100)).stats == Stats(0, 99, 49.5, 0, 0, 100)
    assert snapshot(torch.tensor([math.nan, math.inf, 2.0])).stats == Stats(2, 2, 2, 1, 1, 3)
    assert snapshot(torch.ones(100, dtype=torch.bfloat16)).stats == Stats(1, 1, 1, 0, 0, 100)


# ---------------------------------------------------------------- looking disturbs nothing


@pytest.mark.filterwarnings("ignore")  # the profiler warns of much
def test_no_operator_runs():
    ran = []

    class Dispatched(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            ran.append(func)
            return func(*args, **(kwargs or {}))

    class Called(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            ran.append(func)
            return func(*args, **(kwargs or {}))

    tensors = [tensor for tensor, _ in LAYOUTS.values()] + [torch.zeros(100, 100), torch.nn.Linear(2, 2)]
    with torch.profiler.profile() as profile, Dispatched(), Called():
        for tensor in tensors:
            snapshot(tensor)
    assert ran == [] and [event.name for event in profile.events()] == []


def test_no_subclass_is_asked():
    asked = []

    class Loud(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            asked.append(func)
            return super().__torch_function__(func, types, args, kwargs)

        def __repr__(self, **kwargs):
            raise AssertionError("asked")

    loud = torch.ones(2).as_subclass(Loud)
    asked.clear()
    assert (snapshot(loud).type, snapshot(loud).data, asked) == ("Loud", [1.0, 1.0], [])


@pytest.mark.parametrize(("policies", "text"), [
    ({}, "float32 [2, 3]"), ({"dispatch_device": True}, "float32 [2, 3]"),
    ({"dispatch_sizes_strides_policy": "strides"}, "float32 [2, 3]"),
    ({"dispatch_sizes_strides_policy": "sizes"}, "float32 strided"),
], ids=["plain", "device", "strides", "sizes"])  # fmt: skip
def test_no_wrapper_is_asked(policies, text):
    asked = []

    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls, policies):
            return torch.Tensor._make_wrapper_subclass(cls, (2, 3), **policies)

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            asked.append(func)
            raise NotImplementedError(func)

    class Watching(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            asked.append(func)
            return func(*args, **(kwargs or {}))

    wrapper = Wrapper(policies)
    asked.clear()
    with Watching():
        shown = snapshot(wrapper)
    assert (shown.type, shown.text, getattr(shown, "data", None), asked) == ("Wrapper", text, None, [])


def test_autograd_and_random_numbers_do_not_notice():
    leaf = torch.ones(10, 10, requires_grad=True)
    product = leaf * 2
    state, version, node = torch.get_rng_state(), product._version, product.grad_fn
    for tensor in (leaf, product, product.detach()):
        snapshot(tensor)
    assert torch.equal(torch.get_rng_state(), state)
    assert (product._version, product.grad_fn, leaf.grad, torch.is_grad_enabled()) == (version, node, None, True)
    product.sum().backward()
    assert torch.equal(leaf.grad, torch.full((10, 10), 2.0))


def test_compiled_functions_do_not_notice():
    dynamo = pytest.importorskip("torch._dynamo", reason="this torch has no torch.compile")
    graphs = []

    def backend(module, inputs):
        graphs.append(module)
        return module

    compiled = torch.compile(lambda x: (x * 2).relu(), backend=backend)
    x = torch.ones(10)
    for _ in range(3):
        snapshot(x)
        snapshot(compiled(x))
    assert len(graphs) == 1
    dynamo.reset()


def test_tensor_is_not_copied():
    tensor = torch.zeros(4096, 4096)
    snapshot(tensor)
    tracemalloc.start()
    snapshot(tensor)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000


def test_large_tensor_is_looked_at_sooner_than_its_elements_are_added_up():
    tensor = torch.randn(4096, 4096)
    assert processor_seconds(lambda: snapshot(tensor)) < processor_seconds(tensor.sum)


# ---------------------------------------------------------------- modules


def test_module():
    table = ValueTable()
    shown = table.values[table.add(torch.nn.Linear(4096, 4096))]
    assert (shown.type, shown.text) == ("Linear", "Linear with 16,781,312 parameters")
    parts = {name: table.values[number].text for name, number in shown.fields}
    assert parts == {
        "training": "True", "in_features": "4096", "out_features": "4096",
        "weight": "float32 [4096, 4096]", "bias": "float32 [4096]",
    }  # fmt: skip


def test_module_of_modules():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = torch.nn.Linear(2, 3, bias=False)
            self.again = self.first
            self.tied = torch.nn.Linear(2, 3, bias=False)
            self.tied.weight = self.first.weight
            self.register_buffer("mask", torch.ones(2))
            self.width = 3

        def extra_repr(self):
            raise AssertionError("asked")

        @property
        def size(self):
            raise AssertionError("asked")

    table = ValueTable()
    shown = table.values[table.add(Net())]
    assert shown.text == "Net with 6 parameters"
    assert [name for name, _ in shown.fields] == ["training", "width", "mask", "first", "again", "tied"]
    assert isinstance(table.values[dict(shown.fields)["first"]], Object)


def test_module_not_yet_initialised():
    assert snapshot(torch.nn.LazyLinear(3)).text == "LazyLinear with 0 parameters"


def test_module_with_very_many_parts(monkeypatch):
    monkeypatch.setattr("engine.modules.WALKED", 50)
    shown = snapshot(torch.nn.ModuleList(torch.nn.Linear(1, 1, bias=False) for _ in range(120)))
    assert (shown.text, len(shown.fields), shown.truncated) == ("ModuleList with over 49 parameters", 100, True)


def test_values_of_torch_that_are_no_tensors():
    assert snapshot(torch.float32) == Scalar("dtype", "torch.float32")
    assert snapshot(torch.device("cpu")) == Scalar("device", "device(type='cpu')")
    assert snapshot(torch.ones(2, 3).shape).text == "Size([2, 3])"
    assert snapshot(torch.ones(2, 2).max(0)).text == "max(values=float32 [2], indices=int64 [2])"
    assert snapshot(torch.Generator()) == Scalar("Generator", "<Generator object>")


# ---------------------------------------------------------------- blocks of a kernel in the interpreter


def block(array, dtype, kind=None):
    """What a kernel sees while triton's interpreter runs it."""
    tl = pytest.importorskip("triton.language", reason="triton is not installed")
    from triton.runtime.interpreter import TensorHandle

    element = getattr(tl, dtype) if isinstance(dtype, str) else dtype
    return tl.core.tensor(TensorHandle(array, element), kind or tl.block_type(element, list(array.shape)))


def test_block():
    shown = snapshot(block(numpy.arange(4, dtype="float32"), "float32"))
    assert (shown.type, shown.text, shown.dtype, shown.data) == ("tensor", "fp32 [4]", "fp32", [0.0, 1.0, 2.0, 3.0])
    assert snapshot(block(numpy.array([True, False]), "int1")).data == [True, False]
    assert snapshot(block(numpy.arange(1024, dtype="int32"), "int32")).sample[0][:2] == [17, 60]


def test_a_mask_is_of_truth_values_though_the_interpreter_keeps_it_in_integers():
    tl = pytest.importorskip("triton.language", reason="triton is not installed")
    mask = snapshot(block(numpy.array([1, 0], "int32"), "int32", tl.block_type(tl.int1, [2])))
    assert (mask.dtype, mask.data) == ("int1", [True, False])


def test_block_of_elements_that_numpy_does_not_know():
    assert snapshot(block(numpy.array([0x3F80, 0xC000], "uint16"), "bfloat16")).data == [1.0, -2.0]
    assert snapshot(block(numpy.array([0x38, 0xC0], "uint8"), "float8e4nv")).data == [1.0, -2.0]
    assert snapshot(block(numpy.array([1], "uint8"), "float8e4b15")).data is None


def test_scalar_of_a_kernel():
    tl = pytest.importorskip("triton.language", reason="triton is not installed")
    shown = snapshot(block(numpy.array([7], "int32"), "int32", tl.int32))
    assert (shown.text, shown.shape, shown.data) == ("7", (), 7)


def test_block_of_pointers_shows_no_addresses():
    tl = pytest.importorskip("triton.language", reason="triton is not installed")
    pointers = block(numpy.arange(128, dtype="uint64"), tl.pointer_type(tl.float32))
    text = "pointer<fp32> [128]"
    assert snapshot(pointers) == Array("tensor", text, (128,), "pointer<fp32>", stride=(1,), truncated=True)


def test_descriptor_of_a_tensor_shows_its_type_and_no_address():
    tl = pytest.importorskip("triton.language", reason="triton is not installed")
    base = block(numpy.array([2**40], dtype="uint64"), tl.pointer_type(tl.float32)).handle
    shown = snapshot(tl.core.tensor_descriptor_base(SimpleNamespace(base=base), tl.block_type(tl.float32, [16, 32])))
    assert (shown.type, shown.text) == ("tensor_descriptor_base", "tensor_descriptor<<['16', '32'], fp32>>")


# ---------------------------------------------------------------- tensors on a GPU

on_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no NVIDIA GPU")


@pytest.mark.gpu
@on_gpu
def test_tensor_on_a_gpu():
    small = torch.arange(6, device="cuda").reshape(2, 3)
    large = torch.arange(2**24, device="cuda").reshape(4096, 4096).float()
    large[0, 0] = math.nan
    assert (snapshot(small).data, snapshot(small).device) == ([[0, 1, 2], [3, 4, 5]], "cuda:0")
    shown, near = snapshot(large), snapshot(large.cpu())
    assert (shown.text, shown.sample) == ("float32 [4096, 4096] cuda:0", near.sample)
    assert shown.stats == near.stats


@pytest.mark.gpu
@on_gpu
@pytest.mark.parametrize("name", READABLE)
@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
def test_element_types_on_a_gpu(name):
    tensor = torch.arange(2.0).repeat(50, 50).to(getattr(torch, name))
    shown, near = snapshot(tensor.cuda()), snapshot(tensor)
    assert (shown.sample, shown.stats and shown.stats.mean) == (near.sample, near.stats.mean)


@pytest.mark.gpu
@on_gpu
def test_of_a_gpu_tensor_only_what_is_shown_is_copied():
    tensor = torch.zeros(8192, 8192, device="cuda")
    snapshot(tensor)
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    snapshot(tensor)
    assert torch.cuda.max_memory_allocated() - before < 2_000_000 and torch.cuda.memory_allocated() == before


@pytest.mark.gpu
@on_gpu
@pytest.mark.filterwarnings("ignore:Synchronization debug mode is a prototype")
def test_looking_at_a_gpu_tensor_breaks_no_capture_and_passes_synchronisation_checks():
    tensor, graph = torch.ones(1000, device="cuda"), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        product = tensor * 2
        assert snapshot(tensor).sample is None
    graph.replay()
    torch.cuda.set_sync_debug_mode("error")
    try:
        assert snapshot(product).sample[0][0] == 2
        assert torch.cuda.get_sync_debug_mode() == 2
    finally:
        torch.cuda.set_sync_debug_mode(0)


@pytest.mark.gpu
@on_gpu
def test_autograd_and_random_numbers_of_a_gpu_do_not_notice():
    leaf = torch.ones(100, 100, device="cuda", requires_grad=True)
    product = leaf * 2
    state, version = torch.cuda.get_rng_state(), product._version
    snapshot(product)
    assert torch.equal(torch.cuda.get_rng_state(), state) and product._version == version
    product.sum().backward()
    assert leaf.grad.eq(2).all()


def test_a_scripted_module_has_the_parameters_it_was_made_of():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch is about to give up scripts
        scripted = torch.jit.script(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2)))
    assert snapshot(scripted).text == "RecursiveScriptModule with 10 parameters"
