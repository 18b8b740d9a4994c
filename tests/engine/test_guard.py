"""Displays that misbehave: each costs its own text, at most 0.2 s, and nothing else."""

import signal
import threading
import time
from pathlib import Path

import pytest

from engine import guard, values
from engine.values import ValueTable
from tests.clocks import until
from tests.recordings import record


def snapshot(value):
    table = ValueTable()
    return table.values[table.add(value)]


def telling(display):
    """An object whose `__repr__` does what `display` does."""
    return type("Odd", (), {"__repr__": lambda self: display()})()


def raising(error):
    def display():
        raise error

    return display


class Surprise(BaseException):
    pass


class Text(str):
    def __str__(self):
        raise RuntimeError("asked")


@pytest.mark.parametrize(("display", "text"), [
    (raising(ValueError("no repr")), "<Odd object, repr raised ValueError: no repr>"),
    (raising(ValueError()), "<Odd object, repr raised ValueError>"),
    (raising(ValueError(telling(raising(KeyError())))), "<Odd object, repr raised ValueError>"),
    (raising(RecursionError("deep")), "<Odd object, repr raised RecursionError: deep>"),
    (raising(MemoryError()), "<Odd object, repr raised MemoryError>"),
    (raising(SystemExit(3)), "<Odd object, repr raised SystemExit>"),
    (raising(GeneratorExit()), "<Odd object, repr raised GeneratorExit>"),
    (raising(KeyboardInterrupt()), "<Odd object, repr raised KeyboardInterrupt>"),
    (raising(Surprise("!")), "<Odd object, repr raised Surprise: !>"),
    (lambda: 5, "<Odd object, repr raised TypeError: __repr__ returned non-string (type int)>"),
    (lambda: Text("fine"), "fine"),
    (lambda: "a\n   b\r\nc", "a b c"),
    (lambda: "\ud800\0", r"\ud800\x00"),
    (lambda: "<Odd at 0x7f00deadbeef>, <Other object at 0x55AA>", "<Odd>, <Other object>"),
    (lambda: "<torch.cuda.Stream device=cuda:0 cuda_stream=0x30f684e0>", "<torch.cuda.Stream device=cuda:0>"),
    (lambda: "<MagicMock name='a' id='139871234567'>", "<MagicMock name='a'>"),
    (lambda: "", ""),
])  # fmt: skip
def test_display(display, text):
    assert (snapshot(telling(display)).text, snapshot(telling(display)).truncated) == (text, False)


def test_endless_recursion():
    odd = telling(lambda: repr(odd))
    assert snapshot(odd).text.startswith("<Odd object, repr raised RecursionError")


def test_megabytes_are_cut():
    shown = snapshot(telling(lambda: "x" * 10_000_000))
    assert (shown.text, shown.truncated) == ("x" * 497 + "...", True)


FOR_EVER = 3600
"Seconds: a test that waits for them is ended by its own time limit."


def spin():
    while True:
        pass


def swallow():
    """Handles every error of each of its parts and carries on with the next."""
    for _ in range(8):
        try:
            time.sleep(FOR_EVER)
        except BaseException:
            continue
    return "carried on"


SLOW = {"computes": spin, "sleeps": lambda: time.sleep(FOR_EVER), "waits": threading.Event().wait}


@pytest.mark.parametrize("name", SLOW)
def test_slow_display_is_ended(name):
    started = time.monotonic()
    shown = snapshot(telling(SLOW[name]))
    assert (shown.text, shown.truncated) == ("<Odd object, repr took longer than 0.2 s>", True)
    assert time.monotonic() - started >= guard.SECONDS


def test_alarm_rings_again_for_code_that_swallows_it():
    assert snapshot(telling(swallow)).text == "carried on"


