"""Instruction events for single code objects, where lines are too coarse.

Up to Python 3.11 a frame asks for them itself (`f_trace_opcodes`). From 3.12 on that would slow down all code of the
process, while `sys.monitoring` can watch just the one code object.
"""

import sys
from collections.abc import Callable
from sys import _getframe  # a lecture may replace it
from types import CodeType, FrameType
from typing import Any

Arrived = Callable[[FrameType, int], None]
"Told of a frame and the index of the instruction it has come to."


class InstructionEvents:
    """Tells `arrived` of every instruction of the code objects asked for."""

    def __init__(self, arrived: Arrived) -> None:
        self.arrived = arrived
        self.tool: int | None = None
        self.codes: list[CodeType] = []

    def wanted(self, frame: FrameType) -> None:
        """Watch the instructions of `frame`, whose local trace function is about to be set."""
        monitoring = getattr(sys, "monitoring", None)
        if monitoring is None:
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            return
        if self.tool is None and not self._take_tool(monitoring):
            return  # all tools are taken; lines must do
        frame.f_trace_lines = False
        if frame.f_code not in self.codes:
            self.codes.append(frame.f_code)
            monitoring.set_local_events(self.tool, frame.f_code, monitoring.events.INSTRUCTION)

    def _take_tool(self, monitoring: Any) -> bool:
        free = [number for number in (4, 3, 2) if monitoring.get_tool(number) is None]
        if not free:
            return False
        self.tool = free[0]
        monitoring.use_tool_id(self.tool, "lecture-trace")
        monitoring.register_callback(self.tool, monitoring.events.INSTRUCTION, self._instruction)
        return True

    def _instruction(self, code: CodeType, offset: int) -> None:
        frame = _getframe(1)
        if frame.f_code is code:
            self.arrived(frame, offset >> 1)

    def stop(self) -> None:
        """Give back what was taken."""
        if self.tool is not None:
            monitoring = sys.monitoring  # type: ignore[attr-defined]
            for code in self.codes:
                monitoring.set_local_events(self.tool, code, 0)
            monitoring.register_callback(self.tool, monitoring.events.INSTRUCTION, None)
            monitoring.free_tool_id(self.tool)
            self.tool = None
            self.codes.clear()
