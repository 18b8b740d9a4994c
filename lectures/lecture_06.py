"""Lecture 6: GPU kernels. How a GPU computes, how to measure it, and four kernels in Triton.

Figures about hardware carry a link to their source; figures that follow from others are computed where they stand.
Times are measured while the lecture runs. What this machine cannot measure is said, and nothing is put in its place.
"""

import functools
import json
import math
import os
import statistics
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode

from engine import benchmark, image, kernel, link, note, observe, plot, profile, table, text

GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"
if not GPU:
    os.environ.setdefault("TRITON_INTERPRET", "1")  # Triton then runs kernels on the CPU; it asks when it is imported

from kernels import cuda, gelu, matmul_relu, row_sum, softmax  # noqa: E402
from kernels.occupancy import ARCHITECTURES, occupancy  # noqa: E402

KERNELS = Path(gelu.__file__).parent
SIZE = 16384 if GPU else 1024  # rows and columns of the matrices that implementations are compared on


def main():
    text("# Lecture 6: GPU kernels")
    text("The last lecture described the GPU from above: what it is good at, and which quirks it has. This one goes "
         "down to the code. We look at the machine once more, learn to measure it, and then write kernels for it "
         "ourselves: an element-wise one, two reductions, and a matrix multiplication.")
    if not GPU:
        torch.set_num_threads(1)
        text("**This machine has no usable GPU.** Times below are of one core of its CPU and say so. Triton kernels "
             "run in Triton's interpreter, on small inputs, where you can step through them; their times on a GPU "
             "are not measured here.")

    two_puzzles()

    # The machine
    the_gpu()
    threads_blocks_grids()
    warps_and_divergence()
    warp_occupancy()
    thread_coarsening()
    bank_conflicts()
    coalesced_access()
    waves_of_blocks()
    arithmetic_intensity()

    # Measuring it
    recipe()
    benchmarking()
    profiling()
    three_gelus()

    # Kernels
    two_models_of_programming()
    gelu_in_cuda()
    gelu_in_triton()
    reading_ptx()
    softmax_of_rows()
    row_sum_in_tiles()
    traffic_of_matmul()
    strides()
    matmul_relu_in_tiles()
    order_of_blocks()
    compilation()

    measured_on_a_gpu()
    summary()
    further_reading()


def two_puzzles():
    text("## Two puzzles")
    measured = h200()  # @stepover
    text(f"Both were measured on an {measured['device']}, {measured['date']}. First, one formula: GeLU of 16,384 x "
         "16,384 numbers, once written down in PyTorch and once as PyTorch's own function. The answers agree. The "
         "milliseconds do not:")
    figures = figures_of(measured, "gelu", "float32")  # @stepover
    formula = figures["torch, by operators", "torch"]["milliseconds"]  # @inspect formula
    function = figures["torch", "torch"]["milliseconds"]  # @inspect function
    text("Second, two products of square matrices. The larger has this many times the multiplications of the smaller, "
         "and takes this many times as long:")
    small, large = 16, 1024
    times = {row["size"]: row["milliseconds"] for row in measured["product_by_size"]}
    times_the_work = large**3 / small**3  # @inspect times_the_work
    times_as_long = times[large] / times[small]  # @inspect times_as_long
    text("Where did the time of the first go, and where the work of the second? Write down a guess. The summary has "
         "the answers, and what comes between is what one needs for them.")


# ---------------------------------------------------------------- the machine


def the_gpu():
    text("## The GPU")
    text("A GPU for data centres is a hundred or so small processors beside one large memory. Each processor, a "
         "*streaming multiprocessor* or SM, has its own registers, its own arithmetic and tensor cores, and its own "
         "L1 cache. A part of that cache can be claimed as *shared memory*: the same storage, but what lies in it is "
         "decided by the program and not by the hardware. All SMs share an L2 cache, and behind it lies the "
         "high-bandwidth memory, HBM.")
    image("images/memory.svg", alt="Registers and L1 in each SM, L2 for all, HBM behind it, with sizes and latencies")
    gpus = {
        "GPU": ["A100", "H100", "B200"],
        "SMs": [108, 132, 148],
        "registers, KB an SM": [256, 256, 256],
        "L1 + shared, KB an SM": [192, 256, 256],
        "shared of it, at most": [164, 228, 228],
        "L2, MB": [40, 50, 126],
        "HBM, GB": [80, 80, 180],
        "HBM, TB/s": [2.04, 3.35, 8.0],
    }
    table(gpus, title="Three generations (SXM modules)")
    link(title="A100 white paper: SMs, L1, L2",
         url="https://images.nvidia.com/aem-dam/en-zz/Solutions/data-center/nvidia-ampere-architecture-whitepaper.pdf")
    link(title="A100 data sheet: 80 GB at 2,039 GB/s", url="https://www.nvidia.com/en-us/data-center/a100/")
    link(title="H100 data sheet: 80 GB at 3.35 TB/s", url="https://www.nvidia.com/en-us/data-center/h100/")
    link(title="Hopper tuning guide: L1 and shared memory, L2", url="https://docs.nvidia.com/cuda/hopper-tuning-guide/")
    link(title="DGX B200 data sheet: 8 GPUs with 1,440 GB at 64 TB/s",
         url="https://www.nvidia.com/en-us/data-center/dgx-b200/")
    link(title="B200 measured: 148 SMs, 126 MB of L2",
         url="https://chipsandcheese.com/p/nvidias-b200-keeping-the-cuda-juggernaut")

    text("One row never changes. In all three generations an SM has 65,536 registers of 4 bytes:")
    register_kb = 65536 * 4 / 1024  # @inspect register_kb

    text("The rule of the picture: what is large is far and slow, what is near is fast and small. Shared memory "
         "delivers 32 words of 4 bytes in each cycle, on every SM. At the clock that the data sheet's 989 TFLOP/s "
         "imply (an SM of an H100 does 4,096 FLOP a cycle in bf16), that is nine times what HBM delivers:")
    clock_ghz = 989e12 / (132 * 4096) / 1e9  # @inspect clock_ghz
    shared_tb_per_s = 132 * 32 * 4 * clock_ghz / 1000  # @inspect shared_tb_per_s
    times_hbm = shared_tb_per_s / 3.35  # @inspect times_hbm
    text("Latencies differ more: about 30 cycles to shared memory, 260 to L2, 480 to HBM, measured on an H100.")
    link(title="Luo et al. 2024, Benchmarking and Dissecting the Nvidia Hopper GPU Architecture, table IV",
         url="https://arxiv.org/abs/2402.13499")
    if GPU:
        properties = torch.cuda.get_device_properties(0)  # @inspect properties
        text(f"This machine: {properties.name}, {properties.multi_processor_count} SMs, "
             f"{properties.L2_cache_size / 2**20:.0f} MB of L2, {properties.total_memory / 2**30:.0f} GiB of memory.")
    note("Ask the room what grew from A100 to B200. Memory and its bandwidth did; the SM hardly changed. That is why "
         "code from 2020 still runs well, and why moving data is still the whole game.")


def threads_blocks_grids():
    text("## Threads, blocks, grids")
    text("A program for the GPU is written for one *thread*, which runs it on a small part of the data: some $f(i)$, "
         "for all $i$ from 0 to $N-1$ at once. Threads are grouped into *thread blocks* (CUDA's documents also call "
         "one a cooperative thread array, CTA), and all blocks of one launch form a *grid*. Launching a kernel means "
         "launching a grid.")
    image("images/grid.svg", alt="A grid of eight blocks, a block of two warps, a warp of 32 threads")
    text("Which element is mine? A thread finds out from its place in its block and its block's place in the grid:")
    block, threads_per_block, thread = 7, 64, 37
    i = block * threads_per_block + thread  # @inspect i
    text("Why blocks, and not just a grid of threads? For an element-wise operation such as GeLU threads would do. "
         "But in softmax or in a matrix product threads need each other's data. They could exchange it through HBM, "
         "which is slow. A block is a group of threads that is guaranteed to run on one SM, so that its threads can "
         "exchange data through shared memory and wait for each other at a barrier. Threads of different blocks "
         "cannot: blocks run in any order, and not all at once.")
    table([["registers", "one thread"], ["shared memory", "one block"], ["L2 and HBM", "the whole grid"]],
          columns=["storage", "who sees it"])
    text("The H100 and the B200 add a level between block and grid: a *cluster* of blocks runs on neighbouring SMs, "
         "and its blocks can read each other's shared memory. The B200 also has *tensor memory*, 256 KB an SM, which "
         "holds what its tensor cores accumulate. Compilers use both; here we need neither.")
    link(title="PTX reference: tensor memory",
         url="https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#tensor-memory")
    link(title="CUDA C++ Programming Guide: thread hierarchy and clusters",
         url="https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#thread-hierarchy")
    text("That is the whole programming model, and for a *correct* kernel nothing else need be known. For a fast one "
         "much else matters which the model does not show. The next six sections are the six things that matter "
         "most.")


