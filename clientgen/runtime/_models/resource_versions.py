"""The order of resource versions.

client-go: resourceversion.CompareResourceVersion in apimachinery/pkg/util (KEP-5504).
"""

from __future__ import annotations

import re

# 0 is no version of an object: lists and watches use it for "any version".
_is_well_formed = re.compile(r"[1-9][0-9]*").fullmatch


def compare_resource_versions(first: str, second: str) -> int:
    """Compare the resource versions of two objects of the same resource.

    Servers since Kubernetes 1.35 guarantee this order; older ones have it, too. Versions of
    different resources, or of different clusters, have no order.

    Returns:
        -1, 0 or 1: whether `first` is older than, equal to, or newer than `second`.

    Raises:
        ValueError: A version is not a positive number without leading zeros. Servers that are not
            Kubernetes' own may use other texts.
    """
    for version in (first, second):
        if not _is_well_formed(version):
            raise ValueError(f"the resource version {version!r} is not a positive number")
    # Texts are compared, because a server may send a number of any length.
    left, right = (len(first), first), (len(second), second)
    return (left > right) - (left < right)
