"""Threads: pools, timers, locals."""
import threading
from concurrent.futures import ThreadPoolExecutor

def work(n):
    total = 0
    for i in range(n):
        total += i
    return total

def gen():
    for i in range(3):
        yield i

def main():
    with ThreadPoolExecutor(1, thread_name_prefix="pool") as pool:
        futures = [pool.submit(work, 3) for _ in range(4)]
        a = [f.result() for f in futures]
        b = pool.submit(lambda: 1 / 0)
        try:
            b.result()
        except ZeroDivisionError:
            c = 1
    t = threading.Timer(0.01, work, [2])
    t.name = "timer"
    t.start()
    t.join()
    class T(threading.Thread):
        def run(self):
            self.result = work(2)
            for x in gen():
                pass
    x = T(name="T")
    x.start(); x.join()
    return a, x.result