def warps_and_divergence():
    text("## Warps and divergence")
    text("The hardware does not run threads one by one but in *warps* of 32: threads 0 to 31 of a block, 32 to 63, "
         "and so on. A warp issues one instruction for all its threads. Where threads of a warp disagree at a branch "
         "they *diverge*: one side runs while the other side's threads wait, then the other.")
    image("images/divergence.svg", alt="Half of the lanes wait in A, the other half in B")
    conditions = {"lane < 16": lambda lane: lane < 16, "warp-wide": lambda lane: True}
    for name, condition in conditions.items():  # @inspect name
        turns = len({condition(lane) for lane in range(32)})  # @inspect turns
    text("A condition that is the same for the whole warp costs one turn, a condition that splits the warp costs "
         "two. It does not matter how many threads take which side.")
    text("One often reads that a warp runs in *lockstep*. Since Volta (2017) each thread has a program counter of "
         "its own, and the sides of a branch may be interleaved; they still do not run at the same time, and threads "
         "that exchange data within a warp must say where they wait for each other.")
    link(title="CUDA C++ Programming Guide: SIMT architecture, independent thread scheduling",
         url="https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#simt-architecture")
    text("Warps also hide latency. An SM holds many warps at once, up to 64, each with its registers in the register "
         "file. Its four schedulers pick, in every cycle, a warp that is ready. A warp that waits 480 cycles for HBM "
         "costs nothing as long as another one can go on, for switching takes no time: there is nothing to save and "
         "nothing to restore.")
    note("A student asked why there are four schedulers. The SM is built of four partitions, each with its own "
         "scheduler, 16,384 registers, a tensor core and a share of the arithmetic units.")


def warp_occupancy():
    text("## Warp occupancy")
    text("How many warps an SM holds depends on what they use. *Occupancy* is the number of resident warps over the "
         "most that the SM can hold. A worked example: blocks of 128 threads, each thread using 160 registers. A "
         "thread may have at most 255, so this is allowed, but the register file has to hold them all.")
    registers_per_sm, warps_per_sm = 65536, 64  # A100, H100 and B200 alike
    threads, registers = 128, 160
    registers_per_block = threads * registers  # @inspect registers_per_block
    blocks = registers_per_sm // registers_per_block  # @inspect blocks
    warps = blocks * threads // 32  # @inspect warps
    fraction = warps / warps_per_sm  # @inspect fraction
    image("images/occupancy.svg", alt="Three blocks fill the register file; 12 of 64 warp places are taken")
    text("Three blocks fit, which is 12 warps of 64: an occupancy of 18.75%. Other numbers of registers give:")
    for registers in (32, 64, 128, 160, 255):  # @inspect registers @clear warps registers_per_block
        blocks = registers_per_sm // (threads * registers)  # @inspect blocks
        fraction = blocks * threads // 32 / warps_per_sm  # @inspect fraction
    text("Registers are one limit. Shared memory is another, and so are 32 blocks and 2,048 threads an SM. The whole "
         "calculation, with the hardware's rounding, is in `kernels/occupancy.py`. Our example, and a matrix product "
         "whose blocks use 72 registers a thread and 48 KB of shared memory:")
    example = occupancy(ARCHITECTURES["B200"], threads=128, registers=160)  # @inspect example.fraction @stepover
    product = occupancy(ARCHITECTURES["H100"], threads=128, registers=72, shared=48 * 1024)  # @stepover
    resident, limit = product.warps, product.limited_by  # @inspect resident limit
    link(occupancy)
    link(title="CUDA C++ Programming Guide: technical specifications per compute capability",
         url="https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#features-and-technical-specifications")


def thread_coarsening():
    text("## Thread coarsening")
    text("Low occupancy need not be bad. What HBM needs is enough bytes *in flight*: by Little's law, bandwidth "
         "times latency. On an H100, an SM must have this many bytes on their way at any moment:")
    latency = 480 / 1.83e9  # seconds: cycles over clock
    bytes_in_flight = 3.35e12 * latency / 132  # @inspect bytes_in_flight
    text("If each thread has one 4-byte load under way, that takes more than fifty warps an SM. If each thread "
         "handles eight elements, seven will do. Giving a thread more to do is called *thread coarsening*:")
    for elements_per_thread in (1, 8):  # @inspect elements_per_thread
        warps = math.ceil(bytes_in_flight / (32 * 4 * elements_per_thread))  # @inspect warps
    text("Fewer, fatter threads also compute their addresses once for eight elements and need fewer blocks. The "
         "price is registers: each value under way needs one. So occupancy is something to know, not something to "
         "maximise.")


