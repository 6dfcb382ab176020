"""Updates and patches: from what a client sent to what is stored.

A write goes the same way whatever asked for it: the body is cleaned and defaulted, ownership of its
fields is noted, the kind's own rules prepare it, it is validated, and unless it changes nothing it
is stored under the next version.

Facts: docs/internals/kubernetes-semantics.md, 1.4 and 1.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    Failure,
    bad_request,
    conflict,
    invalid,
    not_found,
    unclassified,
)

from .. import access, apply
from ..requests.request_bodies import complain, drop_repeated_owners, mismatch, object_of
from ..requests.request_options import write_options
from ..storage.store import key_of
from .create import Creation, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from clientgen._apimachinery.decoding import Parsed

    from ..patches.patch_types import Patch
    from ..requests.request_info import RequestInfo
    from ..responses.answers import Answer
    from ..responses.rendering import Rendering
    from ..storage.cluster_state import ClusterState
    from ..storage.store import Record

_MODIFIED: Final = (
    "the object has been modified; please apply your changes to the latest version and try again"
)


def update(cluster: ClusterState, info: RequestInfo, rendering: Rendering) -> Answer:
    """PUT to an object or its status."""
    options = write_options(info.request, "UpdateOptions")
    body = object_of(info.request, info.strategy.codec, cluster.spec.schemas)
    complain(info.request, body.problems, options.validation, info.resource)
    outcome = Update(cluster, info, options).update(body.value)
    return rendering.value(outcome.value, 201 if outcome.created else 200)


class Update(Creation):
    """One write to one object."""

    def current(self) -> Record | None:
        """Return the stored object that the request names, if there is one."""
        return self.collection.records.get(key_of(self.info.namespace, self.info.name))

    def _missing(self) -> Failure:
        return not_found(self.resource.group, self.resource.plural, self.info.name)

    def update(self, value: dict[str, Any]) -> Outcome:
        """Replace an object by what the client sent."""
        value = self.view.titled(value)
        metadata = value["metadata"]
        self.check_target(metadata)
        record = self.current()
        if record is None:
            return self._create_on_update(value)
        self.check_uid(record, metadata)
        return self.replace(record, value)

    def _create_on_update(self, value: dict[str, Any]) -> Outcome:
        if not self.strategy.allow_create_on_update or self.info.subresource:
            raise self._missing()
        self.check_uid(None, value["metadata"])
        value["metadata"].pop("resourceVersion", None)
        self._may_create()
        return self.create(value)

    def check_target(self, metadata: dict[str, Any]) -> None:
        """Refuse an object with another name or namespace than in the URL.

        Raises:
            Failure: 400.
        """
        name = metadata.get("name", "")
        if not name:
            raise bad_request(
                "the name of the object (based on URL) was undeterminable: name must be provided"
            )
        if name != self.info.name:
            raise mismatch("name", name, self.info.name)
        self._place(metadata)

    def check_uid(self, record: Record | None, metadata: dict[str, Any]) -> None:
        """Refuse an object with another uid than the stored one.

        Raises:
            Failure: 409.
        """
        uid, stored = metadata.get("uid"), record.uid if record else ""
        if uid and uid != stored:
            resource, info = self.resource, self.info
            why = (
                "StorageError: invalid object, Code: 4, Key: "
                f"/registry/{resource.plural}/{key_of(info.namespace, info.name)}, "
                "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: "
                f"{uid}, UID in object meta: {stored}"
            )
            raise conflict(resource.group, resource.plural, info.name, why)

    def patch(self, change: Patch, parsed: Parsed) -> Outcome:
        """Change an object as a patch says."""
        record = self.current()
        if record is None:
            raise self._missing()
        result = change.of(self.view.value(record))
        refuse = change.undecodable(result)
        value, unknown = self._patched(result, refuse)
        self.complain(parsed.complaints(unknown), refuse)
        drop_repeated_owners(self.info.request, value["metadata"])
        self.check_target(value["metadata"])
        return self.replace(record, value)

    def complain(self, problems: list[str], refuse: Callable[[str], Failure]) -> None:
        """Refuse the result of a patch for its problems, or warn of them, as the client wants."""
        if self.options.validation == "Strict" and problems:
            raise refuse(f"strict decoding error: {', '.join(problems)}")
        complain(self.info.request, problems, self.options.validation)

    def _patched(
        self, result: Any, refuse: Callable[[str], Failure]
    ) -> tuple[dict[str, Any], list[str]]:
        """Return the result of a patch without unknown fields, and the names of these."""
        if not isinstance(result, dict):
            raise refuse(f"json: cannot unmarshal {result!r} into Go value")
        value: dict[str, Any] = {**result}
        resource = self.resource
        versioned = bool(value.get("apiVersion"))
        self.strategy.codec.check_patched_kind(value, self.info.name)
        if (value.get("kind"), value.get("apiVersion")) != (resource.kind, resource.api_version):
            raise refuse(
                f"{resource.kind} in version {resource.version} cannot become another kind"
            )
        if not versioned:
            # Real servers decode it into a type that has no fields, so that it has no name either.
            return {"metadata": {}}, sorted(value.keys() - {"kind", "apiVersion"})
        return self.strategy.codec.clean(value, self.cluster.spec.schemas, refuse)

    # ---------------------------------------------------------------- what all updates do

    def _conflict(self, record: Record) -> Failure:
        resource = self.resource
        return conflict(resource.group, resource.plural, record.name, _MODIFIED)

    def replace(
        self,
        record: Record,
        value: dict[str, Any],
        *,
        owned: bool = False,
    ) -> Outcome:
        """Put an object in place of a stored one, if it may be.

        `owned` means that its managedFields are settled, and that its defaults are filled in.
        """
        old = self.view.value(record)
        if not owned:
            self.strategy.default(value)
            self._own(old, value)
        value = self._admitted(value, old)
        self._check_version(record, value["metadata"])
        self._carry_over(old, value)
        access.check_grants(self.resource, value, old, self.caller, self.cluster)
        self.strategy.before_update(value, old, self.info.subresource, self.cluster)
        self._validate(value, old)
        self._check_admission(value, old)
        return self.store(record, old, value)

    def _check_version(self, record: Record, metadata: dict[str, Any]) -> None:
        version = metadata.get("resourceVersion") or "0"
        if not version.isdecimal():
            raise unclassified(f'strconv.ParseUint: parsing "{version}": invalid syntax')
        if version not in ("0", str(record.version)):
            raise self._conflict(record)
        if version == "0" and not self.strategy.allow_unconditional_update:
            raise self._unversioned()

    def _unversioned(self) -> Failure:
        cause = Cause(
            "FieldValueInvalid",
            "Invalid value: 0: must be specified for an update",
            "metadata.resourceVersion",
        )
        resource = self.resource
        return invalid(resource.group, resource.plural, self.info.name, [cause])

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

        Facts: k8s.io/apiserver, etcd3 `GuaranteedUpdate` compares what is stored, so an object
        that is stored in another version is written anew.

        An object that only waited for its finalizers to be removed is deleted instead.
        """
        metadata = value["metadata"]
        leaves = bool(metadata.get("deletionTimestamp")) and not metadata.get("finalizers")
        if (
            leaves
            and not metadata.get("deletionGracePeriodSeconds")
            and not self.strategy.is_emptied_first(value)
        ):
            if not self.options.dry_run:
                self.collection.remove(record.key)
            return Outcome(value)
        if apply.same_but_times(old, value):
            if not self.strategy.is_outdated(record.form):
                return Outcome(old)
            value = old
        version = value["metadata"].get("resourceVersion")
        value, stored, form = self.strategy.settled(value)
        if self.options.dry_run:
            value["metadata"]["resourceVersion"] = version
        else:
            self._put(value, stored, form)
        return Outcome(value)
