# Derived from _async/manifest_set.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Manifest sets: objects that are applied, compared and deleted as kubectl does with files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._conditions.checks import as_check
from .._http.path_segments import check_segment
from .._manifests.apply_order import deletion_order
from .._manifests.apply_plan import plan
from .._manifests.apply_set import ApplySetError, Parent, check_prune
from .._manifests.defined_schemas import schema_problems
from .._manifests.helm_hooks import check_helm_hooks, is_wanted
from .._manifests.manifest_diff import ManifestDiff
from .._manifests.manifest_documents import ManifestError
from .._manifests.set_objects import load_objects
from .._manifests.set_results import ManifestSetError, SetResult
from .._models.argument_errors import public_attributes
from ..conditions import deleted, ready
from ..errors import DiscoveryFailed, NoResourceMatch
from .set_apply import SetRun
from .set_kinds import KindFinder
from .set_prune import Pruner
from .set_requests import SetRequests
from .set_wait import Progress, SetWait

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from clientgen._gvk import GroupVersionKind

    from .._http.call_options import FieldValidation, PropagationPolicy
    from .._http.resource import Resource
    from .._manifests.apply_plan import ObjectKey, PlannedObject
    from .._manifests.apply_set import ApplySet
    from .._manifests.scheme import Scheme
    from .._manifests.set_objects import ManifestSource, SetObject
    from .._manifests.set_results import ObjectOutcome
    from .._models.model import Model
    from .._models.unstructured import Unstructured
    from ._primitives import Function
    from .rest import Rest


def _places(planned: Iterable[PlannedObject]) -> list[tuple[str, Resource, ObjectKey]]:
    return [(one.where, one.resource, one.key) for one in planned]


def checked_manager(field_manager: str | None) -> str | None:
    """Check a field manager, and return it.

    Raises:
        ValueError: the field manager is empty.
    """
    if field_manager is not None and not field_manager.strip():
        raise ValueError(f"field_manager must be a name, not {field_manager!r}")
    return field_manager


