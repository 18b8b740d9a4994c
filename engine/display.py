"""How a value reads on one line: printable characters only, of bounded length, without addresses."""

import math
import re
from collections.abc import Iterable

TEXT = 500
"Characters of a value's one-line text; a longer one is cut and ends in `...`."
NAME = 100
"Characters of the name of a class or an attribute."

_ADDRESS = re.compile(r" (?:at |cuda_stream=)0x[0-9a-fA-F]+| id='\d{6,}'")
_THREAD_NUMBER = re.compile(r"(<\w*Thread\(.*) \d{6,}\)>")
_BROKEN_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*(\\(?:x[0-9a-f]?|u[0-9a-f]{0,3}|U[0-9a-f]{0,7})?)$")
_LINE_BREAK = re.compile(r"\s*[\r\n]\s*")


def printable(text: str) -> str:
    """`text` with everything that cannot be printed (control characters, lone surrogates) as Python's escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def cut(text: str, limit: int = TEXT) -> tuple[str, bool]:
    """`text` in at most `limit` characters, and whether it was cut."""
    return (text, False) if len(text) <= limit else (text[: limit - 3] + "...", True)


def name(text: str) -> str:
    """An attribute's or a class's name, printable and not too long."""
    return cut(printable(text[: 2 * NAME]), NAME)[0]


def one_line(text: str) -> tuple[str, bool]:
    """What an object says of itself, on one line and without its address; and whether it was cut."""
    whole = text[: 4 * TEXT]
    line = _LINE_BREAK.sub(" ", whole.strip())
    line = _THREAD_NUMBER.sub(lambda found: f"{found[1]})>", _ADDRESS.sub("", line))
    shown, shortened = cut(printable(line))
    return shown, shortened or len(whole) < len(text)


def literal(value: str | bytes, limit: int = TEXT) -> tuple[str, bool]:
    """`value` as Python writes it; dots after the closing quote say that it goes on."""
    text = repr(value[:limit])
    if len(value) <= limit and len(text) <= limit:
        return text, False
    shown = text[: limit - 4]
    broken = _BROKEN_ESCAPE.search(shown)
    return f"{shown[: broken.start(1)] if broken else shown}{text[-1]}...", True


def integer(value: int) -> tuple[str, bool]:
    """The digits of an integer; only the size of one with too many, since writing those out takes quadratic time."""
    bits = value.bit_length()
    if bits <= 3 * TEXT:  # below 640 digits, the least that sys.set_int_max_str_digits can be set to
        return int.__repr__(value), False
    sign = "-" if value < 0 else ""
    exponent, mantissa = _decimal_size(abs(value), bits)
    return f"{sign}{mantissa:.4f}e+{exponent}... ({bits} bits)", True


def _decimal_size(value: int, bits: int) -> tuple[int, float]:
    """(exponent, mantissa) of a large integer, from its 64 leading bits."""
    power = math.log10(value >> (bits - 64)) + (bits - 64) * math.log10(2)
    exponent = math.floor(power)
    return exponent, min(10.0 ** (power - exponent), 9.9999)


def enclosed(opening: str, parts: Iterable[str], closing: str, more: bool) -> tuple[str, bool]:
    """`parts` with commas between `opening` and `closing`; dots stand for parts left out (`more`) or cut off."""
    room = TEXT - len(opening) - len(closing) - len(", ...")
    shown: list[str] = []
    for part in parts:
        room -= len(part) + 2
        if room < 0:
            more = True
            break
        shown.append(part)
    if more:
        shown.append("...")
    return f"{opening}{', '.join(shown)}{closing}", more
