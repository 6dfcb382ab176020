"""Dependents: the objects that a controller keeps for each of its primary objects."""

# A dependent uses private parts of its informer.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .._conditions.checks import as_check
from .._conditions.readiness import READY
from .._controllers.apply_differences import apply_differences, fingerprint
from .._controllers.declared_rights import rights_on
from .._controllers.dependent_objects import (
    PRIMARY_INDEX,
    PRIMARY_UID,
    Claim,
    Desired,
    claim_of,
    desired_object,
    is_owned,
    mark_of,
    primary_uids,
    requests_of_mark,
    short_key,
)
from .._controllers.reconcile_loop import Request, owner_mapper
from .._controllers.workflow import DependentState, failure, summary
from .._models.arguments import type_of
from .._models.decoder import to_dict
from .._models.meta_v1 import Status
from .._models.model import Model
from .._models.unstructured import Object, Unstructured
from ..errors import Conflict, LeadershipLost
from ._primitives import result_of, short_lock
from .workflow import AsyncStep, PrimaryGone

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._controllers.declared_rights import DeclaredRight
    from .._http.resource import Resource
    from ._primitives import Callback
    from .informer import AsyncSharedInformer
    from .workflow import AsyncRun, AsyncWorkflow, Memory

M = TypeVar("M", bound=Object)

_LOOK_AGAIN_SECONDS = 60.0


class AsyncWatchedKind:
    """The informer of dependents, and the requests that wait for objects of others.

    Args:
        informer: The informer.
        primary: The kind of the primaries.
    """

    def __init__(self, informer: AsyncSharedInformer[Any], primary: Resource) -> None:
        self.informer = informer
        self.primary = primary
        self._to_owner = owner_mapper(primary)
        self._lock = short_lock()
        self._waiting: dict[str, dict[Request, None]] = {}
        if PRIMARY_INDEX not in informer.indexer.index_names():
            informer.add_index(PRIMARY_INDEX, primary_uids)

    def wait_for(self, key: str, request: Request) -> None:
        """Reconcile a request when the object with this key changes, whoever owns it."""
        with self._lock:
            self._waiting.setdefault(key, {})[request] = None

    def forget(self, key: str, request: Request) -> None:
        """Undo `wait_for`: the object belongs to the primary of the request."""
        with self._lock:
            waiting = self._waiting.get(key, {})
            waiting.pop(request, None)
            if not waiting:
                self._waiting.pop(key, None)

    def requests(self, obj: Any) -> list[Request]:
        """Return the requests for an object: its primary, and those that wait for the object."""
        metadata = obj.metadata
        space = metadata.namespace
        key = f"{space}/{metadata.name}" if space else metadata.name
        found = dict.fromkeys([*self._to_owner(obj), *requests_of_mark(obj, self.primary)])
        with self._lock:
            return [*(found | self._waiting.pop(key, {}))]

    def watches(self, namespace: str) -> bool:
        """Return whether the informer watches a namespace."""
        informer = self.informer
        if not namespace or not informer.resource.namespaced:
            return True
        if informer._live is not None:
            return namespace in informer._live.names
        return not informer.namespaces or namespace in informer.namespaces

    @property
    def namespaces(self) -> Sequence[str | None]:
        """The namespaces that the informer watches; None for all."""
        return namespaces_of(self.informer)


def namespaces_of(informer: AsyncSharedInformer[Any]) -> Sequence[str | None]:
    """Return the namespaces that an informer watches; None for all."""
    if informer._live is not None:
        return [*informer._live.names]
    return informer.namespaces or (None,)


