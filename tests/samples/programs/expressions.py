"""Expressions over lines, decorators, classes, closures."""
import functools

def v(x):
    return x

def deco(*args, **kw):
    def wrap(f):
        @functools.wraps(f)
        def inner(*a, **k):
            return f(*a, **k)
        return inner
    return wrap

def plain(f):
    return f

class Meta(type):
    def __new__(mcs, name, bases, ns, **kw):
        ns["extra"] = kw
        return super().__new__(mcs, name, bases, ns)
    def __call__(cls, *args):
        made = super().__call__(*args)
        return made
    @classmethod
    def __prepare__(mcs, name, bases, **kw):
        return {"prepared": 1}

class Descriptor:
    def __set_name__(self, owner, name):
        self.name = name
    def __get__(self, obj, owner):
        return (
            self.name,
            obj is None,
        )

def classes():
    class Base:
        def __init_subclass__(cls, tag=None):
            cls.tag = tag
    class A(
        Base,
        tag=v(1),
    ):
        x = v(1)
        y = [v(i) for i in range(2)]
        d = Descriptor()
        def method(self):
            return super().__repr__() and 1
        class Inner:
            z = 1
            if z:
                w = 2
        for q in range(2):
            r = q
        @property
        def p(self):
            return self.x
        @staticmethod
        @plain
        def s(): return 1
    class B(metaclass=Meta, flag=v(3)):
        def __init__(self, n=0):
            self.n = n
    return A().method(), A.d, A().p, A.s(), A.tag, B(3).n, B.extra

@deco(
    1,
    2,
)
@plain
@deco(v(3),
      b=4)
def decorated(a, b=v(1), *c, d=v(2), **e):
    return a, b, c, d, e

def local_decorated():
    @deco(
        v(1),
        v(2),
    )
    @plain
    def f(
        a,
        b=v(1),
    ):
        return a
    @plain
    class K:
        pass
    return f(1)

def closures():
    n = 0
    def up():
        nonlocal n
        n += 1
        def deeper():
            nonlocal n
            n += 10
            return n
        return deeper()
    fs = [lambda i=i: v(i) + n for i in range(3)]
    up(); up()
    return [f() for f in fs], (lambda: (yield))

def expressions():
    a = (
        v(1) if v(0)
        else v(2)
        if v(1) else
        v(3)
    )
    b = v(1) < v(2) < v(3) > \
        v(0)
    c = (v(0) or
         v(0) or
         v(3)) and v(4)
    d = f"{v(1)} {v(2)!r:>{v(10)}}" \
        f"{v(3)}" f"""
    {v(4)}
    {f'{v(5)}'}
    """
    e = [v(x) for x in [v(1), v(2)] if v(x) for y in range(v(2))]
    f = {v(x): v(x + 1) for x in range(2)}
    g = sum(v(x) for x in range(3))
    h = [
        (lambda q: v(q))(i)
        for i in range(2)
    ]
    if (n := v(5)) > 3 and (m := v(n)):
        e = n
    i = v(*[v(1)], **{})
    j = dict(
        a=v(1),
        **dict(b=v(2)),
        c=[
            v(3),
            *[v(4), v(5)],
        ],
    )
    k = v(
        v(
            v(
                1)))
    l, *r = v([1, 2, 3])
    l, (o, p) = v(1), v((2, 3))
    x = y = v(7)
    x += v(1)
    z: int = v(3)
    w: "anything"
    s = "abc"[v(0):v(2)]
    t = [1, 2, 3]
    t[v(0)] = v(9)
    t[v(1)] += v(1)
    del t[v(0)], k
    u = not v(1)
    aa = v(1),
    return a, b, c, d, e, f, g, h, i, j, l, r, o, p, x, y, z, s, t, u, m

def strings():
    """docstring"""
    "another string"
    1
    ...
    x = """a
# @inspect x
b"""
    """trailing"""
    return x

def global_names():
    global G
    G = 1
    def f():
        global G, H
        G += 1; H = G
        del H
    f()
    return G

def match_it(x):
    match x:
        case int(n) if v(n) > 5:
            return "big"
        case [a, *rest] if v(a) == 1 and (
            v(len(rest))
        ):
            return "list", rest
        case {"k": k, **others}:
            return "map", k
        case (1 | 2) as y:
            return y
        case str():
            pass
        case _ if v(0):
            return "never"
        case Meta():
            return "meta"
        case _:
            return "else"
    return "after"

def match_last(x):
    match v(x):
        case 1:
            pass
        case 2:
            for i in range(1):
                pass

def nested_match(x):
    for i in x:
        match i:
            case 0:
                continue
            case 1:
                break
            case _:
                match i:
                    case 3: a = 1
                    case 4: pass
    else:
        return "else"

def recursion(n):
    return n if n < 2 else recursion(n - 1) + recursion(
        n - 2
    )

def loops():
    out = []
    i = 0
    while i < 3: i += 1
    while (i := i - 1) > 0:
        if i == 1: continue
        out.append(i)
    else:
        out.append("else")
    for i in range(3):
        for j in range(3):
            if j == 1: break
        else:
            out.append("no")
        if i: continue
    for i in (): pass
    for i in []:
        out.append(1)
    else:
        pass
    for (
        a,
        b
    ) in [
        (v(1), 2),
        (3, 4),
    ]:
        out.append(a)
    while True:
        if v(1):
            break
    while 1:
        for x in [1]:
            break
        break
    for x in range(2): pass
    while v(0): pass
    return out

def conditions(x):
    if x == 1: return "one"
    elif v(x) == 2: return "two"
    elif (
        v(x) == 3
        and v(x)
    ):
        return "three"
    else:
        if x == 4:
            pass
        else: pass
    if x > 5 and not v(0):
        pass
    if 0:
        a = 1
    elif x:
        a = 2
    if not x:
        pass
    else:
        return 1

def one_liners():
    a = 1; b = 2; c = v(3); return a, b, c

def one_line_loop():
    for i in range(3): a = i; b = v(a)
    if a: c = 1; d = 2
    else: c = 3
    while a: a -= 1; v(a)
    try: x = 1; y = 1 / 0
    except ZeroDivisionError: z = 3; w = 4
    finally: q = 5; r = 6
    with open("/dev/null") as f: g = 1; h = 2
    class C: a = 1; b = 2
    def f(): x = 1; return x
    return f(); 

def main():
    return (classes(), decorated(1), local_decorated(), closures()[0], expressions(), strings(), global_names(),
            [match_it(x) for x in (7, [1, 2], [2], {"k": 1, "z": 2}, 2, "s", 3.5, 4)], [match_last(i) for i in (1, 2, 3)],
            nested_match([0, 3, 4, 5]), nested_match([1]), recursion(4), loops(), [conditions(i) for i in (0, 1, 2, 3, 4, 6)],
            one_liners(), one_line_loop())
