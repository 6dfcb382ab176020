"""Pods as tests name them: `namespace/name`."""

from __future__ import annotations

__all__ = ["namespace_and_name"]


def namespace_and_name(pod: str) -> tuple[str, str]:
    """Return the two parts of a pod's name; they may be patterns.

    Raises:
        ValueError: It is not named so.
    """
    namespace, _, name = pod.partition("/")
    if not (namespace and name) or "/" in name:
        raise ValueError(f"pod={pod!r}: name it as namespace/name, such as shop/web-0")
    return namespace, name
