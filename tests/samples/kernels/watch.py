"""Watches lecture_launches.main with a sink that writes down what it is told; prints that as JSON."""

import json
import sys
from pathlib import Path

import msgspec

from engine import launches
from silent import Silent

HERE = Path(__file__).parent


class Notes(Silent):
    """A sink that keeps everything. It also traces the code it is told to, as the recorder does."""

    store = Path("unused")
    lecture = HERE / "lecture_launches.py"

    def __init__(self):
        self.events = []
        self.kernels = []
        self.inside = set()

    def note(self, *event):
        self.events.append(event)

    def display_path(self, path):
        return Path(path).name

    def kernel(self, kernel):
        self.kernels.append(kernel)
        self.note("kernel", kernel.name, kernel.path, kernel.line, kernel.end_line)
        return len(self.kernels) - 1

    def launched(self, kernel, grid, interpreted):
        self.note("launched", self.kernels[kernel].name, grid, interpreted)

    def tuned(self, kernel, tuning):
        self.note("tuned", self.kernels[kernel].name, msgspec.to_builtins(tuning))

    def step_inside(self, code, inside):
        (self.inside.add if inside else self.inside.discard)(code)

    def warn(self, message, path="", line=0):
        self.note("warn", message)

    def trace(self, frame, event, argument):
        if frame.f_code not in self.inside:
            return None
        self.note(event, Path(frame.f_code.co_filename).name, frame.f_lineno)
        return self.trace


def main():
    launches.prepare()
    sys.path.insert(0, str(HERE))
    notes = Notes()
    with launches.watching(notes):
        import lecture_launches as lecture

        if sys.argv[1:]:
            launches.step_instances(lecture.scale_kernel, json.loads(sys.argv[1]))
        sys.settrace(notes.trace)
        try:
            lecture.main()
        finally:
            sys.settrace(None)
    count = len(notes.events)
    lecture.scale_kernel[(4,)](lecture.x, lecture.y, 100, BLOCK=32)
    assert len(notes.events) == count, "something still watches"
    print(json.dumps(notes.events))


main()