def bank_conflicts():
    text("## Shared memory and its banks")
    text("Shared memory is made of 32 *banks*. Consecutive 4-byte words lie in consecutive banks, and each bank "
         "serves one word in a cycle. If two threads of a warp want different words of the same bank, they queue; if "
         "they want the same word, one read serves both. So the cost of an access is the length of the longest "
         "queue. What does a row of a 32 by 32 matrix cost, and what does a column? Guess before you step on:")

    def cycles(addresses):
        banks = [address // 4 % 32 for address in set(addresses)]
        return max(banks.count(bank) for bank in banks)

    row = cycles([4 * lane for lane in range(32)])  # @inspect row @stepover
    column = cycles([4 * 32 * lane for lane in range(32)])  # @inspect column @stepover
    text("Reading a row takes one cycle. Reading a column takes 32, the worst there is: all its words lie in one "
         "bank. And columns have to be read: a matrix product reads rows of one matrix and columns of the other.")
    image("images/banks.svg", alt="A row meets 32 banks, a column one, a column of a padded matrix 32")
    text("Two remedies. *Padding* gives each row a 33rd word, so that a column moves on by one bank a row. "
         "*Swizzling* permutes each row instead, storing column $c$ of row $r$ at $c \\oplus r$, and wastes nothing; "
         "this is what compilers do.")
    padded = cycles([4 * 33 * lane for lane in range(32)])  # @inspect padded @stepover
    swizzled = cycles([4 * (32 * lane + (0 ^ lane)) for lane in range(32)])  # @inspect swizzled @stepover
    link(title="CUDA C++ Best Practices Guide: shared memory and memory banks",
         url="https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#shared-memory-and-memory-banks")


def coalesced_access():
    text("## Coalesced access to HBM")
    text("Global memory has a different rule. It moves in *sectors* of 32 bytes; four of them make up a cache line "
         "of 128. The 32 addresses of a warp are merged, *coalesced*, into as few sectors as hold them.")

    def bytes_moved(addresses):
        return 32 * len({address // 32 for address in addresses})

    row = bytes_moved([4 * lane for lane in range(32)])  # @inspect row @stepover
    column = bytes_moved([4 * 4096 * lane for lane in range(32)])  # @inspect column @stepover
    text("Along a row of a matrix of floats a warp moves 128 bytes and uses them all. Down a column (of a matrix with "
         "4,096 of them) it moves 1,024 bytes and uses an eighth of them: the best and the worst case differ by a "
         "factor of eight.")
    image("images/coalescing.svg", alt="Four sectors along a row, 32 sectors down a column")
    text("It looks like the rule of the banks, and is not the same. Banks are about shared memory: neighbours in a "
         "column queue. Sectors are about global memory: neighbours in a column bring along bytes that nobody asked "
         "for.")
    link(title="CUDA C++ Best Practices Guide: coalesced access to global memory",
         url="https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#coalesced-access-to-global-memory")


def waves_of_blocks():
    text("## Waves, and the tail")
    text("A grid may have as many blocks as you like; the chip has 148 SMs, if it is a B200. If each SM holds one "
         "block, then 160 blocks run in two *waves*: 148 blocks, then 12, while 136 SMs have nothing to do.")
    image("images/waves.svg", alt="A full wave of 148 blocks and a tail of 12")
    sms = 148
    for blocks in (148, 160, 296, 600, 6000):  # @inspect blocks
        waves = math.ceil(blocks / sms)  # @inspect waves
        busy = blocks / (waves * sms)  # @inspect busy
    text("160 blocks keep the machine 54% busy. The cure is to change the size of the blocks and thereby their "
         "number: a multiple of the number of SMs, or so many that the tail does not matter. A rule of thumb is at "
         "least four blocks an SM.")
    text("Can a block share an SM with another? Yes, if registers and shared memory suffice for both; a wave is then "
         "twice as large. What cannot happen is that a block is spread over idle SMs: its threads stay together.")
    link(title="NVIDIA, Matrix multiplication background: wave quantization",
         url="https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication/index.html#wave-quant")
    note("None of this is in the programming model: not the number of SMs, not their order, not what runs beside "
         "what. The scheduler decides, and it promises nothing.")


def arithmetic_intensity():
    text("## Arithmetic intensity")
    text("Is a kernel limited by arithmetic or by memory? Its *arithmetic intensity* says so: FLOPs done over bytes "
         "moved. The machine has such a number too, its peak FLOP/s over its bandwidth. Below it memory is the "
         "limit, above it arithmetic.")
    ridge = 989e12 / 3.35e12  # @inspect ridge
    add = 1 / (3 * 4)  # @inspect add
    text("An H100 wants 295 FLOPs (in bf16) for each byte. Adding two float32 tensors does one FLOP for 12 bytes. A "
         "product of two $N \\times N$ matrices does $2N^3$ FLOPs; if each matrix moves once, in bf16, that is $3N^2 "
         "\\cdot 2$ bytes:")
    for N in (128, 1024, 8192):  # @inspect N
        matmul = 2 * N**3 / (3 * N**2 * 2)  # @inspect matmul
    text("So the rule: a large matrix multiplication is limited by arithmetic, and nearly everything else by memory. "
         "For everything else, a good kernel is one that moves few bytes.")
    peaks = {"A100": (312, 2.04), "H100": (989, 3.35), "B200": (2250, 8.0)}  # TFLOP/s, TB/s
    rows = [{"FLOP per byte": x, "TFLOP/s": min(peak, x * bandwidth), "GPU": name}
            for name, (peak, bandwidth) in peaks.items() for x in (2**k for k in range(-2, 13))]
    plot(lines(rows, "FLOP per byte", "TFLOP/s", "GPU", "Roofline: what the data sheets allow"))  # @stepover
    link(title="HGX B200 data sheet: bf16 at 2.25 PFLOP/s a GPU, dense",
         url="https://www.nvidia.com/en-us/data-center/hgx/")
    link(title="Williams, Waterman and Patterson 2009, Roofline", url="https://doi.org/10.1145/1498765.1498785")


def lines(rows, x, y, color, title):
    """A line chart in Vega-Lite, both axes logarithmic."""
    log = {"type": "quantitative", "scale": {"type": "log", "nice": False}}
    encoding = {"x": {"field": x} | log, "y": {"field": y} | log,
                "color": {"field": color, "type": "nominal"}}
    return {"title": title, "width": 480, "height": 280, "data": {"values": rows},
            "mark": {"type": "line", "point": True}, "encoding": encoding}


# ---------------------------------------------------------------- measuring it


def recipe():
    text("## A recipe")
    text("1. Benchmark and profile.\n"
         "2. Make a change.\n"
         "3. Benchmark and profile again.")
    text("You can read data sheets and papers, and should. But performance depends on your version of the library, "
         "your GPU and your shapes, so nothing replaces measuring *your* code. Measure before you write a kernel: "
         "the bottleneck is seldom where one thinks.")


def benchmarking():
    text("## Benchmarking")
    text("A benchmark measures the time of an operation from end to end. It does not say where the time goes. It is "
         "what one cares about in the end, it compares implementations, and it shows how cost grows with size. Three "
         "things go wrong easily.")
    text("**The first run is not like the others.** Code is compiled when first used, memory is allocated, caches "
         "are cold. Run once or more before you time: the *warm-up*.")
    run = matmul_of(512)  # @stepover
    first = time_once(run)  # @inspect first
    text("**Runs differ.** Time several and take the median; look at the spread when it matters.")
    times = [time_once(run) for _ in range(5)]  # @inspect times @stepover
    median = statistics.median(times)  # @inspect median
    text("**A launch is not the work.** The CPU puts a kernel into a queue and goes on at once. A clock on the CPU "
         "that is stopped then has timed the queue. One has to wait for the GPU with `torch.cuda.synchronize()`, or "
         "better, put two *events* into the queue around the kernel, which the GPU stamps with its own clock.")
    image("images/timeline.svg", alt="Launch, kernel and synchronize on a time axis, with events around the kernel")
    link(time_once)
    if not GPU:
        text("On this machine `run()` returns when the work is done, so wall-clock time is right and there is "
             "nothing to wait for. The three lines for the GPU are there to be read.")

    text("`benchmark` of this course does the same, and overwrites the L2 cache before each run. No input is found "
         "there then. And the GPU has something to do while the CPU prepares the launch: an idle one would wait for it "
         "*between* the two events. On an H200 a copy that moves 2.1 GB took 0.54 ms by events alone, and 0.51 ms with "
         "the cache overwritten before it. An instrument is tried first on something whose length is known. To sleep "
         "for 50 ms should take 50 ms and a little:")
    sleep = benchmark("sleep", lambda: time.sleep(0.05))  # @inspect sleep @stepover @clear first times median
    text("PyTorch has such an instrument too, and so has Triton. Ours is written out because one should know what they "
         "take care of.")
    link(title="torch.utils.benchmark", url="https://docs.pytorch.org/tutorials/recipes/recipes/benchmark.html")
    link(title="triton.testing.do_bench",
         url="https://triton-lang.org/main/python-api/generated/triton.testing.do_bench.html")

    text("How does matrix multiplication scale with dimension? Twice the dimension is eight times the work. Is it "
         "eight times the time? Guess for which dimensions:")
    dims = [2**k for k in (range(6, 15) if GPU else range(1, 10))]  # @inspect dims
    times = {}
    for dim in dims:  # @inspect dim
        result = benchmark("matmul", matmul_of(dim), show=False)  # @inspect result @stepover
        times[dim] = float(result)  # @inspect times
    floor = min(times.values())  # @inspect floor
    plot(scaling(times, f"Matrix multiplication on this {DEVICE.upper()}"))  # @stepover
    text("Large products follow the cube. Small ones do not get cheaper any more: below some size the time is a "
         "*floor* made of launching and of units that stay empty. In the lecture of 2026, on a B200, the floor "
         "reached up to dimensions of almost 2,000. GPUs are built for large matrices.")

    text("A network behaves less simply than a matrix product. Here is a small MLP, forward and backward. Its work "
         "grows with steps, layers and batch, and with the square of the dimension. So doubling one of them should "
         "cost:")
    predicted = {"dim": 4, "num_layers": 2, "batch_size": 2, "num_steps": 2}  # @inspect predicted
    base = {"dim": 128, "num_layers": 4, "batch_size": 128, "num_steps": 2}  # @inspect base
    baseline = benchmark("mlp", mlp(**base), trials=3)  # @inspect baseline @stepover
    ratios = {}
    for name, value in base.items():  # @inspect name
        run = mlp(**base | {name: 2 * value})  # @stepover
        ratios[name] = round(benchmark(name, run, trials=3, show=False) / baseline, 2)  # @inspect ratios
    table([{"times the baseline": "predicted"} | predicted, {"times the baseline": "measured"} | ratios],
          title=f"One size doubled, on this {DEVICE.upper()}")
    text("Steps and layers come one after the other, and cost about what was predicted. Batch and dimension can cost "
         "less: as long as the machine is not full, more work at the same time is nearly free. Measure; do not "
         "multiply.")


def scaling(times, title):
    """A chart of milliseconds by dimension: as measured, their floor, and the cube through the last."""
    largest, floor = max(times), min(times.values())
    curves = {"measured": times, "floor": dict.fromkeys(times, floor),
              "cubic": {dim: times[largest] * (dim / largest) ** 3 for dim in times}}
    rows = [{"dimension": dim, "milliseconds": ms, "line": name}
            for name, curve in curves.items() for dim, ms in curve.items() if ms > floor / 4]
    return lines(rows, "dimension", "milliseconds", "line", title)


def time_once(run):
    """Milliseconds that one call of `run` takes."""
    if not GPU:
        start = time.perf_counter()
        run()
        return (time.perf_counter() - start) * 1000
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()  # these three lines only fill the queue
    run()
    end.record()
    torch.cuda.synchronize()  # wait until the GPU has come to the end of it
    return start.elapsed_time(end)


def with_inputs(operation, dim, inputs=2):
    """A function that applies `operation` to random square matrices, which are made here and not timed."""
    matrices = [torch.randn(dim, dim, device=DEVICE) for _ in range(inputs)]
    return lambda: operation(*matrices)


def matmul_of(dim):
    return with_inputs(torch.matmul, dim)


class MLP(nn.Module):
    """Linear, GeLU, linear, GeLU, and so on."""

    def __init__(self, dim, num_layers):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(dim, dim) for _ in range(num_layers))

    def forward(self, x):
        for layer in self.layers:
            x = F.gelu(layer(x))
        return x


def mlp(dim, num_layers, batch_size, num_steps):
    """A function that runs an MLP forward and backward `num_steps` times."""
    model = MLP(dim, num_layers).to(DEVICE)
    x = torch.randn(batch_size, dim, device=DEVICE)

    def run():
        for _ in range(num_steps):
            model(x).mean().backward()

    return run


def profiling():
    text("## Profiling")
    text("A profiler says where the time goes. It also says something less obvious: what is called at all. From "
         "Python, `a + b` is a plus sign. What runs is a kernel with a name, and names tell.")
    link(title="PyTorch profiler", url="https://docs.pytorch.org/tutorials/recipes/recipes/profiler_recipe.html")
    dim = 2048 if GPU else 512  # @inspect dim
    profile("add", with_inputs(torch.add, dim))  # @stepover
    profile("matmul", matmul_of(dim))  # @stepover
    profile("matmul of dimension 128", matmul_of(128))  # @stepover
    if not GPU:
        text("On a CPU the rows are PyTorch's operators (`aten::mm`), and both sizes show the same one. On a GPU "
             "each operator leads to kernels with names of their own, and the two sizes call *different* kernels.")
    text("In the lecture of 2026, on a B200, the product of dimension 2,048 ran a kernel of NVIDIA's library CUTLASS "
         "with tiles of 64x64x16, the one of dimension 128 a kernel with tiles of 32x32x16. Such a name can be read. "
         "This is the one of the larger product in 2025:")
    name = "cutlass_80_simt_sgemm_256x128_8x4_nn_align1"
    meanings = {
        "cutlass": "CUDA templates for linear algebra", "80": "written for sm_80, the A100",
        "simt": "no tensor cores", "sgemm": "single precision", "256x128": "a block computes 256 x 128 of C",
        "8x4": "8 deep in K, 4 stages under way", "nn": "neither A nor B transposed",
        "align1": "assumes no alignment beyond one element",
    }
    table([[part, meanings[part]] for part in name.split("_")], columns=["part", "meaning"], title=name)

    text("Operations that look like one are often several:")
    profile("cdist", with_inputs(torch.cdist, dim))  # @stepover
    profile("gelu(a + b)", with_inputs(lambda a, b: F.gelu(a + b), dim))  # @stepover
    profile("softmax(a + b)", with_inputs(lambda a, b: torch.softmax(a + b, dim=-1), dim))  # @stepover
    text("`cdist`, the distances between all rows of two matrices, is mostly a matrix product, since $|a-b|^2 = "
         "|a|^2 - 2\\,a \\cdot b + |b|^2$. GeLU and softmax are one operator each, besides the addition.")
    text("Last a whole MLP, with the lines of Python that led to each operator, as a flame graph:")
    run = mlp(2048, 64, 1024, num_steps=2) if GPU else mlp(128, 16, 128, num_steps=2)  # @stepover
    profile("mlp", run, with_stack=True)  # @stepover
    text("For more than this, there is Nsight Systems for the whole program and Nsight Compute for one kernel: bank "
         "conflicts, occupancy, sectors moved, all of the quantities above, counted by the hardware.")


def three_gelus():
    text("## One function, three GeLUs")
    text("GeLU is $x \\, \\Phi(x)$, with $\\Phi$ the normal distribution. Mostly its approximation is used: "
         "$\\mathrm{GeLU}(x) \\approx \\tfrac12 x \\left(1 + \\tanh\\left(\\sqrt{2/\\pi}\\,(x + "
         "0.044715\\,x^3)\\right)\\right)$.")
    link(title="Hendrycks and Gimpel 2016, Gaussian Error Linear Units", url="https://arxiv.org/abs/1606.08415")
    text("We enter three horses into the race: the formula written down in PyTorch, PyTorch's own function, and the "
         "formula compiled.")
    x = torch.tensor([-1.0, 0.0, 1.0, 2.0], device=DEVICE)  # @inspect x
    y = naive_gelu(x)  # @inspect y
    compiled_gelu, problem = compile_gelu()  # @inspect problem @stepover
    if problem:
        text(f"`torch.compile` cannot build code on this machine, so the third horse stays in its stable: {problem}")
    text(f"First of all: do they agree? Then the race, over {SIZE} x {SIZE} elements on this {DEVICE.upper()}. Place "
         "your bets: how many times as long as PyTorch's function does the formula take?")
    big = torch.randn(SIZE, SIZE, device=DEVICE)  # @inspect big
    torch.testing.assert_close(naive_gelu(big), builtin_gelu(big))  # @stepover
    text("No GeLU can be faster than a copy, which reads and writes each element once. It is the floor of this race:")
    out = torch.empty_like(big)
    copy = benchmark("copy", lambda: out.copy_(big))  # @inspect copy
    floor = {"floor": copy.median, "floor_source": "copying the same matrix"}
    naive = benchmark("naive GeLU", lambda: naive_gelu(big), **floor)  # @inspect naive @stepover
    builtin = benchmark("built-in GeLU", lambda: builtin_gelu(big), **floor)  # @inspect builtin @stepover
    slower = naive / builtin  # @inspect slower
    if compiled_gelu:
        torch.testing.assert_close(compiled_gelu(big), builtin_gelu(big))  # @stepover
        compiled = benchmark("compiled GeLU", lambda: compiled_gelu(big), **floor)  # @inspect compiled @stepover
    if not GPU:
        text("These are times of the CPU. On a GPU the naive one is last too, and for the same reason; how far "
             "behind is not measured here.")
    text("Same answer, different speed. Why? Because the naive version is nine operations, each a kernel that reads "
         "its inputs from HBM and writes its result back. We can count that by watching PyTorch at work:")
    with Traffic() as naive_traffic:  # @stepover
        naive_gelu(x)  # @stepover
    with Traffic() as builtin_traffic:  # @stepover
        builtin_gelu(x)  # @stepover
    text("In elements, for our $x$ of four:")
    table([{"GeLU": name, "kernels": t.kernels, "reads": t.reads, "writes": t.writes}
           for name, t in (("naive", naive_traffic), ("built-in", builtin_traffic))])
    trips = naive_traffic.reads + naive_traffic.writes  # @inspect trips
    times_as_many = trips / (builtin_traffic.reads + builtin_traffic.writes)  # @inspect times_as_many
    image("images/fusion.svg", alt="Nine kernels with 22 trips to HBM against one kernel with two")
    text("HBM is a warehouse and the SM a factory: nine times the goods are fetched, worked on for a moment and "
         "carried back. *Fusion* does all nine operations on one visit. The built-in function is a kernel that "
         "somebody fused by hand; `torch.compile` looks at the graph of operations and writes such a kernel itself. "
         "Which of the two is ahead changes with versions and machines: in 2026, on a B200, it was the built-in one; "
         "the year before they were close.")
    link(title="Horace He, Making Deep Learning Go Brrrr From First Principles",
         url="https://horace.io/brrr_intro.html")
    profile("naive GeLU", lambda: naive_gelu(big))  # @stepover
    profile("built-in GeLU", lambda: builtin_gelu(big))  # @stepover


def naive_gelu(x):
    return 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x * x * x)))


