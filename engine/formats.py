"""How numpy reads the element types of torch and triton, those it has no name for included.

The 8-bit floats are those of the OCP 8-bit floating point specification (E4M3, E5M2, E8M0) and their `fnuz` variants,
which have one more in the exponent's bias, no infinity, no negative zero, and one NaN, 0x80.
"""

import math
import sys
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

Decode = Callable[[Any], Any]


class Format(NamedTuple):
    """How the elements of one type lie in memory."""

    code: str
    "Type code of numpy, without byte order."
    digits: int = 17
    "Significant decimal digits an element can tell apart; 17 stands for all."
    decode: Decode | None = None
    "Turns an ndarray of `code` into one of numbers."


def _bfloat16(bits: Any) -> Any:
    return (bits.astype("u4") << 16).view("f4")


def _complex32(bits: Any) -> Any:
    halves = bits.reshape(-1).copy().view("f2").reshape(*bits.shape, 2).astype("f4")
    return halves[..., 0] + 1j * halves[..., 1]


def _by_table(numbers: Callable[[int], float], octets: Any) -> Any:
    return _table(numbers)[octets]


@cache
def _table(numbers: Callable[[int], float]) -> Any:
    return sys.modules["numpy"].array([numbers(octet) for octet in range(256)], dtype="f4")


def _finite(octet: int, mantissa_bits: int, bias: int) -> float:
    """The number of an octet of sign, exponent and mantissa, whatever special meaning its type gives it."""
    mantissa = octet & ((1 << mantissa_bits) - 1)
    exponent = (octet & 0x7F) >> mantissa_bits
    sign = -1.0 if octet & 0x80 else 1.0
    if exponent:
        return sign * math.ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits)
    return sign * math.ldexp(mantissa, 1 - bias - mantissa_bits)


def _e4m3fn(octet: int) -> float:
    return math.nan if octet & 0x7F == 0x7F else _finite(octet, 3, 7)


def _e5m2(octet: int) -> float:
    if octet & 0x7C == 0x7C:
        return math.nan if octet & 3 else math.copysign(math.inf, -1 if octet & 0x80 else 1)
    return _finite(octet, 2, 15)


def _e4m3fnuz(octet: int) -> float:
    return math.nan if octet == 0x80 else _finite(octet, 3, 8)


def _e5m2fnuz(octet: int) -> float:
    return math.nan if octet == 0x80 else _finite(octet, 2, 16)


def _e8m0fnu(octet: int) -> float:
    return math.nan if octet == 0xFF else math.ldexp(1.0, octet - 127)


_E4M3FN = Format("u1", 4, partial(_by_table, _e4m3fn))
_E5M2 = Format("u1", 4, partial(_by_table, _e5m2))
_E4M3FNUZ = Format("u1", 4, partial(_by_table, _e4m3fnuz))
_E5M2FNUZ = Format("u1", 4, partial(_by_table, _e5m2fnuz))

TORCH = {
    "bool": Format("?"), "uint8": Format("u1"), "int8": Format("i1"), "uint16": Format("u2"), "int16": Format("i2"),
    "uint32": Format("u4"), "int32": Format("i4"), "uint64": Format("u8"), "int64": Format("i8"),
    "float16": Format("f2", 5), "bfloat16": Format("u2", 4, _bfloat16), "float32": Format("f4", 7),
    "float64": Format("f8"), "complex32": Format("u4", 5, _complex32), "complex64": Format("c8", 7),
    "complex128": Format("c16"),
    "float8_e4m3fn": _E4M3FN, "float8_e5m2": _E5M2, "float8_e4m3fnuz": _E4M3FNUZ, "float8_e5m2fnuz": _E5M2FNUZ,
    "float8_e8m0fnu": Format("u1", 4, partial(_by_table, _e8m0fnu)),
    "quint8": Format("u1", 7), "qint8": Format("i1", 7), "qint32": Format("i4", 7),
}  # fmt: skip
"By torch's name. Types that are not here (packed ones of fewer than 8 bits) have a layout, and no elements are shown."

TRITON = {
    "bf16": TORCH["bfloat16"], "fp8e4nv": _E4M3FN, "fp8e5": _E5M2, "fp8e4b8": _E4M3FNUZ, "fp8e5b16": _E5M2FNUZ,
}  # fmt: skip
"By triton's name: the types that its interpreter keeps in integers. (Of `fp8e4b15` no elements are shown.)"
DIGITS = {("f", 2): 5, ("f", 4): 7, ("c", 8): 7}
"Significant digits of numpy's own types, by kind and bytes; those not here tell all 17 apart."