class AsyncObjectsStep(AsyncStep, Generic[M]):
    """The objects of one kind that a dependent keeps."""

    def __init__(
        self,
        name: str,
        after: Sequence[str],
        model: type[M],
        kind: AsyncWatchedKind,
        *,
        controller: str,
        desired: Callback[[Any], object],
        many: bool,
        ready: Callable[[M], object] | None,
        when: Callable[[Any], object] | None,
        delete_when: Callable[[M], object] | None,
        adopt: bool,
        labels: Mapping[str, str],
    ) -> None:
        super().__init__(name, after)
        self.model = model
        self.kind = kind
        self.labels = labels
        self._controller = controller
        self._mark = f"{controller}/{name}"
        self._desired = desired
        self._is_many = many
        self._ready = READY if ready is None else as_check(cast("Callable[[Any], object]", ready))
        self._when = when
        self._delete_when = delete_when
        self._adopts = adopt

    @property
    def needs_finalizer(self) -> bool:
        """Whether the garbage collector cannot delete the objects with their primary."""
        is_unowned = self.kind.primary.namespaced and not self.kind.informer.resource.namespaced
        return is_unowned or self._delete_when is not None

    def rights(self) -> list[DeclaredRight]:
        """Return the rights to watch, apply and delete the objects."""
        verbs = ["list", "watch", "create", "patch", "delete", *(["get"] if self.labels else [])]
        return rights_on(self.kind.informer.resource, verbs, self.kind.namespaces)

    def existing(self, uid: str) -> dict[str, M]:
        """Return the objects of a primary in the cache, by key."""
        found = self.kind.informer.indexer.by_index(PRIMARY_INDEX, uid)
        return {_key(obj): obj for obj in found if mark_of(obj) == self._mark}

    def shown(self, primary: Any, memory: Memory) -> dict[str, M]:
        """Return the objects of a primary for the program, by key.

        Labels do not prove whose an object is: somebody may write them in another namespace. So an
        object that the primary does not own must be one that this step has wanted.
        """
        wanted = memory.wanted.get(self.name)
        found = self.existing(memory.uid).items()
        return {
            key: obj
            for key, obj in found
            if wanted is None or key in wanted or is_owned(obj, primary)
        }

    # ---- what is wanted -----------------------------------------------------------------------

    async def reconcile(self, run: AsyncRun[Any]) -> DependentState | None:
        """Apply what is wanted. Returns None if nothing is wanted."""
        wanted = await self._wanted(run)
        run.memory.wanted.setdefault(self.name, set()).update(wanted)
        if not wanted:
            return None
        if self.needs_finalizer or not all(each.is_collected for each in wanted.values()):
            await run.ensure_finalizer()
        states = [await self._guarded(run, self._apply, each) for each in wanted.values()]
        return summary(self.name, states)

    async def _wanted(self, run: AsyncRun[Any]) -> dict[str, Desired]:
        """Call the functions of the dependent. Returns the wanted objects by key."""
        if self._when is not None and not self._when(run.primary):
            return {}
        run.context.object = run.primary
        returned = await result_of(self._desired, run.context)
        if returned is None:
            return {}
        objects = self._listed(returned) if self._is_many else [returned]
        wanted: dict[str, Desired] = {}
        for value in objects:
            each = desired_object(
                value, self.kind.informer.resource, run.primary, self._mark, self.labels
            )
            self._check_key(run, each.key, wanted)
            wanted[each.key] = each
        return wanted

    def _listed(self, returned: object) -> list[object]:
        what = type_of(returned)
        is_one = isinstance(returned, (Mapping, str, Model))
        if is_one or not isinstance(returned, Iterable):
            raise TypeError(
                f"the dependent {self._mark} has many=True: its function must return a list of"
                f" objects, or yield them, not {what}"
            )
        return [*cast("Iterable[object]", returned)]

    def _check_key(self, run: AsyncRun[Any], key: str, wanted: Mapping[str, object]) -> None:
        resource = self.kind.informer.resource
        if key in wanted:
            raise ValueError(f"the dependent {self._mark} wants two {resource.name} {key}")
        other = run.keys.setdefault(((resource.group, resource.kind), key), self.name)
        if other != self.name:
            raise ValueError(
                f"the dependents {other!r} and {self.name!r} both want the {resource.kind} {key}"
            )
        namespace, slash, _ = key.partition("/")
        if slash and not self.kind.watches(namespace):
            raise ValueError(
                f"the dependent {self._mark} wants the {resource.kind} {key}, and the manager does"
                f" not watch the namespace {namespace!r}: add it to its namespaces"
            )

    async def _guarded(
        self, run: AsyncRun[Any], work: Callable[[AsyncRun[Any], Any], Any], what: object
    ) -> DependentState:
        """Await the work for one object. An error becomes a state, and other objects go on."""
        try:
            state: DependentState = await work(run, what)
        except (LeadershipLost, PrimaryGone):
            raise
        except Exception as error:  # noqa: BLE001 - the server and users' functions may raise
            run.errors.append(error)
            state = failure(self.name, error)
        return state

    async def _apply(self, run: AsyncRun[Any], wanted: Desired) -> DependentState:
        """Apply an object if that may change it. Returns its state."""
        self.kind.wait_for(wanted.key, run.context.request)  # first: it may go at any moment
        live = await self._live(run, wanted)
        claim = Claim("ours") if live is None else claim_of(live, run.primary, self._mark)
        kind = self.kind.informer.resource.kind
        if claim.whose == "leaving":
            return self._state("NotReady", f"{kind} {wanted.key}: {claim.why}")
        if claim.whose == "other" or (claim.whose == "nobody" and not self._adopts):
            hint = "; adopt=True takes it over" if claim.whose == "nobody" else ""
            if self.labels:  # the cache does not show when the object goes
                run.requeue(_LOOK_AGAIN_SECONDS)
            return self._state("Refused", f"{kind} {wanted.key}: {claim.why}{hint}")
        self.kind.forget(wanted.key, run.context.request)
        if live is None or self._differs(run, wanted.manifest, live):
            if live is None:
                await self._check_creation(run, wanted.key)
            live = await self._send(run, wanted.manifest, live)
        verdict = self._ready.check(live)
        if verdict.met:
            return self._state("Ready")
        reason = "Stalled" if verdict.failed else "NotReady"
        return self._state(reason, f"{kind} {wanted.key}: {verdict.why}")

    def _state(self, reason: Any, message: str = "") -> DependentState:
        return DependentState(self.name, reason, message)

    async def _live(self, run: AsyncRun[Any], wanted: Desired) -> M | None:
        """Return the object with the name of the wanted one, whoever owns it."""
        live: M | None = self.kind.informer.indexer.get(wanted.key)
        if live is not None or not self.labels:
            return live
        # The cache has only objects with the labels. Others may have the name.
        metadata = wanted.manifest.metadata
        found: Any = await run.clientset.get(
            cast("Any", self.model),
            metadata.name,
            namespace=metadata.namespace or None,
            default=None,
        )
        return found  # type: ignore[no-any-return]

    def _differs(self, run: AsyncRun[Any], manifest: Unstructured, live: M) -> bool:
        """Return whether an apply may change the object, as far as this process knows."""
        found = apply_differences(manifest, to_dict(live), self._controller, self.model)
        uid: str = cast("Any", live).metadata.uid
        return bool(found) and run.memory.applied.get(uid) != fingerprint(manifest, found)

    async def _check_creation(self, run: AsyncRun[Any], key: str) -> None:
        """Before an object is created again, check that its primary still exists."""
        resource = self.kind.informer.resource
        place = ((resource.group, resource.kind), key)
        if place in run.memory.created:
            await run.check_primary()
        run.memory.created.add(place)

    async def _send(self, run: AsyncRun[Any], manifest: Unstructured, live: M | None) -> M:
        """Apply an object, and remember what the server made of it.

        The apply of a new object is not forced: if an object that the cache does not have yet has
        the name, its fields stay. For an object in the cache, the uid is a precondition.
        """
        body: dict[str, Any] = {**manifest}
        if live is not None:
            uid: str = cast("Any", live).metadata.uid
            body = {**manifest, "metadata": {**manifest["metadata"], "uid": uid}}
        applied: Any = await run.clientset.apply(
            body, field_manager=self._controller, force=live is not None
        )
        seen = to_dict(applied)
        if self.kind.informer._strips_managed_fields:  # compare as with the object in the cache
            seen["metadata"].pop("managedFields", None)
        left = apply_differences(manifest, seen, self._controller, self.model)
        if left:
            run.memory.applied[applied.metadata.uid] = fingerprint(manifest, left)
        else:
            run.memory.applied.pop(applied.metadata.uid, None)
        made: M = applied
        return made

    # ---- deletion -----------------------------------------------------------------------------

    async def prune(self, run: AsyncRun[Any]) -> DependentState:
        """Delete the objects that are no longer wanted, such as those whose name has changed."""
        return await self.remove(run)

    async def remove(self, run: AsyncRun[Any]) -> DependentState:
        """Delete the objects that no dependent wants. The state is `NotWanted` when all are gone.

        An object that now belongs to another dependent stays.
        """
        resource = self.kind.informer.resource
        kind = (resource.group, resource.kind)
        found = self.existing(run.uid).items()
        objects = {key: obj for key, obj in found if (kind, key) not in run.keys}
        if run.primary.metadata.deletion_timestamp is not None:
            objects |= await self._unowned(run)
        states = [await self._guarded(run, self._delete, obj) for obj in objects.values()]
        return summary(self.name, states)

    async def _unowned(self, run: AsyncRun[Any]) -> dict[str, M]:
        """List the objects that have no owner reference from the server: caches may be behind."""
        if not self.kind.primary.namespaced:
            return {}
        found: dict[str, M] = {}
        for namespace in self.kind.namespaces:
            objects = await run.clientset.list(
                cast("Any", self.model),
                namespace=namespace,
                label_selector={PRIMARY_UID: run.uid},
            )
            found |= {_key(obj): cast("M", obj) for obj in objects if mark_of(obj) == self._mark}
        return found

    async def _delete(self, run: AsyncRun[Any], obj: M) -> DependentState:
        """Delete an object, if it may be deleted now."""
        metadata: Any = cast("Any", obj).metadata
        title = f"{self.kind.informer.resource.kind} {_key(obj)}"
        if metadata.deletion_timestamp is not None:
            return self._state("Deleting", f"{title} is being deleted")
        if self._delete_when is not None and not self._delete_when(obj):
            return self._state("Deleting", f"{title} is not to be deleted yet")
        try:
            answer = await run.clientset.delete(
                cast("Any", self.model),
                metadata.name,
                namespace=metadata.namespace or None,
                uid=metadata.uid,
                propagation_policy="Background",
                missing_ok=True,
            )
        except Conflict:  # another object has the name now
            return self._state("NotWanted")
        if isinstance(answer, Status) or answer.metadata.deletion_timestamp is None:
            return self._state("NotWanted")
        return self._state("Deleting", f"{title} is being deleted")


