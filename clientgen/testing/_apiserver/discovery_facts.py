"""Discovery facts about built-in resources that the OpenAPI document lacks.

Short names, categories, the order of the groups and stored versions, as an API server answers them
on `/api/v1` and `/apis`. `discovery.json` holds them; scripts/update-kubernetes writes it.
Everything else about a resource stands in the OpenAPI document.
"""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_TABLE: Final[Mapping[str, Any]] = json.loads(
    resources.files(__name__.rpartition(".")[0]).joinpath("discovery.json").read_bytes()
)

SHORT_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    name: tuple(short) for name, short in _TABLE["shortNames"].items()
}
"""By plural and group, as `Resource.group_resource` writes them."""

CATEGORIES: Final[Mapping[str, tuple[str, ...]]] = {
    name: (category,) for category, names in _TABLE["categories"].items() for name in names
}
"""By plural and group, as `Resource.group_resource` writes them."""

GROUPS: Final[Mapping[str, int]] = {group: rank for rank, group in enumerate(_TABLE["groups"])}
"""The rank of each built-in group; all others come after them."""

STORED_IN: Final[Mapping[str, tuple[str, str]]] = {
    name: (group, version) for name, (group, version) in _TABLE["storedIn"].items()
}
"""The group and version in which objects are stored, where that is not the preferred version."""


def storage_version_hash(group: str, version: str, kind: str) -> str:
    """Discovery's `storageVersionHash` of resources that are stored as that."""
    return b64encode(sha256(f"{group}/{version}/{kind}".encode()).digest()[:8]).decode()
