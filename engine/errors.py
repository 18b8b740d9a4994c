"""What can go wrong, in sentences for the person at the terminal."""


class EngineError(Exception):
    """Base of all errors the engine raises on purpose. Its text names the thing and the next action."""


class UsageError(EngineError):
    """What was asked for cannot be done as asked; exit code 2."""


class TraceError(EngineError):
    """A trace cannot be read or written."""