def builtin_gelu(x):
    return F.gelu(x, approximate="tanh")


@functools.cache
def compile_gelu():
    """The compiled GeLU, tried once, and what kept it from being built, if anything did."""
    compiled = torch.compile(naive_gelu)
    try:
        compiled(torch.ones(SIZE, SIZE, device=DEVICE))  # the shape it is used with: it compiles anew for another
    except RuntimeError as error:  # no C++ compiler, or none that works
        return None, (str(error).strip() or type(error).__name__).splitlines()[0]
    return compiled, ""


class Traffic(TorchDispatchMode):
    """Counts the kernels that PyTorch runs, and the elements of tensors they read and write."""

    def __init__(self):
        super().__init__()
        self.kernels = self.reads = self.writes = 0

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        result = operation(*args, **(kwargs or {}))
        if not operation.is_view:  # a view moves nothing
            self.kernels += 1
            self.reads += sum(arg.numel() for arg in args if isinstance(arg, torch.Tensor))
            self.writes += result.numel()
        return result


# ---------------------------------------------------------------- kernels


def two_models_of_programming():
    text("## CUDA and Triton")
    text("**CUDA** (NVIDIA, 2007) asks: what does one *thread* do? That is close to the hardware and leaves "
         "everything in your hands. It also leaves everything to you: as soon as threads need each other, you load "
         "into shared memory together, wait at barriers, and keep the books.")
    text("**Triton** (Tillet, Kung and Cox 2019; OpenAI 2021) asks: what does one *block* do? It loads a block of "
         "data, computes with it as PyTorch does with a tensor, and stores it. How threads share that work is for "
         "the compiler.")
    image("images/models.svg", alt="A CUDA thread computes one element, a Triton program a block")
    table([["coalescing of HBM accesses", "by hand", "automatic"], ["use of shared memory", "by hand", "automatic"],
           ["scheduling within an SM", "by hand", "automatic"], ["scheduling across SMs", "by hand", "by hand"]],
          columns=["", "CUDA", "Triton"])
    link(title="Tillet, Kung and Cox 2019, Triton: an intermediate language and compiler for tiled neural networks",
         url="https://doi.org/10.1145/3315508.3329973")
    text("Triton stands between PyTorch, where whole tensors are multiplied, and CUDA, where single elements are. It "
         "does not reach every new feature of the newest chip, and for most kernels it need not.")


