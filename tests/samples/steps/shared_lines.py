"""Statements that share a line are steps of their own."""


def main():
    a = 5; b = 5; c = [
        5,
    ]; d = 7  # @inspect a b c d
    if a: e = 8  # @inspect e
    for i in range(2): e += i  # @inspect e
    while e > 8: e -= 1
    try: f = 1 / 0
    except ZeroDivisionError: f = 12  # @inspect f
    return f
