"""Collects what the program instances that are stepped through read and write, each thing once."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from engine.builder import Builder
from engine.trace import Access, Instance, Kernel, Pairs, Tensor, differences

STEP_LIMIT = 32
"Different accesses kept a step."


@dataclass
class _Instance:
    """A program instance under construction."""

    after: int
    "The first step it may have."
    kernel: int
    index: tuple[int, ...]
    grid: tuple[int, ...]
    tensors: tuple[int, ...]
    accesses: list[tuple[int, int]] = field(default_factory=list)
    "Step and number of each access."


class Inside:
    """The program instances so far. One is stepped through at a time."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.tensors: dict[Tensor, int] = {}
        self.table: dict[Access, int] = {}
        self.instances: list[_Instance] = []
        self.now = False
        "Whether one is being stepped through."

    def enter(self, kernel: int, index: tuple[int, ...], grid: tuple[int, ...], tensors: Sequence[Tensor]) -> None:
        """An instance begins."""
        numbers = tuple(self.tensors.setdefault(tensor, len(self.tensors)) for tensor in tensors)
        self.instances.append(_Instance(len(self.builder), kernel, index, grid, numbers))
        self.now = True

    def leave(self) -> None:
        """It is over."""
        self.now = False

    def of_launch(self, tensor: int, access: Access) -> Access:
        """`access` to the tensor of that number among the launch's, -1 for none, as the recording numbers it."""
        return msgspec.structs.replace(access, tensor=self.instances[-1].tensors[tensor] if tensor >= 0 else -1)

    def add(self, step: int, access: Access) -> None:
        """The instance did this at `step`. What a statement does again is kept once."""
        made = self.instances[-1].accesses
        at_step = [number for at, number in made[-STEP_LIMIT - 1 :] if at == step]
        if len(at_step) > STEP_LIMIT or self.table.get(access) in at_step:
            return
        if len(at_step) == STEP_LIMIT:
            access = Access(access.operation, "further accesses of this statement are left out", truncated=True)
        made.append((step, self.table.setdefault(access, len(self.table))))

    def finish(self) -> tuple[list[Tensor], list[Access], list[Instance]]:
        """The tables. An instance that took no step is not among them."""
        found = []
        for instance in self.instances:
            first = self._first_step(instance.after, self.builder.kernels[instance.kernel])
            if first is not None:
                made = sorted(instance.accesses, key=lambda pair: pair[0])
                pairs = Pairs(differences(step for step, _ in made), [number for _, number in made])
                found.append(Instance(first, instance.kernel, instance.index, instance.grid, instance.tensors, pairs))
        return list(self.tensors), list(self.table), sorted(found, key=lambda instance: instance.step)

    def _first_step(self, after: int, kernel: Kernel) -> int | None:
        """The first step in the kernel's own lines: other threads may take some meanwhile."""
        places, steps = self.builder.places, self.builder.steps.first
        for step in range(after, len(self.builder)):
            at = steps[step]
            if places.function[at] == kernel.name and self.builder.files[places.file[at]].path == kernel.path:
                return step
        return None
