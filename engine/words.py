"""Text as a lecture gives it, made fit for a recording: never more than fits, nothing a file cannot hold."""

from engine import sink

CHARACTERS = 200_000
"The longest text taken."


def words(value: object, call: str) -> str | None:
    """`value` as text; None, with a warning, where there is nothing to show."""
    if value is None:
        sink.warn(f"{call}() was given None, so nothing is shown")
        return None
    try:
        return clean(value if isinstance(value, str) else str(value))
    except Exception as error:  # the lecture's own __str__
        sink.warn(f"{call}() was given a {type(value).__name__} whose str() fails: {type(error).__name__}: {error}")
        return None


def clean(message: str) -> str:
    """`message` with its lone surrogates, which no file can hold, as escapes."""
    return message.encode("utf-8", "backslashreplace").decode("utf-8")


def cut(message: str, call: str) -> str:
    if len(message) > CHARACTERS:
        sink.warn(f"{call}() was given {len(message):,} characters; {CHARACTERS:,} are kept")
    return message[:CHARACTERS]
