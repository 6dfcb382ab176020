"""External dependents: things outside of the cluster that a controller keeps for its primaries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .._conditions.checks import as_check
from .._controllers.external_state import ExternalState, annotation_of, checked_id, read_state
from .._controllers.workflow import DependentState
from .._models.unstructured import Object
from ._primitives import awaited
from .workflow import AsyncStep

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._clock import Clock
    from .workflow import AsyncRun

P = TypeVar("P", bound=Object)
X = TypeVar("X")


class AsyncExternal(ABC, Generic[P, X]):
    """Something outside of the cluster that a controller keeps for each primary object.

    `P` is the class of the primaries, `X` that of the things. `controller.external` adds it to a
    controller.

        class Record(AsyncExternal[Shop, DnsRecord]):
            async def create(self, primary: Shop, key: str) -> str:
                return await dns.create(primary.spec.host, idempotency_key=key)

            async def read(self, primary: Shop, external_id: str) -> DnsRecord | None:
                return await dns.get(external_id)

            async def delete(self, primary: Shop, external_id: str) -> None:
                await dns.delete(external_id)

    An annotation of the primary has the state: the key is written before `create` is called, and
    the id before it is used. If the program crashes between the two, the next process calls
    `create` again with the same key. Give the key to the API, so that it creates one thing. If the
    API takes no keys, store the key in the thing, such as in a tag, and write `find`.
    """

    @abstractmethod
    async def create(self, primary: P, key: str) -> str:
        """Create the thing, and return its id.

        Called again with the same key, it returns the id of what it has created.

        Args:
            primary: The primary object.
            key: The idempotency key. Another creation, after a deletion, has another key.
        """

    @abstractmethod
    async def read(self, primary: P, external_id: str) -> X | None:
        """Return the thing; None if it does not exist."""

    @abstractmethod
    async def delete(self, primary: P, external_id: str) -> None:
        """Delete the thing. It is no error if it does not exist."""

    async def find(self, primary: P, key: str) -> str | None:  # noqa: ARG002 - for subclasses
        """Return the id of what `create` has created with a key; None if it is not known.

        Called if an earlier call of `create` with the key was interrupted: before the next call,
        and before the deletion of the primary.
        """
        return None

    def matches(self, primary: P, found: X) -> bool:  # noqa: ARG002 - for subclasses
        """Return whether the thing is as the primary wants it. If not, `update` is called."""
        return True

    async def update(self, primary: P, external_id: str, found: X) -> None:
        """Change the thing, so that it is as the primary wants it."""
        raise NotImplementedError(f"{type(self).__name__} has matches(), so it needs update()")


class AsyncExternalStep(AsyncStep, Generic[P, X]):
    """An external dependent in a workflow."""

    def __init__(
        self,
        name: str,
        after: Sequence[str],
        external: AsyncExternal[P, X],
        *,
        every: float,
        ready: Callable[[X], object] | None,
        when: Callable[[P], object] | None,
        clock: Clock,
    ) -> None:
        super().__init__(name, after)
        self._external = external
        self._every = every
        self._ready = None if ready is None else as_check(cast("Callable[[Any], object]", ready))
        self._when = when
        self._clock = clock

    @property
    def needs_finalizer(self) -> bool:
        """Whether the garbage collector cannot delete the thing: always."""
        return True

    async def reconcile(self, run: AsyncRun[Any]) -> DependentState | None:
        """Create or update the thing. Returns None if it is not wanted."""
        if self._when is not None and not self._when(run.primary):
            return None
        await run.ensure_finalizer()
        state = self._state(run)
        found = None if not state.id else await self._poll(run, state)
        run.requeue(self._every)
        if found is None and state.is_new(self._clock.now(), self._every):
            return DependentState(self.name, "NotReady", "it was created, and cannot be read yet")
        if found is None:
            state = await self._create(run, state)
            found = await self._poll(run, state)
        elif not self._external.matches(run.primary, found):
            run.memory.polled.pop(self.name, None)
            work: Any = self._external
            await awaited("update", work.update(run.primary, state.id, found))
            found = await self._poll(run, state)
        return self._judged(found)

    def _judged(self, found: X | None) -> DependentState:
        if found is None:
            return DependentState(self.name, "NotReady", "it was created, and cannot be read yet")
        if self._ready is None:
            return DependentState(self.name, "Ready")
        verdict = self._ready.check(found)
        return DependentState(self.name, "Ready" if verdict.met else "NotReady", verdict.why)

    def _state(self, run: AsyncRun[Any]) -> ExternalState:
        return read_state(run.primary.metadata.annotations, self.name, run.uid)

    async def _write(
        self, run: AsyncRun[Any], state: ExternalState, *, must_be_newest: bool = False
    ) -> ExternalState:
        name = annotation_of(self.name)
        await run.annotate(name, state.text(), must_be_newest=must_be_newest)
        return state

    async def _poll(self, run: AsyncRun[Any], state: ExternalState) -> X | None:
        """Read the thing, unless it was read a moment ago."""
        now = self._clock.monotonic()
        time, id_, known = run.memory.polled.get(self.name, (0.0, "", None))
        if known is not None and id_ == state.id and now < time + self._every:
            return cast("X", known)
        found: X | None = await awaited("read", self._external.read(run.primary, state.id))
        run.memory.polled[self.name] = (now, state.id, found)
        return found

    async def _create(self, run: AsyncRun[Any], state: ExternalState) -> ExternalState:
        """Write a key, create the thing with it, and write its id."""
        if not state.is_begun:
            state = await self._write(run, state.begin(), must_be_newest=True)
            made = None
        else:
            made = await awaited("find", self._external.find(run.primary, state.key))
        return await self._finish(run, state, made)

    async def _finish(
        self, run: AsyncRun[Any], state: ExternalState, made: str | None
    ) -> ExternalState:
        if made is None:
            made = await awaited("create", self._external.create(run.primary, state.key))
        id_ = checked_id(made, f"{type(self._external).__name__}.create()")
        return await self._write(run, state.end(id_, self._clock.now()))

    async def remove(self, run: AsyncRun[Any]) -> DependentState:
        """Delete the thing. If its creation was interrupted, its id is found out first.

        Without `find`, that means to call `create` once more: it returns the id.
        """
        state = self._state(run)
        if state.is_begun:
            made = await awaited("find", self._external.find(run.primary, state.key))
            if made is not None or _has_no_find(self._external):
                state = await self._finish(run, state, made)
        if state.may_exist and not state.id:
            await self._write(run, state.delete())
        if state.id:
            work: Any = self._external
            await awaited("delete", work.delete(run.primary, state.id))
            await self._write(run, state.delete())
        run.memory.polled.pop(self.name, None)
        return DependentState(self.name, "NotWanted")


def _has_no_find(external: object) -> bool:
    """Return whether a class of external dependents has no `find` of its own."""
    base = AsyncExternal.__mro__
    return not any("find" in vars(each) for each in type(external).__mro__ if each not in base)
