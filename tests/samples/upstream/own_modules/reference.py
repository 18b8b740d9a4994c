from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    title: str = None
    url: str = None
    edition: int = 1
