"""What calls for any kind cost beside those of generated clients, without a network."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from kubeapi import Clientset
from kubeapi.core.v1 import Pod

from clientgen.runtime._http.request import HttpResponse
from clientgen.runtime.config import ClusterConfig
from clientgen.runtime.models import decode
from clientgen.runtime.sync import Rest

from .meter import Meter, data, report

if TYPE_CHECKING:
    from collections.abc import Callable

    from clientgen.runtime._http.request import HttpRequest

_COUNT = 20_000


class _InMemory:
    """Answers everything with one pod."""

    def __init__(self, body: bytes) -> None:
        self._answer = HttpResponse(200, {"content-type": "application/json"}, body)

    def send(self, _request: HttpRequest, _timeout: float | None) -> HttpResponse:
        return self._answer

    def close(self) -> None: ...


def main() -> None:
    """Do what the command line names, `get generic`, and report."""
    body = (data() / "pod.json").read_bytes()
    with Clientset(Rest(ClusterConfig("http://memory"), transport=_InMemory(body))) as k:  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        call = _calls(k, decode(body, Pod))[" ".join(sys.argv[1:])]
        call()
        meter = Meter()
        for _ in range(_COUNT):
            call()
        report(meter.read(_COUNT))


def _calls(k: Clientset, pod: Pod) -> dict[str, Callable[[], Pod]]:
    name, namespace = pod.metadata.name, pod.metadata.namespace
    return {
        "get generated": lambda: k.core_v1.pods(namespace).get(name),
        "get generic": lambda: k.get(Pod, name, namespace=namespace),
        "create generated": lambda: k.core_v1.pods(namespace).create(pod),
        "create generic": lambda: k.create(pod),
    }


if __name__ == "__main__":
    main()
