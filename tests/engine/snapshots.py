"""What a recording has of one value."""

import json

import msgspec
import pytest

from engine.trace import Value
from engine.values import ValueTable


def snapshot(value: object) -> Value:
    """`value` as it is recorded, which is strict JSON."""
    table = ValueTable()
    shown = table.values[table.add(value)]
    json.loads(msgspec.json.encode(shown), parse_constant=pytest.fail)
    return shown
