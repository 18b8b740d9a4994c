"""Diagrams of programs for the machine: fusion, CUDA and Triton, and the four kernels of the lecture."""

from itertools import product

from canvas import BLUE, DEEP, GREEN, GREY, ORANGE, PAPER, QUIET, VIOLET, Sheet


def fusion() -> Sheet:
    """GeLU as nine kernels and as one.

    Written with tensor operations, GeLU runs as nine kernels, which together read 13 tensors from HBM and write 9.
    Fused into one kernel it reads one and writes one.
    """
    reads = (("·0.5", 1), ("·0.045", 1), ("·x", 2), ("·x", 2), ("x+", 2),
             ("·0.798", 1), ("tanh", 1), ("1+", 1), ("·", 2))
    total = sum(count for _, count in reads)
    sheet = Sheet(fusion, 306)
    sheet.heading(f"{len(reads)} kernels: {total} tensors read, {len(reads)} written")
    sheet.box(24, 56, 504, 40, VIOLET, label="HBM")
    for number, (name, count) in enumerate(reads):
        x = 26 + number * 56
        for read in range(count):
            sheet.line(x + 8 + read * 12, 96, x + 8 + read * 12, 208, DEEP[BLUE], width=2.5, arrow=True)
        sheet.line(x + 42, 212, x + 42, 100, DEEP[ORANGE], width=2.5, arrow=True)
        sheet.box(x, 212, 52, 40, GREEN, label=name, size=13)
    sheet.text(556, 34, "1 kernel: 1 + 1", 18, bold=True)
    sheet.box(556, 56, 140, 40, VIOLET, label="HBM")
    sheet.line(596, 96, 596, 208, DEEP[BLUE], width=2.5, arrow=True)
    sheet.line(656, 212, 656, 100, DEEP[ORANGE], width=2.5, arrow=True)
    sheet.box(556, 212, 140, 40, GREEN, label="gelu")
    sheet.line(24, 280, 50, 280, DEEP[BLUE], width=2.5, arrow=True)
    sheet.text(58, 285, "read a tensor", 14)
    sheet.line(180, 280, 206, 280, DEEP[ORANGE], width=2.5, arrow=True)
    sheet.text(214, 285, "write a tensor", 14)
    trips = total + len(reads)
    sheet.text(696, 285, f"{trips} tensors move against 2: {trips / 2:g} times as many", 14, "end", bold=True)
    return sheet


def models() -> Sheet:
    """What one program is: a CUDA thread, a Triton block.

    In CUDA one writes the program of one thread, which computes one element. In Triton one writes the program of a
    whole block, which loads, computes and stores many elements at once; the compiler shares them among threads.
    """
    sheet = Sheet(models, 300)
    cuda = ("i = blockIdx.x * blockDim.x", "    + threadIdx.x", "if (i < n)", "    y[i] = f(x[i])")
    triton = ("offsets = pid * BLOCK", "    + tl.arange(0, BLOCK)", "x = tl.load(x_ptr + offsets)",
              "tl.store(y_ptr + offsets, f(x))")
    for x, name, code, count, says in (
        (24, "CUDA: the program of a thread", cuda, 1, ("one element", "you arrange the threads")),
        (372, "Triton: the program of a block", triton, 8,
         ("a block of elements", "the compiler arranges the threads")),
    ):
        sheet.text(x, 38, name, 17, bold=True)
        sheet.box(x, 54, 324, 104, PAPER)
        sheet.lines(x + 14, 78, *code)
        for cell in range(24):
            sheet.box(x + cell * 13.5, 216, 11.5, 24, ORANGE if 8 <= cell < 8 + count else BLUE, r=1)
        sheet.line(x + 162, 158, x + (8 + count / 2) * 13.5 - 1, 212, arrow=True)
        sheet.text(x, 264, says[0], 15)
        sheet.text(x, 286, says[1], 14, color=QUIET)
    return sheet


def coarsening() -> Sheet:
    """Eight elements a thread.

    A block of 1,024 elements and 128 threads: thread t takes the four elements from 4t and the four from 512 + 4t,
    each four with one load of 16 bytes, so that the loads of a warp lie side by side.
    """
    block, threads, vector = 1024, 128, 4
    sheet = Sheet(coarsening, 270)
    sheet.heading(f"{block:,} elements, {threads} threads: {block // threads} elements a thread")
    for load, name in enumerate(("first load", "second load")):
        y, start = 74 + load * 82, load * threads * vector
        sheet.text(24, y - 8, name, 13, color=QUIET)
        for place, thread in enumerate((0, 1, 2, 126, 127)):
            x = 24 + place * 128 + (place >= 3) * 34
            for word in range(vector):
                fill, label = (ORANGE, BLUE, GREEN, GREY, VIOLET)[place], str(start + thread * vector + word)
                sheet.box(x + word * 31, y, 30, 26, fill, label=label, size=11, r=1)
            sheet.text(x + 62, y + 44, f"thread {thread}", 13, "middle", color=QUIET)
        sheet.text(423, y + 20, "…", 20, "middle")
    sheet.text(24, 250, "ld.global.v4.b32 reads four neighbours, 16 bytes, at once: 512 bytes a warp.", 14)
    return sheet


