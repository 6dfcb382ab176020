"""Stored objects as they look in one version of their kind."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from msgspec import json

from clientgen._apimachinery.failures import bad_request

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clientgen._apiextensions import CustomVersion

    from .options import ListOptions
    from .registry import Registry
    from .resources import Resource
    from .selecting import FieldTerm
    from .store import Record

__all__ = ["View"]


def _convert(value: dict[str, Any], source: CustomVersion, target: CustomVersion) -> None:
    """Read what was stored in one version in another; of defaults it gets those of the first."""
    source.prune(value)
    source.default(value)
    if target is not source:
        target.prune(value)


class View:
    """Shows the records of a collection in the version of a resource.

    `converts` is off where objects are not shown but removed, in whichever version.

    Attributes:
        form: what records have to be stored as to be shown as they are.
        prefix: the start of the JSON of every object, kind and apiVersion.
    """

    def __init__(self, resource: Resource, registry: Registry, *, converts: bool = True) -> None:
        self.resource = resource
        self.strategy = registry.strategy_of(resource)
        self.form = registry.form_of(resource)
        title = json.encode({"kind": resource.kind, "apiVersion": resource.api_version})
        if resource.custom is not None:
            title = json.encode(json.decode(title), order="sorted")
        self.prefix = title[:-1] + b","
        self._registry = registry
        self._converts = converts

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

    def item(self, record: Record) -> bytes:
        """The JSON as it stands in lists: those of built-in kinds leave kind and apiVersion out."""
        return self.data(record) if self.resource.custom is None else self.whole(record)

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

    def kept(self, value: dict[str, Any]) -> dict[str, Any]:
        """What is left of an object in this version when it is stored, and read again.

        Custom resources are stored in one of their versions, and lose what that does not have. When
        they are read, defaults are filled in: those of a status that was not to be written, too.
        """
        custom = self.resource.custom
        if custom is not None:
            _convert(value, self._registry.definition(self.resource).storage_version, custom)
        return value

    def stored(self, value: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """What `kept` left as it is stored, and the form that it then has."""
        custom = self.resource.custom
        if custom is None:
            return value, self.form
        stored = self._registry.definition(self.resource).storage_version
        if stored is custom:
            return value, self.form
        copy = {**deepcopy(value), "metadata": value["metadata"]}
        stored.prune(copy)  # of defaults that only this version has, for one
        stored.default(copy)
        return copy, f"{stored.name}#{self.form.partition('#')[2]}"

    def _converted(self, record: Record) -> dict[str, Any]:
        value = self.titled(record.value())
        custom = self.resource.custom
        if custom is not None:
            self._check_conversion(record)
            stored, _, _ = record.form.partition("#")
            versions = self._registry.definition(self.resource).versions
            source = next((each for each in versions if each.name == stored), custom)
            _convert(value, source, custom)
            return value
        group, _, version = record.form.rpartition("/")
        written = self._registry.find(group, version, self.resource.plural)
        assert written is not None  # built-in resources do not go away
        return self.titled(self.strategy.convert(value, written))

    def _check_conversion(self, record: Record) -> None:
        """Refuse what a webhook would have to convert, and what is of a version that is gone.

        Raises:
            Failure: 500.
        """
        stored, _, _ = record.form.partition("#")
        custom = self.resource.custom
        if self._converts and custom is not None and stored != custom.name:
            group = self.resource.group
            self._registry.definition(self.resource).convert(
                {"apiVersion": f"{group}/{stored}"}, custom
            )

    # -------------------------------------------------------------------------- selecting

    def check_fields(self, terms: Sequence[FieldTerm]) -> None:
        """Refuse fields that cannot be selected by.

        Raises:
            Failure: 400.
        """
        for term in terms:
            if term.field not in self._known_fields():
                raise bad_request(self._unknown_field(term.field))

    def _unknown_field(self, field: str) -> str:
        if self.resource.custom is not None or self.strategy.known_fields():
            return f"field label not supported: {field}"
        known = '"metadata.name", "metadata.namespace"'
        return f'"{field}" is not a known field selector: only {known}'

    def _known_fields(self) -> frozenset[str]:
        always = ["metadata.name"]
        if self.resource.namespaced:
            always.append("metadata.namespace")
        return self.strategy.known_fields().union(always)

    def selects(self, options: ListOptions, record: Record) -> bool:
        """Whether an object is among those the selectors mean."""
        if options.labels is not None and not options.labels(record.labels):
            return False
        return all(
            (self._field(record, term.field) == term.value) is term.equal for term in options.fields
        )

    def _field(self, record: Record, field: str) -> str:
        if field == "metadata.name":
            return record.name
        if field == "metadata.namespace":
            return record.namespace
        if record.fields is None:
            record.fields = {}
        known = record.fields.get(self.resource.api_version)
        if known is None:
            known = self.strategy.field_values(self.value(record))
            record.fields[self.resource.api_version] = known
        return known.get(field, "")
