"""What all tests share."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate", action="store_true", help="write the gold files anew; review the difference")


@pytest.fixture
def regenerate(request: pytest.FixtureRequest) -> bool:
    """Whether gold files are to be written."""
    return bool(request.config.getoption("--regenerate"))
