"""Names of pods in tests: `namespace/name`."""

from __future__ import annotations


def namespace_and_name(pod: str) -> tuple[str, str]:
    """Split `namespace/name`; both may be patterns.

    Raises:
        ValueError: `pod` is not `namespace/name`.
    """
    namespace, _, name = pod.partition("/")
    if not (namespace and name) or "/" in name:
        raise ValueError(f"pod={pod!r}: write namespace/name, such as 'shop/web-0'")
    return namespace, name
