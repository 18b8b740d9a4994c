"""`python -m engine`: record lectures, show recordings."""

import sys

from engine.cli import main

if __name__ == "__main__":  # a process that the lecture spawns imports this module under another name
    sys.exit(main(sys.argv[1:]))