class ManifestSet:
    """Objects of any kinds that are applied, compared and deleted together.

    Clientsets create it: `k.manifests(Path("deploy"))`. No request is sent if a manifest is wrong.

    Iterating yields the objects: instances of the registered classes, and `Unstructured` for other
    kinds. Manifests are sent as they are written. If you change an object, the changed object is
    sent.

    Args:
        rest: the client of the server.
        scheme: the classes of kinds.
        sources: text, files, folders and objects.
        namespace: the namespace that all objects must be in, and the default for objects without a
            namespace. By default, such objects get the namespace of the client.
        strict: refuse unknown fields and missing required fields.
        field_manager: the owner of the fields in `apply` and `diff`; by default the program's
            name.
        helm_hooks: the events whose hooks are in the set; by default all.

    Raises:
        ManifestError: manifests are wrong; the message has a line for each problem.
        TypeError: a source is of a wrong type.
        ValueError: the namespace or an event is not valid, or the field manager is empty.
    """

    def __init__(
        self,
        rest: Rest,
        scheme: Scheme,
        *sources: ManifestSource,
        namespace: str | None = None,
        strict: bool = True,
        field_manager: str | None = None,
        helm_hooks: Collection[str] | None = None,
    ) -> None:
        if namespace is not None:
            check_segment("namespace", namespace)
            if not namespace.strip():
                raise ValueError(f"namespace must be a name, not {namespace!r}")
        self._rest = rest
        self._scheme = scheme
        self._namespace = namespace
        self._default = rest.namespace
        self._strict = strict
        events = check_helm_hooks(helm_hooks)
        loaded = load_objects(scheme, sources, strict=strict)
        self._objects = [each for each in loaded if is_wanted(each, events)]
        self._finder = KindFinder(rest, scheme, self._objects)
        self._field_manager = checked_manager(field_manager) or rest.field_manager

    def __iter__(self) -> Iterator[Model | Unstructured]:
        return (each.obj for each in self._objects)

    def __len__(self) -> int:
        return len(self._objects)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} objects>"

    def __dir__(self) -> list[str]:
        """List the public attributes."""
        return public_attributes(self)

    # ---- apply --------------------------------------------------------------------------------

    def apply(
        self,
        *,
        prune: ApplySet | None = None,
        wait: float | None = None,
        force: bool = False,
        dry_run: bool | None = None,
        field_manager: str | None = None,
        field_validation: FieldValidation | None = None,
        propagation_policy: PropagationPolicy = "Background",
        timeout: float | None = None,  # noqa: ASYNC109 - requests have a deadline
        on_progress: Callable[[str], object] | None = None,
    ) -> SetResult:
        """Apply all objects by server-side apply, in an order that servers accept.

        Namespaces and CustomResourceDefinitions are applied first, webhooks and APIServices last.
        After new definitions, `apply` waits until the definitions are established. On cancellation,
        the objects applied so far stay.

        Args:
            prune: delete the objects of this ApplySet that are no longer in the manifests. If an
                object could not be applied, no object is deleted.
            wait: the seconds to wait afterwards until all objects are `ready`.
            force: take over fields that other field managers own.
            dry_run: let the server simulate the requests without storing anything; the default of
                the client, or else False.
            field_manager: the owner of the fields, also for later calls of `diff` unless this is a
                dry run; by default the field manager of the set.
            field_validation: how the server treats unknown fields; the default of the client, or
                else `Strict`.
            propagation_policy: how the dependents of pruned objects are treated.
            timeout: the seconds that the whole call may take; by default the client's timeout
                limits each request.
            on_progress: called with the state of the awaited object whenever it has changed. The
                logger `clientgen.manifests` logs the same at INFO.

        Returns:
            The outcome of each object; as text, lines such as `deployment.apps/web created`.

        Raises:
            ManifestError: a manifest is wrong, or of a kind that the server does not have; or a
                custom object violates its definition in the set. No request was sent.
            ApplySetError: the ApplySet cannot be used. No request was sent.
            TypeError: `prune` is not an ApplySet.
            ManifestSetError: objects failed, or are not ready in time. All other objects were
                tried, unless the connection or the credentials failed.
        """
        check_prune(prune)
        dry_run = self._is_dry_run(dry_run)
        field_validation = self._field_validation(field_validation)
        requests = SetRequests(self._rest, timeout, dry_run=dry_run)
        planned = self._plan(requests, problems=self._schema_problems(field_validation))
        if not planned:
            raise ManifestError("the manifests contain no object to apply")
        pruner = self._pruner(prune, requests, planned)
        manager = checked_manager(field_manager) or self._field_manager
        run = self._new_run(requests, pruner, force, manager, field_validation)
        run.progress = Progress(on_progress)
        self._apply(run, planned, pruner)
        if run.outcomes and not dry_run:  # this manager owns fields now, so `diff` must use it
            self._field_manager = manager
        self._check_kinds(run)
        run.finish("applied", len(planned))
        planned = run.current(planned)
        if pruner is not None:
            options = {"propagation_policy": propagation_policy}
            pruner.prune(run, planned, options, remaining=planned)
            run.finish("pruned", len(planned))
        if wait is not None and not dry_run:
            pending = _places(one for one in planned if not run.is_true(one, ready))
            self._wait(pending, ready, None, wait, run.outcomes, progress=run.progress)
        return SetResult(run.outcomes)

    def _is_dry_run(self, dry_run: bool | None) -> bool:
        return bool(self._rest.write_defaults.get("dry_run") if dry_run is None else dry_run)

    def _field_validation(self, given: FieldValidation | None) -> FieldValidation:
        default: FieldValidation = self._rest.write_defaults.get("field_validation", "Strict")
        return given or default

    def _new_run(
        self,
        requests: SetRequests,
        pruner: Pruner | None,
        force: bool,
        field_manager: str,
        field_validation: FieldValidation,
    ) -> SetRun:
        options = {
            "force": force,
            "field_manager": field_manager,
            "field_validation": field_validation,
        }
        parent = None if pruner is None else pruner.parent
        return SetRun(requests, self._replan, parent, options)

    def _apply(self, run: SetRun, planned: Sequence[PlannedObject], pruner: Pruner | None) -> None:
        first = [one for one in planned if one.is_namespace or one.is_definition]
        others = [one for one in planned if not (one.is_namespace or one.is_definition)]
        if pruner is not None:
            first = self._cover(run, planned, first, pruner)
        run.each(first, run.apply)
        if any(one.is_definition for one in first):
            run.wait_until_established(self._scheme)
            self._finder.forget()
        if not run.is_over:
            run.each(others, run.apply)

    def _cover(
        self,
        run: SetRun,
        planned: Sequence[PlannedObject],
        first: list[PlannedObject],
        pruner: Pruner,
    ) -> list[PlannedObject]:
        """Write the parent of the ApplySet before all other objects.

        Only the namespace of the parent is written earlier.
        """
        parent_namespace = [
            one for one in first if one.is_namespace and one.key.name == pruner.namespace
        ]
        if parent_namespace and not pruner.exists:
            run.each(parent_namespace, run.apply)
            run.finish("applied", len(planned))
            first = [one for one in first if one not in parent_namespace]
            if run.requests.dry_run:
                return first
        pruner.cover(planned)
        return first

    # ---- diff, delete -------------------------------------------------------------------------

    def diff(
        self,
        *,
        prune: ApplySet | None = None,
        force: bool = False,
        field_manager: str | None = None,
        field_validation: FieldValidation | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - requests have a deadline
    ) -> ManifestDiff:
        """Compare the objects of the cluster with the result that `apply` would have.

        The server does a dry run of the apply. The values of Secrets are not shown.

        Args:
            prune: also show the objects that `apply` with this ApplySet would delete.
            force: take over fields that other field managers own.
            field_manager: the owner of the fields; by default the field manager of the last
                `apply`, or of the set.
            field_validation: how the server treats unknown fields; the default of the client, or
                else `Strict`.
            timeout: the seconds that the whole call may take; by default the client's timeout
                limits each request.

        Returns:
            The differences: true if the set differs; as text, the output of `kubectl diff`.

        Raises:
            ManifestError, ApplySetError, ManifestSetError: as `apply`.
        """
        check_prune(prune)
        field_validation = self._field_validation(field_validation)
        requests = SetRequests(self._rest, timeout, dry_run=True)
        planned = self._plan(requests, problems=self._schema_problems(field_validation))
        pruner = self._pruner(prune, requests, planned)
        manager = checked_manager(field_manager) or self._field_manager
        run = self._new_run(requests, pruner, force, manager, field_validation)
        run.each(planned, run.compare)
        self._check_kinds(run)
        run.finish("compared", len(planned))
        planned = run.current(planned)
        pruned = [] if pruner is None else pruner.compare(planned)
        return ManifestDiff([*run.differences, *pruned])

    def delete(
        self,
        *,
        prune: ApplySet | None = None,
        wait: float | None = None,
        dry_run: bool | None = None,
        grace_period_seconds: int | None = None,
        propagation_policy: PropagationPolicy = "Background",
        timeout: float | None = None,  # noqa: ASYNC109 - requests have a deadline
        on_progress: Callable[[str], object] | None = None,
    ) -> SetResult:
        """Delete all objects, in the reverse order of `apply`. Missing objects are skipped.

        Args:
            prune: also delete all other objects of this ApplySet, and then its parent.
            wait: the seconds to wait afterwards until all objects are gone.
            dry_run: let the server simulate the requests without deleting anything; the default of
                the client, or else False.
            grace_period_seconds: the seconds that objects have to terminate.
            propagation_policy: how the dependents of the objects are treated.
            timeout: the seconds that the whole call may take; by default the client's timeout
                limits each request.
            on_progress: called with the state of the awaited object, as in `apply`.

        Returns:
            The objects that were deleted.

        Raises:
            ManifestError, ApplySetError, ManifestSetError: as `apply`.
        """
        check_prune(prune)
        dry_run = self._is_dry_run(dry_run)
        requests = SetRequests(self._rest, timeout, dry_run=dry_run)
        planned = self._plan(requests, for_deletion=True)
        pruner = self._pruner(prune, requests, planned)
        options: dict[str, Any] = {"propagation_policy": propagation_policy}
        if grace_period_seconds is not None:
            options["grace_period_seconds"] = grace_period_seconds
        run = SetRun(requests, self._replan, None, options)
        order = deletion_order(planned, lambda one: one.key.group_kind)
        run.each(order, run.delete)
        run.finish("deleted", len(planned))
        planned, order = run.current(planned), run.current(order)
        if pruner is not None and pruner.exists:
            pruner.prune(run, planned, options, remaining=())
            run.finish("pruned", len(planned))
        if wait is not None and not dry_run:
            deleted_keys = {each.key for each in run.outcomes}
            deleting = _places(one for one in order if one.key in deleted_keys)
            pruned = () if pruner is None else pruner.pruned
            deleting += [("", member.resource, member.key) for member in pruned]
            progress = Progress(on_progress)
            self._wait(deleting, deleted, None, wait, run.outcomes, progress=progress)
        return SetResult(run.outcomes)

    # ---- wait ---------------------------------------------------------------------------------

    def wait(
        self,
        until: Callable[[Any], object] = ready,
        *,
        fail: Callable[[Any], object] | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the client's clock measures it
        on_progress: Callable[[str], object] | None = None,
    ) -> None:
        """Wait until a condition is true for all objects, one after another.

        Args:
            until: a condition of `clientgen.runtime.conditions`, or any function of the object.
            fail: a condition that ends the wait when it is true for any of the objects.
            timeout: the seconds after which the wait fails. None for no limit.
            on_progress: called with the state of the awaited object, as in `apply`.

        Raises:
            ManifestError: a manifest is wrong.
            ManifestSetError: the condition is not true for some objects in time, or cannot become
                true any more.
        """
        requests = SetRequests(self._rest, None)
        # Objects of a kind that the server does not have count as deleted.
        planned = self._plan(requests, for_deletion=until is deleted)
        progress = Progress(on_progress)
        places = _places(planned)
        find_again = self._object_finder(planned, until)
        self._wait(places, until, fail, timeout, (), progress=progress, find_again=find_again)

    def _wait(
        self,
        objects: Sequence[tuple[str, Resource, ObjectKey]],
        until: Callable[[Any], object],
        fail: Callable[[Any], object] | None,
        timeout: float | None,  # noqa: ASYNC109 - the client's clock measures it
        outcomes: Sequence[ObjectOutcome],
        *,
        progress: Progress,
        find_again: (
            Function[[ObjectKey, float | None], tuple[Resource, ObjectKey] | None] | None
        ) = None,
    ) -> None:
        wait = SetWait(
            self._rest, self._scheme, until, fail, timeout, progress=progress, find_again=find_again
        )
        wait.each(objects)
        if wait.failures:
            # `objects` includes pruned members of an ApplySet, which are in no manifest.
            total = max(len(self._objects), len(objects))
            count = f"{len(wait.failures)} of {total} objects"
            what = f"{as_check(until)!r} is not true for {count}:"
            raise ManifestSetError(what, wait.failures, outcomes)

    # ---- shared ------------------------------------------------------------------------------

    def _schema_problems(self, field_validation: FieldValidation) -> list[str]:
        """Validate the custom objects whose definitions are in the set."""
        is_strict = self._strict and field_validation == "Strict"
        return schema_problems(self._objects, strict=is_strict)

    def _plan(
        self,
        requests: SetRequests,
        *,
        for_deletion: bool = False,
        problems: Sequence[str] = (),
    ) -> list[PlannedObject]:
        resources, unknown = self._finder.of_objects(requests.deadline)
        objects = self._objects
        if for_deletion:  # if the server does not have a kind, it has no objects to delete
            deleted_keys = {
                gvk for gvk, why in unknown.items() if not isinstance(why, DiscoveryFailed)
            }
            objects = [each for each in objects if each.gvk not in deleted_keys]
        reasons = {gvk: str(why) for gvk, why in unknown.items()}
        return self._placed(objects, resources, reasons, problems)

    def _placed(
        self,
        objects: Iterable[SetObject],
        resources: Mapping[GroupVersionKind, Resource],
        reasons: Mapping[GroupVersionKind, str],
        problems: Sequence[str] = (),
    ) -> list[PlannedObject]:
        return plan(
            objects,
            resources,
            reasons,
            namespace=self._namespace,
            default_namespace=self._default,
            problems=problems,
        )

    def _replan(self, one: PlannedObject, deadline: float | None) -> PlannedObject | None:
        """Plan an object again after a 404. Returns None if the resource of its kind is unchanged.

        Raises:
            NoResourceMatch: the server has lost the kind, or its group is unavailable.
            ManifestError: the manifest does not fit the changed kind.
        """
        resource = self._finder.changed_resource(one.resource, deadline)
        if resource is None:
            return None
        return self._placed([one.source], {resource.gvk: resource}, {})[0]

    def _object_finder(
        self, planned: Sequence[PlannedObject], until: Callable[[Any], object]
    ) -> Function[[ObjectKey, float | None], tuple[Resource, ObjectKey] | None]:
        """Return a function that plans an object again if the server does not know its resource."""
        by_key = {one.key: one for one in planned}

        def find_again(key: ObjectKey, deadline: float | None) -> tuple[Resource, ObjectKey] | None:
            one = by_key.get(key)
            try:
                moved = None if one is None else self._replan(one, deadline)
            except DiscoveryFailed:
                raise
            except NoResourceMatch:
                if until is deleted:  # the object was deleted with its kind
                    return None
                raise
            return None if moved is None else (moved.resource, moved.key)

        return find_again

    def _check_kinds(self, run: SetRun) -> None:
        """Raise the error of a plan if the server has lost a kind in a dry run."""
        if run.is_outdated and run.requests.dry_run:
            self._plan(run.requests)

    def _pruner(
        self,
        apply_set: ApplySet | None,
        requests: SetRequests,
        planned: Sequence[PlannedObject],
    ) -> Pruner | None:
        if apply_set is None:
            return None
        known = {one.resource: None for one in planned}
        resource = self._finder.of_group_kind(apply_set.kind, known, requests.deadline)
        if resource is None:
            raise ApplySetError(
                f"the server has no kind {apply_set.kind}, the parent of the ApplySet"
            )
        if not resource.namespaced and apply_set.namespace:
            raise ApplySetError(f"{resource.plural} are cluster-scoped; leave out the namespace")
        namespace = apply_set.namespace or self._namespace or self._default
        parent = Parent(apply_set, resource, namespace if resource.namespaced else "")
        pruner = Pruner(requests, self._finder, parent)
        pruner.read(planned)
        return pruner