def _key(obj: Any) -> str:
    metadata = obj.metadata
    return f"{metadata.namespace}/{metadata.name}" if metadata.namespace else metadata.name


class AsyncDependent(Generic[M]):
    """A dependent of a controller, which has at most one object for each primary.

    Pass it to `context.secondary`, and to `after` of other dependents.

    Attributes:
        name: The name of the dependent.
    """

    def __init__(self, step: AsyncObjectsStep[M], workflow: AsyncWorkflow[Any]) -> None:
        self._step = step
        self._workflow = workflow
        self.name = step.name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def _secondary(self, primary: Any) -> M | None:
        found = self._step.shown(primary, self._workflow.memory_of(primary))
        return max(found.values(), key=_age, default=None)


def _age(obj: Any) -> tuple[bool, str, str]:
    """Return a key that is highest for the newest object that is not being deleted."""
    metadata = obj.metadata
    return metadata.deletion_timestamp is None, str(metadata.creation_timestamp), metadata.name


class AsyncDependents(Generic[M]):
    """A dependent of a controller, which has any number of objects for each primary.

    Pass it to `context.secondaries`, and to `after` of other dependents.

    Attributes:
        name: The name of the dependent.
    """

    def __init__(self, step: AsyncObjectsStep[M], workflow: AsyncWorkflow[Any]) -> None:
        self._step = step
        self._workflow = workflow
        self.name = step.name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def _secondaries(self, primary: Any) -> dict[str, M]:
        found = self._step.shown(primary, self._workflow.memory_of(primary))
        return {short_key(obj, primary): obj for obj in found.values()}
