# Derived from _async/manifest_set.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Manifest sets: what `kubectl apply`, `diff` and `delete` do with files, for any objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._conditions.checks import as_check
from .._http.path_segments import check_segment
from .._manifests.apply_order import deletion_order
from .._manifests.apply_plan import plan
from .._manifests.apply_set import ApplySetError, Parent, check_prune
from .._manifests.defined_schemas import schema_problems
from .._manifests.manifest_diff import ManifestDiff
from .._manifests.manifest_documents import ManifestError
from .._manifests.set_objects import load_objects
from .._manifests.set_results import ManifestSetError, SetResult
from ..conditions import deleted, ready
from ..errors import DiscoveryFailed, NoResourceMatch
from .set_apply import SetRun
from .set_kinds import KindFinder
from .set_prune import Pruner
from .set_requests import SetRequests
from .set_wait import Progress, SetWait

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

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

__all__ = ["ManifestSet"]


def _places(planned: Iterable[PlannedObject]) -> list[tuple[str, Resource, ObjectKey]]:
    return [(one.where, one.resource, one.key) for one in planned]


def checked_manager(field_manager: str | None) -> str | None:
    """See to it that a field manager is one, if it is given.

    Raises:
        ValueError: it is empty.
    """
    if field_manager is not None and not field_manager.strip():
        raise ValueError(f"field_manager must be a name, not {field_manager!r}")
    return field_manager


