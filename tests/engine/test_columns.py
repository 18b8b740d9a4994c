"""The columns that steps are kept in."""

import pytest

from engine.columns import Columns


def test_a_row_for_which_there_is_no_memory_leaves_no_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise MemoryError

    columns = Columns()
    with monkeypatch.context() as patched, pytest.raises(MemoryError):
        patched.setattr(columns, "_make_room", full)
        columns.add(1, 2)
    assert [columns.add(3, 4), columns.add_silently(5, 6), columns.add(7, 8)] == [0, 1, 2]
    assert [column.tolist() for column in columns.columns()] == [[3, 5, 7], [4, 6, 8]]
