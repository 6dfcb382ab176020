"""ConfigMap: configuration data, as text and as bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.failures import Cause, invalid_value, too_long
from clientgen._json import part

from ...tables.columns import AGE, NAME, Column, Printer, size
from ..metadata import MetadataChecks
from ..shared.config_data import MAX_BYTES, decoded_size, immutable_causes, key_causes
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator


class ConfigMapStrategy(Strategy):
    """The strategy for ConfigMaps."""

    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    printer = Printer(
        (
            NAME,
            Column("Data", "How many entries it has.", size("data", "binaryData"), doc="data"),
            AGE,
        )
    )

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the keys and the size of the data."""
        data, binary = part(obj, "data"), part(obj, "binaryData")
        for key in data:
            yield from key_causes(f"data[{key}]", key)
            if key in binary:
                yield invalid_value(f"data[{key}]", key, "duplicate of key present in binaryData")
        for key in binary:
            yield from key_causes(f"binaryData[{key}]", key)
        if sum(len(text.encode()) for text in data.values()) + decoded_size(binary) > MAX_BYTES:
            yield too_long("[]", f"may not be more than {MAX_BYTES} bytes")

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Keep the data of an immutable ConfigMap."""
        yield from self.validate(new)
        yield from immutable_causes(new, old, "data", "binaryData")
