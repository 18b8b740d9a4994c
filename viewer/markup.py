"""Turns a recording's Markdown into HTML that is safe to show: mathematics as MathML, everything else on a list."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import nh3
from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape
from mdit_py_plugins.dollarmath import dollarmath_plugin

from viewer.highlight import block


def _words(text: str) -> set[str]:
    return set(text.split())


_TEXT_TAGS = _words(
    "p h2 h3 h4 h5 h6 ul ol li em strong s code pre blockquote hr br a table thead tbody tr th td span div"
)
_MATH_TAGS = _words(
    "math mrow mi mo mn mtext ms mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd "
    "mstyle mpadded mphantom menclose mmultiscripts mprescripts semantics annotation"
)
_MATH_ATTRIBUTES = _words(
    "mathvariant stretchy fence separator lspace rspace accent accentunder displaystyle scriptlevel linethickness "
    "columnalign rowspacing columnspacing columnlines rowlines frame width height depth minsize maxsize form symmetric "
    "largeop movablelimits notation"
)
_ATTRIBUTES = {
    "a": {"href", "title"},
    "ol": {"start"},
    "math": {"display", "alttext"},
    **{tag: {"class"} for tag in ("code", "pre", "span", "div", "th", "td")},
    **dict.fromkeys(_MATH_TAGS - {"math"}, _MATH_ATTRIBUTES),
}
SCHEMES = {"http", "https", "mailto"}


def _mathml(latex: str, display: bool) -> str:
    try:
        return str(convert(latex.strip(), display="block" if display else "inline"))
    except Exception:  # whatever the converter stumbles over, the reader still gets the formula as written
        return f'<code class="formula">{escape(latex)}</code>'


def _heading_tag(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    tokens[index].tag = f"h{min(6, int(tokens[index].tag[1]) + 1)}"
    return renderer.renderToken(tokens, index, options, env)


def _fence(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    language = tokens[index].info.split(maxsplit=1)[0] if tokens[index].info.strip() else ""
    return f"<pre><code>{block(tokens[index].content, language)}</code></pre>\n"


def _cell(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    style = str(tokens[index].attrs.pop("style", ""))
    if style:
        tokens[index].attrs["class"] = style.replace("text-align:", "align-")
    return renderer.renderToken(tokens, index, options, env)


def _picture(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    """A picture inside Markdown is on another origin, and no request leaves the page: it becomes a link."""
    source = str(tokens[index].attrs.get("src", ""))
    name = tokens[index].content or source
    return f'<a href="{escape(source)}">{escape(name)}</a>'


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
    parser.use(dollarmath_plugin, renderer=_render_math, double_inline=True, allow_digits=False)
    for rule in ("heading_open", "heading_close"):
        parser.add_render_rule(rule, _heading_tag)
    parser.add_render_rule("fence", _fence)
    for rule in ("th_open", "td_open"):
        parser.add_render_rule(rule, _cell)
    parser.add_render_rule("image", _picture)
    return parser


def _render_math(content: str, options: dict[str, Any]) -> str:
    return _mathml(content, bool(options.get("display_mode")))


_PARSER = _parser()


@lru_cache(maxsize=4096)
def markdown(source: str) -> Markup:
    """`source` as HTML. Headings start at h2, since the page's own title is its h1; raw HTML is shown as text."""
    return Markup(clean(_PARSER.render(source)))


def sentence(source: str) -> Markup:
    """`source` as HTML that can stand inside a link: one run of words, of links in it only the words."""
    return Markup(clean(_PARSER.renderInline(" ".join(source.split())), _TEXT_TAGS - {"a"}))


def clean(html: str, tags: set[str] = _TEXT_TAGS) -> str:
    """`html` with only the elements, attributes and address schemes that a recording may use."""
    return nh3.clean(
        html,
        tags=tags | _MATH_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer",
        generic_attribute_prefixes=None,
    )


def headings(source: str) -> list[tuple[int, str]]:
    """(level, plain text) of each heading in Markdown `source`; level 1 is the highest."""
    if "#" not in source:
        return []
    tokens = _PARSER.parse(source)
    return [
        (int(token.tag[1]), plain(tokens[index + 1]))
        for index, token in enumerate(tokens)
        if token.type == "heading_open"
    ]


def plain(token: Token) -> str:
    """What an inline token says, without its marks."""
    return "".join(child.content for child in token.children or ()).strip()


def safe_address(address: str) -> str:
    """`address` when a link may lead there, else nothing."""
    scheme = address.strip().split(":", 1)[0].lower()
    return address.strip() if scheme in SCHEMES and ":" in address else ""
