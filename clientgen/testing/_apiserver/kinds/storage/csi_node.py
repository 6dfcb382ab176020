"""CSINode: the drivers of a node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    invalid_value,
    required,
)
from clientgen._apimachinery.name_syntax import qualified_name_problems
from clientgen._json import part, parts, texts

from ...tables.columns import AGE, NAME, Column, Printer, size
from ..defaults import TypeDefaults
from ..metadata import MetadataChecks
from ..shared.common_checks import (
    driver_name,
    immutable,
    is_not_negative,
    matches,
)
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_NODE_ID_LENGTH: Final = 256


class CSINodeStrategy(Strategy):
    """The strategy for CSINodes."""

    types = {"storage.v1.CSINodeDriver": TypeDefaults(zeros={"topologyKeys": None})}
    metadata_checks = MetadataChecks.WHOLE_AGAIN
    delete_returns_object = True
    allow_unconditional_update = False
    printer = Printer(
        (
            NAME,
            Column(
                "Drivers", "How many drivers the node has.", size("spec.drivers"), type="integer"
            ),
            AGE,
        )
    )

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the drivers."""
        names: set[str] = set()
        for index, driver in enumerate(parts(obj["spec"], "drivers")):
            at, name = f"spec.drivers[{index}]", driver.get("name") or ""
            yield from driver_name(f"{at}.name", name)
            yield from _node_id(driver.get("nodeID") or "", f"{at}.nodeID")
            count = part(driver, "allocatable").get("count")
            yield from is_not_negative(f"{at}.allocatable.count", count)
            if name in names:
                yield duplicate(f"{at}.name", name)
            names.add(name)
            yield from _topology_keys(texts(driver, "topologyKeys"), at)

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Keep the drivers, apart from the number of volumes."""
        yield from self.validate(new)
        before = {each.get("name"): each for each in parts(old["spec"], "drivers")}
        for driver in parts(new["spec"], "drivers"):
            known = before.get(driver.get("name"))
            if known is not None:
                after = {**driver, "allocatable": None}
                yield from immutable("spec.drivers", after, {**known, "allocatable": None})


def _node_id(node: str, path: str) -> Iterator[Cause]:
    if not node:
        yield required(path)
    elif len(node.encode()) > _MAX_NODE_ID_LENGTH:
        yield invalid_value(path, node, f"must be {_MAX_NODE_ID_LENGTH} characters or less")


def _topology_keys(keys: list[str], path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for key in keys:
        if not key:
            yield required(path)
        if key in seen:
            yield duplicate(path, key)
        seen.add(key)
        yield from matches(path, key, qualified_name_problems)
