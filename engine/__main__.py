"""`python -m engine`: record lectures, show recordings."""

import sys

if __name__ == "__main__":  # a process that the lecture spawns imports this module under another name
    try:
        from engine.cli import main

        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("engine: interrupted before there was anything to record")
