"""The linked stages of compiled kernels as JSON, made once for what their files hold."""

import threading
from hashlib import sha256
from pathlib import Path

import msgspec

from engine.trace import Variant
from viewer.bounds import stays
from viewer.kernels import compiled

ROOM = 64_000_000
"Bytes that are kept: about a hundred variants with all their stages."
Content = tuple[str, tuple[tuple[str, int, int], ...]]
"Digest of the kernel's file as recorded; name, time of last change and size of each file kept of the variant."


class Stages:
    """The variants kept in `folder` (the store's kernels/), those that were asked for last in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made: dict[str, tuple[Content, bytes]] = {}
        self._lock = threading.Lock()

    def json(self, variant: Variant, source: str) -> bytes:
        """The stages of `variant`; `source` is its kernel's file as recorded. Raises NotListed when they are gone."""
        with self._lock:
            holds = self._content(variant.key, source)
            known = self._made.pop(variant.key, None)
            if known is None or known[0] != holds:
                known = holds, msgspec.json.encode(compiled(self.folder, variant, source))
            self._made[variant.key] = known
            while sum(len(data) for _, data in self._made.values()) > ROOM and len(self._made) > 1:
                del self._made[next(iter(self._made))]
            return known[1]

    def _content(self, key: str, source: str) -> Content:
        found = sorted((self.folder / stays(key)).glob("*"))
        stamps = tuple((path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in found)
        return sha256(source.encode()).hexdigest(), stamps
