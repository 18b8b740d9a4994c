"""Every kind of statement, each value equal to its line where that can be."""
import contextlib

from engine import text


def leave(n):
    try:
        return n  # @inspect n
    finally:
        done = 12  # @inspect done


@contextlib.contextmanager
def opened(name):
    text(f"open {name}")
    try:
        yield 19
    finally:
        text(f"close {name}")


def match(value):
    match value:
        case 0:
            found = "zero"
        case int(n) if n > 1:
            found = f"many {n}"
        case _:
            found = "other"
    return found  # @inspect found


def main():
    a = leave(35)  # @inspect a
    with opened("x") as b:  # @inspect b
        c = 37  # @inspect c
    for i in range(2):  # @inspect i
        if i:
            continue
        text(f"pass {i}")
    else:
        d = 43  # @inspect d
    n = 0
    while (n := n + 1) < 3:  # @inspect n
        pass
    try:
        1 / 0
    except ValueError:
        text("never")
    except ZeroDivisionError as error:  # @inspect error
        e = 52  # @inspect e
    finally:
        f = 54  # @inspect f
    match(0)
    match(2)
    match("x")

    @staticmethod
    def inner(*args, k=1, **more):
        return sum(args)

    class Point:
        "A class body is a frame."
        x = 65

        def norm(self):
            return abs(self.x)

    g = Point().norm()  # @inspect g
    h = [x * x for x in range(3)]  # @inspect h
    first, *rest = h  # @inspect first rest
    del first
    assert rest
    j: int = 74  # @inspect j
    k = (lambda q: q + 1)(74)  # @inspect k
    while True:
        n += 1
        if n > 4:
            break
    return n