def softmax() -> Sheet:
    """Softmax: one program a row.

    Each row of a matrix belongs to one program instance, which loads it once, keeps it on the chip through maximum,
    exponential, sum and division, and stores it once.
    """
    sheet = Sheet(softmax, 256)
    sheet.heading("One program instance a row")
    for row in range(4):
        sheet.text(24, 84 + row * 40, f"program {row}", 14, bold=row == 1)
        for column in range(6):
            sheet.box(110 + column * 30, 66 + row * 40, 28, 28, ORANGE if row == 1 else BLUE, r=1)
    sheet.text(24, 238, "M rows of N columns: a grid of (M,)", 14, color=QUIET)
    sheet.line(296, 120, 340, 120, arrow=True)
    sheet.text(302, 108, "load", 13, color=QUIET)
    sheet.box(344, 58, 190, 128, PAPER)
    sheet.lines(362, 84, "m = max(x)", "e = exp(x - m)", "s = sum(e)", "y = e / s", pitch=27, size=15)
    sheet.text(344, 208, "all of it on the SM", 14, color=QUIET)
    sheet.line(534, 120, 578, 120, arrow=True)
    sheet.text(538, 108, "store", 13, color=QUIET)
    for column in range(6):
        sheet.box(582 + column * 19, 106, 17, 28, GREEN, r=1)
    return sheet