def gelu_in_cuda():
    text("## GeLU in CUDA")
    text("A kernel in CUDA is C++ with three words added: `blockIdx`, `blockDim` and `threadIdx` say which thread "
         "this is. Each has up to three coordinates; a vector needs only `.x`, a matrix `.x` and `.y`.")
    kernel(KERNELS / "gelu.cu", "gelu_kernel")
    text("Played through in Python, for 6 elements and blocks of 4 threads: each thread finds its element, and the "
         "last two of the second block find that there is none.")
    x = [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]
    y = [None] * 6
    for blockIdx in range(2):  # @inspect blockIdx
        for threadIdx in range(4):
            i = blockIdx * 4 + threadIdx  # @inspect i
            if i < 6:
                a = 0.79788456 * (x[i] + 0.044715 * x[i] ** 3)
                y[i] = 0.5 * x[i] * (1 + math.tanh(a))  # @inspect y
    text("On the GPU there is no loop: all threads run this at once, in any order.")
    text("There is a trap in this little program. In C++ `0.5` is a double and `0.5f` a float. Written without the "
         "`f`, everything, the `tanh` included, is computed in double precision. In the machine code of an H100 that "
         "is 45 arithmetic instructions an element (5 of them conversions) where 16 did, and an SM has half as many "
         "units for them. An operation that should be limited by memory is limited by arithmetic. Correct, and slow:")
    kernel(KERNELS / "gelu.cu", "gelu_double_kernel")
    observe("This one computes in double precision.", KERNELS / "gelu.cu", r"\.f64\b", name="gelu_double_kernel")
    observe("The one before it does so nowhere.", KERNELS / "gelu.cu", r"\.f64\b", count=0, name="gelu_kernel")
    try:
        cuda.load("gelu")  # @stepover
    except cuda.CudaUnavailable as error:
        text(f"The CUDA kernels do not run here, and their times are not measured here. {str(error).splitlines()[0]}")
    else:
        x = torch.randn(SIZE, SIZE, device=DEVICE)
        torch.testing.assert_close(cuda.gelu(x), builtin_gelu(x))  # @stepover
        benchmark("GeLU in CUDA", lambda: cuda.gelu(x))  # @stepover
        benchmark("GeLU in CUDA, in double precision", lambda: cuda.gelu_double(x))  # @stepover
        benchmark("GeLU in CUDA, four elements at a time", lambda: cuda.gelu_fast(x))  # @stepover
    text("PyTorch builds such a file into a Python module (`torch.utils.cpp_extension`). While you look for errors, "
         "set `CUDA_LAUNCH_BLOCKING=1`: launches then wait, and an error is reported where it was made and not some "
         "calls later.")
    text("Element-wise operations are easy in CUDA. What needs several values at once (softmax, a matrix product) is "
         "where the bookkeeping begins, and where we go on in Triton.")


def gelu_in_triton():
    text("## GeLU in Triton")
    text("A vector of 8,192 elements does not have to fit anywhere. We cut it into blocks of 1,024 and launch one "
         "program instance for each:")
    x = torch.randn(8192, device=DEVICE)  # @inspect x
    num_blocks = math.ceil(8192 / 1024)  # @inspect num_blocks
    kernel(gelu.gelu_kernel)
    text("A kernel returns nothing: the launcher allocates the output, and the kernel receives *pointers*, which one "
         "may think of as integers. An instance wakes up and asks who it is (`program_id`). From that follow the "
         "offsets of its elements. The mask keeps the last block from reaching beyond the end. Then it loads, "
         "computes, and stores. Every kernel in this lecture has this shape.")
    y = gelu.gelu(x)  # @inspect y
    torch.testing.assert_close(y, gelu.reference(x).float())  # @stepover
    text("When the length is no multiple of the block, the mask works for its living. 1,000 elements in blocks of "
         "256 make four instances, and the last has 232 elements left:")
    left = 1000 - 3 * 256  # @inspect left
    kernel(gelu.gelu_kernel, instances=[(3,)])  # step through the last instance
    y = gelu.gelu(x[:1000], block_size=256)  # @inspect y
    text("`BLOCK_SIZE` is a number of *elements*, not of threads. How many threads share them is set by `num_warps`, "
         "4 unless one says otherwise: 128 threads.")
    text("Of the sizes tried on an H200, the fastest was eight warps and as many elements as let each thread move 16 "
         "bytes at once. In the pane, put this kernel beside the one above, and see what became of the loads:")
    kernel(gelu.gelu_fast_kernel)
    y = gelu.gelu_fast(x)  # @inspect y @stepover
    torch.testing.assert_close(y, gelu.reference(x).float())  # @stepover
    text("Does `tl.load` go to registers or to shared memory? One does not say; the compiler decides. And Python "
         "never runs on the GPU: `@triton.jit` reads this function's source, and compiles it.")
    if GPU:
        benchmark("Triton GeLU", with_inputs(gelu.gelu, SIZE, 1))  # @stepover
    else:
        text("Here the interpreter ran the kernel, instance after instance, in NumPy. That shows what it computes, "
             "not how fast: its time on a GPU is not measured here.")


def reading_ptx():
    text("## Reading the PTX")
    text("PTX, *parallel thread execution*, is NVIDIA's assembly language for a virtual GPU. Triton compiles to it, "
         "and it is the program of one *thread*: blocks are gone. Open the GeLU kernel beside its PTX. It is "
         "compiled once, and every thread of every block runs this same code.")
    kernel(gelu.gelu_kernel)
    text("The underlined sentences were held against the PTX when this page was recorded; each leads to its lines.")
    in_ptx = functools.partial(observe, kernel=gelu.gelu_kernel, constants={"BLOCK_SIZE": 1024})
    in_ptx("`%ctaid.x` is the index of the block.", pattern=r"%ctaid\.x")
    in_ptx("`%tid.x` is the index of the thread in it.", pattern=r"%tid\.x")
    in_ptx("Nothing else tells threads apart.",
           pattern=r"%(?:cta|t)id\.[yz]|%(?:laneid|warpid|smid|clock)", count=0)
    in_ptx("`ld.global` reads from HBM into registers.", pattern=r"\bld\.global")
    in_ptx("`st.global` writes registers to HBM.", pattern=r"\bst\.global")
    in_ptx("`@%p1` before them is a predicate: the mask, one bit.", pattern=r"@%p\d+ (?:ld|st)\.global")
    in_ptx("`.reqntid 128` says how many threads a block has.", pattern=r"\.reqntid 128\b")
    text("`%r` are 32-bit registers, for integers and floats alike, `%rd` 64-bit ones for addresses, `%p` predicates. "
         "(Older compilers wrote `%f` for floats.)")
    link(title="PTX: the language's reference", url="https://docs.nvidia.com/cuda/parallel-thread-execution/index.html")
    in_ptx("The arithmetic stands there eight times: there are eight exponentials.", pattern=r"\bex2\.approx", count=8)
    in_ptx("A thread loads eight elements.",
           pattern=r"\bld\.global(?:\.v(?P<n>\d))?", count=8)  # n: so many elements a load
    text("Nobody asked for it; the compiler made the threads coarser.")
    elements_per_thread = 1024 // (4 * 32)  # @inspect elements_per_thread
    elements_per_load = 16 // 4  # @inspect elements_per_load
    loads = elements_per_thread // elements_per_load  # @inspect loads
    in_ptx("They arrive in two loads, `ld.global.v4.b32`, of four neighbouring elements each.",
           pattern=r"\bld\.global\.v4\.b32", count=2)
    text("That is 16 bytes, the most that such an instruction moves up to the H100 (a B200 can move 32).")
    in_ptx("The second load, like the second store, is 2,048 bytes on: thread $t$ takes the elements from $4t$ and "
           "from $512 + 4t$.",
           pattern=r"add\.s64\s+%rd\d+, %rd\d+, 2048;")
    text("So a warp's loads are side by side: coalesced.")
    image("images/coarsening.svg", alt="Which of 1,024 elements which of 128 threads takes")
    text("What PTX does *not* say: which SM, in which order, with which other warps. And the virtual registers are "
         "not the real ones: the assembler turns PTX into SASS, the machine's own code, and only there are registers "
         "counted.")
    note("A student asked whether a load blocks the thread. The load does not; its first use does. When a warp comes "
         "to it, the scheduler takes another warp and comes back when the data have arrived. People do write PTX by "
         "hand, rarely: NVIDIA's compilers are mature.")


