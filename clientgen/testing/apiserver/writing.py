"""Create, update, patch and apply: from what a client sent to what is stored (fact sheet 1.4, 1.5).

A write goes the same way whatever asked for it: the body is cleaned and defaulted, ownership of its
fields is noted, the kind's own rules prepare it, it is validated, and unless it changes nothing it
is stored under the next version.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from . import access, apply, builtin, strategic
from .apply import Writer
from .bodies import cleaned, complain, drop_repeated_owners, mismatch, object_of
from .failures import (
    Cause,
    Failure,
    already_exists,
    bad_request,
    conflict,
    invalid,
    not_found,
    unclassified,
    unsupported_media_type,
)
from .options import WriteOptions, write_options
from .parts import part
from .patching import (
    APPLY,
    JSON_PATCH,
    MERGE_PATCH,
    json_patch,
    merge_patch,
    patch_types,
    read_patch,
    undecodable,
)
from .registry import storage_of
from .rules import rules_of
from .store import key_of
from .views import View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .answers import Answer
    from .cluster import Cluster
    from .decoding import Parsed
    from .rendering import Rendering
    from .resources import Resource
    from .routing import Call, Target
    from .store import Record

__all__ = ["Change", "Outcome", "Writing", "create", "patch", "patch_type", "update"]

_ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX: Final = 5
_MAX_BASE: Final = 58
_GENERATED_TRIES: Final = 8
_MODIFIED: Final = (
    "the object has been modified; please apply your changes to the latest version and try again"
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a write came to: the object as it is now, and whether it is a new one."""

    value: dict[str, Any]
    created: bool = False


# ------------------------------------------------------------------------------- verbs


def create(cluster: Cluster, call: Call, target: Target, rendering: Rendering) -> Answer:
    """POST to a collection."""
    options = write_options(call.query, "CreateOptions", call.user_agent)
    body = object_of(call, target.resource, cluster.spec.schemas)
    complain(call, body.problems, options.validation, target.resource)
    writing = Writing(cluster, target, options, call)
    outcome = writing.create(body.value)
    return rendering.value(outcome.value, 201)


def update(cluster: Cluster, call: Call, target: Target, rendering: Rendering) -> Answer:
    """PUT to an object or its status."""
    options = write_options(call.query, "UpdateOptions", call.user_agent)
    body = object_of(call, target.resource, cluster.spec.schemas)
    complain(call, body.problems, options.validation, target.resource)
    outcome = Writing(cluster, target, options, call).update(body.value)
    return rendering.value(outcome.value, 201 if outcome.created else 200)


def patch(cluster: Cluster, call: Call, target: Target, rendering: Rendering) -> Answer:
    """PATCH of an object or its status, in any of the four ways."""
    media = patch_type(call, target.resource)
    applying = media == APPLY
    options = write_options(call.query, "PatchOptions", call.user_agent, apply=applying)
    writing = Writing(cluster, target, options, call)
    custom = target.resource.custom is not None
    parsed = read_patch(call.body, media, checked=options.validation != "Ignore", custom=custom)
    if applying:
        complain(call, parsed.duplicates, options.validation)
        outcome = writing.apply(parsed.value)
    else:
        change = Change(media, parsed.value, target.resource)
        outcome = writing.patch(change, parsed)
    return rendering.value(outcome.value, 201 if outcome.created else 200)


def patch_type(call: Call, resource: Resource) -> str:
    """The kind of patch a request brings.

    Raises:
        Failure: 415, for a content type that is none.
    """
    media = call.headers.get("content-type", "").partition(";")[0].strip().lower()
    known = patch_types(custom=resource.custom is not None)
    if media not in known:
        raise unsupported_media_type(
            "the body of the request was in an unknown format - accepted media types include: "
            + ", ".join(known)
        )
    return media


@dataclass(frozen=True, slots=True)
class Change:
    """A patch other than an apply: its type and what it says."""

    media: str
    change: Any
    resource: Resource

    def of(self, value: dict[str, Any]) -> Any:
        """An object as the patch makes it."""
        if self.media == JSON_PATCH:
            return json_patch(value, self.change)
        if self.media == MERGE_PATCH:
            return merge_patch(value, self.change)
        result = strategic.strategic_merge(value, self.change, self.resource.schema)
        # The type of the object stays, whatever the patch makes of its name.
        return {**result, "kind": value["kind"], "apiVersion": value["apiVersion"]}

    def undecodable(self, result: Any) -> Callable[[str], Failure]:
        """What makes the 422 of a result that is no such object."""
        if self.media in (JSON_PATCH, MERGE_PATCH):
            return undecodable(result)
        return strategic.undecodable(self.change)


