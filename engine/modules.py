"""Modules of torch (`nn.Module`) as values: their parameters counted, their parts named."""

from typing import Any, NamedTuple

from engine import anatomy
from engine.tensors import library

WALKED = 10_000
"Submodules looked into when parameters are counted; beyond that the count is a lower bound and says so."


class Module(NamedTuple):
    """A module's display and its attributes."""

    text: str
    fields: list[tuple[str, object]]
    "Its public attributes, then parameters, buffers and submodules by their own names."


def describe(value: object, cls: type) -> Module | None:
    """What to show of a module; None for what is no module."""
    torch = library()
    if torch is None or "nn" not in torch or not anatomy.descends(cls, torch["nn"].Module):
        return None
    attributes = anatomy.instance_dict(value) or {}
    fields = [(k, part) for k, part in dict.items(attributes) if type(k) is str and not k.startswith("_")]
    for group in ("_parameters", "_buffers", "_modules"):
        fields += [(k, part) for k, part in _group(torch, attributes, group).items() if type(k) is str]
    count, whole = _parameters(torch, value)
    return Module(f"{anatomy.class_name(cls)} with {'' if whole else 'over '}{count:,} parameters", fields)


def _group(torch: dict[str, Any], attributes: dict[Any, Any], name: str) -> dict[Any, Any]:
    """A copy of one of the dicts a module keeps its parts in."""
    found: Any = dict.get(attributes, name)
    if not issubclass(type(found), dict):  # of a scripted module, which keeps its parts in C++
        inside = anatomy.instance_dict(found) or {}
        kept: Any = inside.get("_c")
        in_cpp = any(type(kept) is known for known in (torch["_C"].ParameterDict, torch["_C"].BufferDict))
        found = dict(kept.items()) if in_cpp else inside.get("_python_modules")
    return dict(dict.items(found)) if issubclass(type(found), dict) else {}


def _parameters(torch: dict[str, Any], module: object) -> tuple[int, bool]:
    """How many numbers the parameters of a module and its submodules have, shared ones once; whether all were seen."""
    waiting, seen, count, walked = [module], {id(module)}, 0, 0
    with torch["_C"].DisableTorchFunction(), torch["_C"]._DisableTorchDispatch():
        while waiting and walked < WALKED:
            walked += 1
            attributes = anatomy.instance_dict(waiting.pop()) or {}
            for part in _group(torch, attributes, "_parameters").values():
                if id(part) not in seen and anatomy.descends(type(part), torch["_C"].TensorBase):
                    seen.add(id(part))
                    count += _size(torch, part)
            for part in _group(torch, attributes, "_modules").values():
                if id(part) not in seen and anatomy.descends(type(part), torch["nn"].Module):
                    seen.add(id(part))
                    waiting.append(part)
    return count, not waiting


def _size(torch: dict[str, Any], parameter: Any) -> int:
    """Elements of a parameter; 0 for one that has no size yet."""
    try:
        size = torch["_C"].TensorBase.numel(parameter)
    except RuntimeError:
        return 0
    return size if type(size) is int else 0
