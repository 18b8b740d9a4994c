"""Tensors of torch, read without an operator that anybody could notice.

A tensor in the CPU's memory is read where it lies, through numpy: no operator runs, so neither autograd, a
`__torch_function__`, a dispatch mode, a profiler, a random generator nor torch.compile learns of it. From a GPU the
elements that are shown are gathered there, and these alone are copied, into ordinary memory.
"""

import math
import sys
from functools import cache, partial
from typing import Any

from engine import anatomy, nested
from engine.cells import is_small
from engine.elements import THIN, Elements, Layout, assemble, assemble_gathered, grid, number, thinned
from engine.formats import TORCH, Decode
from engine.trace import Array, Scalar, Stats, Value

GATHERING = ("cuda", "mps", "xpu")
"Devices that can be asked for elements; on others that would set postponed work going."


def library() -> dict[str, Any] | None:
    """The names of torch, where the program has imported it."""
    torch = sys.modules.get("torch")
    names = None if torch is None else anatomy.instance_dict(torch)
    return names if names and "Tensor" in names and "_C" in names else None


def describe(value: object, cls: type, sampled: bool) -> Value | None:
    """The value of a tensor; None for what is no tensor. `sampled` as in `arrays.describe`."""
    torch = library()
    if torch is None or not anatomy.descends(cls, torch["_C"].TensorBase):
        return None
    with torch["_C"].DisableTorchFunction(), _silence(torch, value):
        return _describe(_Tensor(torch, value), anatomy.class_name(cls), sampled)


def _silence(torch: dict[str, Any], value: Any) -> Any:
    """A context in which neither the tensor's class nor a mode is asked to dispatch anything.

    A subclass may want to be asked even for its size; only a mode on top of all others keeps the question from it.
    """
    keys = torch["_C"]._dispatch_keys(value)
    if keys.has(torch["_C"].DispatchKey.Python):
        return _refusal()()
    return torch["_C"]._DisableTorchDispatch()


@cache
def _refusal() -> Any:
    mode = sys.modules["torch.utils._python_dispatch"].TorchDispatchMode
    return type("Refusal", (mode,), {"__torch_dispatch__": _refuse})


def _refuse(_mode: Any, operator: Any, *_arguments: Any) -> Any:
    raise NotImplementedError(operator)


def _describe(tensor: "_Tensor", name: str, sampled: bool) -> Value:
    """What torch's own methods say of a tensor: its layout, and the elements where they can be had."""
    short = tensor.dtype.removeprefix("torch.")
    if tensor.uninitialised():
        return Scalar(name, f"{short} uninitialized", True)
    ragged = nested.lengths(tensor.tensor, tensor.base)
    if ragged is not None:
        return Scalar(name, f"{short} [{', '.join(ragged)}] nested", True)
    try:
        shape = tuple(tensor.base.shape.__get__(tensor.tensor))
    except (NotImplementedError, RuntimeError):  # one that computes it
        return Scalar(name, f"{short} {tensor.kind}", True)
    if not all(type(n) is int for n in shape):  # asking a symbol for its number would commit the program to it
        sizes = ", ".join(str(n) if type(n) is int else "?" for n in shape)
        return Scalar(name, f"{short} [{sizes}] {tensor.kind}", True)
    layout = Layout(name, shape, tensor.dtype, tensor.device, tensor.stride(), tensor.note())
    if layout.note or not (sampled or is_small(shape)):
        return assemble(layout, None)
    if tensor.device.partition(":")[0] in GATHERING and not tensor.pretends() and math.prod(shape):
        with tensor.torch["no_grad"]():
            return _gathered(tensor, layout)
    return assemble(layout, tensor.elements(shape, layout.stride))


