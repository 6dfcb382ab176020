"""The strategy of custom resources: their CustomResourceDefinition tells it."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final, Protocol

from clientgen._apimachinery.failures import forbidden

from ..tables.custom_columns import printer_of
from .immutable_parts import count_generation, restore, restore_all_but_status
from .kind_codecs import UnstructuredCodec
from .metadata import MetadataChecks
from .routes import CustomRoutes
from .strategy import Strategy

if TYPE_CHECKING:
    from clientgen._apiextensions import CustomVersion, Definition
    from clientgen._apiextensions.custom_scale import ScalePaths
    from clientgen._apimachinery.failures import Cause

    from ..object_reader import ObjectReader
    from ..served_resources import Resource
    from .strategy import FindResource

_METADATA_CHECKS: Final = MetadataChecks.UPDATE_AGAIN | MetadataChecks.ANY_FINALIZER


class Converter(Protocol):
    """Has webhooks convert objects."""

    def converted(
        self, definition: Definition, value: dict[str, Any], target: CustomVersion
    ) -> dict[str, Any]:
        """Return an object in another version of its definition."""
        ...


class CustomStrategy(Strategy):
    """The strategy for instances of one version of a definition."""

    allow_unconditional_update = False
    metadata_checks = _METADATA_CHECKS
    status_metadata_checks = _METADATA_CHECKS
    fields_reset_by_status = (("metadata",),)
    converts_scale = False

    def __init__(
        self,
        resource: Resource,
        version: CustomVersion,
        definition: Definition,
        shape: str,
        converter: Converter,
    ) -> None:
        """Make a strategy; `shape` is another whenever the definition changes.

        Stored objects are pruned and defaulted again when their shape is not the current one.
        """
        super().__init__(resource)
        self.version = version
        self.definition = definition
        self.codec = UnstructuredCodec(resource, version)
        self.routes = CustomRoutes(resource)
        self.printer = printer_of(version.columns)
        self.asks_webhook = definition.conversion == "Webhook"
        self._converter = converter
        self._shape = shape
        self._form = f"{version.name}#{shape}"

    def default(self, value: dict[str, Any], *, keep_nulls: bool = False) -> None:
        """Fill in the defaults of the schema."""
        self.version.default(value, keep_nulls=keep_nulls)

    def before_create(self, value: dict[str, Any], reader: ObjectReader) -> None:
        """Set the first generation; drop the status if it is written apart."""
        value["metadata"]["generation"] = 1
        if self.resource.has_status:
            value.pop("status", None)

    def before_update(
        self, new: dict[str, Any], old: dict[str, Any], subresource: str, reader: ObjectReader
    ) -> None:
        """Keep the status and the rest apart; the generation counts changes of the rest."""
        if subresource == "status":
            restore_all_but_status(new, old)
            return
        if self.resource.has_status:
            restore(new, old, "status")
        count_generation(new, old, with_status=not self.resource.has_status)

    def causes(
        self,
        new: dict[str, Any],
        old: dict[str, Any] | None,
        subresource: str,
        reader: ObjectReader,
    ) -> list[Cause]:
        """Validate against the schema and its rules."""
        return self.version.validate(new, old, subresource)

    def warnings(
        self, new: dict[str, Any], old: dict[str, Any] | None, subresource: str
    ) -> list[str]:
        """Warn of finalizers that may belong to somebody else."""
        return self.version.warnings(new, old)

    def deprecation_warning(self, minor: float) -> str:
        """Return the warning that the definition has for this version."""
        return self.version.deprecation_warning

    def known_fields(self) -> frozenset[str]:
        """Return the `selectableFields` of the definition."""
        return frozenset(self.version.selectable_fields)

    def field_values(self, obj: dict[str, Any]) -> dict[str, str]:
        """Return the values of those fields."""
        return self.version.field_values(obj)

    def check_create(self, name: str) -> None:
        """Refuse to create an instance while the definition is being removed.

        Raises:
            Failure: 403.
        """
        if self.definition.is_ending:
            why = "create not allowed while custom resource definition is terminating"
            raise forbidden(self.resource.group, self.resource.plural, name, why)

    # ---------------------------------------------------------------------------- storage

    @property
    def form(self) -> str:
        """The version and the shape of the definition."""
        return self._form

    def round_trip(self, value: dict[str, Any]) -> dict[str, Any]:
        """Prune and default an object as its reader will see it.

        Objects are stored in one version, and lose what that does not have, unless a webhook
        converts them. When they are read, they get defaults, also those of a status that was not
        to be written.
        """
        source = self.version if self.asks_webhook else self.definition.storage_version
        _convert(value, source, self.version)
        return value

    def settled(self, value: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], str]:
        """Return an object as it is read after the write, as it is stored, and the stored form.

        Raises:
            Unanswered: a webhook has to convert it.
            Failure: 500, the webhook has failed.
        """
        target = self.definition.storage_version
        if not self.asks_webhook or target is self.version:
            return super().settled(value)
        metadata = value["metadata"]
        bare = {**value, "metadata": _unversioned(metadata)}
        stored = self._converter.converted(self.definition, bare, target)
        target.prune(stored)
        target.default(stored)
        shown = self._converter.converted(self.definition, deepcopy(stored), self.version)
        self.version.prune(shown)
        self.version.default(shown)
        return shown, stored, f"{target.name}#{self._shape}"

    def convert(self, obj: dict[str, Any], source: Resource) -> dict[str, Any]:
        """Return an object of another version in this one.

        Raises:
            Unanswered: a webhook has to convert it.
            Failure: 500, the webhook has failed.
        """
        if not self.asks_webhook:
            return super().convert(obj, source)
        return self._converter.converted(self.definition, obj, self.version)

    def to_version(self, obj: dict[str, Any], api_version: str) -> dict[str, Any]:
        """Return an object of this version in another one.

        Raises:
            Unanswered: a webhook has to convert it.
            Failure: 500, the webhook has failed.
        """
        versions = self.definition.versions
        target = next((each for each in versions if each.api_version == api_version), None)
        if not obj or target is None or not self.asks_webhook:
            return super().to_version(obj, api_version)
        metadata = _unversioned(obj.get("metadata") or {})
        return self._converter.converted(self.definition, {**obj, "metadata": metadata}, target)

    def to_storage(self, value: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """Return an object in the version that is stored."""
        stored = self.definition.storage_version
        if stored is self.version:
            return value, self.form
        copy = {**deepcopy(value), "metadata": value["metadata"]}
        stored.prune(copy)  # of defaults that only this version has, for one
        stored.default(copy)
        return copy, f"{stored.name}#{self._shape}"

    def is_outdated(self, form: str) -> bool:
        """Return whether the stored version is another one now."""
        return _version_of(form) != self.definition.storage_version.name

    def is_converted_by_webhook(self, form: str) -> bool:
        """Return whether a webhook has to convert objects that are stored in a form."""
        return self.asks_webhook and _version_of(form) != self.version.name

    def source_of(self, form: str) -> CustomVersion:
        """Return the version in which something was stored."""
        name = _version_of(form)
        return next((each for each in self.definition.versions if each.name == name), self.version)

    def from_storage(self, value: dict[str, Any], form: str, find: FindResource) -> dict[str, Any]:
        """Read what was stored in any version of the definition."""
        _convert(value, self.source_of(form), self.version)
        return value

    def check_conversion(self, form: str) -> None:
        """Refuse versions that are gone.

        Raises:
            Failure: 500.
        """
        name = _version_of(form)
        if name != self.version.name:
            stored = {"apiVersion": f"{self.resource.group}/{name}"}
            self.definition.convert(stored, self.version)

    # ------------------------------------------------------------------------------ scale

    def to_scale(self, obj: dict[str, Any]) -> dict[str, Any]:
        """Return the Scale of an object.

        Raises:
            Failure: 500, the object does not say how many replicas it wants.
        """
        return self._scale.read(obj)

    def from_scale(self, obj: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
        """Return the object with the replicas of a Scale."""
        return self._scale.write(obj, value)

    @property
    def _scale(self) -> ScalePaths:
        scale = self.version.scale
        assert scale is not None  # or there would be no such subresource
        return scale

    def scale_causes(self, value: dict[str, Any]) -> list[Cause]:
        """List nothing: the schema of the object decides."""
        return []

    def replicas_paths(self) -> dict[str, str | None]:
        """Return the path of the replicas in each version that is served."""
        return {
            each.api_version: each.scale.spec_replicas if each.scale else None
            for each in self.definition.versions
            if each.served
        }


def _unversioned(metadata: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in metadata.items() if name != "resourceVersion"}


def _version_of(form: str) -> str:
    return form.partition("#")[0]


def _convert(value: dict[str, Any], source: CustomVersion, target: CustomVersion) -> None:
    """Read what was stored in one version in another; it gets the defaults of the first."""
    source.prune(value)
    source.default(value)
    if target is not source:
        target.prune(value)
