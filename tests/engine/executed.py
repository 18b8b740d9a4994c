"""What a program computes and which statements it executes: by its own report, and by the recorder's.

Run as a program with the path of one, prints both as JSON: for the tests of other versions of Python.
"""

import asyncio
import contextlib
import inspect
import io
import json
import sys
from pathlib import Path
from typing import Any

from engine.recorder import Recorder
from engine.trace import Recording
from tests.engine.oracle import Hits, reporting

Executed = tuple[str, str, dict[str, list[int]]]
"What was printed, what was returned or raised, and the lines of the statements executed by name of the thread."


def by_its_own_report(program: Path) -> Executed:
    """What the program says when each statement reports itself."""
    hits = Hits()
    namespace = reporting(program.read_text(), hits)
    hits.lines.clear()
    return (*_outcome(namespace["main"]), hits.lines)


def by_the_recorder(program: Path) -> Executed:
    """What it computes when it is watched, and the lines of its steps."""
    namespace: dict[str, Any] = {"__name__": "lecture"}
    exec(compile(program.read_bytes(), str(program), "exec", dont_inherit=True), namespace)
    recorder = Recorder(program, program.parent, root=program.parent, inspect_all=False, max_steps=1_000_000)
    recorder.watch(str(program))
    recorder.start()
    try:
        outcome = _outcome(namespace["main"])
    finally:
        recorder.stop()
    recording = Recording(recorder.finish("ok", "", {}))
    lines: dict[str, list[int]] = {}
    for step in range(len(recording)):
        if recording.kind(step) == "line":
            lines.setdefault(recording.thread[recording.activation[step]], []).append(recording.place(step)[1])
    return (*outcome, lines)


def _outcome(main: Any) -> tuple[str, str]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            result = main()
            result = asyncio.run(result) if inspect.iscoroutine(result) else result
        except BaseException as error:
            result = error
    return printed.getvalue(), repr(result)


if __name__ == "__main__":
    path = Path(sys.argv[1]).resolve()
    print(json.dumps([by_its_own_report(path), by_the_recorder(path)]))
