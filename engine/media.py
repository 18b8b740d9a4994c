"""What kind of picture or film some bytes are, told by their first bytes: neither names nor servers are believed."""

import re
from typing import Literal

Medium = Literal["image", "video"]

_BEFORE_SVG = rb"(?:\xef\xbb\xbf)?(?>\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>)*+"
"What may stand before the root element; atomic, since comments could be split in very many ways."

_STARTS: dict[Medium, list[tuple[bytes, str]]] = {
    "image": [
        (rb"\x89PNG\r\n\x1a\n", ".png"),
        (rb"\xff\xd8\xff", ".jpg"),
        (rb"GIF8[79]a", ".gif"),
        (rb"RIFF....WEBP", ".webp"),
        (rb"....ftypavi[fs]", ".avif"),
        (rb"BM....\x00\x00\x00\x00", ".bmp"),
        (_BEFORE_SVG + rb"<(?:\w+:)?svg[\s>/]", ".svg"),
    ],
    "video": [
        (rb"....ftyp", ".mp4"),
        (rb"\x1a\x45\xdf\xa3", ".webm"),
        (rb"OggS", ".ogv"),
    ],
}  # fmt: skip
_OTHERS = [(rb"(?>\s+|<!--.*?-->)*+<(?:!doctype html|html|head|body)", "a web page"), (rb"%PDF-", "a PDF")]
_WHAT: dict[Medium, str] = {"image": "picture", "video": "film"}


def suffix(data: bytes, medium: Medium) -> str:
    """The usual suffix of the picture or film `data`, `.png`. Raises ValueError, saying what it is instead."""
    found = _match(data, _STARTS[medium])
    if found is not None:
        return found
    other: Medium = "video" if medium == "image" else "image"
    what = f"a {_WHAT[other]}" if _match(data, _STARTS[other]) else _match(data, _OTHERS) or "something else"
    raise ValueError(f"it is {what}, not a {_WHAT[medium]} that browsers show")


def _match(data: bytes, starts: list[tuple[bytes, str]]) -> str | None:
    head = data[:4096]
    for pattern, name in starts:
        if re.match(pattern, head, re.DOTALL | re.IGNORECASE):
            return name
    return None
