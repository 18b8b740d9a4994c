"""Frames that are left and entered again, by one caller or by several."""
import asyncio

from engine import text


def count(n):
    for i in range(n):
        got = yield i  # @inspect i got


def chain():
    yield 14
    inner = yield from count(2)
    return inner


def draw(g):
    return next(g)


async def fetch(name, times):
    for i in range(times):
        await asyncio.sleep(0)
        text(f"{name} {i}")
    return name


async def numbers():
    for i in range(2):
        yield i


async def tasks():
    a, b = await asyncio.gather(fetch("a", 2), fetch("b", 1))  # @inspect a b
    async for n in numbers():  # @inspect n
        text(f"n {n}")


def main():
    g = count(3)
    a = next(g)  # @inspect a
    b = draw(g)  # @inspect b
    c = g.send("x")  # @inspect c
    for value in chain():  # @inspect value
        pass
    g.close()
    total = sum(x for x in count(3))  # @inspect total
    asyncio.run(tasks())
