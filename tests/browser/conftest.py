"""One browser and one server for all tests that look at pages as a reader does."""

import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import uvicorn
from playwright.sync_api import Browser, Error, Page, Playwright

from engine import trace as t
from tests.clocks import SECONDS
from tests.viewer.conftest import write_kernels
from tests.viewer.samples import gallery, lecture, observed
from viewer.app import create
from viewer.cli import listen

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip
ADVICE = ("GL Driver Message", "willReadFrequently")
"What a browser says of the speed of what Plotly draws in three dimensions."


def chromium() -> str | None:
    """Path of the browser to drive: CHROMIUM, else one on the PATH, else None for playwright's own."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return os.environ.get("CHROMIUM") or next((path for name in names if (path := shutil.which(name))), None)


def launch(playwright: Playwright) -> Browser:
    """The browser; where there is none, the test fails with a sentence."""
    try:
        return playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
    except Error as error:
        pytest.fail(
            f"no Chromium to test with ({str(error).splitlines()[0]}): set CHROMIUM to one, install the package "
            "chromium, or run 'python -m playwright install chromium'",
            pytrace=False,
        )


@contextmanager
def serving(traces: Path) -> Iterator[str]:
    """The address of a server of `traces`, which runs in a thread and is ended at the end."""
    with listen("127.0.0.1", 0) as listener:
        config = uvicorn.Config(create(traces, Path.cwd()), log_level="warning", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that shows the small lecture."""
    traces = tmp_path_factory.mktemp("store") / "var" / "traces"
    t.write(lecture().trace(), traces / "small.json")
    t.write(observed().trace(), traces / "observed.json")
    t.write(gallery(traces.parent / "files").trace(), traces / "gallery.json")
    write_kernels(traces.parent)
    with serving(traces) as address:
        yield address


class Windows:
    """Windows of the browser. Those of the same options have one cache, as a reader's have: a page loads sooner."""

    def __init__(self, browser: Browser) -> None:
        self.browser, self.contexts = browser, {}

    def page(self, origin: str, **options: object) -> Page:
        """A page in a new window that knows nothing of what pages of `origin` remembered; keywords are the window's."""
        key = repr(sorted(options.items()))
        if key not in self.contexts:
            self.contexts[key] = self.browser.new_context(**options)
            self.contexts[key].set_default_timeout(1000 * SECONDS)
        page = self.contexts[key].new_page()
        session = page.context.new_cdp_session(page)
        place = "{0.scheme}://{0.netloc}".format(urlsplit(origin))
        session.send("Storage.clearDataForOrigin", {"origin": place, "storageTypes": "local_storage"})
        session.detach()
        return page

    def close(self) -> None:
        """Close all pages; the windows' caches stay."""
        for context in self.contexts.values():
            for page in context.pages:
                page.close()


@pytest.fixture(scope="session")
def all_windows(browser: Browser) -> Windows:
    return Windows(browser)


@pytest.fixture
def windows(all_windows: Windows) -> Iterator[Windows]:
    """Windows whose pages are closed when the test ends."""
    yield all_windows
    all_windows.close()


LOADED = """document.fonts.status === "loaded" && (document.getElementById("kernel").hidden ||
  document.querySelector("#kernel .listing, #kernel > .missing") && !document.querySelector("#kernel")
    .textContent.includes("Loading …"))"""
"That nothing of a lecture's page is still to come at its step, neither fonts nor what a kernel was compiled to."


class Reader:
    """A page with what the tests read off it; fails when the page reports an error or asks another origin."""

    def __init__(self, page: Page, site: str) -> None:
        self.page, self.site = page, site
        self.problems: list[str] = []
        self.asked: list[str] = []
        "Addresses the page has asked for."
        self.refused: list[str] = []
        "Why charts were not drawn, in the page's words."
        self.expected = ""
        "A regular expression for the problems that are expected."
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda message: self._says(message.type, message.text))
        page.on("request", lambda request: self._asks(request.url))
        page.on("response", lambda answer: answer.ok or answer.status < 400 or self.problems.append(answer.url))

    def _says(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and not any(advice in text for advice in ADVICE):
            self.problems.append(text)
        elif kind == "info" and text.startswith(("vega-lite: ", "plotly: ")):
            self.refused.append(text)

    def _asks(self, url: str) -> None:
        self.asked.append(url)
        if not url.startswith((self.site, "data:", "blob:", "about:")):
            self.problems.append(f"asked another origin: {url}")

    def unexpected(self) -> list[str]:
        """The problems that are none of those expected."""
        return [one for one in self.problems if not self.expected or not re.search(self.expected, one)]

    def open(self, path: str = "small/") -> "Reader":
        """Go to `path` and wait until the page can be stepped and shows all there is at its step."""
        self.page.goto(self.site + path)
        self.page.wait_for_selector("body[data-ready]")
        return self.until(LOADED)

    def until(self, holds: str | Callable[[], object], page: Page | None = None) -> "Reader":
        """Wait until an expression is true in the page, or in another `page`; or until a function of ours says so.

        Unlike the browser driver's own way of waiting for an expression, the page's policy allows this one.
        """
        page = page or self.page
        end = time.monotonic() + SECONDS
        while not (_holds(page, holds) if isinstance(holds, str) else holds()):
            assert time.monotonic() < end, f"not within {SECONDS:.0f} s: {holds}"
            page.wait_for_timeout(20)
        return self

    def press(self, *keys: str) -> "Reader":
        for key in keys:
            self.page.keyboard.press(key)
        return self

    @property
    def step(self) -> int:
        return int(self.page.input_value("#step"))

    @property
    def line(self) -> int:
        """Line of the current statement."""
        return int(self.page.locator(".row.current").first.locator(".no").text_content())

    def text(self, selector: str) -> str:
        """Visible text of all that matches, blanks run together."""
        return " ".join(" ".join(self.page.locator(selector).all_inner_texts()).split())

    def variables(self) -> dict[str, str]:
        """What the variables pane says, by name."""
        return {row.get_attribute("data-name"): " ".join(row.locator("dd").first.inner_text().split())
                for row in self.page.locator("#variables .var").all()}  # fmt: skip


def _holds(page: Page, expression: str) -> bool:
    try:
        return bool(page.evaluate(expression))
    except Error as error:
        if "context was destroyed" in str(error):  # the page is loading anew
            return False
        raise


@pytest.fixture
def reading(windows: Windows, site: str) -> Iterator[Callable[..., Reader]]:
    """Opens a page of the small lecture in a new window; keywords are the window's."""
    readers: list[Reader] = []

    def start(path: str = "small/", at: str = site, **window: object) -> Reader:
        readers.append(Reader(windows.page(at, **{"viewport": {"width": 1440, "height": 900}, **window}), at))
        return readers[-1].open(path)

    yield start
    windows.close()
    assert not [problem for reader in readers for problem in reader.unexpected()]
