"""What an instruction of PTX or SASS does: in a sentence, and by kind."""

import re
from functools import lru_cache

from viewer import opcodes_ptx, opcodes_sass

STAGES = ("ptx", "sass")
"The stages whose instructions are explained and counted."

KINDS = {
    "load": ("L", "loads", "from global, shared or tensor memory"),
    "store": ("S", "stores", "to global, shared or tensor memory"),
    "fma": ("F", "FMA", "fused multiply-adds of floating-point numbers, a × b + c"),
    "tensor": ("T", "tensor", "matrix products on the tensor cores"),
    "barrier": ("B", "barriers", "where threads wait for each other, or for data under way"),
}
"What is counted: a letter, a word, and what the word means."

_KINDS = {
    "ptx": {
        "load": r"(ld|ldu)\.(?!param)|ldmatrix|wmma\.load|cp\.async\.(ca|cg)\b|tcgen05\.ld"
        r"|cp\.async\.bulk\.(tensor\.\dd\.)?shared|tex\b|suld\b|multimem\.ld",
        "store": r"st\.(?!param|bulk)|stmatrix|wmma\.store|tcgen05\.st\b|sust\b|multimem\.st"
        r"|cp\.(reduce\.)?async\.bulk\.(tensor\.\dd\.)?global",
        "fma": r"fma\.|mad\.(r[nzmp]\.)?(ftz\.)?(sat\.)?f\d",
        "tensor": r"mma\.|wmma\.mma|wgmma\.mma_async|tcgen05\.mma",
        "barrier": r"(bar|barrier)\.(?!((cta|cluster)\.)?arrive)|mbarrier\.(try|test)_wait|cp\.async\.(bulk\.)?wait"
        r"|wgmma\.wait|tcgen05\.wait",
    },
    "sass": {
        "load": r"LD(G|S|L|SM|T|TM|GSTS)?\b|UTMALDG|UBLKCP\.S\b|TEX|TLD|SULD",
        "store": r"ST(G|S|L|SM|T|TM)?\b|UTMASTG|UTMAREDG|UBLKCP\.G\b|SUST",
        "fma": r"[FDH]FMA|FFMA2|FHFMA",
        "tensor": r"[HIDBQO]G?MMA|UTC[HIQO]MMA",
        "barrier": r"BAR\.(?!ARV)|SYNCS\.PHASECHK|DEPBAR|WARPGROUP\.DEPBAR|WARPSYNC|UCGABAR_WAIT",
    },
}
_PREFIXES = {stage: {kind: re.compile(prefix) for kind, prefix in kinds.items()} for stage, kinds in _KINDS.items()}


def kind(opcode: str, stage: str) -> str:
    """Which of `KINDS` an opcode is of; empty for none."""
    return next((name for name, prefix in _PREFIXES[stage].items() if prefix.match(opcode)), "")


@lru_cache(maxsize=4096)
def sentence(opcode: str, stage: str) -> str:
    """What an opcode with its modifiers does; empty for one that is not known."""
    return _ptx(opcode) if stage == "ptx" else _sass(opcode)


def _longest(opcode: str, known: dict[str, str]) -> tuple[str, list[str]]:
    """The longest leading part of an opcode that is known, and the modifiers behind it; empty where none is."""
    parts = opcode.split(".")
    for end in range(len(parts), 0, -1):
        if ".".join(parts[:end]) in known:
            return ".".join(parts[:end]), parts[end:]
    return "", parts


def _joined(words: str, notes: list[str]) -> str:
    return "; ".join([words, *dict.fromkeys(notes)]) + "."


# ---------------------------------------------------------------- PTX


def _ptx(opcode: str) -> str:
    base, rest = _longest(opcode, opcodes_ptx.SENTENCES)
    if not base:
        return ""
    words = opcodes_ptx.SENTENCES[base].format_map(_ptx_words(base, rest))
    return _joined(words, [opcodes_ptx.NOTES[part] for part in rest if part in opcodes_ptx.NOTES])


