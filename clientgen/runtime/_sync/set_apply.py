# Derived from _async/set_apply.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Applies the objects of a manifest set, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .._manifests.apply_order import NAMESPACE_KIND
from .._manifests.apply_plan import ObjectKey, defined_resources
from .._manifests.apply_set import PART_OF, ApplySetError, foreign_set
from .._manifests.manifest_diff import ObjectDiff
from .._manifests.manifest_documents import ManifestError
from .._manifests.set_answers import (
    is_established,
    is_final,
    is_same,
)
from .._manifests.set_objects import metadata_of, names_in
from .._manifests.set_results import ManifestSetError, ObjectFailure, ObjectOutcome
from .._models.unstructured import Unstructured
from ..conditions import condition
from ..errors import ClientError, DiscoveryFailed, NoResourceMatch, NotFound
from .set_wait import Progress, SetWait

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clientgen._gvk import GroupVersionResource

    from .._conditions.checks import Check
    from .._manifests.apply_plan import PlannedObject
    from .._manifests.apply_set import Parent
    from .._manifests.scheme import Scheme
    from .._manifests.set_results import Outcome
    from ._primitives import Function
    from .set_requests import SetRequests

__all__ = ["SetRun"]

_DELETING: Final = "it is being deleted"
_ESTABLISHED_SECONDS: Final = 60.0


