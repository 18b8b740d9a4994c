"""`python -m viewer serve` and `python -m viewer export`."""

import argparse
import socket
import sys
from pathlib import Path
from typing import Any

from viewer.errors import UsageError, ViewerError

OWN_MACHINE = {"127.0.0.1", "localhost", "::1"}
"Addresses at which nobody but the author connects."


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m viewer", description="Show recorded lectures.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="serve|export")
    serve = _command(commands, "serve", "show recorded lectures in a browser on this machine")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    serve.add_argument("--port", type=_port, default=8000, metavar="N",
                       help="port to listen on, 0 for any free one (8000)")  # fmt: skip
    export = _command(commands, "export", "write recorded lectures as files for any host")
    export.add_argument("--out", type=Path, metavar="FOLDER", default=Path("var/site"),
                        help="folder to write (var/site)")  # fmt: skip
    export.add_argument("--single-file", action="store_true", help="one file a lecture, to be opened from a disk")
    export.add_argument("--with-notes", action="store_true", help="publish the speaker's notes too")
    export.add_argument("--url", type=_address, metavar="https://...",
                        help="address where the folder will be published: adds a site map")  # fmt: skip
    return parser


def _command(commands: Any, name: str, about: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=about, description=f"{about.capitalize()}.")
    command.add_argument("--traces", type=Path, metavar="FOLDER", default=Path("var/traces"),
                         help="folder of recordings (var/traces)")  # fmt: skip
    return command


def _address(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError(f"{text!r} is not an address; give it whole, like https://site.example/course/")
    return text.rstrip("/") + "/"


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


def workshop(host: str) -> Path | None:
    """The folder whose kernels are compiled anew when they are saved; None where others can connect to `host`."""
    return Path.cwd() if host in OWN_MACHINE else None


def serve(traces: Path, host: str, port: int) -> None:
    """Show the recordings in `traces` until interrupted. Raises UsageError when that cannot begin."""
    import uvicorn  # two thirds of what starting takes, and an export needs none of it

    from viewer.app import create

    app = create(traces, workshop(host))
    listener = listen(host, port)
    with listener:
        shown = f"[{host}]" if ":" in host else host
        print(f"Lectures at http://{shown}:{listener.getsockname()[1]}/ (Ctrl-C ends)", flush=True)
        config = uvicorn.Config(app, log_level="warning", server_header=False, timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        server.run(sockets=[listener])


def export(asked: argparse.Namespace) -> int:
    """Write the recordings as files; 1 when something could not be published, 0 when all was."""
    from viewer.export import Export
    from viewer.library import Library

    made = Export(Library(asked.traces), asked.out, asked.with_notes, asked.url or "")
    made.run(asked.single_file)
    for problem in made.problems:
        print(f"viewer: not published: {problem}", file=sys.stderr)
    changed = sum(made.written.values())
    print(f"{asked.out}: {len(made.written)} files, {changed} of them written now, the others unchanged")
    if not asked.single_file and not asked.url:
        print("no sitemap.xml and no addresses in the pages' cards, which must be whole: --url https://... gives them")
    return 1 if made.problems else 0


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code is 0, or 2 when it cannot be done as asked."""
    asked = _parser().parse_args(arguments)
    try:
        if asked.command == "export":
            return export(asked)
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