def softmax_of_rows():
    text("## Softmax: a row is a block")
    text("So far each element was on its own. Softmax turns each row of a matrix into probabilities: $y_{ij} = "
         "e^{x_{ij} - m_i} / \\sum_k e^{x_{ik} - m_i}$, where $m_i$ is the row's largest element. Subtracting it "
         "changes nothing in the result and keeps $e^x$ from overflowing. First as one writes it in PyTorch, with "
         "the reads and writes of each line:")
    x = torch.tensor([[5.0, 5.0, 5.0], [0.0, 0.0, 100.0]], device=DEVICE)  # @inspect x
    y = naive_softmax(x)  # @inspect y
    M, N = 32, 100
    x = torch.randn(M, N, device=DEVICE)  # @inspect x
    with Traffic() as traffic:  # @stepover
        naive_softmax(x)  # @stepover
    reads, writes = traffic.reads, traffic.writes  # @inspect reads writes
    assert (reads, writes) == (5 * M * N + 2 * M, 3 * M * N + 2 * M)
    text("Five kernels. Together they read $5MN + 2M$ elements and write $3MN + 2M$. (One also finds $5MN + M$ for "
         "the reads; that forgets that the division reads the $M$ denominators.) Fused it would be $MN$ reads and "
         "$MN$ writes, a fourth:")
    fraction = 2 * M * N / (reads + writes)  # @inspect fraction

    text("In Triton we make each row a block. Rows do not need each other, so blocks need not talk, and within a "
         "block everything is at hand:")
    image("images/softmax.svg", alt="Each program instance loads a row, computes and stores it")
    kernel(softmax.softmax_kernel)
    x = torch.tensor([[5.0, 5.0, 5.0], [0.0, 0.0, 100.0]], device=DEVICE)  # @inspect x
    y = softmax.softmax(x)  # @inspect y
    torch.testing.assert_close(y, softmax.reference(x).float())  # @stepover
    text("The form is that of GeLU, and the middle reads like the PyTorch above. Three details: the block is the "
         "next power of two above $N$, since Triton's blocks have such sizes. Beyond the row we load $-\\infty$, "
         "because $e^{-\\infty} = 0$ adds nothing. And the row's *stride* says how far below one row the next one "
         "lies.")
    observe("The fused kernel has one load and one store, each of the whole row.", softmax.softmax_kernel,
            r"\btt\.(?:load|store)\b", count=2, stage="ttir")
    text("For a softmax over columns one would change nothing but the pointers: step by the row stride within a "
         "block. It would be correct, and no longer coalesced.")
    if GPU:
        builtin_softmax = functools.partial(torch.softmax, dim=1)
        naive = benchmark("naive softmax", with_inputs(naive_softmax, SIZE, 1))  # @stepover
        builtin = benchmark("built-in softmax", with_inputs(builtin_softmax, SIZE, 1))  # @stepover
        triton = benchmark("Triton softmax", with_inputs(softmax.softmax, SIZE, 1))  # @stepover
        slower = naive / triton  # @inspect slower
    else:
        text("Times of softmax on a GPU are not measured here.")


def naive_softmax(x):
    # M rows, N columns
    x_max = x.amax(dim=1)  # MN reads, M writes @inspect x_max
    shifted = x - x_max[:, None]  # MN + M reads, MN writes @inspect shifted
    numerator = torch.exp(shifted)  # MN reads, MN writes @inspect numerator
    denominator = numerator.sum(dim=1)  # MN reads, M writes @inspect denominator
    return numerator / denominator[:, None]  # MN + M reads, MN writes


def row_sum_in_tiles():
    text("## Row sum: a row in tiles")
    text("What if a row does not fit into a block? Say 4,000 columns, and blocks of 1,024. The row is cut into "
         "*tiles*, here four, and the instance walks over them. It keeps one accumulator for each column of a tile, "
         "and adds the accumulators up at the end. We show it with the sum of a row, which is simpler than softmax.")
    image("images/row_sum.svg", alt="A row of ten numbers summed in three tiles of four")
    row = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6, 5, 3])  # @inspect row
    acc = torch.zeros(4, dtype=torch.int64)
    for start in range(0, 10, 4):  # @inspect start
        tile = F.pad(row[start : start + 4], (0, max(0, start + 4 - 10)))  # @inspect tile
        acc += tile  # @inspect acc
    total = acc.sum()  # @inspect total
    text("In Triton the same, with a mask for the tile that is cut short:")
    kernel(row_sum.row_sum_kernel)
    x = torch.stack([row, row + 1]).float().to(DEVICE)  # @inspect x
    y = row_sum.row_sum(x, block_size=4)  # @inspect y
    torch.testing.assert_close(y, row_sum.reference(x).float())  # @stepover
    tiles = math.ceil(4000 / 1024)  # @inspect tiles
    y = row_sum.row_sum(torch.ones(3, 4000, device=DEVICE))  # @inspect y @stepover
    text("Do not mix up blocks and tiles. In GeLU too a long vector was cut up, but each piece was a *block*, run by "
         "an instance of its own, in any order. Here the whole row is one instance's, and its tiles come one after "
         "the other.")
    text("Where does the accumulator live? In registers, as long as they suffice; with four warps and 1,024 columns "
         "that is eight a thread. The final `tl.sum` is where threads meet: within a warp they pass values directly, "
         "between warps through shared memory.")
    text("And softmax in tiles? Its sum needs the row's largest element, which is known only at the end. The way out "
         "is the *online softmax*: keep the largest so far and the sum relative to it, and when a larger one comes, "
         "scale down the sum. With tiles of one element:")
    numbers = (3.0, 1.0, 4.0, 1.0, 5.0, 9.0)
    largest, running = -math.inf, 0.0  # @clear row start tile acc total x y tiles
    for number in numbers:  # @inspect number
        larger = max(largest, number)
        running = running * math.exp(largest - larger) + math.exp(number - larger)  # @inspect running
        largest = larger  # @inspect largest
    expected = sum(math.exp(number - max(numbers)) for number in numbers)  # @inspect expected
    text("A second sweep divides. It reads the row once more, but not from HBM, if the cache was asked to keep it "
         "(`evict_last` in the kernel below): for a matrix of 1.07 GB, Nsight Compute counted 1.07 GB read from HBM on "
         "an H200. FlashAttention is built on the online softmax: it scales down the weighted sum of the values in "
         "the same way, and so never writes the matrix of scores to HBM.")
    link(softmax.softmax_fast_kernel)
    link(title="Milakov and Gimelshein 2018, Online normalizer calculation for softmax",
         url="https://arxiv.org/abs/1805.02867")