class SetRun:
    """One run through the objects of a set.

    An object that fails does not stop the others, as in kubectl; when nobody answers, or the
    credentials are refused, the rest is not tried.

    Args:
        requests: sends requests.
        anew: plans an object anew after a 404; None if its kind is where it was.
        parent: the ApplySet whose label the objects get.
        options: `force`, `field_manager` and `field_validation`.
    """

    def __init__(
        self,
        requests: SetRequests,
        anew: Function[[PlannedObject, float | None], PlannedObject | None],
        parent: Parent | None,
        options: Mapping[str, Any],
    ) -> None:
        self.requests = requests
        self._anew = anew
        self._parent = parent
        self._options = options
        self._definitions: list[tuple[PlannedObject, Unstructured]] = []
        self._moved: dict[ObjectKey, PlannedObject] = {}
        self._answers: dict[ObjectKey, Unstructured] = {}
        self._new: set[ObjectKey] = set()
        self._new_resources: set[GroupVersionResource] = set()
        self.progress = Progress(None)
        """Is told what is waited for."""
        self.uids: set[str] = set()
        self.outcomes: list[ObjectOutcome] = []
        self.differences: list[ObjectDiff] = []
        self.failures: list[ObjectFailure] = []
        self.is_outdated = False
        """Whether the server turned out not to have one of the kinds any more, or another one."""
        self.is_over = False
        """Whether the rest is not worth trying."""

    def each(self, planned: Sequence[PlannedObject], work: Function[[PlannedObject], None]) -> None:
        """Do something with every object."""
        for one in planned:
            try:
                work(one)
            except (ClientError, ManifestError) as error:
                key = self.current([one])[0].key
                self.failures.append(ObjectFailure(one.where, key, error))
                if is_final(error):
                    self.is_over = True
                    return

    def current(self, planned: Iterable[PlannedObject]) -> list[PlannedObject]:
        """Return objects where they turned out to be."""
        return [self._moved.get(one.key, one) for one in planned]

    def _replan(self, one: PlannedObject) -> PlannedObject | None:
        """Plan an object anew after a 404; None if its kind is where it was.

        Raises:
            NoResourceMatch: the server does not have the kind any more, or nobody knows.
            ManifestError: the manifest does not fit the kind as it is now.
        """
        try:
            moved = self._anew(one, self.requests.deadline)
        except DiscoveryFailed:
            raise
        except (NoResourceMatch, ManifestError):
            self.is_outdated = True
            raise
        if moved is not None:
            self._moved[one.key] = moved
        return moved

    def _at_its_place(self, one: PlannedObject, work: Function[[PlannedObject], None]) -> None:
        """Do something with an object, and once more if it is elsewhere than was planned."""
        try:
            work(one)
        except NotFound as error:
            try:
                moved = self._replan(one)
            except (NoResourceMatch, ManifestError) as changed:
                raise changed from error
            if moved is None:
                raise
        else:
            return
        work(moved)

    def finish(self, what: str, count: int) -> None:
        """Raise what has failed, if anything has."""
        if self.failures:
            several = f"{len(self.failures)} of {count} objects"
            message = f"{several if count > 1 else 'the object'} could not be {what}"
            message += "; the rest was not tried:" if self.is_over else ":"
            raise ManifestSetError(message, self.failures, self.outcomes)

    # ---- apply --------------------------------------------------------------------------------

    def apply(self, one: PlannedObject) -> None:
        """Apply an object, and note what became of it."""
        self._at_its_place(one, self._apply_there)

    def _apply_there(self, one: PlannedObject) -> None:
        live = self.requests.get(one.path, one.key)
        answer, created = self._apply(one, live)
        self._note_new(one, created)
        note = _DELETING if metadata_of(live).get("deletionTimestamp") else ""
        self.outcomes.append(
            ObjectOutcome.make(
                self._outcome(live, answer, created),
                one.key,
                one.resource.version,
                where=one.where,
                obj=answer,
                dry_run=self.requests.dry_run,
                note=note,
            )
        )
        if answer is not None:
            self._answers[one.key] = answer
            self.uids.add(str(metadata_of(answer).get("uid")))
            if one.is_definition:
                self._definitions.append((one, answer))

    def established(self, scheme: Scheme) -> None:
        """Wait until objects of the definitions can be created."""
        pending = [one for one, answer in self._definitions if not is_established(answer)]
        if pending and not self.requests.dry_run:
            wait = SetWait(
                self.requests.rest,
                scheme,
                condition("Established"),
                None,
                self._patience(),
                progress=self.progress,
            )
            wait.each((one.where, one.resource, one.key) for one in pending)
            self.failures += wait.failures

    def _patience(self) -> float:
        """The seconds to wait for definitions."""
        end = self.requests.end
        left = _ESTABLISHED_SECONDS if end is None else self.requests.rest.left(end)
        return min(left, _ESTABLISHED_SECONDS)

    def _apply(
        self, one: PlannedObject, live: Unstructured | None
    ) -> tuple[Unstructured | None, bool]:
        """Send an object; in a dry run, what it would be in may not exist yet."""
        body = one.body(self._labels(one, live))
        try:
            return self.requests.apply(one.path, one.key, body, self._options)
        except NotFound:
            if self._is_in_new(one):
                return None, True
            raise

    def _labels(self, one: PlannedObject, live: Unstructured | None) -> Mapping[str, str]:
        """The labels of membership.

        Without an ApplySet an object stays in the set that it is in: an apply of one manifest must
        not take it out.
        """
        own = names_in(live, "labels").get(PART_OF)
        if self._parent is None:
            given = names_in(one.source.body(), "labels")
            return {PART_OF: own} if own and PART_OF not in given else {}
        if foreign_set(live, self._parent):
            raise ApplySetError(
                f"it belongs to another ApplySet, {own}; remove its label {PART_OF} first"
            )
        return self._parent.labels

    def _is_in_new(self, one: PlannedObject) -> bool:
        """Tell whether a dry run would have created the namespace or the kind of an object."""
        namespace = ObjectKey(NAMESPACE_KIND, "", one.key.namespace)
        return self.requests.dry_run and (
            namespace in self._new or one.resource.gvr in self._new_resources
        )

    def _note_new(self, one: PlannedObject, created: bool) -> None:
        if created:
            self._new.add(one.key)
            if one.is_definition:
                defined = defined_resources([one.source]).values()
                self._new_resources |= {resource.gvr for resource in defined}

    @staticmethod
    def _outcome(live: Unstructured | None, answer: Unstructured | None, created: bool) -> Outcome:
        if created or live is None or answer is None:
            return "created"
        return "unchanged" if is_same(live, answer) else "configured"

    def is_true(self, one: PlannedObject, condition: Check[Any]) -> bool:
        """Tell whether a condition is true already, by the answer to the apply."""
        answer = self._answers.get(one.key)
        return answer is not None and condition.check(answer).met

    # ---- the other ways through a set ---------------------------------------------------------

    def compare(self, one: PlannedObject) -> None:
        """Note how an object differs from what an apply would make of it."""
        self._at_its_place(one, self._compare_there)

    def _compare_there(self, one: PlannedObject) -> None:
        live = self.requests.get(one.path, one.key)
        answer, created = self._apply(one, live)
        self._note_new(one, created)
        if answer is None:
            answer = Unstructured(one.body(self._labels(one, live)))
        self.differences.append(ObjectDiff(one.key, one.where, live, answer))

    def delete(self, one: PlannedObject) -> None:
        """Delete an object, if it exists."""
        if self._delete_there(one):
            return
        try:
            moved = self._replan(one)
        except DiscoveryFailed:
            raise
        except NoResourceMatch:  # the object went with its kind
            return
        if moved is not None:
            self._delete_there(moved)

    def _delete_there(self, one: PlannedObject) -> bool:
        existed = self.requests.delete(one.path, self._options)
        if existed:
            self.outcomes.append(
                ObjectOutcome.make(
                    "deleted",
                    one.key,
                    one.resource.version,
                    where=one.where,
                    dry_run=self.requests.dry_run,
                )
            )
        return existed
