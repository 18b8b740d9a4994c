"""The part of a CUDA C++ file that runs on the GPU, without the rest, at the lines it has in the file.

A file written for a PyTorch extension includes headers that take half a minute to compile, or are not here at all; its
kernels need none of them. So functions for the host are blanked, and of several kernels only the one wanted is kept.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_HIDDEN = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | R"(?P<tag>[^()\\ ]*)\(.*?\)(?P=tag)" | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])+'
    | ^[ \t]*\#(?:\\\n|[^\n])*""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
"Comments, texts and preprocessor lines: no braces in them count."
_PREPROCESSOR = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
_DEVICE = re.compile(r"\b__(?:global|device|constant|shared|managed)__\b|\bconstexpr\b")
_TYPE = re.compile(r"^\s*(?:template\s*<[^{;]*>\s*)?(?:struct|class|enum|union|typedef|using|static_assert)\b")
_OPEN = re.compile(r"(?:^|\s)(?:inline\s+)?namespace\b[^({;=]*$|\bextern\s*\"\s*\"\s*$")
_KERNEL = re.compile(r"\b__global__\b(?:(?!__global__).)*?\b(?P<name>\w+)\s*(?:<[^<>()]*>\s*)?\((?!\()", re.DOTALL)
_BOUNDS = re.compile(r"\b__\w+__\s*\((?:[^()]|\([^()]*\))*\)")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"(?P<near>[^"\n]+)"|<(?P<far>[^>\n]+)>)', re.MULTILINE)


_EXPLICIT = r"\btemplate\s+__global__[^;{{}}]*?\b{kernel}\s*(?P<arguments><[^;{{}}]*?>)\s*\("
"An instance of a template that the file makes by its name."


class Item(NamedTuple):
    """One declaration at the outermost level, namespaces apart."""

    start: int
    end: int
    head: str
    "What stands before its body, or all of it."
    body: bool


def device_part(source: str, kernel: str) -> str:
    """`source` with everything blanked that only runs on the host, and every kernel but `kernel`.

    Instances of a template are blanked too: one at a time is compiled (see `instances`).
    """
    shown = source
    for item in items(source):
        name = kernel_name(item.head)
        made = name == kernel and re.search(_EXPLICIT.format(kernel=kernel), item.head)
        if made or (name is not None and name != kernel) or (name is None and _for_host(item)):
            shown = shown[: item.start] + _blank_code(shown[item.start : item.end]) + shown[item.end :]
    return shown


def items(source: str) -> Iterator[Item]:
    """The declarations of a file, in order."""
    code = _HIDDEN.sub(_hide, source)
    start = at = 0
    while at < len(code):
        if code[at] == ";":
            yield Item(start, at + 1, code[start:at], False)
            start = at = at + 1
        elif code[at] == "{":
            head = code[start:at]
            if _OPEN.search(head):
                start = at = at + 1
                continue
            at = _close(code, at)
            if _is_function(head):
                yield Item(start, at, head, True)
                start = at
        elif code[at] == "}":
            start = at = at + 1
        else:
            at += 1


def kernels_in(source: str) -> list[tuple[str, int, int]]:
    """Name, first and last line of each kernel of a file; a kernel begins with its `__global__`."""
    found = []
    for item in items(source):
        name = kernel_name(item.head)
        if name is not None and item.body:
            first = source.count("\n", 0, item.start + item.head.index("__global__")) + 1
            found.append((name, first, source.count("\n", 0, item.end) + 1))
    return found


def kernel_name(head: str) -> str | None:
    """The kernel that a declaration is of; None where it is of none."""
    match = _KERNEL.search(_BOUNDS.sub(" ", head))
    return match["name"] if match else None


def instances(source: str, kernel: str) -> tuple[str, ...]:
    """Which instances of a template the file launches or makes, each as it is named outside all namespaces:
    `inner::first<32>`.

    One launched for the parameters of another template is not among them.
    """
    code = _HIDDEN.sub(_hide, source)
    unknown = {word for item in items(source) if _for_host(item) for word in _parameters(item.head)}
    space = next((_namespaces(code, at.start()) for at in re.finditer(rf"__global__[^;{{]*?\b{kernel}\b", code)), "")
    launched = re.finditer(rf"\b{kernel}\s*(?P<arguments><(?!<<)[^;{{}}]*?>)\s*<<<", code)
    made = re.finditer(_EXPLICIT.format(kernel=kernel), code)
    given = [" ".join(match["arguments"].split()) for match in (*launched, *made)]
    known = [each for each in given if unknown.isdisjoint(re.findall(r"\w+", each))]
    return tuple(dict.fromkeys(f"{space}{kernel}{each}" for each in known))


def _parameters(head: str) -> list[str]:
    """Names of the parameters of a template."""
    match = re.match(r"\s*template\s*<([^<>]*)>", head)
    return re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", match[1]) if match else []


def _namespaces(code: str, place: int) -> str:
    """The named namespaces that `place` lies in, `outer::inner::`."""
    names: list[str] = []
    for match in re.finditer(r"(?:\bnamespace\s+(?P<name>[\w:]+)\s*)?(?P<brace>[{}])", code[:place]):
        if match["brace"] == "{":
            names.append(match["name"] or "")
        elif names:
            names.pop()
    return "".join(f"{name}::" for name in names if name)


def near_headers(path: Path, source: str) -> dict[str, str]:
    """Texts of the headers beside the file that it includes, and of those that these include."""
    found: dict[str, str] = {}
    waiting = [source]
    while waiting:
        for match in _INCLUDE.finditer(waiting.pop()):
            name = match["near"]
            beside = path.parent / name if name else None
            if beside is not None and name not in found and beside.is_file():
                found[name] = beside.read_text(encoding="utf-8", errors="replace")
                waiting.append(found[name])
    return found


def without_includes(source: str, known: set[str]) -> str:
    """`source` without the includes of headers that are not in `known`."""

    def keep(match: re.Match[str]) -> str:
        return match[0] if (match["near"] or match["far"]) in known else ""

    return _INCLUDE.sub(keep, source)


def included(source: str) -> set[str]:
    """Names of the headers that `source` includes."""
    return {match["near"] or match["far"] for match in _INCLUDE.finditer(source)}


def _for_host(item: Item) -> bool:
    return not _DEVICE.search(item.head) and (_is_function(item.head) or "torch::" in item.head)


def _is_function(head: str) -> bool:
    """Whether a parameter list comes before any initial value, and no type is being defined."""
    before = head.partition("(")[0]
    return "(" in head and "=" not in before and not _TYPE.match(head)


def _close(code: str, at: int) -> int:
    """Just behind the brace that closes the one at `at`."""
    depth = 0
    for match in re.finditer(r"[{}]", code[at:]):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return at + match.end()
    return len(code)


def _hide(match: re.Match[str]) -> str:
    text = match[0]
    return '"' + _blank(text[1:-1]) + '"' if text.startswith('"') else _blank(text)


def _blank_code(text: str) -> str:
    """Blank all but preprocessor lines, which come in pairs that may enclose more."""
    kept = _PREPROCESSOR.findall(text)
    parts = _PREPROCESSOR.split(text)
    return "".join(_blank(part) + line for part, line in zip(parts, [*kept, ""], strict=True))


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
