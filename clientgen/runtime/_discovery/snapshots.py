"""What is kept of discovery documents between calls and between programs, and for how long.

kubectl keeps them below ~/.kube/cache/discovery; client-go: discovery/cached/disk.
"""

from __future__ import annotations

import re
from collections import deque
from hashlib import sha256

import msgspec
from msgspec import Struct

from .discovery_documents import Document  # noqa: TC001 - msgspec looks it up here

__all__ = ["LARGEST", "TTL", "RefreshLimit", "Snapshot", "file_name", "read_snapshot"]

TTL = 600.0
"""For how many seconds documents are used without asking the server."""

LARGEST = 64 << 20
"""The largest file that is read or written."""

_FORMAT = 1
_MOST_NAME = 100
_ETAG = re.compile(r'(?:W/)?"[\x21\x23-\x7e]{0,256}"').fullmatch


class Snapshot(Struct):
    """The discovery documents of a server at one time.

    Attributes:
        server: which server; see `file_name`.
        time: when the server was asked, in seconds since 1970.
        documents: the documents.
        format: the format of the file.
    """

    server: str
    time: float
    documents: list[Document]
    format: int = _FORMAT

    def is_fresh(self, now: float) -> bool:
        """Tell whether this can be used without asking; what comes from the future cannot."""
        return 0.0 <= now - self.time < TTL

    def by_path(self) -> dict[str, Document]:
        """Return the documents by path."""
        return {each.path: each for each in self.documents}

    def etag(self, path: str) -> str:
        """Return how the server calls the document, if it can be told so; else an empty string."""
        for each in self.documents:
            if each.path == path and each.is_aggregated and not each.failure:
                return each.etag if _ETAG(each.etag) else ""
        return ""

    def encode(self) -> bytes:
        """Return the content of a file."""
        return msgspec.json.encode(self)


_decoder = msgspec.json.Decoder(Snapshot)


def read_snapshot(content: bytes, server: str) -> Snapshot | None:
    """Read a file; None if it is of another server, in another format, or broken."""
    try:
        snapshot = _decoder.decode(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    is_ours = snapshot.format == _FORMAT and snapshot.server == server
    return snapshot if is_ours and snapshot.documents else None


def file_name(server: str) -> str:
    """Return the name of a server's file.

    Args:
        server: its URL, and whatever else tells it from another server at the same address.
    """
    address = server.partition("://")[2] or server
    readable = re.sub(r"[^A-Za-z0-9.-]+", "_", address.split()[0] if address.split() else "")
    digest = sha256(server.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{readable[:_MOST_NAME].strip('._')}-{digest}.json"


class RefreshLimit:
    """How often a name that is not there makes the client ask the server again."""

    def __init__(self, most: int = 5, seconds: float = 60.0) -> None:
        self._times: deque[float] = deque(maxlen=most)
        self._seconds = seconds

    def allows(self, now: float) -> bool:
        """Tell whether to ask again now; if so, it counts."""
        times = self._times
        if len(times) == times.maxlen and now - times[0] < self._seconds:
            return False
        times.append(now)
        return True
