"""`python -m viewer serve` and `python -m viewer export`."""

import argparse
import socket
import sys
from pathlib import Path

import uvicorn

from viewer.app import create
from viewer.errors import UsageError, ViewerError


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m viewer", description="Show recorded lectures.")
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", help="show them in a browser on this machine")
    serve.add_argument("--traces", type=Path, default=Path("var/traces"), help="folder of recordings")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on")
    serve.add_argument("--port", type=_port, default=8000, help="port to listen on, 0 for any free one")
    return parser


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; give a number from 0 to 65535")
    return int(text)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on `host` and `port`. Raises UsageError when the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(1024)
    except OSError as error:
        listener.close()
        reason = "it is in use" if error.errno == 98 else str(error.strerror or error)
        raise UsageError(f"cannot listen on {host} port {port}: {reason}; choose another with --port") from error
    return listener


def serve(traces: Path, host: str, port: int) -> None:
    """Show the recordings in `traces` until interrupted. Raises UsageError when that cannot begin."""
    app = create(traces)
    listener = listen(host, port)
    with listener:
        shown = f"[{host}]" if ":" in host else host
        print(f"Lectures at http://{shown}:{listener.getsockname()[1]}/ (Ctrl-C ends)", flush=True)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", server_header=False))
        server.run(sockets=[listener])


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code is 0, or 2 when it cannot be done as asked."""
    asked = _parser().parse_args(arguments)
    try:
        serve(asked.traces, asked.host, asked.port)
    except UsageError as error:
        print(f"viewer: {error}", file=sys.stderr)
        return 2
    except ViewerError as error:
        print(f"viewer: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    return 0
