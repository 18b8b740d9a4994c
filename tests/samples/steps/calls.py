"""Calls, callbacks through library code, recursion, and statements stepped over."""
import functools

from engine import text


def twice(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        f(*args, **kwargs)
        return f(*args, **kwargs)
    return wrapper


@twice
def say(word):
    text(word)
    return len(word)


def fact(n):
    if n < 2:
        return 1
    return n * fact(n - 1)  # @inspect n


def key(n):
    return -n


def main():
    a = say("hello")  # @inspect a
    b = fact(3)  # @inspect b
    c = sorted([1, 2], key=key)  # @inspect c
    d = fact(20)  # @inspect d @stepover
    text(
        str(key(1)),
    )
    exec("e = 37\nkey(2)")
    f = eval("key(39)")  # @inspect f
    functools.reduce(lambda x, y: key(x + y), [1, 2, 3])
    say(
        "many"
        " lines",
    )
    return d
