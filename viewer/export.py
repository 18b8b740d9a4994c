"""The library as a folder of files for any host. The bytes are those that the server gives."""

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote
from xml.sax.saxutils import escape

from viewer import render, single, site
from viewer.bounds import stays
from viewer.errors import NotListed, UsageError
from viewer.lecture import CHUNK, INLINE_GROUPS
from viewer.library import Entry, Library, card, shown_files, variants
from viewer.plots import SCRIPTS
from viewer.urls import FILES, KERNELS, STATIC

MANIFEST = ".export.json"
"In the folder: what was written last time, so that what is no longer published goes away and nothing else does."


@dataclass
class Export:
    """An export into the folder `out`, and what became of it."""

    library: Library
    out: Path
    notes: bool = False
    base: str = ""
    "Address where the folder will be published; without it there is no site map, which asks for whole addresses."
    written: dict[str, bool] = field(default_factory=dict)
    "By path within the folder: whether its bytes changed."
    problems: list[str] = field(default_factory=list)
    "What could not be published, in sentences."

    def run(self, single_file: bool = False) -> None:
        """Write all files. Raises UsageError when there is nothing to write or nowhere to write it."""
        entries = [entry for entry in self.library.entries() if entry.trace]
        broken = [entry for entry in self.library.entries() if not entry.trace]
        self.problems += [f"{card(entry).title}: {entry.problem}" for entry in broken]
        if not entries:
            raise UsageError(f"{str(self.library.traces)!r} has no recording to export; record a lecture first")
        self._own()
        before = self._manifest()
        self.problems += [f"{entry.path.name}: {said}" for entry in entries for said in self.library.lacking(entry)]
        try:
            self._claim()
            self._singles(entries) if single_file else self._site(entries)
            self._sweep(before)
        except OSError as error:
            raise UsageError(f"cannot write to {str(self.out)!r}: {error.strerror}") from error

    def _singles(self, entries: list[Entry]) -> None:
        for entry in entries:
            self._write(f"{entry.name}.html", single.lecture(self.library, entry, self.notes).encode())
            with contextlib.suppress(NotListed):  # there is no other recording to compare it with
                self._write(f"compare/{entry.name}.html", single.compare(self.library, entry.name).encode())
        self._write("index.html", single.index(self.library).encode())

    def _site(self, entries: list[Entry]) -> None:
        self._write(".nojekyll", b"")
        self._write("index.html", site.index(self.library, broken=False, base=self.base).encode())
        for path in sorted(render.static_files() - _unused(entries)):
            self._write(f"{STATIC}/{path}", (render.STATIC / path).read_bytes())
        for entry in entries:
            self._lecture(entry)
        if self.base:
            addresses = [self.base, *(f"{self.base}{quote(entry.name)}/" for entry in entries)]
            self._write("sitemap.xml", _sitemap(addresses).encode())

    def _lecture(self, entry: Entry) -> None:
        found = entry.lecture()
        self._write(f"{entry.name}/index.html", site.lecture(entry, self.notes, base=self.base).encode())
        self._write(f"{entry.name}/data.json", entry.data())
        for number, spot in enumerate(found.visits.spots):
            if len(spot.groups) > INLINE_GROUPS:
                for chunk in range(-(-len(spot.groups) // CHUNK)):
                    content = site.outputs(found, number, chunk, self.notes)
                    self._write(f"{entry.name}/outputs/{number}/{chunk}.json", content)
        for key in found.charts.by_key:
            self._write(f"{entry.name}/plots/{key}.json", site.chart(found, key))
        with contextlib.suppress(NotListed):  # there is no other recording to compare it with
            compared = render.compare(site.compare(self.library, entry.name))
            self._write(f"{entry.name}/compare/index.html", compared.encode())
        for path, data in self._belongings(entry):
            self._write(path, data)

    def _belongings(self, entry: Entry) -> Iterator[tuple[str, bytes]]:
        """Path and bytes of the pictures and the kernels' stages that are there."""
        for name in sorted(shown_files(entry.trace)):
            with contextlib.suppress(NotListed):
                yield f"{FILES}/{name}", self.library.file(name).read_bytes()
        for variant, source in variants(entry.trace):
            with contextlib.suppress(NotListed):
                yield f"{KERNELS}/{variant.key}.json", self.library.stages.json(variant, source)
                for stage in variant.stages:
                    yield f"{KERNELS}/{variant.key}/{stage}", self.library.stage(variant.key, stage).read_bytes()

    def _write(self, path: str, data: bytes) -> None:
        """Put `data` at `path` unless it is there already."""
        file = self.out / stays(path)
        changes = not (file.is_file() and file.read_bytes() == data)
        self.written[path] = changes or self.written.get(path, False)  # several recordings may have one kernel
        if changes:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)

    def _own(self) -> None:
        """Raise UsageError when the folder holds things and no export of ours."""
        if self.out.is_dir() and any(self.out.iterdir()) and not (self.out / MANIFEST).is_file():
            raise UsageError(
                f"{str(self.out)!r} holds other files and no earlier export; name a new or an empty folder with --out"
            )

    def _claim(self) -> None:
        """Leave a manifest before anything else, so that an export cut short can be run again."""
        if not (self.out / MANIFEST).is_file():
            self._write(MANIFEST, b"[]\n")

    def _manifest(self) -> list[str]:
        try:
            return [path for path in json.loads((self.out / MANIFEST).read_bytes()) if isinstance(path, str)]
        except (OSError, ValueError, TypeError):
            return []

    def _sweep(self, before: list[str]) -> None:
        """Remove what an earlier export wrote and this one did not."""
        for path in before:
            file = self.out / path
            if path not in self.written and file.resolve().is_relative_to(self.out.resolve()):
                file.unlink(missing_ok=True)
        self._write(MANIFEST, json.dumps(sorted({*self.written} - {MANIFEST}), indent=0).encode() + b"\n")


def _unused(entries: list[Entry]) -> set[str]:
    """Scripts for charts that none of the lectures has."""
    used = {path for entry in entries for chart in entry.lecture().charts.by_key.values() for path in chart.scripts}
    return SCRIPTS - used


def _sitemap(addresses: list[str]) -> str:
    listed = "".join(f"<url><loc>{escape(address)}</loc></url>\n" for address in addresses)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{listed}</urlset>\n'
    )
