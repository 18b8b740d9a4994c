"""Tables out of what Python programs have: rows, records, columns, data frames."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine import sink
from engine.trace import Table
from engine.words import clean

ROWS, COLUMNS = 1_000, 50
"The largest table taken."

Cell = str | int | float | bool | None


def read(rows: object, columns: Sequence[object] | None, title: str) -> Table | None:
    """The table `rows` holds, at most ROWS by COLUMNS; None, with a warning, where it holds none.

    `rows` is a list of rows, a list of mappings, a mapping of columns, or a data frame (pandas, polars).
    """
    try:
        names, cells = _grid(rows, columns)
    except TypeError as error:
        sink.warn(f"table(): {error}")
        return None
    width = min(max(map(len, [names, *cells]), default=0), COLUMNS)
    shown = tuple(tuple(_cell(row[k]) if k < len(row) else None for k in range(width)) for row in cells[:ROWS])
    heads = tuple(clean(str(names[k])) if k < len(names) else "" for k in range(width))
    cut = len(cells) > ROWS or max(map(len, [names, *cells]), default=0) > COLUMNS
    return Table(heads, shown, title, truncated=cut)


def as_text(shown: Table) -> str:
    """A table for the terminal, in columns."""
    rows = [shown.columns, *shown.rows] if any(shown.columns) else list(shown.rows)
    lines = [["" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    body = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([shown.title, *body] if shown.title else body)


def _grid(rows: Any, columns: Sequence[object] | None) -> tuple[list[object], list[Sequence[object]]]:
    """Names of the columns, and the rows. Raises TypeError for what is no table."""
    if hasattr(rows, "columns") and hasattr(rows, "itertuples"):  # pandas
        return list(rows.columns), [tuple(row) for row in rows.head(ROWS + 1).itertuples(index=False)]
    if hasattr(rows, "columns") and hasattr(rows, "iter_rows"):  # polars
        return list(rows.columns), [tuple(row) for row in rows.head(ROWS + 1).iter_rows()]
    if isinstance(rows, Mapping):
        parts = [list(column) if _several(column) else [column] for column in rows.values()]
        height = max(map(len, parts), default=0)
        return list(rows), [[part[k] if k < len(part) else None for part in parts] for k in range(height)]
    if not _several(rows):
        raise TypeError(f"rows must be a list of rows, not {type(rows).__name__}")
    several = list(rows)
    if several and all(isinstance(row, Mapping) for row in several):
        names = list(columns or dict.fromkeys(name for row in several for name in row))
        return names, [[row.get(name) for name in names] for row in several]
    return list(columns or ()), [list(row) if _several(row) else [row] for row in several]


def _several(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


def _cell(value: Any) -> Cell:
    """`value` as JSON has it; a float that is no number as text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and -(2**53) <= value <= 2**53:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == () and hasattr(value, "item"):
        item = value.item()
        return _cell(item) if isinstance(item, bool | int | float) else clean(str(value))
    return clean(str(value))[:10_000]
