"""Arrays and tensors as values: their layout, and their elements as far as they are shown.

numpy, torch, triton, cupy and jax are recognised through `sys.modules`; none is ever imported here.
"""

import hashlib
import sys
from typing import Any

import msgspec

from engine import anatomy, display, tensors
from engine.cells import is_small
from engine.elements import Elements, Layout, assemble
from engine.formats import DIGITS, TRITON
from engine.trace import Array, Scalar, Value


def key(value: Array) -> bytes:
    """What arrays that read alike share."""
    return hashlib.blake2b(msgspec.json.encode(value), digest_size=16).digest()


def describe(value: object, cls: type, sampled: bool = True) -> Value | None:
    """The value of an array, a tensor or a scalar of numpy; None for what is none of these.

    With `sampled` false, no elements of a large array are looked at.
    """
    if _is_a(cls, "numpy", "ndarray"):
        return _of_numpy(value, cls, sampled)
    if _is_a(cls, "numpy", "generic") and not issubclass(cls, (str, bytes)):
        return _of_numpy(sys.modules["numpy"].asarray(value), cls, sampled)
    if any(_is_a(cls, "triton.language.core", name) for name in ("tensor", "tensor_descriptor_base")):
        return _of_triton(value, cls)
    if _is_a(cls, "cupy", "ndarray") or _is_a(cls, "jax", "Array"):
        return _layout_only(value, cls)
    return tensors.describe(value, cls, sampled)


def _is_a(cls: type, module: str, name: str) -> bool:
    """Whether `cls` descends from a class of a module that the program has imported."""
    found = sys.modules.get(module)
    names = None if found is None else anatomy.instance_dict(found)
    known = names.get(name) if names else None
    return known is not None and anatomy.descends(cls, known)


def _of_numpy(value: Any, cls: type, sampled: bool) -> Array:
    """An array of any subclass, looked at as the plain `numpy.ndarray` it is."""
    numpy = sys.modules["numpy"]
    plain = numpy.ndarray.view(value, numpy.ndarray)
    layout = Layout(anatomy.class_name(cls), plain.shape, str(plain.dtype), stride=_elements_apart(plain))
    if not sampled and not is_small(plain.shape):
        return assemble(layout, None)
    return assemble(layout, Elements(plain, _digits(plain), mask=_mask(value, cls, numpy)))


def _digits(array: Any) -> int:
    return DIGITS.get((array.dtype.kind, array.itemsize), 17)


def _elements_apart(array: Any) -> tuple[int, ...] | None:
    """Strides in elements; None where they are no whole numbers of elements, as in a field of records."""
    size = array.itemsize
    if not size or any(stride % size for stride in array.strides):
        return None
    return tuple(stride // size for stride in array.strides)


def _mask(value: object, cls: type, numpy: Any) -> Any:
    """Which elements of a masked array, or which of their fields, do not count; None where all do."""
    if not _is_a(cls, "numpy.ma", "MaskedArray"):
        return None
    mask: Any = (anatomy.instance_dict(value) or {}).get("_mask")
    return numpy.asarray(mask) if type(mask) in (numpy.ndarray, numpy.void) else None


def _of_triton(value: object, cls: type) -> Value:
    """A block or scalar inside a kernel that triton's interpreter runs: its handle holds a numpy array."""
    attributes = anatomy.instance_dict(value) or {}
    name, handle = anatomy.class_name(cls), anatomy.instance_dict(attributes.get("handle")) or {}
    array: Any = handle.get("data")
    numpy = sys.modules.get("numpy")
    if numpy is None or type(array) is not numpy.ndarray:
        return Scalar(name, display.one_line(str(attributes.get("type")))[0])
    if anatomy.class_name(type(attributes.get("type"))) != "block_type" and array.size == 1:
        array = array.reshape(())  # the interpreter keeps a scalar in an array of one element
    dtype = str(handle.get("dtype"))
    if str(getattr(attributes.get("type"), "scalar", "")) == "int1":  # the interpreter keeps truth in wider integers
        dtype, array = "int1", array != 0
    layout = Layout(name, array.shape, dtype, stride=_elements_apart(array))
    if dtype.startswith("pointer") or dtype == "fp8e4b15":  # addresses differ between two runs
        return assemble(layout, None)
    known = TRITON.get(dtype)
    if known is None:
        return assemble(layout, Elements(array, _digits(array)))
    return assemble(layout, Elements(array, known.digits, known.decode))


def _layout_only(value: Any, cls: type) -> Value:
    """An array of a library whose elements cannot be had without setting its devices going."""
    name = anatomy.class_name(cls)
    try:
        shape, dtype = tuple(value.shape), str(value.dtype)
    except Exception:
        return Scalar(name, f"<{name} object>")
    if not all(type(n) is int for n in shape):
        return Scalar(name, f"<{name} object>")
    return assemble(Layout(name, shape, dtype), None)
