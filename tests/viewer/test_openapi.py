"""The server against its own OpenAPI description: whatever is asked for, it gives an answer it has described."""

import tempfile
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import trace as t
from tests.viewer.client import Client
from tests.viewer.samples import lecture
from viewer.app import create


@cache
def folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


@cache
def client() -> Client:
    traces = Path(folder().name) / "traces"
    t.write(lecture().trace(), traces / "small.json")
    return Client(create(traces))


@cache
def described() -> dict[str, dict[str, Any]]:
    """Operations by path, but the endless one."""
    paths = client().get("/openapi.json").json()["paths"]
    return {path: operations for path, operations in paths.items() if path != "/_events"}


def values(schema: dict[str, Any]) -> st.SearchStrategy[str]:
    if schema.get("type") == "integer":
        return st.integers(-5, 2**40).map(str) | st.text(max_size=5)
    return st.sampled_from(["small", "ptx", "gelu90", "app.css"]) | st.text(st.characters(codec="utf-8"), max_size=20)


def test_every_address_of_the_viewer_is_described():
    assert set(described()) == {
        "/", "/_static/{path}", "/_files/{name}", "/_kernels/{key}.json", "/_kernels/{key}/{stage}",
        "/_renewed/{key}.json",
        "/{name}", "/{name}/", "/{name}/data.json", "/{name}/outputs/{spot}/{chunk}.json",
        "/{name}/plots/{key}.json", "/{name}/compare/",
    }  # fmt: skip


@pytest.mark.parametrize("path", sorted(described()))
@settings(max_examples=40)
@given(data=st.data())
def test_every_answer_is_one_that_is_described(path: str, data: st.DataObject):
    operation = described()[path]["get"]
    asked = path
    for parameter in operation.get("parameters", []):
        value = data.draw(values(parameter["schema"]), label=parameter["name"])
        asked = asked.replace(f"{{{parameter['name']}}}", quote(value, safe=""))
    answer = client().get(asked)
    if asked.rstrip("/") in ("", "/openapi.json") or "//" in asked:
        assert answer.status_code < 500  # an empty name makes it another path
    else:
        assert str(answer.status_code) in {*operation["responses"], "404"}, answer.text
