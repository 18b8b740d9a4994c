"""Threads have frames, outputs and names of their own."""
import threading

from engine import text


def work(n):
    text(f"work {n}")
    result = n * 10  # @inspect result


def main():
    for n in range(2):
        thread = threading.Thread(target=work, args=(n,), name=f"worker {n}")
        thread.start(), thread.join()
    text("joined")
