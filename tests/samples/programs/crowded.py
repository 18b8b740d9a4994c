"""Statements on the line of what is around them, and code that a decorator has changed."""

import asyncio
import types


class Countdown:
    def __init__(self, n): self.n = n
    def __aiter__(self): return self
    async def __anext__(self):
        await asyncio.sleep(0)
        self.n -= 1
        if self.n < 0: raise StopAsyncIteration
        return self.n


def keep(cls): return cls


def classes(n):
    class A: x = n
    class B(A): y = n; z = y + 1
    @keep
    class C(B): w = 3
    class D:
        v = n
    class E: "documented"
    class F: pass
    return A.x, B.z, C.w, D.v, E.__doc__, F.__name__


def documented():
    """Whose body is this text and nothing."""
    pass


def declared():
    """Whose body has statements that compile to nothing before its last."""
    global total
    pass


def annotated():
    a: int
    pass


async def waits(n):
    async for x in Countdown(n):
        if x == 1: continue
        await asyncio.sleep(0); await asyncio.sleep(0)
    while await asyncio.sleep(0, n): n -= 1
    async for _ in Countdown(1): pass
    return [x async for x in Countdown(2) if x or await asyncio.sleep(0, 1)]


@types.coroutine
def bare():
    got = yield
    return got


async def awaits_bare():
    first = await bare()
    return first


def main():
    print(classes(2))
    print(documented(), declared(), annotated())
    print(asyncio.run(waits(3)))
    awaited = awaits_bare()
    awaited.send(None)
    try:
        awaited.send(5)
    except StopIteration as end:
        print(end.value)
