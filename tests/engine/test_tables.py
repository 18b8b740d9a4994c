"""A table is read from what Python programs have."""

import pytest

from engine import table
from engine.trace import Table
from tests.engine.hearing import Hearing


class Frame:
    """Like a pandas one."""

    columns = ("n", "t")

    def head(self, rows):
        return self

    def itertuples(self, index):
        return iter([(1, 2.5), (2, float("inf"))])


@pytest.mark.parametrize(
    ("rows", "columns", "expected"),
    [
        ([[1, "a"], [2.5, None]], ["n", "s"], Table(("n", "s"), ((1, "a"), (2.5, None)))),
        ([(True, float("nan"))], None, Table(("", ""), ((True, "nan"),))),
        ([{"a": 1}, {"a": 2, "b": 3}], None, Table(("a", "b"), ((1, None), (2, 3)))),
        ({"a": [1, 2], "b": [3]}, None, Table(("a", "b"), ((1, 3), (2, None)))),
        (Frame(), None, Table(("n", "t"), ((1, 2.5), (2, "inf")))),
        ([[1, 2, 3], [4]], ["a"], Table(("a", "", ""), ((1, 2, 3), (4, None, None)))),
        ([[2**60, 3 + 1j]], None, Table(("", ""), (("1152921504606846976", "(3+1j)"),))),
        ([], ["a", "b"], Table(("a", "b"), ())),
        ([], None, Table((), ())),
    ],
)
def test_tables(heard: Hearing, rows, columns, expected):
    table(rows, columns)
    assert (heard.outputs, heard.warnings) == ([expected], [])


def test_a_large_table_is_cut_and_says_so(heard: Hearing):
    table([list(range(60))] * 1200, title="T")
    shown = heard.outputs[0]
    assert (len(shown.rows), len(shown.rows[0]), len(shown.columns), shown.title) == (1000, 50, 50, "T")
    assert shown.truncated


def test_what_is_no_table_is_said(heard: Hearing):
    table(5)
    table("abc")
    assert heard.outputs == []
    assert heard.warnings == [f"table(): rows must be a list of rows, not {kind}" for kind in ("int", "str")]
