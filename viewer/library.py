"""The recordings of a folder: which there are, what is wrong with the others, and the files that belong to them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path

from engine.errors import TraceError
from engine.trace import (
    Graph,
    Kernel,
    Picture,
    Plot,
    ProfileTable,
    Trace,
    Variant,
    Video,
    decode,
    store,
)
from viewer.bounds import inside
from viewer.errors import NotListed, UsageError
from viewer.lecture import Lecture, study, title
from viewer.pages import Card
from viewer.provenance import provenance
from viewer.stages import Stages
from viewer.urls import RESERVED

FAILED = ".failed"
"Suffix of a note beside NAME.json in which whoever records says why the lecture could not be recorded at all."

NOWHERE = (0, 0)
"Stamp of a file that is not there."


@dataclass
class Entry:
    """A lecture of the folder: its recording, or what is wrong with it."""

    name: str
    path: Path
    stamp: tuple[int, int]
    "Time of last change in nanoseconds, and size: a file with another stamp is read again."
    trace: Trace | None
    problem: str = ""
    revision: str = ""
    "Of the file's content: equal for equal bytes."
    studied: Lecture | None = None
    columns: bytes | None = None
    html: dict[str, str] = field(default_factory=dict)
    "Pages made of it, by what kind of page they are."

    def failed(self) -> str:
        """Why it could not be recorded the last time; empty where it could."""
        try:
            note = self.path.with_suffix(FAILED).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
        return note.strip()[:2000]

    def lecture(self) -> Lecture:
        """The recording with all that is derived from it. Raises NotListed where it cannot be shown."""
        if self.trace is None:
            raise NotListed(self.problem)
        if self.studied is None:
            self.studied = study(self.trace, self.name)
        return self.studied

    def data(self) -> bytes:
        """The data file of its page. Raises NotListed where it cannot be shown."""
        if self.columns is None:
            self.columns = self.lecture().data()
        return self.columns


class Library:
    """The recordings in the folder `traces`. Raises UsageError when there is no such folder."""

    def __init__(self, traces: Path) -> None:
        if not traces.is_dir():
            raise UsageError(f"there is no folder {str(traces)!r}; record a lecture first: python -m engine LECTURE.py")
        self.traces = traces
        self.store = store(traces.resolve())
        self.stages = Stages(self.store / "kernels")
        self._entries: dict[str, Entry] = {}

    def entries(self) -> list[Entry]:
        """All lectures of the folder, by name; what changed is read again."""
        found = {path.with_suffix(".json") for suffix in (".json", FAILED) for path in self.traces.glob(f"*{suffix}")}
        self._entries = {path.stem: self._entry(path) for path in sorted(found) if not path.name.startswith(".")}
        return list(self._entries.values())

    def entry(self, name: str) -> Entry:
        """The lecture called `name`. Raises NotListed when there is none."""
        path = self.traces / f"{name}.json"
        known = any(path.with_suffix(suffix).is_file() for suffix in (".json", FAILED)) if _is_name(name) else False
        if not known:
            raise NotListed(f"there is no recording {name!r}")
        entry = self._entries[name] = self._entry(path)
        return entry

    def _entry(self, path: Path) -> Entry:
        stamp = _stamp(path)
        if stamp == NOWHERE:
            entry = Entry(path.stem, path, stamp, None)
            entry.problem = f"the lecture could not be recorded: {entry.failed()}".rstrip(".")
            return entry
        known = self._entries.get(path.stem)
        return known if known and known.stamp == stamp else _read(path, stamp)

    def file(self, name: str) -> Path:
        """The file `name` that a recording shows. Raises NotListed for any other."""
        if any(name in shown_files(entry.trace) for entry in self._known()):
            return inside(self.store / "files", name)
        raise NotListed(f"there is no file {name!r}")

    def stage(self, key: str, stage: str) -> Path:
        """The text of `stage` of the variant kept under `key`. Raises NotListed when no recording has it."""
        variant, _ = self.variant(key)
        if stage in variant.stages:
            return inside(self.store / "kernels", f"{key}/{stage}")
        raise NotListed(f"{key!r} has no stage {stage!r}")

    def sources(self, key: str) -> dict[str, str]:
        """The files that the variant kept under `key` was compiled from, as `sources` gives them. Raises NotListed."""
        for entry in self._known():
            for kernel in entry.trace.kernels if entry.trace else ():
                for variant in kernel.variants:
                    if entry.trace and variant.key == key:
                        return sources(entry.trace, kernel, variant)
        raise NotListed(f"no recording has a kernel {key!r}")

    def lacking(self, entry: Entry) -> list[str]:
        """What the recording shows and the store has no more, a sentence each."""
        said = []
        wanted = [[partial(self.file, name)] for name in sorted(shown_files(entry.trace))]
        for variant, _ in variants(entry.trace):
            wanted.append([partial(self.stage, variant.key, name) for name in variant.stages])
        for parts in wanted:
            try:
                for find in parts:
                    find()
            except NotListed as error:
                said.append(str(error))
        return said

    def variant(self, key: str) -> tuple[Variant, str]:
        """The variant kept under `key`, and its kernel's file as recorded. Raises NotListed for other keys."""
        for entry in self._known():
            for variant, source in variants(entry.trace):
                if variant.key == key:
                    return variant, source
        raise NotListed(f"no recording has a kernel {key!r}")

    def _known(self) -> Iterator[Entry]:
        """The recordings read so far, then all of them: what is asked for mostly belongs to the page just opened."""
        yield from list(self._entries.values())
        yield from self.entries()


