"""Runs the dependents of a controller for one primary object, in their order.

The steps decide what to do for their objects. The workflow decides which steps may work, keeps the
finalizer, and writes the conditions.
"""

# A run uses the clientset's `_client_of_object`.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar, cast

from msgspec import structs

from .._controllers.declared_rights import rights_on
from .._controllers.finalizers import checked_finalizer
from .._controllers.reconcile_loop import Request, Result, checked_result, request_for
from .._controllers.workflow import (
    DependentState,
    WorkflowState,
    all_after,
    checked_name,
    failure,
    in_order,
    summary,
    with_conditions,
)
from .._models.resource_versions import compare_resource_versions
from .._models.unstructured import Object
from ..errors import Conflict, LeadershipLost, NotFound, TerminalError
from ._primitives import awaited, short_lock, uncancelled
from .finalizer import AsyncFinalizer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .._clock import Clock
    from .._controllers.declared_rights import DeclaredRight
    from .._controllers.outcomes import ContextLogger
    from .._http.resource import Resource
    from ._primitives import Function
    from .clientset import AsyncClientsetBase

T = TypeVar("T", bound=Object)

# It is not certain what such a dependent wants, so that nothing of it is deleted.
_UNSURE: Final = frozenset({"Waiting", "Failed", "Refused"})

_MAX_REMEMBERED: Final = 100_000

logger = logging.getLogger("clientgen.runtime.controllers")


class AsyncRunContext(Protocol):
    """The part of a context that a workflow uses."""

    request: Request
    object: Any
    log: ContextLogger
    workflow: WorkflowState

    @property
    def clientset(self) -> AsyncClientsetBase:
        """The clientset."""
        ...


class AsyncStep:
    """A dependent in a workflow.

    Attributes:
        name: The name of the dependent.
        after: The names of the dependents before it.
    """

    def __init__(self, name: str, after: Sequence[str]) -> None:
        self.name = name
        self.after = after

    @property
    def needs_finalizer(self) -> bool:
        """Whether a primary needs the finalizer as soon as it wants something of this step."""
        return False

    def rights(self) -> list[DeclaredRight]:
        """Return the rights that the dependent needs."""
        return []

    async def reconcile(self, run: AsyncRun[Any]) -> DependentState | None:
        """Create and change what is wanted. Returns None if nothing is wanted."""
        raise NotImplementedError

    async def prune(self, run: AsyncRun[Any]) -> DependentState:  # noqa: ARG002 - for subclasses
        """Delete what is left of what was wanted before. Called after all steps have worked."""
        return DependentState(self.name, "NotWanted")

    async def remove(self, run: AsyncRun[Any]) -> DependentState:
        """Delete what there is. The state is `NotWanted` when nothing is left."""
        raise NotImplementedError


class Memory:
    """What a process remembers of one primary object.

    Attributes:
        uid: The uid of the primary.
        applied: Fingerprints of what was applied, by the uid of the object.
        created: The keys of objects that were created, by kind.
        wanted: The keys of all objects that a step has wanted, by step.
        polled: The time, the id and the state of things outside of the cluster, by step.
    """

    def __init__(self, uid: str) -> None:
        self.uid = uid
        self.applied: dict[str, str] = {}
        self.created: set[tuple[object, str]] = set()
        self.wanted: dict[str, set[str]] = {}
        self.polled: dict[str, tuple[float, str, object]] = {}


