"""`python -m engine`: record lectures, show recordings."""

import _signal  # type: ignore[import-not-found]
import os  # these are loaded before any program begins: nothing is imported until Ctrl-C is seen to
import sys

_leaving: dict[str, tuple[bytes, int]] = {"now": (b"engine: interrupted before there was anything to record\n", 1)}
"What Ctrl-C has the process say, and its exit code, while no lecture runs."


def _leave(*_: object) -> None:
    """End the process at once: an exception would be lost, with a traceback, in corners of importing and ending."""
    said, code = _leaving["now"]
    try:
        sys.stdout.flush()
        os.write(2, said)
    finally:
        os._exit(code)


def _prefer_libraries() -> None:
    """Let no file of the folder this was started in, a lecture `random.py` say, pass for a module of a library."""
    here = f"{sys.path[0]}{os.sep}engine{os.sep}__main__.py"
    if not sys.flags.safe_path and here != __file__:
        sys.path.append(sys.path.pop(0))


def _run() -> int:
    """Run the command; the exit code."""
    try:
        if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:  # else it is ignored, as under nohup
            _signal.signal(_signal.SIGINT, _leave)
    except KeyboardInterrupt:
        _leave()
    _prefer_libraries()
    import atexit

    atexit.register(_signal.signal, _signal.SIGINT, _signal.SIG_IGN)  # registered first, called last
    from engine.cli import main

    code = main(sys.argv[1:])
    _leaving["now"] = b"", code
    _signal.signal(_signal.SIGINT, _leave)  # threads that a lecture has left may take their time
    return code


if __name__ == "__main__":  # a process that the lecture spawns imports this module under another name
    sys.exit(_run())
