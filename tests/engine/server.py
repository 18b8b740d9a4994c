"""A web server on this machine that answers what a test gives it and counts what it is asked."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = tuple[int, str, bytes]
"Status, content type, body."


class Web:
    """Answers by path; anything else is 404."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: Counter[str] = Counter()
        self.url = ""


@contextmanager
def serving() -> Iterator[Web]:
    """Serve on a free port of 127.0.0.1 while inside."""
    web = Web()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            web.asked[self.path] += 1
            status, kind, body = web.answers.get(self.path, (404, "text/plain", b"no such page"))
            self.send_response(status)
            self.send_header("Content-Type" if status < 300 or status >= 400 else "Location", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    web.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield web
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