def traffic_of_matmul():
    text("## Matrix multiplication: how often is a number read?")
    text("$C = AB$, with $A$ of $M \\times K$, $B$ of $K \\times N$. The naive kernel gives each element of $C$ to a "
         "thread, which reads a row of $A$ and a column of $B$. That is correct, and reads everything again and "
         "again:")
    image("images/naive.svg", alt="C4 and C5 both need A4, A5 and A6")
    text("If all of $A$ and $B$ fitted into shared memory, each number would be read once. They do not. So one does "
         "it tile by tile: for a tile of $C$, bring in one tile of $A$ and one of $B$ at a time. Seen from afar that "
         "is the naive way, seen from near the ideal one.")
    image("images/tiles.svg", alt="A tile of C needs a row of tiles of A and a column of tiles of B")
    text("Let us run it and count. A tile of one element is the naive way, a tile as large as the matrix the ideal "
         "one:")
    a, b = torch.randn(8, 8), torch.randn(8, 8)
    c, reads = tiled_matmul(a, b, tile=4)  # @inspect c reads
    torch.testing.assert_close(c, a @ b)
    for tile in (1, 2, 4, 8):  # @inspect tile
        c, reads = tiled_matmul(a, b, tile)  # @inspect reads @stepover
        flops = 2 * 8**3  # @inspect flops
        intensity = flops / (4 * (reads + c.numel()))  # @inspect intensity
    text("For a product of two $N \\times N$ matrices in tiles of $T$ the reads are $2N^3/T$, so that the arithmetic "
         "intensity in float32 is")
    text("$$\\frac{2N^3}{4\\,(2N^3/T + N^2)} \\approx \\frac{T}{4}.$$")
    text("Naively ($T=1$) that is a constant, a quarter FLOP a byte. Ideally ($T=N$) it grows with $N$. In tiles it "
         "grows with $T$. For $N$ = 4,096:")
    N = 4096
    for T in (1, 64, 128, 256, N):  # @inspect T
        intensity = 2 * N**3 / (4 * (2 * N**3 / T + N**2))  # @inspect intensity
    text("How large can a tile be? Two tiles of inputs must fit into shared memory, and several pairs if the next "
         "are to arrive while these are multiplied. Of 128 x 64 bf16 numbers each, three pairs take 96 KB of the 227 "
         "KB that a block may have on an H100:")
    shared_kb = 3 * 2 * 128 * 64 * 2 / 1024  # @inspect shared_kb


def tiled_matmul(a, b, tile):
    """a @ b in tiles, and how many elements of a and b were read."""
    (M, K), N = a.shape, b.shape[1]
    c, reads = torch.zeros(M, N), 0
    for m in range(0, M, tile):
        for n in range(0, N, tile):
            for k in range(0, K, tile):
                a_tile = a[m : m + tile, k : k + tile]  # @inspect m n k a_tile
                b_tile = b[k : k + tile, n : n + tile]  # @inspect b_tile
                reads += a_tile.numel() + b_tile.numel()  # @inspect reads
                c[m : m + tile, n : n + tile] += a_tile @ b_tile  # @inspect c
    return c, reads


def strides():
    text("## Strides")
    text("One thing more before the kernel. A matrix has rows and columns, memory has not: it is one long line. The "
         "*strides* of a tensor say how many places one goes on for the next row and for the next column.")
    image("images/strides.svg", alt="A matrix of three rows and four columns, and the line it is in memory")
    x = torch.arange(12).reshape(3, 4)  # @inspect x x.stride()
    row, column = 1, 2
    place = row * x.stride(0) + column * x.stride(1)  # @inspect place
    value = x.flatten()[place]  # @inspect value
    text("Transposing moves nothing; it swaps the strides. A kernel that takes strides as arguments takes transposed "
         "matrices for free.")
    t = x.T  # @inspect t t.stride()
    same = t.data_ptr() == x.data_ptr()  # @inspect same


def matmul_relu_in_tiles():
    text("## Matmul and ReLU in tiles")
    text("Now the kernel. An instance has two indices, the row and the column of its tile of $C$. It finds the "
         "pointers to the first tile of $A$ and of $B$, walks to the right and downwards, and adds up products.")
    kernel(matmul_relu.matmul_relu_kernel, instances=[(1, 0)])  # step through the tile below the first
    a = torch.randn(128, 96, device=DEVICE)  # @inspect a
    b = torch.randn(96, 128, device=DEVICE)  # @inspect b
    c = matmul_relu.matmul_relu(a, b, block=(64, 64, 32), precision="tf32")  # @inspect c
    torch.testing.assert_close(c, matmul_relu.reference(a, b).float(), rtol=0.01, atol=0.05)  # @stepover
    text("The loop is that of the row sum, in two directions at once: here three steps of 32. `tl.dot` multiplies "
         "two tiles as `@` would, and on a GPU becomes instructions for the tensor cores:")
    observe("On an A100: `mma.sync`.", matmul_relu.matmul_relu_kernel, r"\bmma\.sync", targets="sm_80")
    observe("On an H100: `wgmma`.", matmul_relu.matmul_relu_kernel, r"\bwgmma\.mma_async", targets="sm_90")
    observe("On a B200: `tcgen05.mma`.", matmul_relu.matmul_relu_kernel, r"\btcgen05\.mma", targets="sm_100")
    text("Tensor cores have no full float32. They take bf16 or fp16, or *tf32*, which is float32 with 10 bits of "
         "fraction left of 23: that is what `precision=\"tf32\"` allows. The alternative, `\"ieee\"`, is full "
         "float32 and runs on the ordinary units, at a small part of the speed.")
    text("Tiles of $A$ and $B$ pass through shared memory. The accumulator does not: it stays in registers, and on a "
         "B200 in tensor memory. A tile of 64 x 64 sums shared by 128 threads is this many registers a thread:")
    registers = 64 * 64 // 128  # @inspect registers
    text("At the end comes the bonus: the tile is still on the chip, so ReLU costs one instruction an element and no "
         "trip to HBM. That is the reason to write one's own. (Libraries offer a few such endings; a kernel of one's "
         "own may end with anything.) A plain product is better left to the library.")
    if GPU:
        a, b = torch.randn(2, 8192, 8192, device=DEVICE, dtype=torch.bfloat16)
        library = benchmark("torch.relu(a @ b), bf16", lambda: torch.relu(a @ b))  # @inspect library @stepover
        simple = benchmark("Triton, bf16", lambda: matmul_relu.matmul_relu(a, b))  # @inspect simple @stepover
    else:
        text("Its time on a GPU is not measured here.")


