# Derived from _async/set_prune.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Updates the parent of an ApplySet, and deletes members that the manifests no longer have.

The parent lists all kinds and namespaces of members at any time: of new members before the first
object is applied, and of old members until they are pruned. So if a run is interrupted or cancelled
at any point, the next run still finds all members.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from .._manifests.apply_order import CRD_KIND
from .._manifests.apply_plan import ObjectKey
from .._manifests.apply_set import (
    IS_PARENT_TYPE,
    PART_OF,
    ApplySetError,
    ApplySetScope,
    Member,
    members_to_prune,
    reason_to_keep,
)
from .._manifests.manifest_diff import ObjectDiff
from .._manifests.manifest_documents import ManifestError
from .._manifests.set_answers import is_final, version_of
from .._manifests.set_objects import list_problems, metadata_of, names_in
from .._manifests.set_results import ObjectFailure, ObjectOutcome
from ..errors import ApplyConflict, ClientError, Conflict, DiscoveryFailed, NotFound

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from .._http.resource import Resource
    from .._manifests.apply_plan import PlannedObject
    from .._manifests.apply_set import Parent
    from .._models.unstructured import Unstructured
    from .set_apply import SetRun
    from .set_kinds import KindFinder
    from .set_requests import SetRequests

_log = logging.getLogger("clientgen.manifests")

_DEFINITION_PATH: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
_MAX_ATTEMPTS: Final = 5
_DATA_FIELDS: Final = ("data", "stringData", "binaryData")


