"""A tensor of every element type, layout and kind that torch has; each is inspected, and says what it is."""

import gc
import json
import warnings

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

warnings.simplefilter("ignore")


class Sub(torch.Tensor):
    """A subclass that would mislead."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        raise RuntimeError(f"asked for {function}")


def element_types():
    return sorted({d for d in vars(torch).values() if isinstance(d, torch.dtype)}, key=str)


def made(shape, dtype):
    """An uninitialised tensor, or a quantised one; None where torch itself makes none."""
    try:
        return torch.zeros(shape, dtype=dtype)
    except (RuntimeError, NotImplementedError, TypeError):
        pass
    try:
        if "q" in str(dtype):
            return torch.quantize_per_tensor(torch.zeros(shape), 0.5, 1, dtype)
        return torch.empty(shape, dtype=dtype)
    except (RuntimeError, NotImplementedError, TypeError):
        return None


def every():
    """Name and tensor."""
    for dtype in element_types():
        for shape in ((), (0,), (2, 3), (40, 50)):
            tensor = made(shape, dtype)
            if tensor is None:
                tensor = torch.empty(shape, dtype=dtype, device="meta") if "q" not in str(dtype) else None
            if tensor is not None:
                yield f"{dtype} {shape}", tensor
    x = torch.arange(6.0).reshape(2, 3)
    yield "sparse coo", x.to_sparse()
    yield "sparse coo uncoalesced", torch.sparse_coo_tensor([[0, 0], [1, 1]], [1.0, 2.0], (2, 3))
    yield "sparse csr", x.to_sparse_csr()
    yield "sparse csc", x.to_sparse_csc()
    yield "sparse bsr", torch.eye(4).to_sparse_bsr((2, 2))
    yield "sparse bsc", torch.eye(4).to_sparse_bsc((2, 2))
    yield "mkldnn", torch.eye(4).to_mkldnn()
    yield "meta", torch.empty(3, 4, device="meta")
    yield "per channel", torch.quantize_per_channel(x, torch.tensor([0.1, 0.2]), torch.tensor([0, 0]), 0, torch.qint8)
    yield "nested", torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)])
    yield "transposed", x.T
    yield "channels last", torch.zeros(1, 2, 3, 4).to(memory_format=torch.channels_last)
    yield "expanded", torch.zeros(1).expand(1000, 1000, 1000)
    yield "strided", torch.arange(100)[::7]
    yield "conjugate", torch.tensor([1 + 2j]).conj()
    yield "negative", torch.tensor([1 + 2j]).conj().imag
    yield "leaf", torch.zeros(2, requires_grad=True)
    yield "of a graph", torch.zeros(2, requires_grad=True) * 2
    yield "parameter", torch.nn.Parameter(torch.zeros(2))
    yield "buffer", torch.nn.Buffer(torch.zeros(2))
    yield "subclass", torch.zeros(2, 2).as_subclass(Sub)
    yield "view of bytes", torch.zeros(8, dtype=torch.uint8).view(torch.bfloat16)
    freed = torch.zeros(40, 50)
    freed.untyped_storage().resize_(0)
    yield "freed", freed
    with torch.inference_mode():
        yield "inference", torch.zeros(3)
    with FakeTensorMode():
        yield "fake", torch.zeros(3, 4)


def told(name, x):
    base = torch._C.TensorBase
    with torch._C.DisableTorchFunction():
        try:
            shape = list(base.shape.__get__(x))
        except (RuntimeError, NotImplementedError):
            shape = None
        shape = shape if shape is not None and all(type(n) is int for n in shape) else None
        print(json.dumps([name, type(x).__name__, shape, str(base.dtype.__get__(x))]))


def inside(x):
    y = x  # @inspect y
    told("functorch", x)
    return (x * x).sum()


def main():
    for name, x in every():
        y = x  # @inspect y
        told(name, x)
    torch.vmap(inside)(torch.zeros(3, 2))
    torch.func.grad(inside)(torch.zeros(2))
    large = torch.zeros(3000, 3000)
    gc.collect()
    before = large.data_ptr(), large._version, torch.get_rng_state().sum()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as seen:
        y = large  # @inspect y
        y = large.T  # @inspect y
    ran = sorted({event.key for event in seen.key_averages() if event.key.startswith("aten::")} - {"aten::transpose"})
    same = before == (large.data_ptr(), large._version, torch.get_rng_state().sum())
    print(json.dumps(["taken", [key for key in ran if key not in ("aten::t", "aten::numpy_T", "aten::permute",
                      "aten::as_strided")], same, large.is_pinned()]))  # fmt: skip