_SPACES = {
    "global": "global memory",
    "shared": "shared memory",
    "local": "the thread's own local memory",
    "const": "constant memory",
    "param": "the kernel's parameters",
}
_RELATIONS = {
    "eq": "equal", "ne": "not equal", "lt": "less", "le": "less or equal", "gt": "greater", "ge": "greater or equal",
    "lo": "less", "ls": "less or equal", "hi": "greater", "hs": "greater or equal",
    "num": "both numbers", "nan": "one not a number",
}  # fmt: skip
_OPERATIONS = {
    "add": "adding", "min": "the smaller stays", "max": "the larger stays", "and": "and", "or": "or",
    "xor": "exclusive or", "inc": "counting up", "dec": "counting down", "exch": "exchanging it",
    "cas": "if it is what was expected",
}  # fmt: skip
_TYPE = re.compile(r"(?P<family>pred|tf|bf|[busf]|e\dm\d|ue\dm\d)(?P<bits>\d+)?(?P<pair>x\d+)?$")
_COUNTS = {1: "one", 2: "two", 4: "four", 8: "eight", 16: "16"}


def _type(part: str) -> tuple[str, int] | None:
    """A type in words, in the plural, and its bits; None for another modifier."""
    found = _TYPE.match(part)
    if found is None or (found["bits"] is None and found["family"] in "bfust"):
        return None
    family, bits, pair = found["family"], int(found["bits"] or 8), found["pair"]
    names = {"b": f"{bits}-bit words", "u": f"unsigned {bits}-bit integers", "s": f"signed {bits}-bit integers"}
    names |= {"f": f"float{bits} numbers", "bf": "bf16 numbers", "tf": "tf32 numbers", "pred": "predicates"}
    words = names.get(family, f"8-bit floating-point numbers ({family})")
    return (f"{'pairs' if pair == 'x2' else 'groups'} of {words}" if pair else words, bits * int((pair or "x1")[1:]))


def _ptx_words(base: str, rest: list[str]) -> dict[str, str]:
    """What the modifiers of an instruction say, for the places in its sentence."""
    types = [found for part in rest if (found := _type(part))]
    names = [words for words, _ in types] or ["values"]
    spaces = [part.split("::")[0] for part in rest]
    at = next((space for space in spaces if space in _SPACES), "")
    relation = next((_relation(part) for part in rest if part.removesuffix("u") in _RELATIONS), "")
    return {
        "type": names[-1],
        "one": _one(names[-1]),
        "converts": f"Converts {names[-1]} to {names[0]}" if names[0] != names[-1] else f"Rounds {names[0]}",
        "from": names[-1],
        "space": _SPACES.get(at, "memory"),
        "way": _way([space for space in spaces if space in ("global", "shared")]),
        "relation": relation,
        "operation": next((_OPERATIONS[part] for part in rest if part in _OPERATIONS), "as its modifiers say"),
        "value": _value(rest, types),
        "shape": _shape(next((part for part in rest if re.fullmatch(r"m\d+n\d+k\d+", part)), "")),
        "inputs": _inputs(rest, names),
        "sums": names[0],
        "count": _count(base, rest),
    }


def _relation(part: str) -> str:
    unordered = part not in _RELATIONS
    return _RELATIONS[part.removesuffix("u")] + (" or one of them not a number" if unordered else "")


def _value(rest: list[str], types: list[tuple[str, int]]) -> str:
    words, bits = types[-1] if types else ("values", 0)
    count = next((int(part[1:]) for part in rest if re.fullmatch(r"v[248]", part)), 1)
    if count > 1:
        return f"{_COUNTS[count]} {words} ({count * bits // 8} bytes at once)"
    return _one(words)


def _one(words: str) -> str:
    """`float32 numbers` as one of them, `a float32 number`."""
    one = re.sub(r"s(?=$| of)", "", words, count=1)
    return f"{'an' if one[0] in 'u8' else 'a'} {one}"


def _way(spaces: list[str]) -> str:
    """Where a copy goes: its modifiers name the destination, then the source."""
    return f" from {spaces[1]} to {spaces[0]} memory" if len(spaces) > 1 else ""


def _shape(words: str) -> str:
    found = re.fullmatch(r"m(\d+)n(\d+)k(\d+)", words)
    return f"{found[1]}×{found[3]} by {found[3]}×{found[2]} matrices" if found else "matrices"


def _inputs(rest: list[str], names: list[str]) -> str:
    kinds = {"kind::f16": "16-bit floating-point numbers", "kind::tf32": "tf32 numbers", "kind::i8": "8-bit integers"}
    named = next((kinds.get(part, "numbers of 8 bits or less") for part in rest if part.startswith("kind::")), "")
    return named or (names[1] if len(names) > 1 else "numbers")


