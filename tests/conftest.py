"""What all tests share."""

import os
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.once import open_folder

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# How long an example takes says nothing of what is tested: the machine may be slow, or busy with something else.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


def pytest_configure(config: pytest.Config) -> None:
    if "gpu" not in config.option.markexpr.replace("not gpu", ""):  # so that they find the same on every machine
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    open_folder(config)


BEGIN_WITH = ("test_lectures.py", "test_seed_lecture.py", "test_check.py", "test_lines.py")
"Files with tests that take long: begun last, one of them would run while the other processes have nothing left to do."


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In a process that runs them all, those with a browser come last: its driver leaves no room for an event loop."""
    items.sort(key=lambda item: (item.get_closest_marker("browser") is not None, item.path.name not in BEGIN_WITH))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate", action="store_true", help="write the gold files anew; review the difference")


@pytest.fixture(scope="session", autouse=True)
def signals_reach_children() -> Iterator[None]:
    """Programs started under nohup, or in a script's background, inherit that signals are ignored, but no handler."""
    ignored = [n for n in (signal.SIGINT, signal.SIGHUP) if signal.getsignal(n) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, lambda *_: None)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


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
