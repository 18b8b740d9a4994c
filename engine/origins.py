"""What the readers of compiled stages say about a line of text."""

Place = tuple[str, int]
"A file, as the compiler names it, and a line from 1."

Origin = tuple[Place, ...] | None
"""Where a line of a stage comes from:
- None: it is not code (a directive, a label alone, a comment, a brace, debug data),
- (): the compiler made it up, it has no place in a source,
- places from the innermost outwards: where the code stands, then where that was inlined, up to the kernel.
"""


def followed(place: Place, callers: tuple[Place, ...] = ()) -> tuple[Place, ...]:
    """`place` and then its callers; compilers write line 0 for a place they do not know."""
    return (place, *callers) if place[1] > 0 else callers
