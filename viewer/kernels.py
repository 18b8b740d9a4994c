"""Which kernel is in play at each step, and one variant's stages as the kernel pane needs them."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from engine.trace import KernelCard, KernelLines, Observation, Recording, StageLines, Variant
from viewer.assembly import asides, counts, explain, instructions
from viewer.bounds import inside, stays
from viewer.errors import NotListed
from viewer.highlight import lines
from viewer.opcodes import KINDS, STAGES
from viewer.outline import Section

NO_KERNEL = -1


def in_play(recording: Recording, sections: list[Section]) -> list[tuple[int, int]]:
    """(step, kernel) wherever the kernel in play changes.

    A kernel is in play from its launch, its card or its own frames on, until the next section begins.
    """
    changes = {section.step: NO_KERNEL for section in sections}
    changes.update(_entries(recording))
    for number, kernel in enumerate(recording.trace.kernels):
        changes.update({launch.step: number for launch in kernel.launches})
    for step, outputs in recording.outputs.items():
        for output in outputs:
            item = recording.trace.output_table[output]
            if isinstance(item, KernelCard | Observation) and item.kernel >= 0:
                changes[step] = item.kernel
    found: list[tuple[int, int]] = []
    for step, now in sorted(changes.items()):
        if now != (found[-1][1] if found else NO_KERNEL):
            found.append((step, now))
    return found


def _entries(recording: Recording) -> dict[int, int]:
    """The first step of each run of steps inside a kernel's own lines."""
    trace = recording.trace
    inside = []
    for file, line in zip(trace.places.file, trace.places.line, strict=True):
        path = trace.files[file].path
        holds = [n for n, k in enumerate(trace.kernels) if k.path == path and k.line <= line <= k.end_line]
        inside.append(holds[0] if holds else NO_KERNEL)
    found, before = {}, NO_KERNEL
    for step, place in enumerate(trace.steps.place):
        if inside[place] not in (NO_KERNEL, before):
            found[step] = inside[place]
        before = inside[place]
    return found


@dataclass(frozen=True)
class Stage:
    """One stage of compilation, as lines."""

    html: list[str]
    "Each line, coloured."
    source: list[int]
    "Line of the kernel's file each line comes from; 0 compiler-generated, -1 not code; empty where nothing is known."
    inlined: dict[int, list[tuple[str, int]]]
    "By line of the stage: where inlined code stands, then each caller."
    asides: list[int]
    "Numbers of the lines that can be left out: directives, debug sections, comments."
    texts: list[tuple[str, str]]
    "Of PTX and SASS: opcodes, and what each does in a sentence."
    text: list[int]
    "Which of `texts` each line's instruction has; -1 for none."
    counts: dict[str, dict[int, int]]
    "Instructions of each of `KINDS` by the line of the source they come from, 0 for none."


@dataclass(frozen=True)
class Compiled:
    """One variant's stages."""

    stages: dict[str, Stage]
    stale: bool
    "Whether the source has changed since it was compiled."
    missing: str
    "What could not be read, in a sentence; empty when all is there."
    kinds: dict[str, tuple[str, str, str]] = field(default_factory=lambda: KINDS)
    "What `Stage.counts` counts: a letter, a word, and what it means."


def compiled(folder: Path, variant: Variant, source: str) -> Compiled:
    """The stages of `variant` under `folder` (the store's kernels/); `source` is the kernel's file as recorded.

    Raises NotListed when the folder is gone altogether.
    """
    stays(variant.key)
    if variant.stages and not (folder / variant.key).is_dir():
        raise NotListed(f"the stages compiled for {variant.target} are gone; record the lecture again")
    links, missing = _links(folder, variant.key)
    stages = {}
    for name in variant.stages:
        try:
            text = inside(folder, f"{variant.key}/{name}").read_text(encoding="utf-8", errors="replace")
        except (NotListed, OSError):
            missing = f"stage {name} cannot be read; record the lecture again"
            continue
        stages[name] = stage(text, name, links.stages.get(name) if links else None)
    digest = hashlib.sha256(source.encode()).hexdigest()
    return Compiled(stages, bool(links and links.sha256 and links.sha256 != digest), missing)


def stage(text: str, name: str, linked: StageLines | None = None) -> Stage:
    """The stage `name` (`ptx`) as the pane shows it; `linked` says where its lines come from."""
    text = text.removesuffix("\n").replace("\r\n", "\n").replace("\r", "\n")
    source, inlined = (linked.source, dict(linked.inlined)) if linked else ([], {})
    plain = text.split("\n")
    found = instructions(plain, name) if name in STAGES else []
    explained = explain(found, name)
    return Stage(
        html=[str(line) for line in lines(text, name)],
        source=source,
        inlined=inlined,
        asides=asides(plain, source, name),
        texts=explained.texts,
        text=explained.text,
        counts=counts(found, source, name),
    )


def _links(folder: Path, key: str) -> tuple[KernelLines | None, str]:
    try:
        return msgspec.json.decode(inside(folder, f"{key}/lines.json").read_bytes(), type=KernelLines), ""
    except (NotListed, OSError):
        return None, "no lines.json, so source and stages cannot be linked"
    except msgspec.MsgspecError as error:
        return None, f"lines.json is damaged ({error}), so source and stages cannot be linked"
