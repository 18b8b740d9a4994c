"""`python -m tests.benchmarks`: a table of what recording costs here. Of packages it needs msgspec alone."""

import argparse
import platform
import tempfile
from pathlib import Path

from tests.benchmarks.files import kept, starting
from tests.benchmarks.workloads import WAYS, WORKLOADS, steps_of, times

MILLION = 170_000
"Passes of the hot loop that make a million steps."


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="What recording costs here.")
    parser.add_argument("--rounds", type=int, default=7, help="measurements each figure is the least of (7)")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"Python {platform.python_version()}, least of {rounds} rounds, milliseconds of the processor\n")
        _costs(folder, rounds)
        _file(folder)
        _start(folder, rounds)


def _costs(folder: Path, rounds: int) -> None:
    print(f"{'':27}{'steps':>8}" + "".join(f"{way:>11}" for way in WAYS) + "   against the floor, untraced; us a step")
    for workload in WORKLOADS:
        spent = times(workload, folder, workload.size, rounds)
        steps = len(steps_of(workload, folder, workload.size).builder)
        line = f"{workload.name:27}{steps:>8,}" + "".join(f"{1000 * seconds:>11.1f}" for seconds in spent.values())
        for way in list(WAYS)[2:]:
            against = spent[way] / spent["floor"], spent[way] / spent["untraced"]
            line += f"   {way} {against[0]:.2f}x {against[1]:.2f}x"
            line += f" {1e6 * spent[way] / steps:.2f}" if steps > 1000 else ""
        print(line, flush=True)


def _file(folder: Path) -> None:
    found = kept(folder, MILLION)
    print(f"\n{found.steps:,} steps: {found.memory:.1f} bytes a step in memory, {found.disk:.1f} on disk, "
          f"written in {found.finishing:.2f} s, opened in {found.opening:.2f} s")  # fmt: skip


def _start(folder: Path, rounds: int) -> None:
    spent = starting(folder, rounds)
    print("starting: " + ", ".join(
        f"{name} {1000 * seconds:.0f} ms" + (f" ({seconds / spent['python']:.1f}x)" if name != "python" else "")
        for name, seconds in spent.items() if seconds < float("inf")
    ))  # fmt: skip


if __name__ == "__main__":
    main()
