"""Shared lines, executed more than once."""
def v(x):
    return x
def f(n):
    for i in range(n): a = i; b = v(a)
    while n: n -= 1; v(n)
    for i in range(2): pass
    while v(0): pass
    i = 3
    while i: i -= 1
    for i in range(2):
        match i:
            case 0: continue
            case 1: c = 1
    try: x = 1; y = 1 / 0
    except ZeroDivisionError: z = 3; w = 4
    else: pass
    finally: q = 5; r = 6
    if n: pass
    else: e = 2
    for i in range(3):
        if i: continue
        else: d = 1
    while True:
        if v(1): break
    while True: break
    for i in range(3): break
    else: f = 1
    for i in range(1): pass
    else: f = 1
    def g(): yield 1; yield 2
    for i in g(): pass
    for i in g(): v(i)
    x = [v(i) for i in range(2)]; y = {v(i): 1 for i in range(2)}; return x
def g(n):
    while True: n -= 1; n = n if n else v(0); \
        n or (yield n); \
        n or (yield v(2)); n = 3; return
def h(n):
    with open("/dev/null") as f, open("/dev/null") as g: pass
    try: v(1); return v(2)
    finally: v(3); v(4)
def k(n):
    try:
        for i in range(n): v(i); 1 / i
    except ZeroDivisionError: pass
    for i in range(2): pass; pass
    class A: x = 1; y = v(2)
    A.x; A.y
    lam = lambda: v(1); lam(); lam()
    return i; i
def single(n): return v(n)
def single_loop(n):
    for i in range(n): pass
def single_while(n):
    while n: n -= 1
def nothing(): pass
def dots(): ...
def bare(): return
def main():
    out = []
    for i in range(3): out.append(f(i)); out += g(2); h(i); k(i); single(i); single_loop(i); single_while(i); nothing(); dots(); bare()
    return out
