"""Exported lectures, opened as readers open them."""

import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine import trace as t
from tests.viewer.conftest import PTX, write_kernels
from tests.viewer.samples import lecture
from viewer.cli import main

pytestmark = pytest.mark.browser


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A plain host of files."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def static_host(folder: Path) -> Iterator[str]:
    """The address of a plain host of the files in `folder`."""
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the lecture exported to site/ and alone/."""
    root = tmp_path_factory.mktemp("published")
    t.write(lecture().trace(), root / "var" / "traces" / "small.json")
    write_kernels(root / "var")
    main(["export", "--traces", str(root / "var" / "traces"), "--out", str(root / "site")])
    main(["export", "--traces", str(root / "var" / "traces"), "--out", str(root / "alone"), "--single-file"])
    return root


@pytest.fixture(scope="module")
def host(published: Path) -> Iterator[str]:
    """The address of a static host that has the site at / and at /a/b/."""
    shutil.copytree(published / "site", published / "site" / "a" / "b", dirs_exist_ok=True)
    with static_host(published / "site") as address:
        yield address


@pytest.mark.parametrize("path", ["", "a/b/"])
def test_the_site_works_under_any_path(reading, host: str, path: str):
    reader = reading(f"{path}small/?step=40", at=host)
    reader.page.wait_for_selector("#kernel .listing >> text=ld.global.v4.b32")
    assert reader.press("l").line == 6
    assert reader.text("#accesses summary") == "gelu_kernel, program instance (0) of grid (1)"


@pytest.mark.parametrize("path", ["", "a/b/"])
def test_old_links_lead_to_the_lecture_on_a_static_host(reading, host: str, path: str):
    reader = reading(f"{path}?trace=var/traces/small.json&step=12", at=host)
    assert reader.step == 12


def test_a_single_file_is_stepped_from_a_disk(reading, published: Path):
    reader = reading("small.html?step=40", at=f"{(published / 'alone').as_uri()}/")
    reader.page.wait_for_selector("#kernel .listing >> text=ld.global.v4.b32")
    assert reader.page.locator(".pair").evaluate("(pair) => getComputedStyle(pair).display") == "grid"
    assert reader.press("l", "l", "l").line == 8
    assert reader.page.is_visible("#accesses path.read") and "reads x_ptr[0:60]" in reader.text("#accesses")
    reader.press("h", "h")
    with reader.page.expect_download() as started:
        reader.page.click("#kernel .download")
    assert started.value.path().read_text() == PTX
    reader.page.click(".home a")
    assert reader.page.text_content(".card h2") == "Kernels"