class ManifestSet:
    """Objects of any kinds that are applied, compared and deleted together.

    Clientsets make it: `k.manifests(Path("deploy"))`. Nothing is sent if a manifest is wrong.

    Iterating gives the objects: instances of the registered classes, and `Unstructured` for other
    kinds. What manifests say is sent as it is written. An object that you change is sent changed.

    Args:
        rest: the client of the server.
        scheme: the classes of kinds.
        sources: text, files, folders and objects.
        namespace: the namespace that all objects must be in. Objects that name none get it;
            without it, they get the namespace of the client.
        strict: refuse fields that a class does not know and required ones that are missing.
        field_manager: the owner of the fields in `apply` and `diff`; by default the program's
            name.

    Raises:
        ManifestError: manifests are wrong; the message has a line for each problem.
        TypeError: a source is of a wrong type.
        ValueError: the namespace is empty or no name, or the field manager is empty.
    """

    def __init__(
        self,
        rest: Rest,
        scheme: Scheme,
        *sources: ManifestSource,
        namespace: str | None = None,
        strict: bool = True,
        field_manager: str | None = None,
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
        self._objects = load_objects(scheme, sources, strict=strict)
        self._finder = KindFinder(rest, scheme, self._objects)
        self._field_manager = checked_manager(field_manager) or rest.field_manager

    def __iter__(self) -> Iterator[Model | Unstructured]:
        return (each.obj for each in self._objects)

    def __len__(self) -> int:
        return len(self._objects)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} objects>"

    # ---- apply --------------------------------------------------------------------------------

    def apply(
        self,
        *,
        prune: ApplySet | None = None,
        wait: float | None = None,
        force: bool = False,
        dry_run: bool = False,
        field_manager: str | None = None,
        field_validation: FieldValidation = "Strict",
        propagation_policy: PropagationPolicy = "Background",
        timeout: float | None = None,  # noqa: ASYNC109 - requests have a deadline
        on_progress: Callable[[str], object] | None = None,
    ) -> SetResult:
        """Apply all objects by server-side apply, in an order that servers accept.

        Namespaces and CustomResourceDefinitions come first, webhooks and APIServices last.
        Definitions are waited for until their objects can be created.

        Args:
            prune: delete the objects of this ApplySet that are no longer in the manifests. Nothing
                is deleted if an object could not be applied.
            wait: afterwards wait so many seconds until all objects are `ready`.
            force: take over fields that other field managers own.
            dry_run: let the server say what would happen, and store nothing.
            field_manager: the owner of the fields, and then also for `diff`, unless this is a dry
                run; by default that of the set.
            field_validation: what the server does with unknown fields.
            propagation_policy: what becomes of the dependents of pruned objects.
            timeout: the seconds that all of this may take; without it, the client's timeout limits
                each request.
            on_progress: is called with what is waited for, and with its state in words whenever
                that has changed. The logger `clientgen.manifests` tells the same at INFO.

        Returns:
            What became of each object; as text, lines such as `deployment.apps/web created`.

        Raises:
            ManifestError: a manifest is wrong, or of a kind that the server does not have; or a
                custom object is wrong by its definition in the set. Nothing was sent.
            ApplySetError: the ApplySet cannot be used. Nothing was sent.
            TypeError: `prune` is no ApplySet.
            ManifestSetError: objects failed, or are not ready in time. All others were tried,
                unless the connection or the credentials failed.
        """
        check_prune(prune)
        requests = SetRequests(self._rest, timeout, dry_run=dry_run)
        planned = self._plan(requests, problems=self._schema_problems(field_validation))
        if not planned:
            raise ManifestError("there is no object to apply in these manifests")
        pruner = self._pruner(prune, requests, planned)
        manager = checked_manager(field_manager) or self._field_manager
        run = self._run(requests, pruner, force, manager, field_validation)
        run.progress = Progress(on_progress)
        self._apply(run, planned, pruner)
        if run.outcomes and not dry_run:  # now it owns fields
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

    def _run(
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
        return SetRun(requests, self._anew, parent, options)

    def _apply(self, run: SetRun, planned: Sequence[PlannedObject], pruner: Pruner | None) -> None:
        first = [one for one in planned if one.is_namespace or one.is_definition]
        others = [one for one in planned if not (one.is_namespace or one.is_definition)]
        if pruner is not None:
            first = self._cover(run, planned, first, pruner)
        run.each(first, run.apply)
        if any(one.is_definition for one in first):
            run.established(self._scheme)
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
        """Write the parent before anything else, except the namespace that it is in."""
        home = [one for one in first if one.is_namespace and one.key.name == pruner.namespace]
        if home and not pruner.exists:
            run.each(home, run.apply)
            run.finish("applied", len(planned))
            first = [one for one in first if one not in home]
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
        field_validation: FieldValidation = "Strict",
        timeout: float | None = None,  # noqa: ASYNC109 - requests have a deadline
    ) -> ManifestDiff:
        """Compare the objects of the cluster with what `apply` would make of them.

        The server does a dry run of the apply. The values of Secrets are not shown.

        Args:
            prune: also show the objects that `apply` with this ApplySet would delete.
            force: compare as if fields of other field managers were taken over.
            field_manager: the owner of the fields; by default that of the last `apply` of this
                set, or that of the set.
            field_validation: what the server does with unknown fields.
            timeout: the seconds that all of this may take; without it, the client's timeout limits
                each request.

        Returns:
            The differences: true if there are any, as text what `kubectl diff` prints.

        Raises:
            ManifestError, ApplySetError, ManifestSetError: as `apply`.
        """
        check_prune(prune)
        requests = SetRequests(self._rest, timeout, dry_run=True)
        planned = self._plan(requests, problems=self._schema_problems(field_validation))
        pruner = self._pruner(prune, requests, planned)
        manager = checked_manager(field_manager) or self._field_manager
        run = self._run(requests, pruner, force, manager, field_validation)
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
        dry_run: bool = False,
        grace_period_seconds: int | None = None,
        propagation_policy: PropagationPolicy = "Background",
        timeout: float | None = None,  # noqa: ASYNC109 - requests have a deadline
        on_progress: Callable[[str], object] | None = None,
    ) -> SetResult:
        """Delete all objects, in the reverse order of `apply`. Missing ones are passed over.

        Args:
            prune: also delete all other objects of this ApplySet, and then its parent.
            wait: afterwards wait so many seconds until all of them are gone.
            dry_run: let the server say what would happen, and delete nothing.
            grace_period_seconds: how long objects may take to stop.
            propagation_policy: what becomes of the dependents of the objects.
            timeout: the seconds that all of this may take; without it, the client's timeout limits
                each request.
            on_progress: is told what is waited for, as by `apply`.

        Returns:
            The objects that were deleted.

        Raises:
            ManifestError, ApplySetError, ManifestSetError: as `apply`.
        """
        check_prune(prune)
        requests = SetRequests(self._rest, timeout, dry_run=dry_run)
        planned = self._plan(requests, for_deletion=True)
        pruner = self._pruner(prune, requests, planned)
        options: dict[str, Any] = {"propagation_policy": propagation_policy}
        if grace_period_seconds is not None:
            options["grace_period_seconds"] = grace_period_seconds
        run = SetRun(requests, self._anew, None, options)
        order = deletion_order(planned, lambda one: one.key.group_kind)
        run.each(order, run.delete)
        run.finish("deleted", len(planned))
        planned, order = run.current(planned), run.current(order)
        if pruner is not None and pruner.exists:
            pruner.prune(run, planned, options, remaining=())
            run.finish("pruned", len(planned))
        if wait is not None and not dry_run:
            gone = {each.key for each in run.outcomes}
            going = _places(one for one in order if one.key in gone)
            pruned = () if pruner is None else pruner.pruned
            going += [("", member.resource, member.key) for member in pruned]
            tell = Progress(on_progress)
            self._wait(going, deleted, None, wait, run.outcomes, progress=tell)
        return SetResult(run.outcomes)

    # ---- wait ---------------------------------------------------------------------------------

    def wait(
        self,
        until: Callable[[Any], object] = ready,
        *,
        fail: Callable[[Any], object] | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - one of the client's clock
        on_progress: Callable[[str], object] | None = None,
    ) -> None:
        """Wait until something is true for all objects, one after the other.

        Args:
            until: a condition of `clientgen.runtime.conditions`, or any function of the object.
            fail: ends the wait when it is true for one of the objects.
            timeout: the seconds after which the wait fails. None for no limit.
            on_progress: is told what is waited for, as by `apply`.

        Raises:
            ManifestError: a manifest is wrong.
            ManifestSetError: it is not true for some objects, or cannot become true any more.
        """
        requests = SetRequests(self._rest, None)
        # Objects of a kind that the server does not have are deleted.
        planned = self._plan(requests, for_deletion=until is deleted)
        progress = Progress(on_progress)
        places = _places(planned)
        anew = self._places_anew(planned, until)
        self._wait(places, until, fail, timeout, (), progress=progress, anew=anew)

    def _wait(
        self,
        objects: Sequence[tuple[str, Resource, ObjectKey]],
        until: Callable[[Any], object],
        fail: Callable[[Any], object] | None,
        timeout: float | None,  # noqa: ASYNC109 - one of the client's clock
        outcomes: Sequence[ObjectOutcome],
        *,
        progress: Progress,
        anew: Function[[ObjectKey, float | None], tuple[Resource, ObjectKey] | None] | None = None,
    ) -> None:
        wait = SetWait(self._rest, self._scheme, until, fail, timeout, progress=progress, anew=anew)
        wait.each(objects)
        if wait.failures:
            # All of them were looked at, also members of an ApplySet that no manifest has.
            total = max(len(self._objects), len(objects))
            count = f"{len(wait.failures)} of {total} objects"
            what = f"{count} are not as waited for ({as_check(until)!r}):"
            raise ManifestSetError(what, wait.failures, outcomes)

    # ---- what all have in common --------------------------------------------------------------

    def _schema_problems(self, field_validation: FieldValidation) -> list[str]:
        """Say what is wrong in custom objects whose definitions are in the set."""
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
        if for_deletion:  # of a kind that the server does not have there is nothing to delete
            gone = {gvk for gvk, why in unknown.items() if not isinstance(why, DiscoveryFailed)}
            objects = [each for each in objects if each.gvk not in gone]
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

    def _anew(self, one: PlannedObject, deadline: float | None) -> PlannedObject | None:
        """Plan an object anew after a 404; None if its kind is where it was.

        Raises:
            NoResourceMatch: the server does not have the kind any more, or nobody knows.
            ManifestError: the manifest does not fit the kind as it is now.
        """
        resource = self._finder.moved(one.resource, deadline)
        if resource is None:
            return None
        return self._placed([one.source], {resource.gvk: resource}, {})[0]

    def _places_anew(
        self, planned: Sequence[PlannedObject], until: Callable[[Any], object]
    ) -> Function[[ObjectKey, float | None], tuple[Resource, ObjectKey] | None]:
        """Return what says where an object is if the server does not know its resource."""
        by_key = {one.key: one for one in planned}

        def anew(key: ObjectKey, deadline: float | None) -> tuple[Resource, ObjectKey] | None:
            one = by_key.get(key)
            try:
                moved = None if one is None else self._anew(one, deadline)
            except DiscoveryFailed:
                raise
            except NoResourceMatch:
                if until is deleted:  # it went with its kind
                    return None
                raise
            return None if moved is None else (moved.resource, moved.key)

        return anew

    def _check_kinds(self, run: SetRun) -> None:
        """Say as a plan does that the server has lost a kind, if nothing was sent."""
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
            raise ApplySetError(f"the server has no kind {apply_set.kind} for an ApplySet")
        if not resource.namespaced and apply_set.namespace:
            raise ApplySetError(f"{resource.plural} are cluster-scoped: leave out the namespace")
        namespace = apply_set.namespace or self._namespace or self._default
        parent = Parent(apply_set, resource, namespace if resource.namespaced else "")
        pruner = Pruner(requests, self._finder, parent)
        pruner.read(planned)
        return pruner