class AsyncRun(Generic[T]):
    """One run of a workflow.

    Attributes:
        context: The context of the reconciliation.
        primary: The newest known state of the primary.
        memory: What this process remembers of the primary.
        errors: The errors that steps raised.
        states: The states of the steps so far.
        requeue_after: The seconds after which to reconcile again; 0 for never.
        keys: The objects that steps want, to find two steps that want the same.
    """

    def __init__(
        self, workflow: AsyncWorkflow[T], context: AsyncRunContext, primary: T, memory: Memory
    ) -> None:
        self.context = context
        self.primary = primary
        self.memory = memory
        self.errors: list[Exception] = []
        self.states: dict[str, DependentState] = {}
        self.requeue_after = 0.0
        self.keys: dict[tuple[object, str], str] = {}
        self._workflow = workflow

    @property
    def clientset(self) -> AsyncClientsetBase:
        """The clientset of the primary's cluster."""
        return self.context.clientset

    @property
    def uid(self) -> str:
        """The uid of the primary."""
        return self.memory.uid

    async def ensure_finalizer(self) -> None:
        """Add the finalizer before something is made that the garbage collector does not delete.

        Raises:
            PrimaryGone: The primary is being deleted, or is gone.
        """
        if self._workflow.finalizer_name in cast("Any", self.primary).metadata.finalizers:
            return
        primary = await self._workflow.finalizer(self.clientset).ensure(self.primary)
        if primary is None:
            raise PrimaryGone
        self.primary = primary

    async def check_primary(self) -> None:
        """Read the primary from the server, before an object is created again.

        The garbage collector deletes the objects of a primary that is gone. A cache that is behind
        still has the primary, and the objects would be created and deleted without end.

        Raises:
            PrimaryGone: The primary is being deleted, or is gone.
        """
        known: Any = self.primary
        client = await self.clientset._client_of_object(known, None)
        live: Any = await client._get(client._model, known.metadata.name, {}, None)
        if live is None or live.metadata.uid != self.uid or live.metadata.deletion_timestamp:
            raise PrimaryGone

    async def annotate(self, name: str, value: str, *, must_be_newest: bool) -> None:
        """Set an annotation of the primary.

        Raises:
            Conflict: `must_be_newest`, and the primary was changed since it was read.
        """
        metadata: Any = cast("Any", self.primary).metadata
        if metadata.annotations.get(name) == value:
            return
        body: dict[str, Any] = {"uid": metadata.uid, "annotations": {name: value}}
        if must_be_newest:
            body["resourceVersion"] = metadata.resource_version
        self.primary = await self.clientset.patch(cast("Any", self.primary), {"metadata": body})

    def requeue(self, seconds: float) -> None:
        """Reconcile again after this many seconds, or earlier."""
        self.requeue_after = min(self.requeue_after or seconds, seconds)

    async def guard(self, name: str, work: Callable[[AsyncRun[T]], Any]) -> Any:
        """Await the work of a step. An error becomes a state, and other steps go on."""
        try:
            state: Any = await uncancelled(work(self))
        except (LeadershipLost, PrimaryGone):
            raise
        except Exception as error:  # noqa: BLE001 - users' functions may raise anything
            self.errors.append(error)
            state = failure(name, error)
        return state


class PrimaryGone(Exception):  # noqa: N818 - not an error
    """The primary is being deleted, or is gone: there is nothing to do for it any more."""


