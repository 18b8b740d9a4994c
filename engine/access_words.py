"""What an access is in words: `reads x_ptr[768:1000], 232 elements, 24 masked at [1000:1024], beyond its edge`."""

from engine.trace import Access, Region, Slice, Tensor

NAMED = 3
"Boxes named."
_VERBS = {"read": "reads", "write": "writes", "atomic": "updates atomically"}


def words(access: Access, tensor: Tensor | None) -> str:
    """`access` to `tensor`, None for addresses that belong to no tensor of the launch."""
    verb, elements = _VERBS[access.operation], access.elements
    if tensor is None:
        parts = [f"{verb} {'outside every tensor of the launch' if access.outside else 'nothing'}"]
    elif elements.count:
        lanes = f" for {access.lanes:,} lanes" if access.lanes else ""
        parts = [f"{verb} {_named(elements, tensor.name)}, {_count(elements.count, 'element')}{lanes}"]
    else:
        parts = [f"{verb} nothing of {tensor.name}"]
    if access.masked_lanes:
        parts.append(f"{access.masked_lanes:,} masked{_where(access, tensor)}")
    if access.outside:
        parts.append(f"{_count(access.outside, 'lane')}{' outside the tensor' if tensor else ''}")
    return ", ".join(parts)


def _where(access: Access, tensor: Tensor | None) -> str:
    boxes = access.masked.boxes
    if tensor is None or not tensor.shape:
        return ""
    at = f" at {_named(access.masked)}" if boxes else ""
    if access.masked_outside and boxes:
        return f"{at}, {access.masked_outside:,} of them outside it"
    return at if any(_inside(box, tensor) for box in boxes) else f"{at}, beyond its edge"


def _inside(box: tuple[Slice, ...], tensor: Tensor) -> bool:
    """Whether the tensor has elements in a box."""
    return all(stop > 0 and start < size for (start, stop, _), size in zip(box, tensor.shape, strict=True))


def _named(region: Region, name: str = "") -> str:
    """A region, its first boxes by themselves: `x[0:64, 32:64] and x[70, 32:64]`."""
    said = " and ".join(f"{name}{_box(box)}" for box in region.boxes[:NAMED])
    left = len(region.boxes) - NAMED
    if region.truncated:
        return f"{said} and further parts (the first {len(region.boxes)} are recorded)" if said else f"parts of {name}"
    return f"{said} and {_count(left, 'more part')}" if left > 0 else said


def _box(box: tuple[Slice, ...]) -> str:
    return f"[{', '.join(map(_slice, box))}]" if box else ""


def _slice(along: Slice) -> str:
    start, stop, step = along
    if stop - start == 1:
        return str(start)
    return f"{start}:{stop}" if step == 1 else f"{start}:{stop}:{step}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
