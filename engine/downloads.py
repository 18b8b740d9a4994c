"""Fetching files over HTTP for a recording: short waits, bounded sizes, and no second try in the same recording."""

import socket
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from engine.errors import EngineError

CONNECT = 3.0
"Seconds to look a host up, and again to connect to it."
ANSWER = 10.0
"Seconds between two pieces of an answer."
TOTAL = 30.0
"Seconds for one whole answer, if nothing else is said."


class DownloadError(EngineError):
    """A file could not be had; the text says why."""


class _Unreachable(DownloadError):
    """No connection to the host came about."""


@dataclass
class Downloads:
    """What a recording has learnt of the network. Every address is asked for once, a dead host once;
    when two hosts could not be reached and none could, the rest is not tried at all: the machine is offline."""

    failures: dict[str, str] = field(default_factory=dict)
    "Reason by address."
    dead: dict[str, str] = field(default_factory=dict)
    "Reason by host."
    reached: bool = False
    "Whether any host answered."

    def get(self, url: str, size: int, seconds: float = TOTAL) -> bytes:
        """The answer of `url`, at most `size` bytes, in at most `seconds`.

        Raises DownloadError, at once for what has failed before.
        """
        host = urlsplit(url).hostname or ""
        reason = self._known(url, host)
        if reason is None:
            try:
                data = _fetch(url, host, size, seconds)
            except DownloadError as error:
                reason = str(error)
                self.failures[url] = reason
                if isinstance(error, _Unreachable):
                    self.dead[host] = reason
                else:
                    self.reached = True
            else:
                self.reached = True
                return data
        raise DownloadError(reason)

    def _known(self, url: str, host: str) -> str | None:
        if url in self.failures:
            return self.failures[url]
        if host in self.dead:
            return self.dead[host]
        if len(self.dead) >= 2 and not self.reached:
            return "this machine seems to be offline"
        return None if host else "the address names no host"


def _fetch(url: str, host: str, size: int, seconds: float) -> bytes:
    from urllib.request import getproxies

    if urlsplit(url).scheme not in getproxies():
        _look_up(host)
    import httpx  # these imports take 0.1 s, and most recordings fetch nothing

    headers = {"User-Agent": "Mozilla/5.0 (compatible; lecture-trace)", "Accept": "*/*"}
    limits = httpx.Timeout(ANSWER, connect=CONNECT)
    try:
        with httpx.stream("GET", url, headers=headers, timeout=limits, follow_redirects=True) as response:
            if response.status_code != 200:
                raise DownloadError(f"{host} answered {response.status_code} {response.reason_phrase}".rstrip())
            return _body(response.iter_bytes(), host, size, seconds)
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
        raise _Unreachable(f"no connection to {host} ({_said(error)})") from error
    except httpx.TimeoutException as error:
        raise DownloadError(f"{host} took longer than {ANSWER:.0f} s to answer") from error
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, ValueError) as error:
        raise DownloadError(f"{host} gave no usable answer ({_said(error)})") from error


def _body(pieces: Iterable[bytes], host: str, size: int, seconds: float) -> bytes:
    data, deadline = bytearray(), time.monotonic() + seconds
    for piece in pieces:
        data += piece
        if len(data) > size:
            raise DownloadError(f"what {host} sends is larger than {size / 1024**2:g} MiB")
        if time.monotonic() > deadline:
            raise DownloadError(f"{host} took longer than {seconds:.0f} s to send it")
    if not data:
        raise DownloadError(f"{host} sent nothing")
    return bytes(data)


def _look_up(host: str) -> None:
    """Raise _Unreachable when `host` has no address, or none is found in CONNECT seconds.

    In a thread of its own: the system's resolver may wait for minutes and cannot be told not to.
    """
    failure: list[Exception] = []
    thread = threading.Thread(target=_resolve, args=(host, failure), daemon=True)
    thread.start()
    thread.join(CONNECT)
    if thread.is_alive():
        raise _Unreachable(f"the host {host} is not found in {CONNECT:.0f} s")
    if failure:
        raise _Unreachable(f"the host {host} is not found ({_said(failure[0])})") from failure[0]


def _resolve(host: str, failure: list[Exception]) -> None:
    try:
        socket.getaddrinfo(host, None)
    except (OSError, UnicodeError) as error:
        failure.append(error)


def _said(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error) or type(error).__name__
