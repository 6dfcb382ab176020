"""What the benchmark server tells informers: a state first, then changes.

By the namespace that is asked for:

- `small`: ten pods, to warm up with.
- `synced`: 5,000 pods, and `listed` the same of a server that knows no initial events (below 1.32,
  or with the feature switched off), which has to be listed.
- `large`: 50,000 pods, the 5,000 under ten namespaces.
- `busy`: ten pods, then 5,000 changes: 2,500 pods are made, and then every one is changed.
- `idle-...`: no pods, and a bookmark every second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["BOOKMARK", "CHANGES", "LARGE", "REFUSED", "Initial"]

CHANGES, LARGE = 5_000, 50_000
_FEW = 10
_TIMES = 10
_MADE = CHANGES // 2

_HEAD, _ADDED = b'{"type":"MODIFIED"', b'{"type":"ADDED"'
_METADATA = b'"resourceVersion":"1842937","creationTimestamp":null'
_POD = b'{"kind":"Pod","apiVersion":"v1","metadata":{%b},"spec":{"containers":null},"status":{}}'
_END = b',"annotations":{"k8s.io/initial-events-end":"true"}'


def _bookmark(metadata: bytes) -> bytes:
    return b'{"type":"BOOKMARK","object":%b}\n' % (_POD % metadata)


BOOKMARK = _bookmark(_METADATA)
_COMPLETE = _bookmark(_METADATA + _END)

_INVALID = (
    b'{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"sendInitial'
    b'Events is forbidden for watch unless the WatchList feature gate is enabled","reason":'
    b'"Invalid","code":422}'
)
REFUSED = (
    b"HTTP/1.1 422 Unprocessable Entity\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n%b" % (len(_INVALID), _INVALID)
)


class Initial:
    """Streams of events, made of those that the server has."""

    def __init__(self, events: list[bytes]) -> None:
        self._added = [event.replace(_HEAD, _ADDED, 1) for event in events]
        self._changed = [_newer(event) for event in events[_FEW : _FEW + _MADE]]

    def state(self, namespace: str) -> Iterator[bytes]:
        """Every pod there is, and the bookmark that says so."""
        yield from self._pods(namespace)
        yield _COMPLETE

    def changes(self, namespace: str) -> list[bytes]:
        """What happens then."""
        if namespace != "busy":
            return []
        return self._added[_FEW : _FEW + _MADE] + self._changed

    def _pods(self, namespace: str) -> Iterable[bytes]:
        if namespace == "large":
            return (_moved(event, turn) for turn in range(_TIMES) for event in self._added)
        if namespace.startswith("idle"):
            return ()
        return self._added[:_FEW] if namespace in {"small", "busy"} else self._added


def _newer(event: bytes) -> bytes:
    return event.replace(b'"resourceVersion":"', b'"resourceVersion":"9', 1)


def _moved(event: bytes, turn: int) -> bytes:
    """The same pod in another namespace."""
    return event.replace(b'"namespace":"', b'"namespace":"%d-' % turn, 1)
