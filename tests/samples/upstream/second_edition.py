"""A lecture for edtrace: each of its calls, each of its directives."""
from dataclasses import dataclass

from edtrace import (
    Reference, graph, image, link, make_graph, note, plot, system_text, text, url_reference, video,
)
from edtrace.file_util import relativize
from lecture_util import article_link, get_local_url, post_link, video_link


@dataclass(frozen=True)
class Gate:
    name: str
    inputs: list[int]

    def asdict(self):
        return {"name": self.name}


def main():
    text("## Gates")
    text("One text in "), text("two calls")
    text("if a:\n    b", verbatim=True, style={"color": "blue"})  # @hide
    note("Ask who has seen one.")
    gate = Gate("nand", [1, 0])  # @inspect gate gate.name gate.inputs
    total = squares(3)  # @inspect total @stepover
    total = squares(2)  # @inspect total
    text("Total is no longer shown.")  # @clear total
    draw()
    refer(gate)
    system_text(["printf", "\033[31mred\033[0m"])
    inputs, outputs = gate.inputs, []  # @inspect inputs @inspect outputs


def squares(n: int) -> int:
    total = 0
    for i in range(n):
        total += i * i  # @inspect i total
    return total


def draw():
    for step in range(2):  # @animate
        text(f"frame {step}")
    plot({"mark": "line", "data": {"values": [{"x": 0, "y": 1}, {"x": 1, "y": 3}]},
          "encoding": {"x": {"field": "x"}, "y": {"field": "y"}}})
    graph(make_graph(
        nodes=[{"id": "a", "x": 0, "y": 0}, {"id": "b", "label": "B", "x": 90, "y": 40, "classes": "hot"}],
        edges=[{"source": "a", "target": "b", "label": "to"}],
        layout="preset", stylesheet=[{"selector": ".hot", "style": {"color": "red"}}], width=300, height=100,
    ))
    graph(None)
    image("gate.svg", style={"border": "1px solid"}, width="50%")
    image("https://no-such-host.invalid/gate.png", width=200)
    video("https://no-such-host.invalid/gate.mp4", width=300)


def refer(gate: Gate):
    sheffer = Reference(title="Sheffer", authors=["Henry M. Sheffer"], date="1913", url="https://example.org/s.pdf")
    paper = url_reference("https://arxiv.org/abs/2005.14165", notes="Few-shot.")
    link(sheffer), link(paper), link(squares), link(Gate)
    link("https://example.org/gates", title="Gates")
    article_link("https://example.org/a"), post_link("https://example.org/p"), video_link("https://example.org/v")
    link(title="source", url=get_local_url(relativize("second_edition.py")))