class AsyncWorkflow(Generic[T]):
    """The dependents of a controller.

    Args:
        controller: The name of the controller.
        resource: The kind of the primaries.
        clock: The clock of the conditions.
        cached: Returns the primary in the cache.
    """

    def __init__(
        self,
        controller: str,
        resource: Resource,
        clock: Clock,
        cached: Callable[[Request], T | None],
    ) -> None:
        self.controller = controller
        self.resource = resource
        self.clock = clock
        self.steps: dict[str, AsyncStep] = {}
        self.handles: dict[type[Any], Any] = {}  # of external dependents, by class
        self.writes_status = False
        self.finalizer_name = f"{resource.group or 'clientgen.dev'}/{controller}"
        self._cached = cached
        self._order: list[str] = []
        self._lock = short_lock()
        self._memories: dict[Request, Memory] = {}
        self._finalizer: AsyncFinalizer[T] | None = None
        # The runs of primaries that are being deleted, for the finalizer, by uid.
        self._ending: dict[str, AsyncRun[T]] = {}

    def add(self, step: AsyncStep) -> None:
        """Add a dependent.

        Raises:
            ValueError: The name is not valid, or another dependent has it.
        """
        checked_name(step.name, self.steps)
        self.steps[step.name] = step

    def check(self) -> None:
        """Check the order of the dependents.

        Raises:
            ValueError: A dependent is after an unknown one, or dependents are in a circle.
                Or the name of the finalizer is not valid.
        """
        self._order = in_order(self._after)
        if self.needs_finalizer:
            checked_finalizer(self.finalizer_name)

    @property
    def _after(self) -> dict[str, Sequence[str]]:
        return {name: step.after for name, step in self.steps.items()}

    @property
    def needs_finalizer(self) -> bool:
        """Whether primaries get the finalizer, as far as the declarations tell."""
        return any(step.needs_finalizer for step in self.steps.values())

    def rights(self, namespaces: Iterable[str | None]) -> list[DeclaredRight]:
        """Return the rights that the dependents need, and those on the primaries."""
        verbs = ["get", "list", "watch", *(["patch"] if self.needs_finalizer else [])]
        found = rights_on(self.resource, verbs, namespaces)
        if self.writes_status:
            found += rights_on(self.resource, ["patch"], namespaces, "status")
        return found + [right for step in self.steps.values() for right in step.rights()]

    def memory(self, request: Request, uid: str) -> Memory:
        """Return what this process remembers of a primary."""
        with self._lock:
            memory = self._memories.get(request)
            if memory is None or memory.uid != uid:
                memory = self._memories[request] = Memory(uid)
            if len(self._memories) > _MAX_REMEMBERED:  # what is forgotten is applied once more
                self._memories.pop(next(iter(self._memories)))
        return memory

    def memory_of(self, primary: T) -> Memory:
        """Return what this process remembers of a primary object."""
        [request] = request_for(primary)
        return self.memory(request, cast("Any", primary).metadata.uid)

    async def work(
        self, context: AsyncRunContext, reconcile: Function[[Any], Result | None]
    ) -> Result | None:
        """Run the dependents, call `reconcile`, and write the conditions.

        If a dependent fails, `reconcile` is not called: it could write that all is well, and that
        write would start the next attempt at once.

        Raises:
            TerminalError: An object belongs to somebody else. Its change or deletion will start the
                next reconciliation.
            Exception: The first error of a dependent, or else that of `reconcile`.
        """
        primary = context.object
        if primary is None:
            with self._lock:
                self._memories.pop(context.request, None)
            return await awaited("reconcile", reconcile(context))
        run = self._run_of(context, primary)
        try:
            await self._run(run)
        except PrimaryGone:
            return None  # the event of the deletion brings the primary again
        context.object = run.primary
        context.workflow = WorkflowState(run.states)
        result = None if run.errors else await self._reconcile(run, reconcile)
        await run.guard("status", self._write_status)
        self._raise_errors(run)
        return _combined(result, run.requeue_after)

    async def _reconcile(
        self, run: AsyncRun[T], reconcile: Function[[Any], Result | None]
    ) -> Result | None:
        try:
            return await uncancelled(awaited("reconcile", reconcile(run.context)))
        except LeadershipLost:
            raise
        except Exception as error:  # noqa: BLE001 - reconcile may raise anything
            run.errors.append(error)
            return None

    def _run_of(self, context: AsyncRunContext, primary: T) -> AsyncRun[T]:
        uid: str = cast("Any", primary).metadata.uid
        return AsyncRun(self, context, primary, self.memory(context.request, uid))

    def finalizer(self, k: AsyncClientsetBase) -> AsyncFinalizer[T]:
        """Return the finalizer of the primaries."""
        if self._finalizer is None:
            self._finalizer = AsyncFinalizer(k, self.finalizer_name, self._clean_up)
        return self._finalizer

    async def _run(self, run: AsyncRun[T]) -> None:
        """Run all steps that may work; or clean up, if the primary is being deleted."""
        metadata: Any = cast("Any", run.primary).metadata
        if metadata.deletion_timestamp is not None:
            if self.finalizer_name in metadata.finalizers:
                await self._finish(run)
            return
        unwanted: list[str] = []
        for name in self._order:
            state = await self._reconcile_step(run, self.steps[name])
            if state is None:
                unwanted.append(name)
            run.states[name] = state or DependentState(name, "NotWanted")
        for name in reversed(self._order):
            if name in unwanted:
                run.states[name] = await self._remove_step(run, name, unwanted)
            elif run.states[name].reason not in _UNSURE:
                removed = await run.guard(name, self.steps[name].prune)
                run.states[name] = summary(name, [run.states[name], removed])

    async def _reconcile_step(self, run: AsyncRun[T], step: AsyncStep) -> DependentState | None:
        waits_for = [each for each in step.after if not run.states[each].is_passed]
        if waits_for:
            return DependentState(step.name, "Waiting", f"it waits for {', '.join(waits_for)}")
        state: DependentState | None = await run.guard(step.name, step.reconcile)
        return state

    async def _remove_step(
        self, run: AsyncRun[T], name: str, unwanted: Sequence[str]
    ) -> DependentState:
        """Delete what a step has made, when those after it that are to go are gone."""
        later = all_after(name, self._after)
        waits_for = [
            each for each in unwanted if each in later and run.states[each].reason != "NotWanted"
        ]
        if waits_for:
            why = f"it waits for the deletion of {', '.join(waits_for)}"
            return DependentState(name, "Deleting", why)
        state: DependentState = await run.guard(name, self.steps[name].remove)
        return state

    # ---- the end of a primary -----------------------------------------------------------------

    async def _finish(self, run: AsyncRun[T]) -> None:
        """Clean up, and remove the finalizer."""
        self._ending[run.uid] = run
        try:
            await run.guard("cleanup", self._release)
        finally:
            self._ending.pop(run.uid, None)

    async def _release(self, run: AsyncRun[T]) -> None:
        await self.finalizer(run.clientset).ensure(run.primary)

    async def _clean_up(self, primary: T) -> bool:
        """Delete backwards what the dependents have made. Returns whether nothing is left."""
        run = self._ending[cast("Any", primary).metadata.uid]
        run.primary = primary
        for name in reversed(self._order):
            run.states[name] = await self._remove_step(run, name, self._order)
        return all(state.reason == "NotWanted" for state in run.states.values())

    # ---- results ------------------------------------------------------------------------------

    async def _write_status(self, run: AsyncRun[T]) -> None:
        """Write the conditions, if they have changed and the primary goes on to exist."""
        is_ending = cast("Any", run.primary).metadata.deletion_timestamp is not None
        state = WorkflowState(run.states)
        if not self.writes_status or (is_ending and state.is_ready):
            return
        old = _newest(run.primary, self._cached(run.context.request))
        changed: Any = with_conditions(old, state, self.clock)
        try:
            await run.clientset.patch_status(cast("Any", old), changed)
        except NotFound:  # it was deleted meanwhile
            logger.debug("%s: %s is gone", self.controller, run.context.request)

    def _raise_errors(self, run: AsyncRun[T]) -> None:
        """Raise the error that says best when to try again, and log the others."""
        errors = sorted(run.errors, key=_rank)
        for error in errors[1:]:
            run.context.log.error("a dependent failed, too: %s", error, exc_info=error)
        if errors:
            raise errors[0]
        refused = [each for each in run.states.values() if each.reason == "Refused"]
        if not refused:
            return
        text = "; ".join(f"{each.name}: {each.message}" for each in refused)
        if not run.requeue_after:
            raise TerminalError(text)
        run.context.log.error("%s", text)  # what is polled needs the next reconciliation


def _newest(known: T, cached: T | None) -> T:
    """Return the newer one of two states of a primary."""
    if cached is None:
        return known
    one, other = cast("Any", known).metadata, cast("Any", cached).metadata
    if other.uid != one.uid:
        return known
    try:
        is_newer = compare_resource_versions(other.resource_version, one.resource_version) > 0
    except ValueError:  # a server whose versions have no order
        return known
    return cached if is_newer else known


def _rank(error: Exception) -> int:
    """Return a number that is lowest for the error that has to be told and tried again."""
    return 2 if isinstance(error, TerminalError) else int(isinstance(error, Conflict))


def _combined(result: Result | None, seconds: float) -> Result | None:
    """Return the result of `reconcile`, with the next poll of external dependents."""
    result = checked_result(result)
    if not seconds or (result is not None and result.requeue and not result.requeue_after):
        return result
    result = result or Result()
    return structs.replace(result, requeue_after=min(result.requeue_after or seconds, seconds))
