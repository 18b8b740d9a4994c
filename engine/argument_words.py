"""What a kernel was compiled for, in words: the types of its arguments and the values of its constants."""

from collections.abc import Sequence

from engine.request import (
    Constant,
    Constexpr,
    CudaRequest,
    Function,
    Items,
    LaunchedBinary,
    Object,
    TritonRequest,
    Types,
    Work,
)


def argument_words(work: Work | None) -> tuple[dict[str, str], dict[str, str]]:
    """Types of the arguments, and values of the compile-time constants, in words."""
    if isinstance(work, LaunchedBinary):
        return work.signature, work.constants
    if isinstance(work, CudaRequest) and work.instance:
        return {}, {"instance": work.instance}
    if not isinstance(work, TritonRequest):
        return {}, {}
    types = {name: _type_words(type_) for name, type_ in work.signature.items() if type_ != "constexpr"}
    return types, {_path_words(work, path): _words(work.objects, number) for path, number in work.constants}


def _type_words(type_: str | Types) -> str:
    """A type in words, a tuple's as `(*fp32, i32)` or `(ptr: *fp32, stride: i32)`."""
    if isinstance(type_, str):
        return type_
    names = [f"{name}: " for name in type_.fields] or [""] * len(type_.items)
    return f"({', '.join(name + _type_words(item) for name, item in zip(names, type_.items, strict=True))})"


def _path_words(work: TritonRequest, path: tuple[int, ...]) -> str:
    """The argument, or the item of one that is a tuple: `strides[1]`."""
    return list(work.signature)[path[0]] + "".join(f"[{at}]" for at in path[1:])


def _words(objects: Sequence[Object], number: int) -> str:
    match objects[number]:
        case Constant(kind, text):
            return {"str": repr(text), "none": "None"}.get(kind, text)
        case Function(name=name):
            return name
        case Items(items):
            return f"({', '.join(_words(objects, item) for item in items)}{',' * (len(items) == 1)})"
        case Constexpr(inner):
            return _words(objects, inner)
        case thing:
            return type(thing).__name__.lower()
