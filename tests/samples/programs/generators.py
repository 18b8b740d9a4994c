"""Generators in every state."""
import contextlib, gc, threading

def inner(n):
    try:
        for i in range(n):
            got = yield i
            if got:
                yield got
    except ValueError as e:
        yield f"caught {e}"
    finally:
        last = 1
    return n * 10

def outer():
    a = yield from inner(2)
    b = yield from inner(1)
    return a + b

def chain():
    result = yield from outer()
    yield result

def thrown():
    g = chain()
    out = [next(g), g.send("x"), g.throw(ValueError("v"))]
    out += list(g)
    return out

def closed():
    g = inner(3)
    next(g)
    g.close()
    g.close()
    h = inner(3)
    h.close()
    return list(h)

def ignores_close():
    def stubborn():
        while True:
            try:
                yield 1
            except GeneratorExit:
                yield 2
    g = stubborn()
    next(g)
    try:
        g.close()
    except RuntimeError as e:
        a = str(e)
    del g
    return a

def collected():
    g = inner(3)
    next(g)
    del g
    gc.collect()
    a = 1
    def cycle():
        me = yield
        try:
            yield me
        finally:
            b = 2
    c = cycle()
    next(c); c.send(c)
    del c
    gc.collect()
    return a

def in_thread():
    g = inner(4)
    out = [next(g)]
    def work():
        out.append(next(g))
    t = threading.Thread(target=work, name="other")
    t.start(); t.join()
    out.append(next(g))
    return out

def stop_value():
    g = inner(1)
    next(g)
    try:
        next(g)
    except StopIteration as e:
        return e.value

def raises_stop():
    def bad():
        yield 1
        raise StopIteration(2)
    try:
        return list(bad())
    except RuntimeError as e:
        return str(e)

def failing():
    def bad():
        yield 1
        raise KeyError(2)
    g = bad()
    next(g)
    try:
        next(g)
    except KeyError:
        pass
    return list(g)

@contextlib.contextmanager
def manager(n):
    before = n
    try:
        yield n
    except KeyError:
        swallowed = 1
    finally:
        after = n

def managed():
    with manager(1) as a, manager(2) as b:
        c = a + b
        raise KeyError
    with manager(3):
        pass
    return c

def genexp():
    def v(x):
        return x
    g = (v(x) for x in range(3) if v(x))
    a = next(g)
    b = list(g)
    return a, b, any(v(x) for x in [0, 1, 2]), [*(v(y) for y in [1])]

def pipeline():
    def source():
        for i in range(4):
            yield i
    def odd(items):
        for i in items:
            if i % 2:
                yield i
    def squared(items):
        for i in items: yield i * i
    return sum(squared(odd(source())))

def yield_exprs():
    def g():
        x = [(yield 1), (yield 2)]
        y = (yield
             ) or (
             yield 3)
        yield x, y
        return (yield 4)
    it = g()
    out = [next(it)]
    for s in (5, 6, 7, 8):
        out.append(it.send(s))
    return out

def yield_in_finally():
    def g():
        try:
            yield 1
            raise KeyError
        except KeyError:
            yield 2
        finally:
            yield 3
        yield 4
    return list(g())

def gen_with_loop_at_end():
    def g():
        for i in range(2):
            yield i
    a = [x for x in g()]
    def w():
        n = 2
        while n:
            yield n
            n -= 1
    return a, list(w())

def reiter():
    class C:
        def __iter__(self):
            yield 1
            yield 2
        def __len__(self): return 2
    out = []
    for x in C():
        for y in C():
            out.append((x, y))
    a, b = C()
    return out, a, b, [*C()], dict(zip(C(), C()))

def unfinished():
    def g():
        yield 1
        yield 2
    for x in g():
        break
    first = next(g())
    return x, first

def main():
    return [f() for f in (thrown, closed, ignores_close, collected, in_thread, stop_value, raises_stop, failing, managed, genexp,
                          pipeline, yield_exprs, yield_in_finally, gen_with_loop_at_end, reiter, unfinished)]
