"""Prints when its objects go: the same, in the same order, with and without a recorder."""
import gc, sys, threading, weakref
class D:
    def __init__(self, n): self.n = n
    def __del__(self): print("del", self.n)
class T:
    pass
def fails(n):
    d = D(n)  # @inspect d
    raise KeyError(n)
def gen():
    d = D("gen")  # @inspect d
    yield 1
def held():
    early = locals()
    a = 1
    b = a + 1  # @inspect a b
    print(sorted(early))
    late = locals()
    c = lambda: b  # @inspect c
    print(sorted(late), "c" in early)
    own = sys._getframe().f_locals
    own["more"] = own["a"] = 7
    d = 4  # @inspect d more a
    print(a, own["more"], "d" in own)
    exec("even = 8")
    e = 5  # @inspect even
    print(locals().get("even"), early is late)
    class K:
        q = 1
        names = locals()
        r = 2  # @inspect r
    print("r" in K.names)
def main():
    held()
    gc.disable()
    x = D(1)  # @inspect x
    print("a")
    x = D(2)  # @inspect x
    print("b")
    del x
    print("c")
    x = D(3)  # @inspect x x.n
    y = [x]  # @inspect y
    x = None
    print("d")
    y.clear()  # @inspect y
    print("e")
    for i in range(2):
        z = D(f"loop{i}")  # @inspect z
        print("pass", i)
    z = 0
    print("f")
    try:
        fails(4)
    except KeyError as e:  # @inspect e
        print("caught")
    print("g")
    g = gen()
    next(g)
    print("h")
    g = None
    print("i")
    def inner():
        w = D("inner")  # @inspect w
        return w
    inner()
    print("j")
    t = T()  # @inspect t
    r = weakref.ref(t)
    t = None
    print(r() is None)
    c = D("closure")  # @inspect c
    f = lambda: c
    c = 3
    print("k", f())
    print(sys.getrefcount(r))
    q = D("q")  # @inspect q
    try:
        1 / 0
    except ZeroDivisionError as e:  # @inspect e
        keep = weakref.ref(e.__traceback__.tb_frame.f_code)
    print("end")
    class Worker(threading.Thread):
        def run(self):
            own = D("in thread")  # @inspect own
        def __del__(self):
            print("del worker")
    t = Worker()  # @inspect t
    t.start(); t.join()
    del t
    print("joined")
    u = D("u")  # @inspect u
    print(sorted(locals())[:3])
    locals()["added"] = 1
    u = None  # @inspect u
    print("added" in locals())