def test_slow_class_is_asked_once():
    table, asked = ValueTable(), []

    class Slow:
        def __repr__(self):
            asked.append(1)
            spin()

    texts = [table.values[table.add(Slow())].text for _ in range(50)]
    assert texts[0] == "<Slow object, repr took longer than 0.2 s>"
    assert set(texts[1:]) == {"<Slow object, not shown: its repr takes too long>"}
    assert len(asked) == 1


def test_class_that_is_slow_to_begin_with_is_asked_again(monkeypatch):
    monkeypatch.setattr(values, "SECONDS", FOR_EVER)
    table, asked = ValueTable(), []

    class Late:
        def __repr__(self):
            asked.append(1)
            time.sleep(guard.SECONDS if len(asked) == 1 else 0)  # imports what it needs, say
            return "told"

    assert [table.values[table.add(Late())].text for _ in range(3)] == ["told"] * 3


def test_all_displays_of_a_snapshot_share_the_time():
    def told(self):
        asked.append(self)
        time.sleep(0.09)
        return "told"

    table, asked = ValueTable(), []
    table.add([type(f"Slow{i}", (), {"__repr__": told})() for i in range(50)])
    assert len(asked) <= 3  # the third is ended
    assert table.values[-1].length == 50


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="this system has no SIGALRM")
def test_alarm_of_the_lecture_is_kept():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, FOR_EVER)
        assert "took longer" in snapshot(telling(spin)).text
        assert not rung and 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= FOR_EVER - guard.SECONDS
        signal.setitimer(signal.ITIMER_REAL, guard.SECONDS / 4)
        assert "took longer" in snapshot(telling(spin)).text
        until(lambda: rung, "the lecture's alarm")
        assert rung == [signal.SIGALRM]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="this system has no SIGALRM")
def test_nothing_is_left_behind():
    before = signal.setitimer(signal.ITIMER_REAL, 0), signal.getsignal(signal.SIGALRM)
    for display in (lambda: "quick", spin, raising(ValueError())):
        snapshot(telling(display))
    assert (signal.setitimer(signal.ITIMER_REAL, *before[0]), signal.getsignal(signal.SIGALRM)) == ((0, 0), before[1])


def in_thread(display):
    shown = []
    thread = threading.Thread(target=lambda: shown.append(snapshot(telling(display)).text))
    thread.start()
    thread.join()
    return shown


@pytest.mark.parametrize(("display", "text"), [
    (lambda: "quick", "quick"),
    (spin, "<Odd object, repr took longer than 0.2 s>"),
    (raising(ValueError("no")), "<Odd object, repr raised ValueError: no>"),
], ids=["quick", "endless", "raises"])  # fmt: skip
def test_display_in_another_thread(display, text):
    assert in_thread(display) == [text]


def test_thread_that_was_late_goes_on_undisturbed():
    table, texts = ValueTable(), []

    def work():
        for limit in (0.195, 0.2, 0.205) * 3:  # around the limit, where the watcher and the display race
            odd = type("Odd", (), {"__repr__": lambda self, limit=limit: busy(limit)})
            texts.append(table.values[table.add(odd())].text)
            sum(range(200_000))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(texts) == 9 and set(texts) <= {"<Odd object, repr took longer than 0.2 s>", "ended"}


def busy(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
    return "ended"


@pytest.mark.parametrize("seconds", [0, 0.19, 0.2, 0.21, 1])
def test_after_a_display_in_a_thread_the_thread_goes_on(tmp_path: Path, seconds: float) -> None:
    """Python 3.11 never got past the first instruction of the function that is called last."""
    run = record(tmp_path, f"""
        import threading, time
        class Slow:
            def __repr__(self):
                time.sleep({seconds})
                return "Slow()"
        def after():
            return 8
        def work():
            a = Slow()  # @inspect a
            for i in range(3):
                b = after()  # @inspect b
        def main():
            t = threading.Thread(target=work); t.start(); t.join()
    """)  # fmt: skip
    assert run.header["status"] == "ok" and run.value(12, "b") == "8" and len(run.at(8)) == 3
