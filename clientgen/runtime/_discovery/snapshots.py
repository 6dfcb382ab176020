"""Snapshots of discovery documents, which a client keeps in memory and in files.

kubectl has such files below ~/.kube/cache/discovery; client-go: discovery/cached/disk.
"""

from __future__ import annotations

import re
from collections import deque
from hashlib import sha256

import msgspec
from msgspec import Struct

from .discovery_documents import Document  # noqa: TC001 - msgspec looks it up here

TTL_SECONDS = 600.0
"""The maximum age of a snapshot that is used without a request to the server."""

MAX_SNAPSHOT_BYTES = 64 << 20
"""The maximum size of the files that are read or written."""

_FORMAT = 1
_MAX_NAME_LENGTH = 100
# The client sends ETags in a header, so an ETag from a file must have the form of RFC 9110.
_ETAG = re.compile(r'(?:W/)?"[\x21\x23-\x7e]{0,256}"').fullmatch


class Snapshot(Struct):
    """The discovery documents of a server at one time.

    Attributes:
        server: the text that identifies the server; see `file_name`.
        time: the time of the requests, in seconds since 1970.
        documents: the documents.
        format: the version of the file format.
    """

    server: str
    time: float
    documents: list[Document]
    format: int = _FORMAT

    def is_fresh(self, now: float) -> bool:
        """Return whether the snapshot can be used without a request.

        A snapshot from the future cannot: the clock was wrong when it was written, or is wrong now.
        """
        return 0.0 <= now - self.time < TTL_SECONDS

    def by_path(self) -> dict[str, Document]:
        """Return the documents by path."""
        return {each.path: each for each in self.documents}

    def etag(self, path: str) -> str:
        """Return the ETag of an aggregated document; empty if it has no ETag that can be sent."""
        for each in self.documents:
            if each.path == path and each.is_aggregated and not each.failure:
                return each.etag if _ETAG(each.etag) else ""
        return ""

    def encode(self) -> bytes:
        """Return the content of the file."""
        return msgspec.json.encode(self)


_decoder = msgspec.json.Decoder(Snapshot)


def read_snapshot(content: bytes, server: str) -> Snapshot | None:
    """Decode a file. Returns None if the file is broken, or is of another server or format."""
    try:
        snapshot = _decoder.decode(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    is_expected = snapshot.format == _FORMAT and snapshot.server == server
    return snapshot if is_expected and snapshot.documents else None


def file_name(server: str) -> str:
    """Return the name of a server's file.

    Args:
        server: the URL, followed by text that distinguishes servers at the same address.
    """
    address = server.partition("://")[2] or server
    readable = re.sub(r"[^A-Za-z0-9.-]+", "_", address.split()[0] if address.split() else "")
    digest = sha256(server.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{readable[:_MAX_NAME_LENGTH].strip('._')}-{digest}.json"


class RefreshLimit:
    """Limits how often unknown names make the client repeat discovery."""

    def __init__(self, max_refreshes: int = 5, seconds: float = 60.0) -> None:
        self._times: deque[float] = deque(maxlen=max_refreshes)
        self._seconds = seconds

    def allows(self, now: float) -> bool:
        """Return whether discovery may be repeated now. If so, counts the refresh."""
        times = self._times
        if len(times) == times.maxlen and now - times[0] < self._seconds:
            return False
        times.append(now)
        return True
