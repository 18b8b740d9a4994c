"""Values of Python and of Triton that travel as text, and what can be imported where kernels are compiled."""

import sys
from typing import Any

from engine.request import Constant


def constant(value: Any) -> Constant | None:
    """`value` as it travels, a member of an enumeration of numbers or strings as that; None for any other thing."""
    match value:
        case None:
            return Constant("none", "None")
        case bool():
            return Constant("bool", repr(value))
        case int():
            return Constant("int", int.__repr__(value))
        case float():
            return Constant("float", float.__repr__(value))
        case str():
            return Constant("str", str.__str__(value))
    if type(value).__name__ == "dtype" and type(value).__module__.startswith("triton."):
        return Constant("dtype", value.name)
    return None


def value(thing: Constant) -> Any:
    """What travelled as `thing`."""
    match thing.kind:
        case "dtype":
            import triton.language as tl

            return tl.dtype(thing.text)
        case "int":
            return int(thing.text)
        case "float":
            return float(thing.text)
        case "bool":
            return thing.text == "True"
        case "str":
            return thing.text
        case "none":
            return None


def importable(module: str | None) -> bool:
    """Whether a module can be imported without running the author's code: Triton's, or the standard library's."""
    top = (module or "").partition(".")[0]
    return top == "triton" or top in sys.stdlib_module_names
