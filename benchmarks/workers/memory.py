"""10,000 pods of 9.8 kB, created by requests: what the test server keeps of them."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from clientgen.testing._apiserver.server import ApiServer

from .conversation import Conversation, answered, pod, request
from .meter import Meter, report, settled_kib

if TYPE_CHECKING:
    from collections.abc import Callable

PODS = 10_000
_SIZE = 9_800
_TALK = Conversation("post", "pod")


def _pods(size: int) -> Callable[[int], bytes]:
    """Makes bodies; an annotation makes up for what the server leaves out, such as the status."""
    made = pod("pod-00000")
    made["metadata"].setdefault("annotations", {})["example.com/note"] = "x" * size
    text = json.dumps(made)
    return lambda number: text.replace("pod-00000", f"pod-{number:05}").encode()


def _padding() -> int:
    server = ApiServer()
    answer = answered(server, request("POST", _TALK.path, json.loads(_pods(1)(0))))
    return max(1, _SIZE - len(answer))


def _kept(keep: Callable[[bytes], object]) -> dict[str, float]:
    body = _pods(_padding())
    keep(body(PODS))
    before = settled_kib()
    meter = Meter()
    for number in range(PODS):
        keep(body(number))
    spent = meter.read(PODS)
    after = settled_kib()
    return {**spent, "kept_kb": (after - before) * 1.024 / PODS, "settled_mb": after / 1024}


def _server() -> dict[str, float]:
    server = ApiServer()

    def keep(body: bytes) -> None:
        asked = request("POST", _TALK.path, {})
        asked.body = body
        answered(server, asked)

    return _kept(keep)


def _bytes() -> dict[str, float]:
    kept: list[bytes] = []
    return _kept(kept.append)


if __name__ == "__main__":
    report(_server() if sys.argv[1] == "server" else _bytes())
