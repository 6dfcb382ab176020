"""Applies, compares and deletes the objects of a manifest set, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .._manifests.apply_order import NAMESPACE_KIND
from .._manifests.apply_plan import ObjectKey, defined_resources
from .._manifests.apply_set import PART_OF, ApplySetError, foreign_set
from .._manifests.managed_fields_upgrade import ManagedFieldsUpgrade
from .._manifests.manifest_diff import ObjectDiff
from .._manifests.manifest_documents import ManifestError
from .._manifests.set_answers import (
    is_established,
    is_final,
    is_same,
)
from .._manifests.set_objects import metadata_of, names_in
from .._manifests.set_results import ManifestSetError, ObjectFailure, ObjectOutcome
from .._models.decode_error import DecodeError
from .._models.unstructured import Unstructured
from ..conditions import condition
from ..errors import ClientError, Conflict, DiscoveryFailed, NoResourceMatch, NotFound
from .set_wait import AsyncSetWait, Progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clientgen._gvk import GroupVersionResource

    from .._conditions.checks import Check
    from .._manifests.apply_plan import PlannedObject
    from .._manifests.apply_set import Parent
    from .._manifests.scheme import Scheme
    from .._manifests.set_results import Outcome
    from ._primitives import Function
    from .set_requests import AsyncSetRequests

_DELETING: Final = "it is being deleted"
_ESTABLISHED_SECONDS: Final = 60.0
# How often the fields of an object are taken over that others write meanwhile (kubectl: 5).
_MAX_UPGRADES: Final = 5


class AsyncSetRun:
    """One run through the objects of a set.

    A failed object does not stop the run, as in kubectl. The run ends early only if the server does
    not respond or refuses the credentials.

    Args:
        requests: sends requests.
        replan: plans an object again after a 404; returns None if its resource is unchanged.
        parent: the ApplySet whose label the objects get.
        options: `force`, `field_manager` and `field_validation`.
    """

    def __init__(
        self,
        requests: AsyncSetRequests,
        replan: Function[[PlannedObject, float | None], PlannedObject | None],
        parent: Parent | None,
        options: Mapping[str, Any],
    ) -> None:
        self.requests = requests
        self._plan_again = replan
        self._parent = parent
        self._options = options
        self._definitions: list[tuple[PlannedObject, Unstructured]] = []
        self._moved: dict[ObjectKey, PlannedObject] = {}
        self._answers: dict[ObjectKey, Unstructured] = {}
        self._new: set[ObjectKey] = set()
        self._new_resources: set[GroupVersionResource] = set()
        self.progress = Progress(None)
        """Reports waits for definitions."""
        self.uids: set[str] = set()
        self.outcomes: list[ObjectOutcome] = []
        self.differences: list[ObjectDiff] = []
        self.failures: list[ObjectFailure] = []
        self.is_outdated = False
        """Whether the server has lost or changed one of the kinds since the plan."""
        self.is_over = False
        """Whether the run has ended early."""

    async def each(
        self, planned: Sequence[PlannedObject], work: Function[[PlannedObject], None]
    ) -> None:
        """Call `work` with each object, and collect the failures."""
        for one in planned:
            try:
                await work(one)
            except (ClientError, ManifestError) as error:
                key = self.current([one])[0].key
                self.failures.append(ObjectFailure(one.where, key, error))
                if is_final(error):
                    self.is_over = True
                    return

    def current(self, planned: Iterable[PlannedObject]) -> list[PlannedObject]:
        """Return the objects with the resources that were found during the run."""
        return [self._moved.get(one.key, one) for one in planned]

    async def _replan(self, one: PlannedObject) -> PlannedObject | None:
        """Plan an object again after a 404. Returns None if the resource of its kind is unchanged.

        Raises:
            NoResourceMatch: the server has lost the kind, or its group is unavailable.
            ManifestError: the manifest does not fit the changed kind.
        """
        try:
            moved = await self._plan_again(one, self.requests.deadline)
        except DiscoveryFailed:
            raise
        except (NoResourceMatch, ManifestError):
            self.is_outdated = True
            raise
        if moved is not None:
            self._moved[one.key] = moved
        return moved

    async def _with_replan(self, one: PlannedObject, work: Function[[PlannedObject], None]) -> None:
        """Call `work` with an object, and again if its kind has moved to another resource."""
        try:
            await work(one)
        except NotFound as error:
            try:
                moved = await self._replan(one)
            except (NoResourceMatch, ManifestError) as changed:
                raise changed from error
            if moved is None:
                raise
        else:
            return
        await work(moved)

    def finish(self, what: str, count: int) -> None:
        """Raise an error with all failures, if objects have failed."""
        if self.failures:
            several = f"{len(self.failures)} of {count} objects"
            message = f"{several if count > 1 else 'the object'} could not be {what}"
            message += "; the rest was not tried:" if self.is_over else ":"
            raise ManifestSetError(message, self.failures, self.outcomes)

    # ---- apply --------------------------------------------------------------------------------

    async def apply(self, one: PlannedObject) -> None:
        """Apply an object, and record the outcome."""
        await self._with_replan(one, self._apply_planned)

    async def _apply_planned(self, one: PlannedObject) -> None:
        live = await self.requests.get(one.path, one.key)
        answer, created = await self._apply(one, live)
        if answer is not None and not created:
            answer = await self._take_over(one, live, answer)
        self._record_new(one, created)
        description = _DELETING if metadata_of(live).get("deletionTimestamp") else ""
        self.outcomes.append(
            ObjectOutcome.make(
                self._outcome(live, answer, created),
                one.key,
                one.resource.version,
                where=one.where,
                obj=answer,
                dry_run=self.requests.dry_run,
                note=description,
            )
        )
        if answer is not None:
            self._answers[one.key] = answer
            self.uids.add(str(metadata_of(answer).get("uid")))
            if one.is_definition:
                self._definitions.append((one, answer))

    async def wait_until_established(self, scheme: Scheme) -> None:
        """Wait until the applied definitions are established."""
        pending = [one for one, answer in self._definitions if not is_established(answer)]
        if pending and not self.requests.dry_run:
            wait = AsyncSetWait(
                self.requests.rest,
                scheme,
                condition("Established"),
                None,
                self._establish_timeout(),
                progress=self.progress,
            )
            await wait.each((one.where, one.resource, one.key) for one in pending)
            self.failures += wait.failures

    def _establish_timeout(self) -> float:
        """Return the seconds to wait for definitions."""
        end = self.requests.end
        remaining = _ESTABLISHED_SECONDS if end is None else self.requests.rest.left(end)
        return min(remaining, _ESTABLISHED_SECONDS)

    async def _apply(
        self, one: PlannedObject, live: Unstructured | None
    ) -> tuple[Unstructured | None, bool]:
        """Send an object. In a dry run, its namespace or kind may not exist yet."""
        body = one.body(self._labels(one, live))
        try:
            return await self.requests.apply(one.path, one.key, body, self._options)
        except NotFound:
            if self._is_in_simulated(one):
                return None, True
            raise

    async def _take_over(
        self, one: PlannedObject, live: Unstructured | None, applied: Unstructured
    ) -> Unstructured:
        """Take over the fields of client-side apply, so that dropped fields are removed.

        Returns:
            The answer to a second apply, if there was something to take over; else the answer to
            the first.
        """
        try:
            upgrade = ManagedFieldsUpgrade.of(applied, self._options["field_manager"])
            if upgrade is None:
                return applied
            if self.requests.dry_run:
                result = upgrade.result()
                return await self.requests.simulate_update(one.path, one.key, result, self._options)
            await self._send_upgrade(one, upgrade)
        except ValueError as error:
            raise DecodeError(f"managedFields of {one.key}: {error}") from None
        answer, _ = await self._apply(one, live)
        return answer or applied

    async def _send_upgrade(self, one: PlannedObject, upgrade: ManagedFieldsUpgrade) -> None:
        """Send an upgrade of managedFields, and again if the object has changed meanwhile.

        Raises:
            Conflict: the object changes too often.
        """
        for attempt in range(1, _MAX_UPGRADES + 1):
            try:
                await self.requests.patch(one.path, upgrade.patch)
            except Conflict:
                if attempt == _MAX_UPGRADES:
                    raise
            else:
                return
            current = await self.requests.get(one.path, one.key)
            again = ManagedFieldsUpgrade.of(current or {}, self._options["field_manager"])
            if again is None:
                return
            upgrade = again

    def _labels(self, one: PlannedObject, live: Unstructured | None) -> Mapping[str, str]:
        """Return the labels of membership in an ApplySet.

        Without `prune`, an object stays in its ApplySet: applying a manifest must not remove it.
        """
        current_set = names_in(live, "labels").get(PART_OF)
        if self._parent is None:
            given = names_in(one.source.body(), "labels")
            return {PART_OF: current_set} if current_set and PART_OF not in given else {}
        if foreign_set(live, self._parent):
            raise ApplySetError(
                f"the object belongs to the ApplySet {current_set}; remove its label {PART_OF}"
                " first"
            )
        return self._parent.labels

    def _is_in_simulated(self, one: PlannedObject) -> bool:
        """Return whether this dry run has simulated the creation of the namespace or kind."""
        namespace = ObjectKey(NAMESPACE_KIND, "", one.key.namespace)
        return self.requests.dry_run and (
            namespace in self._new or one.resource.gvr in self._new_resources
        )

    def _record_new(self, one: PlannedObject, created: bool) -> None:
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
        """Return whether a condition is true for the response to the apply."""
        answer = self._answers.get(one.key)
        return answer is not None and condition.check(answer).met

    # ---- compare, delete ----------------------------------------------------------------------

    async def compare(self, one: PlannedObject) -> None:
        """Record how an object differs from the result of an apply."""
        await self._with_replan(one, self._compare_planned)

    async def _compare_planned(self, one: PlannedObject) -> None:
        live = await self.requests.get(one.path, one.key)
        answer, created = await self._apply(one, live)
        self._record_new(one, created)
        if answer is None:
            answer = Unstructured(one.body(self._labels(one, live)))
        elif not created:
            answer = await self._take_over(one, live, answer)
        self.differences.append(ObjectDiff(one.key, one.where, live, answer))

    async def delete(self, one: PlannedObject) -> None:
        """Delete an object, if it exists."""
        if await self._delete_planned(one):
            return
        try:
            moved = await self._replan(one)
        except DiscoveryFailed:
            raise
        except NoResourceMatch:  # the object was deleted with its kind
            return
        if moved is not None:
            await self._delete_planned(moved)

    async def _delete_planned(self, one: PlannedObject) -> bool:
        existed = await self.requests.delete(one.path, self._options)
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
