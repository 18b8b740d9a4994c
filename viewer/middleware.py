"""What holds for every answer: the security headers, a bound on addresses, and that HEAD is GET without its body."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from viewer.policy import HEADERS

LONGEST_ADDRESS = 4_096
"Bytes of a path with its query that are looked at."


class Guard:
    """Adds the security headers that an answer lacks, answers HEAD, and answers 414 to an address that is too long."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answer = _Answer(send, scope["method"] == "HEAD", Headers(scope=scope).get("if-none-match", ""))
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_ADDRESS:
            await answer({"type": "http.response.start", "status": 414, "headers": [(b"content-type", b"text/plain")]})
            await answer({"type": "http.response.body", "body": b"the address is too long\n"})
            return
        await self.app({**scope, "method": "GET"} if answer.bodiless else scope, receive, answer)


class _Answer:
    """Sends an answer's messages on, the first with the headers added, the others perhaps without what they carry.

    An answer whose tag the client says it `has` becomes 304, not modified.
    """

    def __init__(self, send: Send, bodiless: bool, has: str) -> None:
        self.send, self.bodiless, self.has = send, bodiless, has

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=message["headers"])
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if message["status"] == 200 and headers.get("etag", "none") in self.has:
                message = {**message, "status": 304}
                self.bodiless = True
                del headers["content-length"]
            message["headers"] = headers.raw
        elif self.bodiless:
            message = {**message, "body": b""}
        await self.send(message)
