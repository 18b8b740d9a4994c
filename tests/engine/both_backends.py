"""Record programs with both backends in this process; run by test_monitoring.py, in interpreters that have no pytest.

Standard input is a JSON list of programs, each with whether all local variables are to be recorded. For each whose
traces differ a JSON object is printed on a line.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from engine.recorder import Recorder
from engine.trace import encode
from tests.engine.invisible import NAMES

BACKENDS = ("settrace", "monitoring")


def trace(source: str, path: Path, backend: str, inspect_all: bool) -> bytes:
    """The recording of `main()` of a program."""
    path.write_text(source)
    namespace: dict[str, Any] = dict(NAMES)
    exec(compile(source.encode(), str(path), "exec", dont_inherit=True), namespace)
    recorder = Recorder(
        path, path.parent, root=path.parent, inspect_all=inspect_all, max_steps=100_000, backend=backend
    )
    recorder.watch(str(path))
    recorder.start()
    try:
        namespace["main"]()
    except Exception as error:
        recorder.failed(error.with_traceback(None))
    finally:
        recorder.stop()
    return encode(recorder.finish("ok", "", {}))


def main() -> None:
    programs = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder:
        for source, inspect_all in programs:
            path = Path(folder, "program.py")
            one, other = (trace(source, path, backend, inspect_all).decode() for backend in BACKENDS)
            if one != other:
                print(json.dumps({"source": source, "settrace": one, "monitoring": other}))
    print(json.dumps({"compared": len(programs)}))


if __name__ == "__main__":
    main()
