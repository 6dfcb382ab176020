"""`/metrics`: how much is stored, in the text that Prometheus reads.

https://prometheus.io/docs/instrumenting/exposition_formats/. A real server counts thousands of
things; here it is what a test may want to know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..responses.answers import Response

if TYPE_CHECKING:
    from collections.abc import Mapping

_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_NAME: Final = "apiserver_resource_objects"


def metrics(objects: Mapping[str, int]) -> Response:
    """Answer with the number of objects of each resource."""
    lines = [
        f"# HELP {_NAME} How many objects of a resource are stored.",
        f"# TYPE {_NAME} gauge",
        *(_line(name, objects[name]) for name in sorted(objects)),
        "",
    ]
    return Response(200, "\n".join(lines).encode(), [("content-type", _TYPE)])


def _line(name: str, number: int) -> str:
    resource, _, group = name.partition(".")
    return f'{_NAME}{{group="{group}",resource="{resource}"}} {number}'
