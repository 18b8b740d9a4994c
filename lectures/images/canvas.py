"""A sheet to draw a lecture's diagram on, saved as an SVG that stands on its own in a dark or a light page.

Every drawing brings its own paper and ink, so it needs nothing of the page around it, and carries a title and a
description for those who cannot see it. Lengths are user units; a sheet is 720 wide.
"""

from collections.abc import Callable
from html import escape
from pathlib import Path

PAPER, INK, QUIET, RULE = "#fbfaf6", "#1d2330", "#545d6b", "#8a919c"
BLUE, ORANGE, GREEN, GREY, VIOLET = "#cfe2f6", "#fbdcc4", "#cdebd6", "#e7e6e1", "#e2d8f3"
DEEP = {BLUE: "#1f5f9e", ORANGE: "#b2470f", GREEN: "#1f6b3f", GREY: "#6f7681", VIOLET: "#5b3f92"}
"The outline that goes with each fill; dark enough to be read as text on the paper."

SANS = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, 'SF Mono', 'Noto Sans Mono', 'DejaVu Sans Mono', monospace"
WIDTH = 720
ARROW_HEAD = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
    f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 8 4 0 8z" fill="{INK}"/></marker></defs>'
)


class Sheet:
    """One drawing, called as the function that draws it; that function's docstring becomes title and description."""

    def __init__(self, drawing: Callable[[], "Sheet"], height: float) -> None:
        title, _, description = (drawing.__doc__ or "").partition("\n")
        self.name, self.height = drawing.__name__, height
        self.marks = [
            f"<title>{escape(title.strip().rstrip('.'))}</title>",
            f"<desc>{escape(' '.join(description.split()))}</desc>",
            f'<rect x="1" y="1" width="{WIDTH - 2}" height="{height - 2:g}" rx="10" fill="{PAPER}" stroke="{RULE}"/>',
        ]

    def box(self, x: float, y: float, w: float, h: float, fill: str = GREY, *, label: str = "", size: float = 15,
            r: float = 3, dash: bool = False) -> None:
        """A rectangle, with `label` in its middle."""
        dashes = ' stroke-dasharray="4 3"' if dash else ""
        self.marks.append(
            f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{r:g}" fill="{fill}" '
            f'stroke="{DEEP.get(fill, RULE)}"{dashes}/>'
        )
        if label:
            self.text(x + w / 2, y + h / 2 + size * 0.35, label, size, "middle")

    def text(self, x: float, y: float, words: str, size: float = 15, anchor: str = "start", *, color: str = INK,
             mono: bool = False, bold: bool = False) -> None:
        """One line of text whose baseline is at `y`."""
        weight = ' font-weight="650"' if bold else ""
        self.marks.append(
            f'<text x="{x:g}" y="{y:g}" font-family="{MONO if mono else SANS}" font-size="{size:g}" '
            f'text-anchor="{anchor}" fill="{color}"{weight} xml:space="preserve">{escape(words)}</text>'
        )

    def lines(self, x: float, y: float, *lines: str, pitch: float = 22, size: float = 14) -> None:
        """Lines of code, one under the other."""
        for number, words in enumerate(lines):
            self.text(x, y + number * pitch, words, size, mono=True)

    def line(self, x1: float, y1: float, x2: float, y2: float, color: str = QUIET, *, width: float = 1.5,
             arrow: bool = False) -> None:
        """A straight line, with a head at its end if it is an arrow."""
        head = ' marker-end="url(#head)"' if arrow else ""
        self.marks.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{color}" stroke-width="{width:g}"{head}/>'
        )

    def heading(self, words: str) -> None:
        """The line at the top of the sheet."""
        self.text(24, 34, words, 18, bold=True)

    def svg(self) -> str:
        """The finished drawing."""
        body = "\n".join(self.marks)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height:g}" width="{WIDTH}" '
            f'height="{self.height:g}" role="img">\n{body}\n{ARROW_HEAD}\n</svg>\n'
        )

    def save(self, folder: Path) -> None:
        """Write the drawing as `NAME.svg` into `folder`."""
        (folder / f"{self.name}.svg").write_text(self.svg(), encoding="utf-8")