# ---------------------------------------------------------------------------- the way


def _check_unversioned(metadata: dict[str, Any]) -> None:
    """Refuse to create what says to be stored already; a version that is no number says nothing.

    Raises:
        Failure: 500.
    """
    version: str = metadata.pop("resourceVersion", None) or "0"
    if re.fullmatch("0*[1-9][0-9]*", version):
        raise unclassified("resourceVersion should not be set on objects to be created")


class Writing:
    """One write to one object."""

    def __init__(self, cluster: Cluster, target: Target, options: WriteOptions, call: Call) -> None:
        self.cluster = cluster
        self.target = target
        self.options = options
        self.call = call
        self.caller = call.caller
        self.resource = target.resource
        self.view = View(target.resource, cluster.registry)
        self.collection = cluster.store.collection(storage_of(target.resource))
        self.rules = rules_of(target.resource, cluster)
        self._is_status = target.subresource == "status"

    # --------------------------------------------------------------------------- create

    def create(self, value: dict[str, Any]) -> Outcome:
        """Store an object that is not there yet."""
        value = self.view.titled(value)
        metadata = value["metadata"]
        self._place(metadata)
        self.cluster.check_namespace(self.resource, self.target.namespace, metadata)
        self.cluster.check_definition(self.resource, metadata)
        self.rules.default(value)
        self._own(None, value)
        return self._create(value)

    def _create(self, value: dict[str, Any]) -> Outcome:
        metadata = value["metadata"]
        for name in ("deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"):
            metadata.pop(name, None)
        generates = bool(metadata.get("generateName")) and not metadata.get("name")
        if generates:
            self._generate_name(metadata)
        metadata.setdefault("name", "")
        metadata["uid"] = str(UUID(int=self.cluster.random.getrandbits(128), version=4))
        metadata["creationTimestamp"] = self.cluster.timestamp()
        access.check_grants(self.resource, value, None, self.caller, self.cluster)
        self.rules.prepare_create(value)
        access.sign_request(self.resource, value, self.caller)
        self._validate(value, None)
        if self.options.dry_run:
            self._check_free(metadata, generates=generates)
            return Outcome(value, created=True)
        _check_unversioned(metadata)
        self._check_free(metadata, generates=generates)
        self.collection.put(value, self.view.form)
        return Outcome(value, created=True)

    def _place(self, metadata: dict[str, Any]) -> None:
        if not self.resource.namespaced:
            metadata.pop("namespace", None)
            return
        if metadata.setdefault("namespace", self.target.namespace) != self.target.namespace:
            raise bad_request(
                "the namespace of the provided object does not match the namespace sent on the "
                "request"
            )

    def _generate_name(self, metadata: dict[str, Any]) -> None:
        base = metadata["generateName"][:_MAX_BASE]
        for _ in range(_GENERATED_TRIES):
            suffix = "".join(self.cluster.random.choices(_ALPHABET, k=_SUFFIX))
            metadata["name"] = base + suffix
            if self._key(metadata) not in self.collection.records:
                return

    def _check_free(self, metadata: dict[str, Any], *, generates: bool) -> None:
        if self._key(metadata) in self.collection.records:
            resource = self.resource
            again = 1 if generates else None
            raise already_exists(
                resource.group, resource.plural, metadata["name"], retry_after=again
            )

    def _key(self, metadata: dict[str, Any]) -> str:
        return key_of(metadata.get("namespace", ""), metadata["name"])

    # --------------------------------------------------------------------------- update

    def current(self) -> Record | None:
        """What is stored under the target's name."""
        return self.collection.records.get(key_of(self.target.namespace, self.target.name))

    def _missing(self) -> Failure:
        return not_found(self.resource.group, self.resource.plural, self.target.name)

    def update(self, value: dict[str, Any]) -> Outcome:
        """Replace an object by what the client sent."""
        value = self.view.titled(value)
        metadata = value["metadata"]
        self.check_target(metadata)
        record = self.current()
        if record is None:
            return self._create_on_update(value)
        self.check_uid(record, metadata)
        return self.replace(record, value, needs_version=True)

    def _create_on_update(self, value: dict[str, Any]) -> Outcome:
        where = (self.resource.group, self.resource.plural)
        if where not in builtin.CREATES_ON_UPDATE or self.target.subresource:
            raise self._missing()
        self.check_uid(None, value["metadata"])
        value["metadata"].pop("resourceVersion", None)
        return self.create(value)

    def check_target(self, metadata: dict[str, Any]) -> None:
        """Refuse an object that says to be another than the URL names.

        Raises:
            Failure: 400.
        """
        name = metadata.get("name", "")
        if not name:
            raise bad_request(
                "the name of the object (based on URL) was undeterminable: name must be provided"
            )
        if name != self.target.name:
            raise mismatch("name", name, self.target.name)
        self._place(metadata)

    def check_uid(self, record: Record | None, metadata: dict[str, Any]) -> None:
        """Refuse an object that says to have another uid than the stored one.

        Raises:
            Failure: 409.
        """
        uid, stored = metadata.get("uid"), record.uid if record else ""
        if uid and uid != stored:
            resource, target = self.resource, self.target
            why = (
                "StorageError: invalid object, Code: 4, Key: "
                f"/registry/{resource.plural}/{key_of(target.namespace, target.name)}, "
                "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: "
                f"{uid}, UID in object meta: {stored}"
            )
            raise conflict(resource.group, resource.plural, target.name, why)

    def patch(self, change: Change, parsed: Parsed) -> Outcome:
        """Change an object as a patch says."""
        record = self.current()
        if record is None:
            raise self._missing()
        result = change.of(self.view.value(record))
        refuse = change.undecodable(result)
        value, unknown = self._patched(result, refuse)
        self.complain(parsed.complaints(unknown), refuse)
        drop_repeated_owners(self.call, value["metadata"])
        self.check_target(value["metadata"])
        return self.replace(record, value)

    def complain(self, problems: list[str], refuse: Callable[[str], Failure]) -> None:
        """Refuse what a patch has made for its problems, or warn of them, as the client wants."""
        if self.options.validation == "Strict" and problems:
            raise refuse(f"strict decoding error: {', '.join(problems)}")
        complain(self.call, problems, self.options.validation)

    def _patched(
        self, result: Any, refuse: Callable[[str], Failure]
    ) -> tuple[dict[str, Any], list[str]]:
        """The object a patch has made, without what its type does not have, and what that was."""
        if not isinstance(result, dict):
            raise refuse(f"json: cannot unmarshal {result!r} into Go value")
        value: dict[str, Any] = {**result}
        resource = self.resource
        versioned = bool(value.get("apiVersion"))
        if resource.custom is None:
            value["kind"] = value.get("kind") or resource.kind
            value["apiVersion"] = value.get("apiVersion") or resource.api_version
        if (value.get("kind"), value.get("apiVersion")) != (resource.kind, resource.api_version):
            raise refuse(
                f"{resource.kind} in version {resource.version} cannot become another kind"
            )
        if not versioned:
            # Real servers decode it into a type that has no fields, so that it has no name either.
            return {"metadata": {}}, sorted(value.keys() - {"kind", "apiVersion"})
        return cleaned(value, resource, self.cluster.spec.schemas, refuse)

    def apply(self, config: dict[str, Any]) -> Outcome:
        """Server-side apply: create the object, or merge into it what is applied."""
        self._check_applied(config)
        record = self.current()
        metadata = config["metadata"]
        if record is None:
            return self._create_applied(config)
        live = self.view.value(record)
        version = metadata.get("resourceVersion")
        if version and version != live["metadata"]["resourceVersion"]:
            raise self._conflict(record)
        value = self.merged(live, config)
        return self.replace(record, value, owned=True)

    def _check_applied(self, config: dict[str, Any]) -> None:
        kind = config.get("kind")
        if kind and kind != self.resource.kind:
            raise bad_request(f"invalid object type: {config.get('apiVersion')}, Kind={kind}")
        metadata = part(config, "metadata")
        if not isinstance(metadata, dict):
            raise bad_request(f"json: cannot unmarshal metadata: {metadata!r} is no object")
        if self.current() is not None:
            metadata.setdefault("name", self.target.name)
        self.check_target(metadata)
        config["metadata"] = metadata

    def _create_applied(self, config: dict[str, Any]) -> Outcome:
        metadata = config["metadata"]
        if self.target.subresource:
            raise self._missing()
        metadata.pop("resourceVersion", None)
        self.cluster.check_namespace(self.resource, self.target.namespace, metadata)
        self.cluster.check_definition(self.resource, metadata)
        uid = metadata.get("uid")
        if uid:
            why = (
                f"uid mismatch: the provided object specified uid {uid}, and no existing object "
                "was found"
            )
            resource = self.resource
            raise conflict(resource.group, resource.plural, self.target.name, why)
        value = self.merged(None, config)
        return self._create(value)

    def merged(self, live: dict[str, Any] | None, config: dict[str, Any]) -> dict[str, Any]:
        """What an object becomes when a configuration is applied to it."""
        value = apply.applied(
            live,
            config,
            self._writer(),
            self._schema_of,
            force=self.options.force,
            ignored=self._ignored(),
        )
        value, _ = cleaned(self.view.titled(value), self.resource, self.cluster.spec.schemas)
        self.rules.default(value)
        return value

    # ---------------------------------------------------------------- what all updates do

    def _conflict(self, record: Record) -> Failure:
        resource = self.resource
        return conflict(resource.group, resource.plural, record.name, _MODIFIED)

    def replace(
        self,
        record: Record,
        value: dict[str, Any],
        *,
        needs_version: bool = False,
        owned: bool = False,
    ) -> Outcome:
        """Put an object in place of a stored one, if it may be.

        `owned` means that its managedFields are settled, and that its defaults are filled in.
        """
        old = self.view.value(record)
        self._check_version(record, value["metadata"], needed=needs_version)
        self._carry_over(old, value)
        if not owned:
            self.rules.default(value)
            self._own(old, value)
        access.check_grants(self.resource, value, old, self.caller, self.cluster)
        self.rules.prepare_update(value, old, self.target.subresource)
        self._validate(value, old)
        return self.store(record, old, value)

    def _check_version(self, record: Record, metadata: dict[str, Any], *, needed: bool) -> None:
        version = metadata.get("resourceVersion") or "0"
        if not version.isdecimal():
            raise unclassified(f'strconv.ParseUint: parsing "{version}": invalid syntax')
        if version not in ("0", str(record.version)):
            raise self._conflict(record)
        if needed and version == "0" and self._needs_version():
            cause = Cause(
                "FieldValueInvalid",
                "Invalid value: 0: must be specified for an update",
                "metadata.resourceVersion",
            )
            resource = self.resource
            raise invalid(resource.group, resource.plural, record.name, [cause])

    def _needs_version(self) -> bool:
        where = (self.resource.group, self.resource.plural)
        return self.resource.custom is not None or where in builtin.NEEDS_VERSION_ON_UPDATE

    def _carry_over(self, old: dict[str, Any], value: dict[str, Any]) -> None:
        was, is_ = old["metadata"], value["metadata"]
        is_.pop("selfLink", None)
        is_["resourceVersion"] = was["resourceVersion"]
        is_["creationTimestamp"] = was["creationTimestamp"]
        for name in ("uid", "deletionTimestamp", "deletionGracePeriodSeconds"):
            if name in was and (is_.get(name) is None or name == "deletionTimestamp"):
                is_[name] = was[name]
        is_.pop("generation", None)
        if "generation" in was:
            is_["generation"] = was["generation"]

    def store(self, record: Record, old: dict[str, Any], value: dict[str, Any]) -> Outcome:
        """Store an object in place of its old self, unless nothing changes.

        One that was only waiting for its finalizers to go is removed instead.
        """
        metadata = value["metadata"]
        leaves = bool(metadata.get("deletionTimestamp")) and not metadata.get("finalizers")
        if leaves and not metadata.get("deletionGracePeriodSeconds") and not self._drains(value):
            if not self.options.dry_run:
                self.collection.remove(record.key)
            return Outcome(value)
        if apply.same_but_times(old, value):
            return Outcome(old)
        if not self.options.dry_run:
            self.collection.put(value, self.view.form)
        return Outcome(value)

    def _drains(self, value: dict[str, Any]) -> bool:
        is_namespace = self.resource.group_resource == "namespaces"
        return is_namespace and bool(part(value, "spec").get("finalizers"))

    # -------------------------------------------------------------------------- the rest

    def _validate(self, value: dict[str, Any], old: dict[str, Any] | None) -> None:
        resource, part = self.resource, self.target.subresource
        causes = list(builtin.metadata_causes(resource, value, old, part))
        causes += self.rules.validate(value, old, part)
        if causes:
            name = value["metadata"].get("name", "")
            raise invalid(resource.group, resource.kind, name, causes)
        self.call.warnings.extend(self.rules.warnings(value, old))

    def _writer(self) -> Writer:
        return Writer(
            manager=self.options.manager,
            api_version=self.resource.api_version,
            subresource=self.target.subresource,
            now=self.cluster.now(),
        )

    def _schema_of(self, api_version: str) -> Any:
        return self.cluster.registry.schema_of(self.resource, api_version)

    def _own(self, old: dict[str, Any] | None, value: dict[str, Any]) -> None:
        apply.updated(old, value, self._writer(), self._schema_of, self._ignored())

    def _ignored(self) -> Iterable[tuple[str, ...]]:
        return apply.reset_fields(self.resource, self.target.subresource)
