"""Diagrams of the machine: its memories, its threads, and how the two get in each other's way.

Sources: NVIDIA's H100 white paper and data sheet (132 SMs, 256 KB of registers and 256 KB of L1 and shared memory
an SM, 50 MB of L2, 80 GB of HBM3 at 3.35 TB/s); latencies in clock cycles on an H100 from Luo et al. 2024,
arXiv 2402.13499, table IV; the CUDA C++ Programming Guide for warps, banks and sectors.
"""

from itertools import product

from canvas import BLUE, DEEP, GREEN, GREY, INK, ORANGE, PAPER, QUIET, VIOLET, Sheet

WARP = 32


def memory() -> Sheet:
    """The memories of an H100.

    132 streaming multiprocessors, each with 256 KB of registers and 256 KB of L1 cache and shared memory, stand above
    one L2 cache of 50 MB and 80 GB of HBM. The farther down, the larger and the slower: about 30 cycles to read
    shared memory, 260 to read L2, 480 to read HBM.
    """
    sheet = Sheet(memory, 420)
    sheet.heading("The memories of an H100")
    for x, name in ((24, "SM 0"), (188, "SM 1"), (372, "SM 131")):
        sheet.box(x, 52, 150, 176, PAPER)
        sheet.text(x + 75, 74, name, 15, "middle", bold=True)
        sheet.box(x + 8, 84, 134, 38, GREY, label="tensor cores, ALUs", size=13)
        sheet.box(x + 8, 128, 134, 42, BLUE, label="registers 256 KB", size=14)
        sheet.box(x + 8, 176, 134, 42, GREEN, label="L1 + shared 256 KB", size=13)
        sheet.line(x + 75, 228, x + 75, 254, arrow=True)
    sheet.text(355, 146, "…", 24, "middle")
    sheet.box(24, 256, 498, 48, ORANGE, label="L2 cache, 50 MB, shared by all SMs")
    sheet.line(273, 304, 273, 330, arrow=True)
    sheet.box(24, 332, 498, 64, VIOLET, label="HBM (global memory), 80 GB, 3.35 TB/s")
    sheet.text(550, 74, "a read takes", 14, color=QUIET)
    sheet.text(550, 92, "(Luo et al., 2024)", 13, color=QUIET)
    for y, words in ((154, "no extra cycles"), (202, "≈ 30 cycles"), (285, "≈ 260 cycles"), (369, "≈ 480 cycles")):
        sheet.text(550, y, words, 15, bold=True)
    return sheet


def grid() -> Sheet:
    """Grid, thread blocks, warps and threads.

    A grid of eight thread blocks, two by four. Block 7 is enlarged: 64 threads, which the hardware runs as two warps
    of 32. One thread computes f of its own index. Two neighbouring blocks may form a cluster.
    """
    sheet = Sheet(grid, 400)
    sheet.heading("A grid of 8 blocks of 64 threads")
    for row, column in product(range(2), range(4)):
        block = row * 4 + column
        fill = ORANGE if block == 7 else BLUE
        sheet.box(24 + column * 76, 76 + row * 76, 64, 60, fill, label=f"block {block}", size=13)
    sheet.box(18, 70, 152, 72, "none", dash=True)
    sheet.text(24, 62, "a cluster (H100, B200)", 13, color=QUIET)
    sheet.text(24, 240, "Each block runs on one SM;", 14, color=QUIET)
    sheet.text(24, 260, "the order is not promised.", 14, color=QUIET)
    sheet.line(316, 176, 366, 160, arrow=True)
    sheet.box(370, 52, 326, 190, PAPER)
    sheet.text(384, 76, "block 7, with its shared memory", 15, bold=True)
    for warp in range(2):
        y = 104 + warp * 68
        sheet.text(384, y, f"warp {warp}: threads {warp * WARP} to {warp * WARP + WARP - 1}", 13)
        for lane in range(WARP):
            mine = warp == 1 and lane == 5
            sheet.box(384 + lane * 9.4, y + 10, 7.4, 28, ORANGE if mine else GREEN, r=1)
    sheet.line(435, 210, 435, 284, arrow=True)
    sheet.box(24, 288, 672, 92, PAPER)
    sheet.text(40, 314, "thread 37 of block 7", 15, bold=True)
    sheet.lines(40, 340, "i = blockIdx.x * blockDim.x + threadIdx.x  =  7 * 64 + 37  =  485", "y[i] = f(x[i])")
    return sheet


