"""Stored objects as they look in one version of their kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from msgspec import json

from ..kinds.custom_strategy import CustomStrategy
from ..webhook_calls import Unanswered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..kinds.strategy import Strategy
    from ..served_resources import Resource
    from ..webhook_calls import WebhookCall
    from .registry import Registry
    from .store import Record


class VersionedView:
    """Shows the records of a collection in the version of a resource.

    `converts` is off where objects are not shown but removed, in whichever version.

    Attributes:
        form: the form of stored records that need no conversion.
        prefix: the start of the JSON of every object, kind and apiVersion.
    """

    def __init__(self, strategy: Strategy, registry: Registry, *, converts: bool = True) -> None:
        self.resource = strategy.resource
        self.strategy = strategy
        self.form = strategy.form
        self.prefix = strategy.codec.prefix
        self._registry = registry
        self._converts = converts

    @classmethod
    def of(cls, resource: Resource, registry: Registry, *, converts: bool = True) -> Self:
        """Make the view in the version of a resource."""
        return cls(registry.strategy_of(resource), registry, converts=converts)

    # -------------------------------------------------------------------------- contents

    def data(self, record: Record) -> bytes:
        """The JSON without kind and apiVersion."""
        if record.form == self.form:
            return record.data
        value = self._converted(record)
        return json.encode(
            {name: part for name, part in value.items() if name not in ("kind", "apiVersion")}
        )

    def whole(self, record: Record) -> bytes:
        """The JSON of the whole object."""
        return self.prefix + self.data(record)[1:]

    def items(self, records: Iterable[Record]) -> list[bytes]:
        """The JSON of objects in lists, where built-in kinds leave kind and apiVersion out."""
        if self.strategy.codec.typed_items:
            return [self.whole(record) for record in records]
        form = self.form
        return [each.data if each.form == form else self.data(each) for each in records]

    def value(self, record: Record) -> dict[str, Any]:
        """The object, for the caller to change."""
        if record.form == self.form:
            return self.titled(record.value())
        return self._converted(record)

    def titled(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """An object with this version's kind and apiVersion, which stand first."""
        resource = self.resource
        rest = {name: part for name, part in value.items() if name not in ("kind", "apiVersion")}
        return {"kind": resource.kind, "apiVersion": resource.api_version, **rest}

    def _converted(self, record: Record) -> dict[str, Any]:
        if self._converts:
            self.strategy.check_conversion(record.form)
            if self.strategy.is_converted_by_webhook(record.form):
                return self._registry.conversions.shown(record, self._custom)
        value = self.titled(record.value())
        return self.titled(self.strategy.from_storage(value, record.form, self._registry.find))

    # --------------------------------------------------------------------------- webhooks

    @property
    def asks_webhook(self) -> bool:
        """Whether a webhook may have to convert what is shown."""
        return isinstance(self.strategy, CustomStrategy) and self.strategy.asks_webhook

    @property
    def _custom(self) -> CustomStrategy:
        assert isinstance(self.strategy, CustomStrategy)  # no other kind has a webhook
        return self.strategy

    def pending(self, records: Iterable[Record]) -> list[WebhookCall]:
        """Return the calls that have to end before these records can be shown."""
        if not self.asks_webhook:
            return []
        wanted = [each for each in records if self.strategy.is_converted_by_webhook(each.form)]
        return self._registry.conversions.pending(wanted, self._custom)

    def prepare(self, records: Iterable[Record]) -> None:
        """Have all records converted at once, if a webhook has to.

        Raises:
            Unanswered: it has not yet.
        """
        if self.asks_webhook and (calls := self.pending(records)):
            raise Unanswered(calls)

    # ----------------------------------------------------------------------------- fields

    def known_fields(self) -> frozenset[str]:
        """Return the fields that field selectors may name."""
        known = self.strategy.known_fields()
        # Built-in kinds without fields of their own take both, cluster-scoped ones, too.
        if self.resource.namespaced or not (known or self.strategy.codec.typed_items):
            return known | {"metadata.name", "metadata.namespace"}
        return known | {"metadata.name"}

    def field(self, record: Record, name: str) -> str:
        """Return the value of one of these fields."""
        if name == "metadata.name":
            return record.name
        if name == "metadata.namespace":
            return record.namespace
        if record.fields is None:
            record.fields = {}
        values = record.fields.get(self.resource.api_version)
        if values is None:
            values = self.strategy.field_values(self.value(record))
            record.fields[self.resource.api_version] = values
        return values.get(name, "")
