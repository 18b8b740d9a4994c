"""Recordings in processes of their own: several lectures, and serving the result."""

import argparse
import errno
import signal
import socket
import subprocess
import sys
from pathlib import Path

from engine.errors import UsageError

STOP_SECONDS = 5.0
"How long the viewer has to end by itself."


def run_processes(arguments: argparse.Namespace) -> int:
    """Record each lecture in its own process, then serve or watch as asked. The worst exit code."""
    if callable(signal.getsignal(signal.SIGINT)):
        signal.signal(signal.SIGINT, signal.default_int_handler)  # it ends what is running here, and no longer all
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # or the viewer and the recordings would be left behind
    if arguments.serve:
        require_address(arguments.host, arguments.port)
    if arguments.watch:
        from engine.watching import watch_lectures

        viewer = _serve(arguments) if arguments.serve else None
        try:
            return watch_lectures(arguments, viewer)
        except KeyboardInterrupt:
            return 0
        finally:
            _end(viewer)
    code = _record_each(arguments)
    if not arguments.serve:
        return code
    viewer = _serve(arguments)
    try:
        return viewer.wait() or code
    except KeyboardInterrupt:
        return code
    finally:
        _end(viewer)


def require_address(host: str, port: int) -> None:
    """Raise UsageError where the viewer could not listen: said before the recording, which may take a minute."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen()
        except OSError as error:
            reason = "it is in use" if error.errno == errno.EADDRINUSE else str(error.strerror or error)
            raise UsageError(
                f"cannot serve on {host} port {port}: {reason}; choose another with --port, or record without --serve"
            ) from error


def _record_each(arguments: argparse.Namespace) -> int:
    """Record each lecture after the other; the worst exit code. Ctrl-C ends the lecture that runs, and is the last.

    It goes to that lecture's process too, which must have the time to write what it has; so it raises nothing here.
    """
    stopped: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: stopped.append(number))
    code = 0
    try:
        for lecture in arguments.lectures:
            ended = _record(command(arguments, lecture), stopped)
            code = max(code, ended if ended >= 0 else 1)
            if stopped:
                return max(code, 1)
        return code
    finally:
        signal.signal(signal.SIGINT, before)


def _record(words: list[str], stopped: list[int]) -> int:
    """Run one recording; its exit code. A request to terminate comes to this process alone, and is passed on."""
    process = subprocess.Popen(words)

    def terminate(number: int, _: object) -> None:
        stopped.append(number)
        process.send_signal(number)

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        return process.wait()
    finally:
        signal.signal(signal.SIGTERM, before)


def command(arguments: argparse.Namespace, lecture: Path) -> list[str]:
    """The command that records one lecture as `arguments` say."""
    words = [sys.executable, "-m", "engine", str(lecture), "-o", str(arguments.out), "--backend", arguments.backend]
    if arguments.inspect_all:
        words.append("--inspect-all")
    if arguments.max_steps:
        words += ["--max-steps", str(arguments.max_steps)]
    if arguments.reproducible:
        words.append("--reproducible")
    for target in arguments.targets or ():
        words += ["--target", target]
    for file in arguments.visible:
        words += ["--visible", file]
    return words


def _serve(arguments: argparse.Namespace) -> subprocess.Popen[bytes]:
    arguments.out.mkdir(parents=True, exist_ok=True)
    address = ["--traces", str(arguments.out), "--host", arguments.host, "--port", str(arguments.port)]
    return subprocess.Popen([sys.executable, "-m", "viewer", "serve", *address])


def _end(viewer: subprocess.Popen[bytes] | None) -> None:
    if viewer is None:
        return
    viewer.terminate()
    try:
        viewer.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        viewer.kill()