def divergence() -> Sheet:
    """A warp diverges at a branch.

    All 32 lanes evaluate the condition; then lanes 0 to 15 run A while 16 to 31 wait, then 16 to 31 run B while
    0 to 15 wait. The warp spends the time of A and of B.
    """
    sheet = Sheet(divergence, 280)
    sheet.heading("if lane < 16: A   else: B")
    rows = (("condition", 0, 32, BLUE), ("A", 0, 16, GREEN), ("B", 16, 32, ORANGE), ("go on", 0, 32, BLUE))
    for number, (name, first, last, color) in enumerate(rows):
        y = 60 + number * 44
        sheet.text(130, y + 21, name, 15, "end", bold=True)
        for lane in range(WARP):
            active = first <= lane < last
            sheet.box(144 + lane * 15, y, 13, 30, color if active else PAPER, r=1, dash=not active)
        sheet.text(634, y + 21, f"{last - first} of 32", 14)
    sheet.line(40, 60, 40, 226, arrow=True)
    sheet.text(24, 256, "time", 14, color=QUIET)
    sheet.text(144, 256, "Both sides take their turn; dashed lanes wait.", 14, color=QUIET)
    return sheet


def occupancy() -> Sheet:
    """Registers limit the warps of an SM.

    Three blocks of 128 threads with 160 registers each fill 61,440 of 65,536 registers; a fourth does not fit.
    Their 12 warps take 12 of 64 places, which is 18.75%.
    """
    threads, registers, file, slots = 128, 160, 65536, 64
    block = threads * registers
    blocks = file // block
    warps = blocks * threads // WARP
    sheet = Sheet(occupancy, 252)
    sheet.heading(f"{blocks} blocks fit, so {warps} of {slots} warps: occupancy {warps / slots:.2%}")
    scale = 672 / file
    sheet.text(24, 68, f"register file: {file:,} registers", 14, color=QUIET)
    for number, color in enumerate((BLUE, GREEN, ORANGE)):
        label = f"block {number}: {block:,}"
        sheet.box(24 + number * block * scale, 76, block * scale, 44, color, label=label, size=14)
    left = file - blocks * block
    sheet.box(24 + blocks * block * scale, 76, left * scale, 44, PAPER, dash=True)
    sheet.text(696, 68, f"{left:,} left: too few for a fourth", 14, "end", color=QUIET)
    sheet.text(24, 152, "places for resident warps: 16 in each of the 4 partitions of the SM", 14, color=QUIET)
    for slot in range(slots):
        warp = slot // 16 + 4 * (slot % 16)  # a block's four warps go to the four partitions
        color = (BLUE, GREEN, ORANGE)[warp // 4] if warp < warps else PAPER
        sheet.box(24 + slot % 16 * 42, 162 + slot // 16 * 19, 40, 15, color, r=2, dash=warp >= warps)
    return sheet


def coalescing() -> Sheet:
    """Coalesced and strided reads of a warp.

    Neighbouring lanes that read neighbouring floats touch four 32-byte sectors, 128 bytes, all of them used. Lanes
    that read down a column touch 32 sectors, 1,024 bytes, of which 128 are used.
    """
    sheet = Sheet(coalescing, 332)
    sheet.heading("32 lanes read 4 bytes each")
    sheet.text(24, 70, "along a row: 4 sectors of 32 bytes move, 128 of 128 bytes are used", 15, bold=True)
    for lane in range(WARP):
        sheet.box(40 + lane * 20, 82, 18, 18, GREEN, label=str(lane), size=11, r=1)
        sheet.line(49 + lane * 20, 100, 49 + lane * 20, 121, width=1)
        sheet.box(40 + lane * 20, 122, 18, 22, BLUE, r=1)
    for sector in range(4):
        sheet.line(40 + sector * 160, 152, 198 + sector * 160, 152, DEEP[BLUE], width=3)
        sheet.text(119 + sector * 160, 170, f"sector {sector}", 13, "middle", color=QUIET)
    moved = WARP * 32
    words = f"down a column: 32 sectors move, 128 of {moved:,} bytes are used ({128 / moved:.1%})"
    sheet.text(24, 206, words, 15, bold=True)
    for row, lane in enumerate((0, 1, 31)):
        y = 220 + row * 30
        sheet.box(24, y + 1, 68, 20, GREEN, label=f"lane {lane}", size=13, r=1)
        sheet.line(92, y + 11, 108, y + 11, width=1, arrow=True)
        for word in range(30):
            fill = ORANGE if word == 0 else BLUE if word < 8 else PAPER
            sheet.box(110 + word * 19.5, y, 17.5, 22, fill, r=1)
    sheet.text(110, 322, "orange: the word asked for; blue: what moves with it", 13, color=QUIET)
    return sheet


def banks() -> Sheet:
    """Bank conflicts in shared memory.

    A matrix of 32 by 32 words of 4 bytes in 32 banks. A row takes one cycle; a column lies in one bank and takes 32;
    with rows padded to 33 words the column is spread over all banks and takes one cycle again.
    """
    sheet = Sheet(banks, 326)
    sheet.heading("Which banks serve the 32 lanes of a warp? (the first 8 rows of 32)")
    panels = (("read a row", 32, [(0, lane) for lane in range(WARP)]),
              ("read a column", 32, [(lane, 0) for lane in range(WARP)]),
              ("a column, rows of 33 words", 33, [(lane, 0) for lane in range(WARP)]))
    for number, (name, pitch, cells) in enumerate(panels):
        places = {divmod(row * pitch + column, 32) for row, column in cells}
        used = [bank for _, bank in places]
        cycles = max(used.count(bank) for bank in used)
        x = 24 + number * 232
        sheet.text(x, 66, name, 14, bold=True)
        for row, bank in product(range(8), range(32)):
            sheet.box(x + bank * 6.5, 78 + row * 20, 5.5, 17, ORANGE if (row, bank) in places else BLUE, r=0.5)
        sheet.text(x, 256, "bank 0", 13, color=QUIET)
        sheet.text(x + 208, 256, "bank 31", 13, "end", color=QUIET)
        sheet.text(x, 284, f"{len(set(used))} bank{'s' if len(set(used)) > 1 else ''} for 32 lanes:", 14)
        sheet.text(x, 307, f"{cycles} cycle{'s' if cycles > 1 else ''}", 16, bold=True)
    return sheet


def waves() -> Sheet:
    """Waves and the tail.

    160 blocks on 148 SMs, one block an SM at a time: the first wave fills all 148, the second has 12 blocks and
    leaves 136 SMs idle.
    """
    sms, blocks = 148, 160
    sheet = Sheet(waves, 306)
    sheet.heading(f"{blocks} equal blocks, one at a time on each of the {sms} SMs of a B200")
    for wave in range(2):
        busy = min(sms, blocks - wave * sms)
        y = 58 + wave * 116
        sheet.text(24, y + 12, f"wave {wave + 1}: {busy} SMs work, {sms - busy} wait", 15, bold=True)
        for sm in range(sms):
            color = (BLUE if wave == 0 else ORANGE) if sm < busy else PAPER
            sheet.box(24 + sm % 37 * 18.2, y + 22 + sm // 37 * 20, 15, 16, color, r=1, dash=sm >= busy)
    sheet.text(24, 292, f"{blocks} of {2 * sms} turns used: {blocks / (2 * sms):.0%} of the machine", 14, color=QUIET)
    return sheet


def timeline() -> Sheet:
    """Timing work that runs asynchronously.

    The CPU launches a kernel and goes on at once, while the GPU works later. A clock stopped after the launch measures
    the launch; one stopped after synchronize measures the work; events recorded in the stream measure the kernel.
    """
    sheet = Sheet(timeline, 300)
    sheet.heading("What a stopwatch sees")
    for y, name in ((106, "CPU"), (182, "GPU")):
        sheet.text(24, y, name, 15, bold=True)
        sheet.line(70, y + 16, 690, y + 16, width=1, arrow=True)
    sheet.box(100, 86, 74, 34, BLUE, label="launch", size=14)
    sheet.box(196, 86, 364, 34, GREY, label="synchronize: wait for the GPU", size=14)
    sheet.line(174, 120, 200, 158, width=1, arrow=True)
    sheet.box(204, 162, 350, 34, ORANGE, label="the kernel", size=14)
    for x, name in ((199, "start event"), (557, "end event")):
        sheet.line(x, 156, x, 210, DEEP[GREEN], width=3)
        sheet.text(x, 226, name, 13, "middle", color=DEEP[GREEN])
    sheet.text(378, 226, "elapsed_time: the kernel alone", 14, "middle", color=DEEP[GREEN], bold=True)
    stops = ((100, "start", INK), (180, "stop: too early", DEEP[ORANGE]), (564, "stop: right", DEEP[GREEN]))
    for x, words, color in stops:
        sheet.line(x, 64, x, 126, color, width=2)
        sheet.text(x + 5, 76, words, 13, color=color, bold=True)
    words = "Without synchronize the clock stops after the launch: microseconds, whatever the kernel costs."
    sheet.text(24, 274, words, 14, color=QUIET)
    return sheet
