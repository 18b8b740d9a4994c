"""A recording whose numbers or columns are damaged is refused in a sentence, or reads and shows to its end."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine import trace as t
from engine.errors import TraceError
from engine.show import jsonl, lines
from tests.viewer.client import Client
from tests.viewer.samples import lecture
from viewer.app import create

Place = tuple[str | int, ...]
FAR = 10**9


def places(tree: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    yield place, tree
    parts = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for name, part in parts:
        yield from places(part, (*place, name))


def damages(tree: Any) -> Iterator[tuple[Place, Any]]:
    """A value that does not belong there, for the first number and list of each place that a trace has."""
    seen = set()
    for place, value in places(tree):
        kind = tuple("*" if isinstance(part, int) else part for part in place)
        if kind in seen or not place or place[0] == "run":
            continue
        seen.add(kind)
        if type(value) is int:
            yield place, FAR
        elif isinstance(value, list) and value:
            yield place, value[:-1]


def damaged(tree: Any, place: Place, value: Any) -> bytes:
    tree = at = copy.deepcopy(tree)
    for part in place[:-1]:
        at = at[part]
    at[place[-1]] = value
    return json.dumps(tree).encode()


def test_damage_is_refused_or_harmless(tmp_path: Path) -> None:
    traces = tmp_path / "var" / "traces"
    traces.mkdir(parents=True)
    tree = json.loads(t.encode(lecture().trace()))
    client, refused = Client(create(traces)), 0
    for place, value in damages(tree):
        data = damaged(tree, place, value)
        try:
            trace = t.decode(data, "x.json")
        except TraceError:
            refused += 1
            continue
        assert list(jsonl(trace)) and list(lines(trace)), (place, value)
        (traces / "x.json").write_bytes(data)
        for address in ("/x/", "/x/data.json"):
            assert client.get(address).status_code == 200, (address, place, value)
    assert refused > 20
