"""Builds recordings by hand, so that the viewer is tested without the recorder."""

from dataclasses import dataclass, field

from engine import trace as t


def differences(numbers: list[int]) -> list[int]:
    """What the format stores of an increasing column."""
    return [number - before for before, number in zip([0, *numbers], numbers)]


class Table(list):
    """A list whose items have one number each."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, item: object) -> int:
        """Number of `item`, which joins the table when it is not there."""
        found = self.numbers.setdefault(repr(item), len(self))
        if found == len(self):
            self.append(item)
        return found


@dataclass
class Maker:
    """A recording that grows by `step`; `trace` gives what stands so far."""

    source: str
    path: str = "lecture.py"
    title: str = "A lecture"
    files: list[t.File] = field(default_factory=list)
    names: Table = field(default_factory=Table)
    values: Table = field(default_factory=Table)
    outputs: Table = field(default_factory=Table)
    places: Table = field(default_factory=Table)
    activations: list[tuple[int, int]] = field(default_factory=list)
    threads: dict[int, str] = field(default_factory=dict)
    steps: list[tuple[int, int]] = field(default_factory=list)
    inspected: list[tuple[int, int, int]] = field(default_factory=list)
    cleared: list[tuple[int, int]] = field(default_factory=list)
    shown: list[tuple[int, int]] = field(default_factory=list)
    errors: dict[int, t.Error] = field(default_factory=dict)
    warnings: list[t.Warning] = field(default_factory=list)
    kernels: list[t.Kernel] = field(default_factory=list)
    tensors: list[t.Tensor] = field(default_factory=list)
    accesses: list[t.Access] = field(default_factory=list)
    instances: list[t.Instance] = field(default_factory=list)
    functions: dict[int, str] = field(default_factory=dict)
    status: str = "ok"
    reason: str = ""

    def __post_init__(self) -> None:
        self.files.insert(0, t.File(self.path, self.source))

    def file(self, path: str, source: str, language: str = "python", visible: bool = True) -> int:
        """Number of a further file."""
        self.files.append(t.File(path, source, language, visible))
        return len(self.files) - 1

    def call(self, function: str, caller: int = -1, thread: str = "", frame: int | None = None) -> int:
        """Number of a new activation of `function`."""
        number = len(self.activations)
        self.activations.append((caller, number if frame is None else frame))
        self.functions[number] = function
        if thread:
            self.threads[number] = thread
        return number

    def step(
        self,
        activation: int,
        line: int,
        *outputs: t.Output,
        kind: str = "line",
        file: int = 0,
        end_line: int = 0,
        values: dict[str, t.Value | int | float | str] | None = None,
        clear: tuple[str, ...] = (),
        error: t.Error | None = None,
    ) -> int:
        """Number of a new step at `line`."""
        number = len(self.steps)
        place = (kind, file, line, max(line, end_line), self.functions[activation])
        self.steps.append((self.places.number(place), activation))
        self.shown += [(number, self.outputs.number(output)) for output in outputs]
        for name, value in (values or {}).items():
            self.inspected.append((number, self.names.number(name), self.value(value)))
        self.cleared += [(number, self.names.number(name)) for name in clear]
        if error:
            self.errors[number] = error
        return number

    def value(self, value: t.Value | int | float | str) -> int:
        """Number of `value`; plain Python scalars become scalars of the format."""
        if isinstance(value, t.Struct):
            return self.values.number(value)
        return self.values.number(t.Scalar(type(value).__name__, repr(value)))

    def trace(self) -> t.Trace:
        """The recording so far, of one step at least."""
        kinds, files, lines, ends, functions = (list(column) for column in zip(*self.places))
        return t.Trace(
            t.FORMAT, t.VERSION, self.title, self.path, self.status, self.reason,
            files=self.files, names=self.names, values=self.values, output_table=self.outputs,
            places=t.Places(kinds, files, lines, ends, functions),
            activations=t.Activations(
                differences([caller for caller, _ in self.activations]),
                differences([frame for _, frame in self.activations]),
                self.threads,
            ),
            steps=t.Steps([place for place, _ in self.steps], differences([number for _, number in self.steps])),
            inspected=t.Inspected(
                differences([step for step, _, _ in self.inspected]),
                [name for _, name, _ in self.inspected],
                [value for _, _, value in self.inspected],
            ),
            cleared=t.Pairs(differences([step for step, _ in self.cleared]), [name for _, name in self.cleared]),
            outputs=t.Pairs(differences([step for step, _ in self.shown]), [output for _, output in self.shown]),
            errors=self.errors, warnings=self.warnings, kernels=self.kernels,
            tensors=self.tensors, access_table=self.accesses, instances=self.instances,
        )  # fmt: skip