def order_of_blocks():
    text("## The order of blocks, and L2")
    text("Tiles save reads within a block. Between blocks there is the L2 cache: if blocks that run at the same time "
         "need the same tiles, HBM is read once for all. So it matters *which* blocks run together. Take 9 by 9 "
         "tiles, and look at the first nine blocks of $C$:")

    def tiles_loaded(blocks):
        a = {(row, k) for row, _ in blocks for k in range(9)}
        b = {(k, column) for _, column in blocks for k in range(9)}
        return len(a) + len(b)

    row_by_row = [(pid // 9, pid % 9) for pid in range(9)]  # @inspect row_by_row @stepover
    in_groups = [(pid % 3, pid // 3) for pid in range(9)]  # @inspect in_groups @stepover
    loaded = tiles_loaded(row_by_row)  # @inspect loaded @stepover
    loaded_grouped = tiles_loaded(in_groups)  # @inspect loaded_grouped @stepover
    image("images/order.svg", alt="Row by row 90 tiles are loaded, in groups of three rows 54")
    text("Row by row, nine blocks need one row of tiles of $A$ and all of $B$: 90 tiles. In groups of three rows "
         "they need three rows and three columns: 54. Nothing changes but the arithmetic that turns an instance's "
         "index into a tile.")
    link(title="Triton tutorial: matrix multiplication, L2 cache optimizations",
         url="https://triton-lang.org/main/getting-started/tutorials/03-matrix-multiplication.html")


def compilation():
    text("## torch.compile")
    text("There is a fifth way to write GeLU: not to. `torch.compile` takes a function of PyTorch operations, "
         "records their graph, fuses what can be fused, and writes the kernel itself. On a GPU what it writes is "
         "Triton; on a CPU it is C++.")
    compiled_gelu, problem = compile_gelu()  # @stepover
    if problem:
        text(f"On this machine it could not: {problem}")
    else:
        profile("compiled GeLU", with_inputs(compiled_gelu, SIZE, 1))  # @stepover
        text("One call for all nine operations. Inductor, the compiler behind it, names its kernels after what they "
             "fuse: `triton_poi_fused_add_mul_tanh_0` on a GPU (`poi` for pointwise), `cpp_fused_add_mul_tanh_0` on "
             "a CPU.")
        observe("The `tanh` is there, in the middle of it all.", "*fused_add_mul_tanh*", r"\btanh\b", stage="source")
    text("When is it enough? Element-wise chains and simple reductions it does as well as one would by hand. It will "
         "not find a new algorithm: the online softmax inside FlashAttention is mathematics, not fusion, and "
         "somebody had to think of it. Compilers get better every year; measure before you write a kernel.")
    table([["PyTorch operations", "a tensor", "whoever wrote each operation's kernel"],
           ["torch.compile", "a tensor", "the compiler"],
           ["Triton", "a block", "you between blocks, the compiler within"],
           ["CUDA", "a thread", "you"],
           ["PTX", "a thread", "you, instruction by instruction"]],
          columns=["way", "one thinks of", "who decides how it runs"], title="Five ways to write a function")


def measured_on_a_gpu():
    text("## What a GPU measured")
    measured = h200()  # @stepover
    device, versions = measured["device"], measured["versions"]
    text(f"These times were **not** taken while this page was recorded. They are of an {device}, "
         f"{measured['date']}, with PyTorch {versions['torch']} and Triton {versions['triton']}. "
         f"How: {measured['method']}")
    columns = {"name": "version", "by": "by", "milliseconds": "ms", "tb_per_s": "TB/s", "tflop_per_s": "TFLOP/s",
               "of_ceiling": "of the ceiling"}
    rows = [{"operation": f"{task['operation']} {task['dtype']}"} | {columns[key]: figure[key] for key in columns}
            for task in measured["measurements"]
            for figure in sorted(task["figures"], key=lambda figure: figure["milliseconds"] or math.inf)]
    table(rows, title=f"Measured on an {device}")
    text("The *ceiling* is what the GPU can do: a copy from HBM to HBM where memory is the limit, the library's "
         "plain product for the matrices. (In float32 that one is full float32, so what may use tf32 can go beyond "
         "it.) A copy is a kernel too, and not quite perfect: this one reached the following part of the 4.8 TB/s of "
         "the data sheet. So others can be faster by a little.")
    gelus = figures_of(measured, "gelu", "float32")  # @stepover
    softmaxes = figures_of(measured, "softmax", "float32")  # @stepover
    copy = gelus["copy on the device", "ceiling"]["tb_per_s"] / 4.8  # @inspect copy
    link(title="H200 data sheet: 4.8 TB/s", url="https://www.nvidia.com/en-us/data-center/h200/")
    text("Now the predictions. By our count the GeLU of nine kernels moves 11 times as much as a fused one, and the "
         "softmax of five kernels 4 times as much. They were this many times slower:")
    by_operators = ("torch, by operators", "torch")
    slower = over(gelus, by_operators, ("torch", "torch"))  # @inspect slower @stepover
    slower_softmax = over(softmaxes, by_operators, ("softmax", "triton"))  # @inspect slower_softmax @stepover
    text("GeLU is as counted. Softmax is slower still: its five kernels move $8MN$ elements of 4 bytes, and at less "
         "than a copy's rate. In TB/s:")
    rate = 8 * 16384**2 * 4 / softmaxes[by_operators]["milliseconds"] / 1e9  # @inspect rate
    text("The slip in CUDA, `0.5` for `0.5f`, cost this factor:")
    slip = over(gelus, ("gelu_double", "cuda"), ("gelu", "cuda"))  # @inspect slip @stepover
    text("Our simple matrix product has tiles of 64 x 64, which in bf16 is 32 FLOPs for each byte of $A$ and $B$. At "
         "the TFLOP/s that it reached, its tiles came in with this many TB/s:")
    intensity = 2 * 64 * 64 / (2 * (64 + 64))  # @inspect intensity
    products = figures_of(measured, "matmul_relu", "bfloat16")  # @stepover
    tiles_tb_per_s = products["matmul_relu", "triton"]["tflop_per_s"] / intensity  # @inspect tiles_tb_per_s
    text("That is more than HBM has: the L2 cache delivered the rest. The fast one has tiles of 128 x 256, which is 85 "
         "FLOPs a byte, lets the chip's copy engine fetch them ahead, and overtakes the library.")
    text("And the time of a matrix product by dimension, with its floor:")
    times = {row["size"]: row["milliseconds"] for row in measured["product_by_size"]}
    plot(scaling(times, f"Matrix multiplication in bf16 on an {device}"))  # @stepover


def h200():
    """What `python -m kernels bench` measured on an H200; the file is kept beside the kernels."""
    return json.loads((KERNELS / "measured" / "h200.json").read_text())


def figures_of(measured, operation, dtype):
    """Of what was measured, one operation's figures, by version and by whom it is."""
    [task] = (task for task in measured["measurements"] if (task["operation"], task["dtype"]) == (operation, dtype))
    return {(figure["name"], figure["by"]): figure for figure in task["figures"]}


def over(figures, slow, fast):
    """How many times as long the version `slow` took as the version `fast`."""
    return figures[slow]["milliseconds"] / figures[fast]["milliseconds"]


def summary():
    text("## Summary")
    text("The puzzles first. **The formula** took eleven times as long as the function because it moved eleven times "
         "as much: nine kernels, 22 trips to HBM where two would do. The arithmetic was never the limit. **The small "
         "product** took half as long as one with 262,144 times its work because neither filled the machine: what was "
         "measured is the floor. In tiles of 128 x 128 even the larger one is only 64 blocks, for 132 SMs.")
    text("- **The programming model is clean**: a grid of blocks of threads; HBM for all, shared memory for a block, "
         "registers for a thread.\n"
         "- **The machine is not**: warps, occupancy, banks, sectors and waves decide how fast it goes. The gap "
         "between the two is why there are performance mysteries.\n"
         "- **So measure**: benchmark to see how it scales, profile to see what runs, read PTX to see what the "
         "compiler did.\n"
         "- **Move few bytes**: fuse operations, so that a value is worked on while it is there; tile, so that it is "
         "read once for many uses.\n"
         "- **Think in blocks**: load, compute, store. GeLU is element by element; softmax is a row in a block; row "
         "sum is a row in tiles; matmul is tiles in two directions.")
    text("Triton is not the only language. ThunderKittens, CuTe and others make other things easy. Everything here "
         "was about one GPU; next time there are many.")


def further_reading():
    text("## Further reading")
    text("- [Horace He, Making Deep Learning Go Brrrr From First Principles](https://horace.io/brrr_intro.html)\n"
         "- [Triton tutorials](https://triton-lang.org/main/getting-started/tutorials/index.html)\n"
         "- [CUDA C++ Programming Guide](https://docs.nvidia.com/cuda/cuda-c-programming-guide/)\n"
         "- [CUDA C++ Best Practices Guide](https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/)\n"
         "- [NVIDIA, GPU performance "
         "background](https://docs.nvidia.com/deeplearning/performance/dl-performance-gpu-background/)\n"
         "- [GPU MODE, lecture 1: profiling CUDA kernels in PyTorch](https://www.youtube.com/watch?v=LuhJEEJQgUM)\n"
         "- GPU MODE, lectures [2: Programming Massively Parallel Processors, chapters 1 to "
         "3](https://www.youtube.com/watch?v=NQ-0D5Ti2dc), [3: CUDA for Python "
         "programmers](https://www.youtube.com/watch?v=4sgKnKbR-WE), [4: compute and "
         "memory](https://www.youtube.com/watch?v=lTmYrKwjSOU), [8: CUDA performance "
         "checklist](https://www.youtube.com/watch?v=SGhfUhlowB4)\n"
         "- ETH Zurich, Heterogeneous Systems, lectures [1: "
         "introduction](https://www.youtube.com/watch?v=8JGo2zylE80), [2: SIMD and "
         "GPUs](https://www.youtube.com/watch?v=x1MA4MtO4Tc), [3: the software "
         "hierarchy](https://www.youtube.com/watch?v=KGZ00J5MJz0), [4: the memory "
         "hierarchy](https://www.youtube.com/watch?v=ZQKMZIP3Fzg), [5: "
         "performance](https://www.youtube.com/watch?v=ODeprwr3Jho)\n"
         "- [Sasha Rush, GPU Puzzles](https://github.com/srush/GPU-Puzzles)\n"
         "- [Simon Boehm, How to Optimize a CUDA Matmul Kernel](https://siboehm.com/articles/22/CUDA-MMM)\n"
         "- [Dao et al. 2022, FlashAttention](https://arxiv.org/abs/2205.14135)")


if __name__ == "__main__":
    main()
