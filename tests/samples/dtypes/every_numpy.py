"""An array of every element type and kind that numpy has; each is inspected, and says what it is."""

import json
import tempfile
import tracemalloc

import numpy as np


class Sub(np.ndarray):
    """A subclass whose own methods would mislead."""

    @property
    def shape(self):
        raise RuntimeError("asked")


def every():
    """Name and array."""
    for code in dict.fromkeys(np.typecodes["All"]):
        dtype = np.dtype(f"{code}8[s]" if code in "mM" else f"{code}3" if code in "SUV" else code)
        for shape in ((), (0,), (2, 3), (40, 50)):
            yield f"{dtype} {shape}", np.zeros(shape, dtype)
    for unit in ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"):
        yield f"datetime {unit}", np.array(["NaT", 5], f"M8[{unit}]")
        yield f"timedelta {unit}", np.array([5, -1], f"m8[{unit}]")
    record = np.dtype([("a", "i4"), ("b", "U5", (2,)), ("c", [("d", "f2"), ("e", "O")])])
    yield "structured", np.zeros(3, record)
    yield "structured large", np.zeros(5000, record)
    yield "field of records", np.zeros(3, record)["a"]
    yield "aligned", np.zeros(2, np.dtype({"names": ["a", "b"], "formats": ["i1", "f8"], "offsets": [0, 8]}))
    yield "recarray", np.zeros(3, record).view(np.recarray)
    yield "big endian", np.arange(3, dtype=">i4")
    yield "object", np.array([1, "a", None, [2]], dtype=object)
    yield "object large", np.full((200, 20), "x", dtype=object)
    yield "text of numpy 2", np.array(["a", "bcd" * 40], dtype=np.dtypes.StringDType())
    yield "masked", np.ma.masked_array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    yield "masked record", np.ma.zeros(2, record)
    yield "matrix", np.matrix([[1, 2], [3, 4]])
    yield "char", np.char.array(["ab", "c"])
    yield "subclass", np.zeros((2, 2)).view(Sub)
    yield "memmap", np.memmap(tempfile.TemporaryFile(), "f4", "w+", shape=(20, 30))
    yield "transposed", np.arange(6).reshape(2, 3).T
    yield "reversed", np.arange(6)[::-2]
    yield "broadcast", np.broadcast_to(np.float32(3), (1000, 1000, 1000))
    yield "read only", np.frombuffer(b"abcdefgh", "i2")
    yield "many dimensions", np.zeros((1,) * 32)
    for kind in sorted({*np.sctypeDict.values()} - {np.void, np.object_}, key=lambda kind: kind.__name__):
        yield f"scalar {kind.__name__}", kind(*([1, "s"] if kind in (np.datetime64, np.timedelta64) else [1]))
    yield "scalar void", np.void(b"abc")
    yield "scalar record", np.zeros(1, record)[0]


def main():
    for name, x in every():
        y = x  # @inspect y
        shape = np.ndarray.shape.__get__(x) if isinstance(x, np.ndarray) else ()
        print(json.dumps([name, type(x).__name__, list(shape), str(x.dtype)]))
    large = np.random.default_rng(0).normal(size=(2000, 2000))
    kinds = [large, large.view("M8[s]"), large.view("c16"), large.T, np.ma.masked_array(large, large > 0)]
    tracemalloc.start()
    for x in kinds:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        y = x  # @inspect y
        taken = tracemalloc.get_traced_memory()[1] - before
        print(json.dumps(["taken", taken]))