def _is_name(name: str) -> bool:
    """Whether `name` names nothing outside a folder, and nothing hidden."""
    return not name.startswith(".") and not {"/", "\\", "\0"} & set(name)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return NOWHERE
    return (found.st_mtime_ns, found.st_size)


def _read(path: Path, stamp: tuple[int, int]) -> Entry:
    if path.stem in RESERVED:
        problem = f"the viewer uses the name {path.stem!r} itself; rename the file"
        return Entry(path.stem, path, stamp, None, problem)
    try:
        data = path.read_bytes()
        return Entry(path.stem, path, stamp, decode(data, path.name), revision=sha256(data).hexdigest()[:12])
    except OSError as error:
        return Entry(path.stem, path, stamp, None, f"{path.name!r} cannot be read: {error.strerror}")
    except TraceError as error:
        return Entry(path.stem, path, stamp, None, str(error))


def shown_files(trace: Trace | None) -> set[str]:
    """Names under files/ that the outputs of `trace` refer to."""
    names: set[str] = set()
    for output in trace.output_table if trace else ():
        if isinstance(output, Picture | Video | Plot | Graph):
            names.add(output.file)
        elif isinstance(output, ProfileTable):
            names.update((output.stacks, output.timeline))
    return names - {""}


def variants(trace: Trace | None) -> Iterator[tuple[Variant, str]]:
    """Each variant of each kernel with the text of the kernel's file."""
    if trace is None:
        return
    sources = {file.path: file.source for file in trace.files}
    for kernel in trace.kernels:
        for variant in kernel.variants:
            yield variant, sources.get(kernel.path, "")


def sources(trace: Trace, kernel: Kernel, variant: Variant) -> dict[str, str]:
    """The texts of the files that a variant was compiled from as recorded, by their paths, its kernel's own first."""
    texts = {file.path: file.source for file in trace.files}
    others = {path: texts[path] for path in variant.sources if path in texts}
    return {kernel.path: texts.get(kernel.path, ""), **others}


def card(entry: Entry) -> Card:
    """What the index says about `entry`."""
    trace = entry.trace
    if trace is None:
        return Card(entry.name, entry.name if entry.stamp == NOWHERE else entry.path.name, "broken", entry.problem)
    lecture = entry.lecture()
    return Card(
        name=entry.name,
        title=title(lecture),
        status=trace.status,
        said=trace.reason,
        lecture=trace.lecture,
        steps=len(lecture.recording),
        kernels=len(trace.kernels),
        sections=tuple(section.title for section in lecture.sections if section.level <= 2),
        made=provenance(trace.run).replace("Recorded", "recorded"),
        failed=entry.failed(),
    )
