"""A lecture hall full of students who open the page at the same moment."""

import asyncio
import subprocess
import sys
from pathlib import Path

from tests.clocks import SECONDS

CLIENTS = 500


async def ask(port: int, path: str) -> bytes:
    """The first line of the answer to one request on a connection of its own, and its last kilobyte."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read(-1)
    writer.close()
    return answer


async def crowd(port: int) -> list[bytes]:
    paths = ("/small/", "/small/data.json", "/_static/main.js", "/")
    return await asyncio.gather(*(ask(port, paths[number % len(paths)]) for number in range(CLIENTS)))


async def listeners(port: int) -> list[bytes]:
    """What each of many open pages is told first."""
    connections = await asyncio.gather(*(asyncio.open_connection("127.0.0.1", port) for _ in range(CLIENTS)))
    for _, writer in connections:
        writer.write(b"GET /_events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    told = await asyncio.gather(*(reader.readuntil(b"\ndata: ") for reader, _ in connections))
    for _, writer in connections:
        writer.close()
    return told


def test_five_hundred_clients_are_all_answered(traces: Path):
    command = [sys.executable, "-m", "viewer", "serve", "--traces", str(traces), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        port = int(server.stdout.readline().split(":")[2].split("/")[0])
        answers = asyncio.run(asyncio.wait_for(crowd(port), SECONDS))
        told = asyncio.run(asyncio.wait_for(listeners(port), SECONDS))
        after = asyncio.run(ask(port, "/small/"))
        server.terminate()
    assert {answer.split(b"\r\n", 1)[0] for answer in answers} == {b"HTTP/1.1 200 OK"}
    assert all(answer.endswith((b"</html>", b"}\n", b"}", b"\n")) for answer in answers)
    assert len(told) == CLIENTS and all(b"event: changed" in first for first in told)
    assert after.startswith(b"HTTP/1.1 200 OK")
