"""Colours source text: one piece of HTML per line, with the classes of Pygments."""

import re
from functools import lru_cache

from markupsafe import Markup, escape
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.lexers.special import TextLexer
from pygments.token import STANDARD_TYPES
from pygments.token import _TokenType as TokenType
from pygments.util import ClassNotFound

LONGEST_LINE = 2_000
"Characters of a line that are coloured; what is longer is shown plainly, since lexers take time with such lines."
_STAGES = {"ttir": "text", "ttgir": "text", "llir": "llvm", "ptx": "ptx", "sass": "text"}
_NAMES = {str(kind): name for kind, name in STANDARD_TYPES.items()}
_PLAIN = frozenset(("n", "nn", "na", "nx", "o", "p", "w", "vg", "err"))
"What the style sheet gives no colour, and most of a text is: names, operators, blanks, what a lexer does not know."
_DIRECTIVE = re.compile(r"#\s*@(inspect|clear|stepover|hide|animate|visible)\b")
_AT = re.compile(r"(?<=[\s#,])@")
_NAMES_NOTHING = re.compile(r"@(inspect|clear)[\s,]*(?=@|$)")


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer:
    try:
        return get_lexer_by_name(_STAGES.get(language, language), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return TextLexer(stripnl=False, ensurenl=False)


def _css_class(kind: TokenType, text: str) -> str:
    if str(kind).startswith("Token.Comment") and _is_directive(text):
        return "directive"
    while str(kind) not in _NAMES and kind.parent is not None:
        kind = kind.parent
    name = _NAMES.get(str(kind), "")
    return "" if name in _PLAIN else name


def _is_directive(comment: str) -> bool:
    """Whether `comment` is directives and nothing else, so that a reader misses nothing without it.

    A near miss (`# @ inspect x`, `# @inpsect x`, `# @inspect`) is not: it asked the recorder for nothing, and the
    author should see where it stands.
    """
    marks = [found.start() for found in _AT.finditer(comment)]
    real = all(_DIRECTIVE.match(f"#{comment[mark:]}") for mark in marks)
    return bool(_DIRECTIVE.match(comment)) and real and not _NAMES_NOTHING.search(comment)


def lines(source: str, language: str) -> list[Markup]:
    """HTML of each line of `source`; `language` names a lexer, and an unknown one means plain text."""
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    if any(len(line) > LONGEST_LINE for line in source.split("\n")):
        language = "text"
    out: list[list[str]] = [[]]
    for kind, text in _lexer(language).get_tokens(source):
        name = _css_class(kind, text)
        for number, part in enumerate(text.split("\n")):
            if number:
                out.append([])
            if part:
                out[-1].append(f'<span class="{name}">{escape(part)}</span>' if name else str(escape(part)))
    return [Markup("".join(parts)) for parts in out]


def block(source: str, language: str) -> Markup:
    """HTML of the whole of `source`."""
    return Markup("\n").join(lines(source, language))
