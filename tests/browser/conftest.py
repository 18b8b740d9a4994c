"""One browser and one server for all tests that look at pages as a reader does."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, Playwright

from engine import trace as t
from tests.viewer.conftest import write_kernels
from tests.viewer.samples import gallery, lecture, observed

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
def serving(traces: Path, *more: str) -> Iterator[str]:
    """The address of a server of `traces`, ended at the end."""
    command = [sys.executable, "-m", "viewer", "serve", "--traces", str(traces), "--port", "0", *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().split()[2]
        finally:
            server.terminate()
            server.wait(timeout=20)


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


class Reader:
    """A page with what the tests read off it; fails when the page reports an error or asks another origin."""

    def __init__(self, context: BrowserContext, site: str) -> None:
        self.context, self.site, self.problems = context, site, []
        self.page = self._watched(context.new_page())

    def _watched(self, page: Page) -> Page:
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda message: self._said(message.type, message.text))
        page.on("request", lambda request: self._origin(request.url))
        page.on("response", lambda answer: answer.ok or answer.status < 400 or self.problems.append(answer.url))
        return page

    def _said(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and not any(advice in text for advice in ADVICE):
            self.problems.append(text)

    def _origin(self, url: str) -> None:
        if not url.startswith((self.site, "data:", "blob:", "about:")):
            self.problems.append(f"asked another origin: {url}")

    def open(self, path: str = "small/") -> "Reader":
        """Go to `path` and wait until the page can be stepped."""
        self.page.goto(self.site + path)
        self.page.wait_for_selector("body[data-ready]")
        return self

    def until(self, expression: str, seconds: float = 10) -> "Reader":
        """Wait until `expression` is true; unlike the browser driver's own way, the page's policy allows this one."""
        end = time.monotonic() + seconds
        while not self._holds(expression):
            assert time.monotonic() < end, f"not within {seconds} s: {expression}"
            self.page.wait_for_timeout(20)
        return self

    def _holds(self, expression: str) -> bool:
        try:
            return bool(self.page.evaluate(expression))
        except Error as error:
            if "context was destroyed" in str(error):  # the page is loading anew
                return False
            raise

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


@pytest.fixture
def reading(browser: Browser, site: str) -> Iterator[Callable[..., Reader]]:
    """Opens a page of the small lecture in a fresh window; keywords are the window's."""
    readers: list[Reader] = []

    def start(path: str = "small/", at: str = site, **window: object) -> Reader:
        readers.append(Reader(browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **window}), at))
        return readers[-1].open(path)

    yield start
    for reader in readers:
        reader.context.close()
    assert not [problem for reader in readers for problem in reader.problems]
