"""Two columns of numbers that several threads add to."""

import itertools
import sys
import threading
from array import array
from collections.abc import Callable, Iterator


def _silent() -> None:
    """What is called at the alarm where nobody asked for a call."""


class Columns:
    """Rows of two numbers, the second of which is never negative; eight bytes each.

    No lock is taken for a row, which would cost more than the row: `next` hands out each number once, and the row is
    stored under it.
    """

    def __init__(self) -> None:
        self.first = array("i")
        self.second = array("i")
        self.alarm = sys.maxsize
        self.alarmed: Callable[[], None] = _silent
        self._numbers: Iterator[int] = itertools.count()
        self._chain = itertools.chain
        self._latest = -1
        self._lock = threading.Lock()

    def __len__(self) -> int:
        end, room = self._latest + 1, len(self.second)
        while end < room and self.second[end] >= 0:  # another thread's rows
            end += 1
        return end

    def call_at(self, number: int, call: Callable[[], None]) -> None:
        """Call `call` after each row from `number` on; that row must not be there yet."""
        self.alarm, self.alarmed = number, call

    def add(self, first: int, second: int) -> int:
        """Add a row; its number."""
        try:
            number = next(self._numbers)
            self.first[number] = first
            self.second[number] = second
            self._latest = number
        except IndexError:
            self._store(number, first, second)
            if number >= self.alarm:
                self.alarmed()
        except BaseException:
            self._fill(first, second)
            raise
        return number

    def add_silently(self, first: int, second: int) -> int:
        """Add a row, whatever the alarm; its number."""
        number = next(self._numbers)
        self._store(number, first, second)
        return number

    def _store(self, number: int, first: int, second: int) -> None:
        try:
            self._make_room(number)
        except BaseException:  # no memory is left; the next row is to have the number, lest there be a gap
            self._numbers = self._chain((number,), self._numbers)
            raise
        self.first[number] = first
        self.second[number] = second
        self._latest = number

    def _fill(self, first: int, second: int) -> None:
        """A signal's handler has raised: the row may have had a number, and no contents."""
        for number in range(max(self._latest - 64, 0), min(self._latest + 2, len(self.second))):
            if self.second[number] < 0:
                self.first[number], self.second[number] = first, second
                return

    def _make_room(self, number: int) -> None:
        """Let row `number` and some more fit, but none from the alarm on, so that those come by here."""
        with self._lock:
            room = len(self.second)
            wanted = max(number + 1, min(number + 1024 + (room >> 3), self.alarm))
            if wanted > room:
                empty = array("i", b"\xff" * 4 * (wanted - room))
                self.first.extend(empty)
                self.second.extend(empty)

    def columns(self) -> "tuple[array[int], array[int]]":
        """Copies of the columns as far as they are filled."""
        end = len(self)
        return self.first[:end], self.second[:end]
