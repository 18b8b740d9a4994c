"""Coroutines and tasks."""
import asyncio, contextvars

var = contextvars.ContextVar("var", default=0)

async def leaf(n):
    await asyncio.sleep(0)
    var.set(n)
    return n

async def mid(n):
    a = await leaf(n)
    b = await leaf(
        n + 1
    )
    return a + b + var.get()

async def agen(n):
    try:
        for i in range(n):
            await asyncio.sleep(0)
            got = yield i
    finally:
        await asyncio.sleep(0)
        done = 1

class Manager:
    async def __aenter__(self):
        await asyncio.sleep(0)
        return self
    async def __aexit__(self, kind, e, tb):
        await asyncio.sleep(0)
        return kind is KeyError

class Iter:
    def __init__(self): self.n = 0
    def __aiter__(self):
        return self
    async def __anext__(self):
        if self.n == 2:
            raise StopAsyncIteration
        self.n += 1
        return self.n

class Awaitable:
    def __await__(self):
        a = yield from asyncio.sleep(0).__await__()
        return 5

async def sequential():
    out = []
    async for x in agen(2):
        out.append(x)
    else:
        out.append("else")
    async for x in Iter():
        if x == 2:
            break
    async with Manager() as m, Manager():
        out.append(1)
        raise KeyError
    async with (
        Manager() as a,
        Manager() as b,
    ):
        pass
    out += [x async for x in agen(2)]
    out += [await leaf(i) for i in range(2)]
    out.append(await Awaitable())
    return out

async def gathered():
    return await asyncio.gather(mid(1), mid(10), *[leaf(i) for i in range(2)])

async def grouped():
    async def fails():
        await asyncio.sleep(0)
        raise KeyError(1)
    async def waits():
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            a = 1
            raise
        finally:
            b = 2
    try:
        async with asyncio.TaskGroup() as tg:
            tg.create_task(fails())
            tg.create_task(waits())
    except* KeyError as group:
        n = len(group.exceptions)
    except* ValueError:
        n = 0
    return n

async def cancelled():
    async def waits():
        try:
            await asyncio.sleep(10)
        finally:
            a = 1
    t = asyncio.create_task(waits())
    await asyncio.sleep(0)
    t.cancel()
    try:
        await t
    except asyncio.CancelledError:
        return "cancelled"

async def timed():
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(10)
    except TimeoutError:
        a = 1
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.01)
    except asyncio.TimeoutError:
        return a

async def unfinished():
    g = agen(3)
    first = await anext(g)
    await g.aclose()
    h = agen(3)
    await h.asend(None)
    try:
        await h.athrow(KeyError)
    except KeyError:
        pass
    return first

async def in_thread():
    def work():
        x = 1
        return x
    return await asyncio.to_thread(work)

async def queue():
    q = asyncio.Queue()
    async def producer():
        for i in range(3):
            await q.put(i)
        await q.put(None)
    async def consumer():
        out = []
        while (x := await q.get()) is not None:
            out.append(x)
        return out
    return (await asyncio.gather(producer(), consumer()))[1]

async def callbacks():
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    def later():
        done.set_result(3)
    loop.call_soon(later)
    return await done

async def main():
    out = []
    for f in (sequential, gathered, grouped, cancelled, timed, unfinished, queue, callbacks):
        out.append(await f())
    return out
