"""Strategy: everything the API server knows of one kind.

The word and most terms are those of k8s.io/apimachinery and k8s.io/apiserver (registry/rest). The
class serves kinds without special behaviour as it is. A kind with some subclasses it: facts are
class attributes, rules are methods. The server calls `default`, `before_create`, `before_update`,
`metadata_causes`, `causes` and `warnings`; these call the methods that kinds override.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from clientgen._apimachinery.failures import Cause, invalid_value
from clientgen._apimachinery.name_syntax import subdomain_problems
from clientgen._json import part

from ..tables.columns import PLAIN, dig
from . import scale_conversion
from .defaults import fill
from .deprecation import deprecation_of
from .header_limits import fitting
from .immutable_parts import restore, restore_all_but
from .kind_codecs import Codec
from .metadata import MetadataChecks, metadata_causes
from .routes import Routes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from ..object_reader import ObjectReader
    from ..served_resources import Resource
    from ..tables.columns import Printer
    from .defaults import TypeDefaults
    from .deprecation import Deprecation
    from .selector_fields import SelectableField

    FindResource: TypeAlias = Callable[[str, str, str], Resource | None]


class Strategy:
    """The behavior of the server for objects of one kind, in one version.

    Attributes:
        resource: the resource of that version.
        types: the defaults of the kind's types, by short names of definitions.
        storage: the collection that holds the objects, if it is another resource's.
        is_converted: whether the kind's versions have different members.
        deprecations: versions that are deprecated, though the API types do not say so.
        longest_name: how many characters a name may have at most.
        checks_generate_name: whether `generateName` is checked before a name is made of it.
        metadata_checks: how often metadata is checked when the object is updated.
        status_metadata_checks: the same, when a subresource is updated.
        allow_create_on_update: a PUT to a name that does not exist creates the object.
        allow_unconditional_update: a PUT without resourceVersion replaces whatever is stored.
        keeps_status_on_create: clients may create objects with a status.
        subresources_with_status: subresources, beside `status`, whose writes may change the status.
        immutable_fields: the paths of what no update may change.
        generation_fields: the members whose change increases `metadata.generation`; None for kinds
            without a generation.
        generation_on_create: whether new objects have generation 1.
        metadata_kept_by_status: members of the metadata that a write to the status cannot change.
        fields_reset_by_status: fields, beside the spec, that a write to the status does not own.
        delete_returns_object: a DELETE returns the object, not a Status.
        orphan_by_default: dependents stay when the object is deleted without a propagation policy.
        selectable_fields: the fields that field selectors may name, beside name and namespace.
        printer: the columns of the kind's Table.
        converts_scale: server-side apply can convert the managed fields of a Scale.
        conflict_names_resource: a failed precondition of a delete names the resource, not the kind.
        deletion_warning: the warning for a delete without a propagation policy.
    """

    types: ClassVar[Mapping[str, TypeDefaults]] = {}
    storage: str = ""
    is_converted: bool = False
    deprecations: ClassVar[Mapping[str, Deprecation]] = {}
    longest_name: int | None = None
    checks_generate_name: bool = True
    metadata_checks: MetadataChecks = MetadataChecks.UPDATE_AGAIN
    status_metadata_checks: MetadataChecks = MetadataChecks.UPDATE_AGAIN
    allow_create_on_update: bool = False
    allow_unconditional_update: bool = True
    keeps_status_on_create: bool = False
    subresources_with_status: tuple[str, ...] = ()
    immutable_fields: tuple[str, ...] = ()
    generation_fields: tuple[str, ...] | None = None
    generation_on_create: bool = True
    metadata_kept_by_status: tuple[str, ...] = ()
    fields_reset_by_status: tuple[tuple[str, ...], ...] = ()
    delete_returns_object: bool = False
    orphan_by_default: bool = False
    selectable_fields: ClassVar[Mapping[str, SelectableField]] = {}
    printer: Printer = PLAIN
    converts_scale: bool = True
    conflict_names_resource: bool = False
    deletion_warning: str = ""

    def __init__(self, resource: Resource) -> None:
        self.resource = resource
        self.collection = self.storage or resource.group_resource
        self.codec = Codec(resource)
        self.routes = Routes(resource)

    # --------------------------------------------------------------------------- defaults

    def default(self, value: dict[str, Any], *, keep_nulls: bool = False) -> None:
        """Complete an object in place.

        Nulls that custom resources have no place and no default for count as missing. After
        server-side apply they are kept, and the validation refuses them.
        """
        del keep_nulls  # the types of built-in kinds decide that
        fill(self.resource.schema, value)

    # ----------------------------------------------------------------------------- writes

    def before_create(self, value: dict[str, Any], reader: ObjectReader) -> None:
        """Turn a completed object into the one to store, in place.

        Raises:
            Failure: the object asks for something that cannot be allocated.
        """
        if self.resource.has_status and not self.keeps_status_on_create:
            value.pop("status", None)
            fill(self.resource.schema, value)
        if self.generation_fields is not None and self.generation_on_create:
            value["metadata"]["generation"] = 1
        self.prepare_for_create(value, reader)

    def before_update(
        self, new: dict[str, Any], old: dict[str, Any], subresource: str, reader: ObjectReader
    ) -> None:
        """Restore what a write to the object, or to one of its subresources, cannot change.

        Raises:
            Failure: the change asks for something that is not allowed, or cannot be allocated.
        """
        if subresource == "status":
            restore_all_but(new, old, "status")
            for name in self.metadata_kept_by_status:
                restore(new["metadata"], old["metadata"], name)
            self.prepare_for_status_update(new, old, reader)
        else:
            if self.resource.has_status and subresource not in self.subresources_with_status:
                restore(new, old, "status")
            if subresource:
                self.prepare_for_subresource_update(subresource, new, old, reader)
            else:
                self.prepare_for_update(new, old, reader)
        self._count(new, old, subresource)

    def _count(self, new: dict[str, Any], old: dict[str, Any], subresource: str) -> None:
        restore(new["metadata"], old["metadata"], "generation")
        if self.generation_fields is not None and self.is_new_generation(new, old, subresource):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

    def is_new_generation(self, new: dict[str, Any], old: dict[str, Any], subresource: str) -> bool:
        """Return whether a change increases the generation."""
        return any(new.get(name) != old.get(name) for name in self.generation_fields or ())

    def reset_fields(self, subresource: str) -> tuple[tuple[str, ...], ...]:
        """List the fields that a write cannot change, so that its manager does not own them."""
        if subresource == "status":
            return (("spec",), *self.fields_reset_by_status)
        return (("status",),) if self.resource.has_status else ()

    # Kinds override these.

    def prepare_for_create(self, obj: dict[str, Any], reader: ObjectReader) -> None:
        """Prepare a new object: set what the server allocates, drop disabled features."""

    def prepare_for_update(
        self, new: dict[str, Any], old: dict[str, Any], reader: ObjectReader
    ) -> None:
        """Prepare an update of the object."""

    def prepare_for_status_update(
        self, new: dict[str, Any], old: dict[str, Any], reader: ObjectReader
    ) -> None:
        """Prepare an update of the status."""

    def prepare_for_subresource_update(
        self, subresource: str, new: dict[str, Any], old: dict[str, Any], reader: ObjectReader
    ) -> None:
        """Prepare an update of a subresource other than the status."""

    # ------------------------------------------------------------------------- validation

    def metadata_causes(
        self, new: dict[str, Any], old: dict[str, Any] | None, subresource: str
    ) -> list[Cause]:
        """List the mistakes in the metadata."""
        checks = self.status_metadata_checks if subresource else self.metadata_checks
        return metadata_causes(new, old, checks, self._name_causes)

    def _name_causes(self, name: str, *, prefix: bool) -> list[Cause]:
        if prefix and not self.checks_generate_name:
            return []
        field = "metadata.generateName" if prefix else "metadata.name"
        checked = _unmasked(name) if prefix else name
        causes = [invalid_value(field, name, problem) for problem in self.name_problems(checked)]
        longest = self.longest_name
        if longest is not None and not prefix and len(name) > longest:
            causes.append(invalid_value(field, name, f"must be no more than {longest} characters"))
        return causes

    def causes(
        self,
        new: dict[str, Any],
        old: dict[str, Any] | None,
        subresource: str,
        reader: ObjectReader,
    ) -> list[Cause]:
        """List the mistakes in an object, as it would be stored, beyond its metadata.

        Raises:
            Failure: 422, for kinds that word the whole error themselves.
        """
        if old is None:
            causes = list(self.validate(new))
        elif not subresource:
            causes = list(self.validate_update(new, old))
        elif subresource == "status":
            return list(self.validate_status_update(new, old))
        else:
            return list(self.validate_subresource_update(subresource, new, old))
        return causes or list(self.validate_with_others(new, old, reader))

    # Kinds override these.

    def name_problems(self, name: str) -> list[str]:
        """List the problems of a name; most names are DNS subdomains."""
        return subdomain_problems(name)

    def validate(self, obj: dict[str, Any]) -> Iterable[Cause]:
        """Validate an object: a new one, and by default the result of an update too."""
        return ()

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterable[Cause]:
        """Validate an update; by default as a new object, with the same `immutable_fields`."""
        yield from self.validate(new)
        for path in self.immutable_fields:
            after, before = (dig(obj, *path.split(".")) for obj in (new, old))
            if after != before:
                yield invalid_value(path, after, "field is immutable")

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterable[Cause]:
        """Validate an update of the status."""
        return ()

    def validate_subresource_update(
        self, subresource: str, new: dict[str, Any], old: dict[str, Any]
    ) -> Iterable[Cause]:
        """Validate an update of a subresource other than the status."""
        return ()

    def validate_with_others(
        self, new: dict[str, Any], old: dict[str, Any] | None, reader: ObjectReader
    ) -> Iterable[Cause]:
        """Compare an object that is valid by itself with other stored objects."""
        return ()

    # --------------------------------------------------------------------------- warnings

    def warnings(
        self, new: dict[str, Any], old: dict[str, Any] | None, subresource: str
    ) -> list[str]:
        """List the warnings for a valid write, at most as many as fit into headers."""
        if subresource == "status":
            return fitting(self.warnings_on_status_write(new))
        return [] if subresource else fitting(self.warnings_on_write(new, old))

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterable[str]:
        """Warn of members that do nothing, values that clash, and the like; kinds override it."""
        return ()

    def warnings_on_status_write(self, new: dict[str, Any]) -> Iterable[str]:
        """Warn of the like in the status."""
        return ()

    def deprecation_warning(self, minor: float) -> str:
        """Return the warning that this minor release deprecates this version, or an empty text."""
        api_version, kind = self.resource.api_version, self.resource.kind
        own = self.deprecations.get(self.resource.version)
        deprecation = deprecation_of(api_version, kind) or own
        if deprecation is None or deprecation.since > minor:
            return ""
        return deprecation.warning(api_version, kind)

    # ------------------------------------------------------------------ creates and deletes

    def check_create(self, name: str) -> None:
        """Refuse to create an object while its kind is being removed.

        Raises:
            Failure: 403.
        """

    def check_delete(self, name: str) -> None:
        """Refuse to delete an object that has to stay.

        Raises:
            Failure: 403.
        """

    def grace_period(self, obj: dict[str, Any], asked: int | None) -> int | None:
        """Return the seconds that a deleted object has left; None if its kind knows no grace."""
        return None

    def is_emptied_first(self, obj: dict[str, Any]) -> bool:
        """Return whether an object is a namespace whose content has to be deleted before it."""
        return False

    def begin_deletion(self, obj: dict[str, Any], now: datetime) -> bool:
        """Mark an object that a controller of its own deletes. Return whether that was done."""
        return False

    # ------------------------------------------------------------------------------ reads

    def known_fields(self) -> frozenset[str]:
        """Return the fields that field selectors may name, beside name and namespace."""
        return frozenset(self.selectable_fields)

    def field_values(self, obj: dict[str, Any]) -> dict[str, str]:
        """Return the values of those fields; they are empty where an object has none."""
        return {name: read(obj) for name, read in self.selectable_fields.items()}

    def convert(self, obj: dict[str, Any], source: Resource) -> dict[str, Any]:
        """Return an object of another version in this one; `obj` itself does not change."""
        return {**self.from_version(obj, source), "apiVersion": self.resource.api_version}

    def to_version(self, obj: dict[str, Any], api_version: str) -> dict[str, Any]:
        """Return an object of this version in another one."""
        return {**obj, "apiVersion": api_version}

    def from_version(self, obj: dict[str, Any], source: Resource) -> dict[str, Any]:
        """Return the members that an object has here; kinds with `is_converted` override it."""
        return dict(obj)

    # ---------------------------------------------------------------------------- storage

    @property
    def form(self) -> str:
        """The form of stored objects that can be shown as they are.

        It is empty for kinds whose versions have the same members.
        """
        return self.resource.api_version if self.is_converted else ""

    def round_trip(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return what is left of an object when it is stored and read again."""
        return value

    def settled(self, value: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], str]:
        """Return an object as it is read after the write, as it is stored, and the stored form."""
        value = self.round_trip(value)
        return value, *self.to_storage(value)

    def is_outdated(self, form: str) -> bool:
        """Return whether a write of the same stores the object in another version."""
        return False

    def is_converted_by_webhook(self, form: str) -> bool:
        """Return whether a webhook has to convert objects that are stored in a form."""
        return False

    def to_storage(self, value: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """Return an object as it is stored, and its form."""
        return value, self.form

    def from_storage(self, value: dict[str, Any], form: str, find: FindResource) -> dict[str, Any]:
        """Return an object that is stored in another form."""
        group, _, version = form.rpartition("/")
        source = find(group, version, self.resource.plural)
        assert source is not None  # built-in resources do not go away
        return self.convert(value, source)

    def check_conversion(self, form: str) -> None:
        """Refuse to show an object of a form that cannot be converted here.

        Raises:
            Failure: 500.
        """

    # ------------------------------------------------------------------------------ scale

    def to_scale(self, obj: dict[str, Any]) -> dict[str, Any]:
        """Return the Scale of an object."""
        return scale_conversion.to_scale(obj, self.label_selector(obj))

    def label_selector(self, obj: dict[str, Any]) -> dict[str, Any]:
        """Return the selector of the pods that a scalable object counts."""
        return part(part(obj, "spec"), "selector")

    def from_scale(self, obj: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
        """Return the object with the replicas of a Scale; `obj` itself does not change."""
        return scale_conversion.from_scale(obj, value)

    def scale_causes(self, value: dict[str, Any]) -> list[Cause]:
        """List the mistakes in a Scale."""
        return scale_conversion.scale_causes(value)

    def replicas_paths(self) -> dict[str, str | None]:
        """Return the path of the replicas by version; None for versions without a scale."""
        return {self.resource.api_version: ".spec.replicas"}


def _unmasked(prefix: str) -> str:
    """A dash at the end of a prefix is not at the end of the name."""
    return f"{prefix[:-2]}a" if len(prefix) > 1 and prefix.endswith("-") else prefix