def row_sum() -> Sheet:
    """A row summed in tiles.

    A row of ten numbers and tiles of four: four accumulators take one tile at a time, the last tile is masked, and at
    the end the accumulators are added up to 39.
    """
    row, tile = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3], 4
    padded = row + [0] * (-len(row) % tile)
    colors = (BLUE, GREEN, ORANGE)
    sheet = Sheet(row_sum, 326)
    sheet.heading(f"A row of {len(row)} in tiles of {tile}")
    sheet.text(24, 80, "the row", 14)
    for index, number in enumerate(padded):
        there = index < len(row)
        sheet.box(150 + index * 42 + index // tile * 14, 56, 40, 36, colors[index // tile] if there else PAPER,
                  label=str(number) if there else "–", size=16, dash=not there)
    sums = [0] * tile
    for number in range(len(padded) // tile):
        sheet.text(233 + number * 182, 110, f"tile {number}", 13, "middle", color=QUIET)
        sums = [total + value for total, value in zip(sums, padded[number * tile :][:tile], strict=True)]
        y = 132 + number * 44
        sheet.text(24, y + 24, f"after tile {number}", 14)
        for lane, total in enumerate(sums):
            sheet.box(150 + lane * 42, y, 40, 36, colors[number], label=str(total), size=16)
    sheet.line(324, 238, 372, 238, arrow=True)
    sheet.text(380, 244, f"{' + '.join(map(str, sums))} = {sum(sums)}", 16, bold=True)
    sheet.text(150, 286, "four accumulators, one for each column of a tile", 14, color=QUIET)
    sheet.text(150, 308, "masked places load as 0, which a sum does not notice", 14, color=QUIET)
    return sheet


def strides() -> Sheet:
    """Strides.

    A matrix of three rows and four columns lies in memory row after row. Element (1, 2) stands at place 1 times 4
    plus 2 times 1, which is 6.
    """
    rows, columns, at = 3, 4, (1, 2)
    place = at[0] * columns + at[1]
    colors = (BLUE, GREEN, VIOLET)
    sheet = Sheet(strides, 248)
    sheet.heading("shape (3, 4), strides (4, 1)")
    for index in range(rows * columns):
        row, column = divmod(index, columns)
        fill = ORANGE if index == place else colors[row]
        sheet.box(24 + column * 42, 56 + row * 36, 40, 34, fill, label=str(index))
        sheet.box(24 + index * 56, 192, 54, 34, fill, label=str(index))
    sheet.text(230, 76, "one column on: 1 place", 15)
    sheet.text(230, 102, "one row on: 4 places", 15)
    sheet.lines(230, 140, f"x[1, 2]: 1*4 + 2*1 = {place}", size=16)
    sheet.text(480, 76, "transposed: shape (4, 3),", 15)
    sheet.text(480, 102, "strides (1, 4), same memory", 15)
    sheet.text(24, 184, "memory", 13, color=QUIET)
    return sheet


def naive() -> Sheet:
    """Two results that need the same row.

    In a product of two 3 by 3 matrices, C4 needs A4, A5, A6 and the first column of B; C5 needs A4, A5, A6 again and
    the second column of B.
    """
    sheet = Sheet(naive, 228)
    sheet.heading("C4 and C5 both read A4, A5, A6")
    marked = {"A": {4: ORANGE, 5: ORANGE, 6: ORANGE}, "C": {4: BLUE, 5: GREEN},
              "B": {1: BLUE, 4: BLUE, 7: BLUE, 2: GREEN, 5: GREEN, 8: GREEN}}
    for x, name in ((24, "A"), (270, "B"), (516, "C")):
        for row, column in product(range(3), range(3)):
            number = row * 3 + column + 1
            sheet.box(x + column * 60, 54 + row * 44, 56, 40, marked[name].get(number, PAPER), label=f"{name}{number}")
    sheet.text(235, 126, "×", 22, "middle")
    sheet.text(481, 126, "=", 22, "middle")
    sheet.lines(24, 210, "C4 = A4*B1 + A5*B4 + A6*B7")
    sheet.lines(380, 210, "C5 = A4*B2 + A5*B5 + A6*B8")
    return sheet


def tiles() -> Sheet:
    """Matrix multiplication in tiles.

    One program instance computes one tile of C. It walks along a row of tiles of A and down a column of tiles of B;
    at each step it loads one tile of each, multiplies them and adds the product to its accumulator.
    """
    sheet = Sheet(tiles, 370)
    sheet.heading("One program instance, one tile of C")
    size = 34
    for row, column in product(range(5), range(3)):
        a = ORANGE if row == 2 else BLUE
        sheet.box(128 + column * size, 176 + row * size, size - 2, size - 2, a, label="k" * ((row, column) == (2, 1)))
    for row, column in product(range(5), range(5)):
        sheet.box(266 + column * size, 176 + row * size, size - 2, size - 2, GREEN if (row, column) == (2, 3) else GREY)
    for row, column in product(range(3), range(5)):
        b = ORANGE if column == 3 else BLUE
        sheet.box(266 + column * size, 60 + row * size, size - 2, size - 2, b, label="k" * ((row, column) == (1, 3)))
    sheet.line(198, 260, 228, 260, DEEP[ORANGE], width=2.5, arrow=True)
    sheet.line(384, 130, 384, 158, DEEP[ORANGE], width=2.5, arrow=True)
    for x, y, words in ((108, 268, "A"), (248, 116, "B"), (448, 268, "C")):
        sheet.text(x, y, words, 18, "middle", bold=True)
    sheet.lines(474, 84, "acc = 0", "for each tile k:", "    a = load tile of A", "    b = load tile of B",
                "    acc += a @ b", "store relu(acc)", pitch=26, size=15)
    sheet.text(474, 304, "a, b: through shared memory", 14, color=QUIET)
    sheet.text(474, 326, "acc: registers; on a B200,", 14, color=QUIET)
    sheet.text(474, 346, "tensor memory", 14, color=QUIET)
    return sheet


def order() -> Sheet:
    """The order of the blocks, and what they load.

    The first nine blocks of a 9 by 9 grid. Row by row they need one row of A and all of B, 90 tiles; as a group of
    three by three they need three rows of A and three columns of B, 54 tiles.
    """
    sheet = Sheet(order, 410)
    sheet.heading("Nine tiles of C: which tiles must be loaded?")
    panels = (("row by row", [(0, n) for n in range(9)]),
              ("in groups of three rows", [(n % 3, n // 3) for n in range(9)]))
    for number, (name, cells) in enumerate(panels):
        rows, columns = {row for row, _ in cells}, {column for _, column in cells}
        a, b, y = 9 * len(rows), 9 * len(columns), 60 + number * 172
        sheet.text(24, y + 10, f"{name}: {a} + {b} = {a + b} tiles", 16, bold=True)
        for x, letter in ((56, "A"), (276, "B"), (496, "C")):
            sheet.text(x - 10, y + 92, letter, 16, "end", bold=True)
            for row, column in product(range(9), range(9)):
                needed = {"A": row in rows, "B": column in columns, "C": (row, column) in cells}[letter]
                fill = (GREEN if letter == "C" else ORANGE) if needed else GREY
                label = str(cells.index((row, column)) + 1) if letter == "C" and needed else ""
                sheet.box(x + column * 18, y + 22 + row * 14.5, 16, 12.5, fill, label=label, size=11, r=1)
        sheet.text(236, y + 92, "×", 20, "middle")
        sheet.text(456, y + 92, "=", 20, "middle")
    return sheet
