"""Whole requests to an ASGI application without a server, the path sent exactly as written."""

import json
from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp


@dataclass
class Answer:
    """What came back."""

    status_code: int
    headers: Headers
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode()

    def json(self) -> Any:
        return json.loads(self.content)


@dataclass
class Client:
    """Asks `app`; errors inside it are raised here."""

    app: ASGIApp

    def get(self, path: str) -> Answer:
        return self.request("GET", path)

    def request(self, method: str, path: str, **headers: str) -> Answer:
        """The answer to one request; underscores in names of headers stand for hyphens."""
        raw, _, query = path.partition("?")
        scope = {
            "type": "http", "asgi": {"version": "3.0", "spec_version": "2.4"}, "http_version": "1.1", "method": method,
            "scheme": "http",
            "path": unquote_to_bytes(raw).decode(errors="surrogateescape"), "raw_path": raw.encode(), "root_path": "",
            "query_string": query.encode(),
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8000),
        }  # fmt: skip
        sent: list[MutableMapping[str, Any]] = []

        async def receive() -> MutableMapping[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        anyio.run(self.app, scope, receive, send)
        body = b"".join(message.get("body", b"") for message in sent[1:])
        return Answer(sent[0]["status"], Headers(raw=list(sent[0]["headers"])), body)
