"""Where the authoring API sends what a lecture says: the recorder while there is one, the terminal otherwise."""

import sys
from contextlib import AbstractContextManager
from pathlib import Path
from types import CodeType
from typing import Protocol

from engine.claims import Claim
from engine.trace import Access, Kernel, Output, Tensor, Tuning


class Sink(Protocol):
    """What the authoring API needs of a recorder."""

    store: Path
    "Folder with `files/` and `kernels/`."
    lecture: Path
    "The lecture's own file; relative pictures are looked for beside it."

    def emit(self, output: Output) -> None:
        """Attach `output` to the statement the calling thread is executing."""

    def observe(self, claim: Claim) -> None:
        """Attach the observation of `claim` to the current statement; it is checked when the lecture has ended."""

    def warn(self, message: str, path: str = "", line: int = 0) -> None:
        """Tell the author something that cost the recording nothing else; place defaults to the current statement."""

    def display_path(self, path: str) -> str:
        """How the recording calls the file `path`; its source is taken into the recording."""

    def kernel(self, kernel: Kernel) -> int:
        """Number of `kernel` in the recording; a kernel of the same path, line and name is there only once."""

    def launched(self, kernel: int, grid: tuple[int, ...], interpreted: bool) -> None:
        """Note that the current statement launched a kernel."""

    def tuned(self, kernel: int, tuning: Tuning) -> None:
        """Note what autotuning found for a kernel."""

    def paused(self) -> AbstractContextManager[None]:
        """Record nothing that the calling thread runs meanwhile, so that its times are its own."""

    def step_inside(self, code: CodeType, inside: bool) -> None:
        """From now on record (or no longer record) the statements of `code`, with all its local variables."""

    def entered(self, kernel: int, index: tuple[int, ...], grid: tuple[int, ...], tensors: tuple[Tensor, ...]) -> None:
        """A program instance that is stepped through begins; it was given `tensors`."""

    def accessed(self, tensor: int, access: Access) -> None:
        """The instance read, wrote or updated elements of the tensor of that number among its own, -1 for none."""

    def left(self) -> None:
        """The instance is over."""


current: Sink | None = None
"The recorder that runs in this process, if any."


def emit(output: Output, plain: str) -> None:
    """Send `output` to the recorder; without one, print `plain`."""
    if current is not None:
        current.emit(output)
    else:
        print(plain)


def observe(claim: Claim) -> None:
    """Have the recorder check `claim`; without one there is nothing to check it on, and its sentence is printed."""
    if current is not None:
        current.observe(claim)
    else:
        print(claim.observation.markdown)


def warn(message: str) -> None:
    """Send a warning to the recorder; without one, to standard error."""
    if current is not None:
        current.warn(message)
    else:
        print(f"warning: {message}", file=sys.stderr)
