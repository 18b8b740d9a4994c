"""The kernels of a recording, by number: their launches, what autotuning found, what they were compiled to."""

from pathlib import Path

import msgspec

from engine.builder import Builder
from engine.trace import Kernel, Launch, Tuning, Variant

LAUNCH_LIMIT = 1_000
"Launches kept a kernel."
TUNING_LIMIT = 50
"Keys of an autotuned kernel kept."


class KernelTable:
    """Numbers the kernels of a recording and keeps what becomes known of them."""

    def __init__(self, builder: Builder, store: Path) -> None:
        self.kernels = builder.kernels
        self.files = builder.files
        self.store = store
        self.launches: list[list[Launch]] = []

    def number(self, kernel: Kernel) -> int:
        """Number of a kernel."""
        for number, known in enumerate(self.kernels):
            if (known.name, known.path, known.line) == (kernel.name, kernel.path, kernel.line):
                return number
        self.kernels.append(kernel)
        self.launches.append([])
        return len(self.kernels) - 1

    def launched(self, number: int, launch: Launch) -> None:
        """Keep a launch; of those past the limit one, which tells that there were more."""
        if len(self.launches[number]) <= LAUNCH_LIMIT:
            self.launches[number].append(launch)

    def tuned(self, number: int, tuning: Tuning) -> bool:
        """Keep what autotuning found; whether there was room for it."""
        known = self.kernels[number]
        if len(known.tunings) >= TUNING_LIMIT:
            return False
        self.kernels[number] = msgspec.structs.replace(known, tunings=(*known.tunings, tuning))
        return True

    def set_variants(self, variants: dict[int, tuple[Variant, ...]]) -> None:
        """Note what the kernels were compiled to, by their numbers."""
        for number, compiled in variants.items():
            self.kernels[number] = msgspec.structs.replace(self.kernels[number], variants=compiled)

    def stage_text(self, variant: Variant, stage: str) -> str:
        """The text of a compiled stage. Raises OSError where it is gone."""
        return (self.store / "kernels" / variant.key / stage).read_text(encoding="utf-8", errors="replace")

    def source_text(self, kernel: Kernel) -> str:
        """A kernel's own lines."""
        source = next(file.source for file in self.files if file.path == kernel.path)
        return "\n".join(source.split("\n")[kernel.line - 1 : kernel.end_line])

    def finish(self) -> None:
        """Give each kernel its launches."""
        for number, launches in enumerate(self.launches):
            kept, more = tuple(launches[:LAUNCH_LIMIT]), len(launches) > LAUNCH_LIMIT
            self.kernels[number] = msgspec.structs.replace(self.kernels[number], launches=kept, truncated=more)
