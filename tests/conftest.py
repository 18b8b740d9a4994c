"""What all tests share."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate", action="store_true", help="write the gold files anew; review the difference")


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """Chromium, started once for all tests of a run: Playwright allows one at a time."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import launch

    with sync_playwright() as playwright:
        started = launch(playwright)
        yield started
        started.close()


@pytest.fixture
def regenerate(request: pytest.FixtureRequest) -> bool:
    """Whether gold files are to be written."""
    return bool(request.config.getoption("--regenerate"))
