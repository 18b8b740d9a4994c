"""Draws every diagram of lecture 6: `python lectures/images/draw.py` writes them as SVG beside this file.

Figures in the drawings are computed from the same facts that the lecture states, so that the two cannot drift apart.
"""

from pathlib import Path

from machine import banks, coalescing, divergence, grid, memory, occupancy, timeline, waves
from programs import coarsening, fusion, models, naive, order, row_sum, softmax, strides, tiles

DRAWINGS = (
    memory, grid, divergence, occupancy, coalescing, banks, waves, timeline,
    fusion, models, coarsening, softmax, row_sum, strides, naive, tiles, order,
)  # fmt: skip

if __name__ == "__main__":
    for drawing in DRAWINGS:
        drawing().save(Path(__file__).parent)
