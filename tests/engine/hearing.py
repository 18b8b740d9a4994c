"""A recorder that only listens: what the authoring API says, kept in lists."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType

from engine import sink
from engine.claims import Claim
from engine.trace import Kernel, Output, Tuning


class Hearing:
    """Implements `sink.Sink`."""

    def __init__(self, folder: Path) -> None:
        self.store = folder / "var"
        self.lecture = folder / "lecture.py"
        self.outputs: list[Output] = []
        self.warnings: list[str] = []
        self.kernels: list[Kernel] = []
        self.claims: list[Claim] = []

    def emit(self, output: Output) -> None:
        self.outputs.append(output)

    def observe(self, claim: Claim) -> None:
        self.claims.append(claim)

    def warn(self, message: str, path: str = "", line: int = 0) -> None:
        self.warnings.append(message)

    def display_path(self, path: str) -> str:
        return Path(path).name

    def kernel(self, kernel: Kernel) -> int:
        if kernel not in self.kernels:
            self.kernels.append(kernel)
        return self.kernels.index(kernel)

    def launched(self, kernel: int, grid: tuple[int, ...], interpreted: bool) -> None:
        raise AssertionError("nothing is launched here")

    def tuned(self, kernel: int, tuning: Tuning) -> None:
        raise AssertionError("nothing is tuned here")

    @contextmanager
    def paused(self) -> Iterator[None]:
        before = sys.gettrace()
        sys.settrace(None)
        try:
            yield
        finally:
            sys.settrace(before)

    def step_inside(self, code: CodeType, inside: bool) -> None:
        raise AssertionError("nothing is stepped here")

    @property
    def files(self) -> list[str]:
        """Names under `files/`, in order."""
        return sorted(path.name for path in (self.store / "files").glob("*"))

    def file(self, name: str) -> bytes:
        return (self.store / "files" / name).read_bytes()


@contextmanager
def hearing(folder: Path) -> Iterator[Hearing]:
    """Listen while inside."""
    before, heard = sink.current, Hearing(folder)
    sink.current = heard
    try:
        yield heard
    finally:
        sink.current = before