class _Tensor:
    """A tensor by the methods of torch's own base class, whatever its subclass makes of them."""

    def __init__(self, torch: dict[str, Any], tensor: Any) -> None:
        self.torch = torch
        self.tensor = tensor
        self.base = torch["_C"].TensorBase
        self.dtype = str(self.base.dtype.__get__(tensor))
        self.device = self._device()
        self.kind = self._kind()

    def _device(self) -> str:
        try:
            return str(self.base.device.__get__(self.tensor))
        except NotImplementedError:  # a tensor that only pretends to be on a device keeps it among its attributes
            kept = (anatomy.instance_dict(self.tensor) or {}).get("_fake_device")
            return str(kept) if type(kept) is self.torch["device"] else ""

    def _kind(self) -> str:
        try:
            return str(self.base.layout.__get__(self.tensor)).removeprefix("torch.")
        except NotImplementedError:
            return "in a layout of its own"

    def uninitialised(self) -> bool:
        """Whether it is a parameter or buffer that has no shape yet; torch's base class says `[0]`."""
        parameters = sys.modules.get("torch.nn.parameter")
        names = None if parameters is None else anatomy.instance_dict(parameters)
        mark = names.get("UninitializedTensorMixin") if names else None
        return mark is not None and anatomy.descends(type(self.tensor), mark)

    def note(self) -> str:
        """Why no elements are shown of a tensor that may have some; empty for an ordinary one."""
        if self.kind != "strided":
            return self.kind
        if self.torch["_C"]._functorch.is_functorch_wrapped_tensor(self.tensor):
            return "inside vmap or grad"
        return "inside functionalization" if self.torch["_is_functional_tensor"](self.tensor) else ""

    def stride(self) -> tuple[int, ...] | None:
        try:
            return tuple(self.base.stride(self.tensor)) if self.kind == "strided" else None
        except NotImplementedError:
            return None

    def pretends(self) -> bool:
        """Whether the tensor's memory is not where the tensor says it is."""
        try:
            return str(self.base.untyped_storage(self.tensor).device) != self.device
        except (NotImplementedError, RuntimeError):  # it has none
            return True

    def elements(self, shape: tuple[int, ...], stride: tuple[int, ...] | None) -> Elements | None:
        """The elements where they lie in the CPU's memory; None where they lie elsewhere or in a form of their own."""
        known = TORCH.get(self.dtype.removeprefix("torch."))
        numpy = sys.modules.get("numpy")
        if known is None or numpy is None:
            return None
        if not math.prod(shape):
            return Elements(numpy.empty(shape, "f4"), known.digits)
        address = self._address(shape, stride) if stride is not None else 0
        decode = self._dequantising() if self.base.is_quantized.__get__(self.tensor) else known.decode
        if stride is None or not address or (decode is None and self.base.is_quantized.__get__(self.tensor)):
            return None
        strides = tuple(self.base.element_size(self.tensor) * n for n in stride)
        array = numpy.asarray(_Memory(address, known.code, shape, strides))
        return Elements(array, known.digits, self._resolving(decode))

    def _address(self, shape: tuple[int, ...], stride: tuple[int, ...]) -> int:
        """Where the first element lies; 0 where none does, or where asking would make torch copy a lazy clone."""
        if self.pretends() or self.torch["_C"]._is_cow_tensor(self.tensor):
            return 0
        storage, size = self.base.untyped_storage(self.tensor), self.base.element_size(self.tensor)
        first = self.base.storage_offset(self.tensor)
        last = first + sum((n - 1) * step for n, step in zip(shape, stride, strict=True))
        if storage.device.type != "cpu" or (last + 1) * size > storage.nbytes():
            return 0
        try:
            start = int(storage.data_ptr())
        except RuntimeError:  # a subclass that wraps others' memory has none of its own
            return 0
        return start + first * size if start else 0

    def _dequantising(self) -> Decode | None:
        """From stored integers to the numbers they stand for; None without one scale for all of them."""
        try:
            return partial(_dequantised, self.base.q_scale(self.tensor), self.base.q_zero_point(self.tensor))
        except RuntimeError:
            return None

    def _resolving(self, decode: Decode | None) -> Decode | None:
        """`decode`, and then the conjugation and negation that the tensor has put off."""
        conjugate, negative = self.base.is_conj(self.tensor), self.base.is_neg(self.tensor)
        return partial(_resolved, decode, conjugate, negative) if conjugate or negative else decode


class _Memory:
    """Memory as numpy accepts it; read only while the tensor it belongs to is held."""

    def __init__(self, address: int, code: str, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
        order = "|" if code in ("?", "u1", "i1") else "<" if sys.byteorder == "little" else ">"
        kind = order + code.replace("?", "b1")
        self.__array_interface__ = {
            "version": 3, "data": (address, True), "typestr": kind, "shape": shape, "strides": strides,
        }  # fmt: skip


def _dequantised(scale: float, zero: int, stored: Any) -> Any:
    return (stored.astype("f8") - zero) * scale


def _resolved(decode: Decode | None, conjugate: bool, negative: bool, stored: Any) -> Any:
    numbers = decode(stored) if decode is not None else stored
    numbers = numbers.conj() if conjugate else numbers
    return -numbers if negative else numbers


def _gathered(tensor: _Tensor, layout: Layout) -> Array:
    """A tensor in a GPU's memory: elements and statistics are taken there, in the stream the program is using."""
    torch, cuda = tensor.torch, tensor.device.startswith("cuda")
    if cuda and torch["cuda"].is_current_stream_capturing():
        return assemble(layout, None)  # a copy would end the capture
    watched = torch["cuda"].get_sync_debug_mode() if cuda else 0
    try:
        if watched:
            torch["cuda"].set_sync_debug_mode(0)
        slices = () if is_small(layout.shape) else grid(layout.shape)
        part = tensor.base.contiguous(tensor.base.__getitem__(tensor.tensor, (*slices, ...)))
        near = _Tensor(torch, tensor.base.cpu(tensor.base.resolve_neg(tensor.base.resolve_conj(part))))
        elements = near.elements(tuple(near.base.shape.__get__(near.tensor)), near.stride())
        if elements is None or is_small(layout.shape):
            return assemble(layout, elements)
        return assemble_gathered(layout, elements, _statistics(tensor, layout))
    finally:
        if watched:
            torch["cuda"].set_sync_debug_mode(watched)


def _statistics(tensor: _Tensor, layout: Layout) -> Stats | None:
    """Statistics computed on the tensor's own device; five numbers are copied."""
    torch = tensor.torch
    if "complex" in tensor.dtype:
        return None
    part = tensor.base.__getitem__(tensor.tensor, (*thinned(layout.shape, exact=THIN), ...))
    wide = tensor.base.to(part, torch["float32" if tensor.device.startswith("mps") else "float64"])
    finite, inf = torch["isfinite"](wide), math.inf
    low, high = torch["where"](finite, wide, inf).amin(), torch["where"](finite, wide, -inf).amax()
    sums = [torch["where"](finite, wide, 0.0).sum(), finite.sum(), torch["isnan"](wide).sum()]
    sums = [tensor.base.to(part, wide.dtype) for part in sums]
    low, high, total, counted, nan = torch["stack"]([low, high, *sums]).tolist()
    count = math.prod(tensor.base.shape.__get__(part))
    mean = number(total / counted) if counted else None
    return Stats(number(low), number(high), mean, int(nan), count - int(counted) - int(nan), count)