def _count(base: str, rest: list[str]) -> str:
    """How many matrices or columns, or how many dimensions."""
    dimensions = next((part for part in rest if re.fullmatch(r"\dd", part)), "")
    if dimensions:
        return f" of {dimensions[0]} dimensions" if dimensions[0] != "1" else " of 1 dimension"
    times = next((int(part[1:]) for part in rest if re.fullmatch(r"x\d+", part)), 0)
    if base.startswith("tcgen05"):
        return f"a matrix, {times} registers a thread," if times else "a matrix"
    return f"{_COUNTS.get(times, 'some')} 8×8 matri{'x' if times == 1 else 'ces'}" if times else ""


# ---------------------------------------------------------------- SASS


def _sass(opcode: str) -> str:
    known = opcodes_sass.SENTENCES
    base, rest = _longest(opcode, known)
    uniform = not base and opcode.startswith("U")
    if uniform:
        base, rest = _longest(opcode[1:], known)
    if not base:
        return ""
    words = known[base].format_map(_sass_words(base, rest))
    notes = [opcodes_sass.NOTES[part] for part in rest if part in opcodes_sass.NOTES]
    return _joined(words, [*(["once for the whole warp, in uniform registers"] if uniform else []), *notes])


_WIDTHS = {
    "U8": "a byte", "S8": "a byte with its sign", "U16": "16 bits", "S16": "16 bits with their sign", "32": "32 bits",
    "64": "64 bits (8 bytes)", "128": "128 bits (16 bytes)", "256": "256 bits (32 bytes)",
}  # fmt: skip
_FUNCTIONS = {
    "EX2": "2 to the power x", "LG2": "the logarithm to base 2", "RCP": "the reciprocal 1/x", "SQRT": "the square root",
    "RSQ": "the reciprocal square root", "SIN": "the sine", "COS": "the cosine", "TANH": "the hyperbolic tangent",
    "RCP64H": "the reciprocal of a float64 number", "RSQ64H": "the reciprocal square root of a float64 number",
}  # fmt: skip
_INPUTS = {"BF16": "bf16 numbers", "TF32": "tf32 numbers", "E4M3": "fp8 numbers", "E5M2": "fp8 numbers"}
_FLOATS = {"F16": "float16", "BF16": "bf16", "F32": "float32", "F64": "float64"}
_SHAPES = {
    "884": (8, 8, 4), "1684": (16, 8, 4), "1688": (16, 8, 8), "16816": (16, 8, 16),
    "16832": (16, 8, 32), "16864": (16, 8, 64),
}  # fmt: skip
"m, n, k by the digits in which SASS runs them together."


def _sass_words(base: str, rest: list[str]) -> dict[str, str]:
    relation = next((_RELATIONS[part.lower()] for part in rest if part.lower() in _RELATIONS), "")
    if not relation:
        unordered = next((part for part in rest if part[-1:] == "U" and part[:-1].lower() in _RELATIONS), "")
        relation = _relation(unordered.lower()) if unordered else ""
    function = next((_FUNCTIONS[part] for part in rest if part in _FUNCTIONS), "a function")
    return {
        "value": next((_WIDTHS[part] for part in rest if part in _WIDTHS), "32 bits"),
        "relation": f" ({relation})" if relation else "",
        "operation": next((f" ({_OPERATIONS[part.lower()]})" for part in rest if part.lower() in _OPERATIONS), ""),
        "conversion": _conversion([part for part in rest if part in _FLOATS]),
        "function": f"a fast approximation of {function}",
        "inputs": next((words for part, words in _INPUTS.items() if part in rest), "float16 numbers"),
        "shape": _sass_shape(rest),
        "matrices": next((f"{part} 8×8 matrices" for part in rest if part in ("2", "4")), "an 8×8 matrix"),
    }


def _conversion(types: list[str]) -> str:
    """The modifiers name what comes out, then what goes in."""
    if len(types) < 2:
        return "a floating-point number to another width"
    return f"a {_FLOATS[types[1]]} to a {_FLOATS[types[0]]} number"


def _sass_shape(rest: list[str]) -> str:
    for part in rest:
        if part in _SHAPES or re.fullmatch(r"\d+x\d+x\d+", part):
            m, n, k = _SHAPES[part] if part in _SHAPES else map(int, part.split("x"))
            return f"{m}×{k} by {k}×{n} matrices"
    return "matrices"
