"""Ctrl-C, a request to terminate, a terminal that is closed: where they raise KeyboardInterrupt, and where nothing may
come between.

They raise it in `main()`, while kernels are compiled and while what the lecture claims of them is checked. Between a
recording and its trace, which is a matter of moments, they are ignored, and when all is written.
"""

import signal
from signal import SIG_IGN, SIGINT, SIGTERM, default_int_handler, getsignal
from signal import signal as set_handler
from threading import get_ident, main_thread


class Interrupts:
    """Those of this process; none where a recording is made in another thread than the main one."""

    def __init__(self) -> None:
        here = get_ident() == main_thread().ident
        hangup = [signal.SIGHUP] if hasattr(signal, "SIGHUP") else []
        # one that the process was started to ignore stays ignored, and one that C code handles cannot be put back
        self.numbers = [n for n in (SIGINT, SIGTERM, *hangup) if here and getsignal(n) not in (SIG_IGN, None)]

    def catch(self) -> None:
        """From now on they raise KeyboardInterrupt."""
        for number in self.numbers:
            set_handler(number, default_int_handler)

    def ignore(self) -> None:
        """From now on nothing happens."""
        if get_ident() == main_thread().ident:
            for number in self.numbers:
                set_handler(number, SIG_IGN)