class Pruner:
    """The ApplySet of one run.

    Args:
        requests: sends requests.
        finder: finds the resources of kinds.
        parent: the parent object.
    """

    def __init__(self, requests: SetRequests, finder: KindFinder, parent: Parent) -> None:
        self._requests = requests
        self._finder = finder
        self.parent = parent
        self._live: Unstructured | None = None
        self._scope = ApplySetScope()
        self._resources: dict[str, Resource] = {}
        self._unlisted: set[str] = set()
        self.pruned: list[Member] = []
        """The members whose deletion was requested."""

    @property
    def exists(self) -> bool:
        """Whether the parent object exists."""
        return self._live is not None

    @property
    def namespace(self) -> str:
        """The namespace of the parent; empty if it is cluster-scoped."""
        return self.parent.namespace

    def read(self, planned: Sequence[PlannedObject]) -> None:
        """Read the parent, and check that the ApplySet can be used.

        Raises:
            ManifestError: a manifest has the label of an ApplySet, or is the parent.
            ApplySetError: the object is not a parent, or another program's parent; or the group of
                a kind of the set is unavailable.
        """
        self._check(planned)
        parent = self.parent
        if not parent.apply_set.is_builtin:
            self._check_kind()
        self._live = self._requests.get_metadata(parent.path, parent.key)
        self._scope = parent.scope_in(self._live)
        known = {one.resource: None for one in planned}
        try:
            for kind in sorted(self._scope.kinds):
                resource = self._finder.of_group_kind(kind, known, self._requests.deadline)
                if resource is None:
                    _log.info("%s: the server has no kind %s any more", parent.key, kind)
                else:
                    self._resources[kind] = resource
        except DiscoveryFailed as error:
            raise ApplySetError(f"the members of the ApplySet {parent.key}: {error}") from error

    def _check(self, planned: Sequence[PlannedObject]) -> None:
        problems = [
            f"{one.where}: {one.key} has the label {PART_OF}, which only tools set; remove it"
            for one in planned
            if PART_OF in names_in(one.source.body(), "labels")
        ]
        problems += [
            f"{one.where}: {one.key} is the parent of the ApplySet, so it cannot be a member"
            for one in planned
            if one.key == self.parent.key
        ]
        if problems:
            raise ManifestError(list_problems(problems))

    def _check_kind(self) -> None:
        resource = self.parent.resource
        key = ObjectKey(CRD_KIND, "", f"{resource.plural}.{resource.group}")
        definition = self._requests.get_metadata(f"{_DEFINITION_PATH}{key.name}", key)
        if definition is None or IS_PARENT_TYPE not in names_in(definition, "labels"):
            raise ApplySetError(
                f"{resource.kind} cannot be the parent of an ApplySet: a parent is a Secret, a"
                f" ConfigMap, or of a kind whose definition has the label {IS_PARENT_TYPE}"
            )

    # ---- the parent ---------------------------------------------------------------------------

    def cover(self, planned: Sequence[PlannedObject]) -> None:
        """Write the kinds and namespaces of all members, old and new, into the parent."""
        scope = self._scope | ApplySetScope.of(one.key for one in planned)
        created = self._write(scope)
        if self._live is None and not created:
            raise ApplySetError(
                f"another program has just created the parent of the ApplySet, {self.parent.key};"
                " check who owns it, and try again"
            )

    def _write(self, scope: ApplySetScope) -> bool:
        parent = self.parent
        options = {"field_manager": parent.field_manager, "field_validation": "Strict"}
        body = parent.manifest(scope)
        try:
            _, created = self._requests.apply(parent.path, parent.key, body, options)
        except ApplyConflict as conflict:
            # Force, as kubectl does: only the manager of the set may own these fields.
            _log.warning("%s: taking over fields of other field managers: %s", parent.key, conflict)
            forced = {**options, "force": True}
            _, created = self._requests.apply(parent.path, parent.key, body, forced)
        return created

    # ---- members ------------------------------------------------------------------------------

    def to_prune(self, planned: Sequence[PlannedObject], uids: Collection[str]) -> list[Member]:
        """List the members that the manifests no longer have, in the order of deletion."""
        members: list[Member] = []
        for kind, resource in self._resources.items():
            namespaces = sorted(self._scope.namespaces) if resource.namespaced else [""]
            for namespace in namespaces:
                try:
                    members += self._members(resource, namespace)
                except NotFound as error:
                    _log.warning("%s: %s were not listed: %s", self.parent.key, kind, error)
                    self._unlisted.add(kind)
        applied = {one.key for one in planned}
        return members_to_prune(members, self.parent, applied, uids)

    def _members(self, resource: Resource, namespace: str) -> list[Member]:
        selector = f"{PART_OF}={self.parent.id}"
        found: list[Member] = []
        for obj in self._requests.each(resource, namespace, selector):
            member = Member.read(obj, resource, namespace, self.parent.id)
            if member is not None:
                found.append(member)
        return found

    def prune(
        self,
        run: SetRun,
        planned: Sequence[PlannedObject],
        options: Mapping[str, Any],
        *,
        remaining: Sequence[PlannedObject],
    ) -> None:
        """Delete members that are not planned, and remove them from the parent.

        Args:
            run: collects the outcomes and failures.
            planned: the objects of the manifests.
            options: the options of deletions.
            remaining: the objects of the manifests that stay members. Without such objects, the
                parent is deleted, too.
        """
        kept: list[ObjectKey] = []
        for member in self.to_prune(planned, run.uids):
            reason = reason_to_keep(member, self.parent.apply_set)
            try:
                if reason:
                    kept.append(member.key)
                    self._record(run, member, reason)
                elif self._delete(member, options):
                    self.pruned.append(member)
                    self._record(run, member, "")
            except ClientError as error:
                run.failures.append(ObjectFailure("", member.key, error))
                if is_final(error):
                    break
        if not run.failures and not self._requests.dry_run:
            self._shrink_parent(run, [*kept, *(one.key for one in remaining)])

    def _shrink_parent(self, run: SetRun, members: Sequence[ObjectKey]) -> None:
        scope = ApplySetScope.of(members)
        unlisted = self._still_unlisted()
        if unlisted:
            scope |= ApplySetScope(unlisted, self._scope.namespaces)
        uid = metadata_of(self._live).get("uid")
        if scope.kinds or not self.parent.apply_set.is_builtin or not uid:
            self._write(scope)
            if unlisted and not members:
                kinds = ", ".join(sorted(unlisted))
                self._record(run, self.parent, f"the server did not list its members: {kinds}")
        else:
            self._delete_parent(run, uid)

    def _still_unlisted(self) -> frozenset[str]:
        """Return the kinds that could not be listed, except kinds that the server no longer has."""
        if not self._unlisted:
            return frozenset()
        self._finder.forget()
        still: set[str] = set()
        for kind in sorted(self._unlisted):
            try:
                if self._finder.of_group_kind(kind, (), self._requests.deadline) is None:
                    continue
            except DiscoveryFailed as error:
                _log.info("%s: %s", self.parent.key, error)
            still.add(kind)
        return frozenset(still)

    def _delete_parent(self, run: SetRun, uid: str) -> None:
        """Delete the parent, unless it contains data."""
        parent = self.parent
        for _ in range(_MAX_ATTEMPTS):
            live = self._requests.get(parent.path, parent.key)
            if live is None:
                return
            if metadata_of(live).get("uid") != uid:
                self._record(run, parent, "it was replaced by another object")
                return
            if any(live.get(field) for field in _DATA_FIELDS):
                self._write(ApplySetScope())
                self._record(run, parent, "it contains data; delete it yourself")
                return
            try:
                preconditions = {"uid": uid, "resource_version": version_of(live)}
                self._requests.delete(parent.path, preconditions)
            except Conflict:
                continue
            return
        raise ApplySetError(f"{parent.key} keeps changing and was not deleted")

    def _record(self, run: SetRun, member: Member | Parent, reason: str) -> None:
        run.outcomes.append(
            ObjectOutcome.make(
                "kept" if reason else "pruned",
                member.key,
                member.resource.version,
                dry_run=self._requests.dry_run,
                note=reason,
            )
        )

    def _delete(self, member: Member, options: Mapping[str, Any]) -> bool:
        """Delete an object, unless it is no longer a member."""
        version = member.resource_version
        for _ in range(_MAX_ATTEMPTS):
            preconditions = {
                "uid": member.uid,
                **({"resource_version": version} if version else {}),
            }
            try:
                return self._requests.delete(member.path, {**options, **preconditions})
            except Conflict:
                live = self._requests.get_metadata(member.path, member.key)
                is_member = names_in(live, "labels").get(PART_OF) == self.parent.id
                if not is_member or metadata_of(live).get("uid") != member.uid:
                    return False
                version = version_of(live)
        raise ApplySetError(f"{member.key} keeps changing and was not deleted")

    def compare(self, planned: Sequence[PlannedObject]) -> list[ObjectDiff]:
        """Return the differences for members that pruning would delete."""
        differences: list[ObjectDiff] = []
        for member in self.to_prune(planned, ()):
            if not reason_to_keep(member, self.parent.apply_set):
                live = self._requests.get(member.path, member.key)
                differences.append(ObjectDiff(member.key, "", live, None))
        return differences
