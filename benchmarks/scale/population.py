"""Any number of pods of 9.8 kB as the bytes of a watch.

1,000 pods are made up as `benchmarks.pods` makes them, and encoded once. Each further thousand is
the same with other names: every string that would differ between two deployments (names, labels,
uids, images) has a mark in it, which is replaced by the number of the turn. Replacements have the
length of what they replace, so that protobuf stays valid.
"""

from __future__ import annotations

import json
import re
import subprocess
import time
from typing import TYPE_CHECKING, Any

from benchmarks.pods import pods

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BASE = 1_000
MAX_PODS = 1_000 * BASE
_MARK = b"q000q"
_VERSION = b"1000000000000"
_END = {"annotations": {"k8s.io/initial-events-end": "true"}}
_META = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1"}


class Population:
    """The pods, as events in one encoding.

    Args:
        metadata_only: Whether objects are PartialObjectMetadata.
        go: The program of `go/`, which encodes protobuf; None means JSON.
    """

    def __init__(self, *, metadata_only: bool, go: Path | None) -> None:
        base = [_marked(pod) for pod in pods(BASE)]
        objects = [_object(pod, metadata_only=metadata_only) for pod in base]
        bookmark = _object({"metadata": {**_END}}, metadata_only=metadata_only)
        bookmark["metadata"]["resourceVersion"] = _VERSION.decode()
        lines = [_line("ADDED", obj) for obj in objects]
        lines += [_line("MODIFIED", obj) for obj in objects]
        lines.append(_line("BOOKMARK", bookmark))
        frames = lines if go is None else _protobuf(go, lines)
        self._added, self._modified = frames[:BASE], frames[BASE : 2 * BASE]
        self._bookmark = frames[-1]

    def initial(self, count: int) -> Iterator[bytes]:
        """Yield the events of the initial state, and the bookmark that ends them."""
        version = _now()
        for number in range(count):
            yield _at(self._added[number % BASE], number // BASE, version)
        yield self._bookmark.replace(_VERSION, version)

    def changes(self, count: int, number_of_pods: int) -> Iterator[bytes]:
        """Yield changes of one pod after the other. Versions are the time in microseconds."""
        for change in range(count):
            number = change % number_of_pods
            yield _at(self._modified[number % BASE], number // BASE, _now())


def _now() -> bytes:
    """Return the monotonic time in microseconds, which all processes of a machine share."""
    return b"%013d" % (time.monotonic_ns() // 1_000)


def _at(event: bytes, turn: int, version: bytes) -> bytes:
    return event.replace(_MARK, b"q%03dq" % turn).replace(_VERSION, version)


def _marked(pod: dict[str, Any]) -> dict[str, Any]:
    """Put the mark into each string of a pod that other deployments do not share."""
    mark = _MARK.decode()
    metadata = pod["metadata"]
    app = metadata["labels"]["app.kubernetes.io/name"]
    text = json.dumps(pod).replace(app, f"{app[:-3]}{mark}-{app[-3:]}")
    for owner in [metadata, *metadata["ownerReferences"]]:
        uid = owner["uid"]
        text = text.replace(uid, f"{uid[:-5]}{mark}")
    text = re.sub(r"(containerd://|sha256:)[0-9a-f]{5}", rf"\1{mark}", text)
    text = text.replace(f'"{metadata["resourceVersion"]}"', f'"{_VERSION.decode()}"')
    marked: dict[str, Any] = json.loads(text)
    return marked


def _object(pod: dict[str, Any], *, metadata_only: bool) -> dict[str, Any]:
    if metadata_only:
        return {**_META, "metadata": pod["metadata"]}
    return {"kind": "Pod", "apiVersion": "v1", **pod}


def _line(kind: str, obj: dict[str, Any]) -> bytes:
    return json.dumps({"type": kind, "object": obj}, separators=(",", ":")).encode() + b"\n"


def _protobuf(go: Path, lines: list[bytes]) -> list[bytes]:
    done = subprocess.run([go, "encode"], input=b"".join(lines), stdout=subprocess.PIPE, check=True)
    frames: list[bytes] = []
    rest = memoryview(done.stdout)
    while rest:
        length = 4 + int.from_bytes(rest[:4], "big")
        frames.append(bytes(rest[:length]))
        rest = rest[length:]
    return frames
