# Derived from _async/external.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""External dependents: things outside of the cluster that a controller keeps for its primaries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .._conditions.checks import as_check
from .._controllers.external_state import ExternalState, annotation_of, checked_id, read_state
from .._controllers.workflow import DependentState
from .._models.unstructured import Object
from ._primitives import awaited
from .workflow import Step

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._clock import Clock
    from .workflow import Run

P = TypeVar("P", bound=Object)
X = TypeVar("X")


class External(ABC, Generic[P, X]):
    """Something outside of the cluster that a controller keeps for each primary object.

    `P` is the class of the primaries, `X` that of the things. `controller.external` adds it to a
    controller.

        class Record(External[Shop, DnsRecord]):
            def create(self, primary: Shop, key: str) -> str:
                return dns.create(primary.spec.host, idempotency_key=key)

            def read(self, primary: Shop, external_id: str) -> DnsRecord | None:
                return dns.get(external_id)

            def delete(self, primary: Shop, external_id: str) -> None:
                dns.delete(external_id)

    An annotation of the primary has the state: the key is written before `create` is called, and
    the id before it is used. If the program crashes between the two, the next process calls
    `create` again with the same key. Give the key to the API, so that it creates one thing. If the
    API takes no keys, store the key in the thing, such as in a tag, and write `find`.
    """

    @abstractmethod
    def create(self, primary: P, key: str) -> str:
        """Create the thing, and return its id.

        Called again with the same key, it returns the id of what it has created.

        Args:
            primary: The primary object.
            key: The idempotency key. Another creation, after a deletion, has another key.
        """

    @abstractmethod
    def read(self, primary: P, external_id: str) -> X | None:
        """Return the thing; None if it does not exist."""

    @abstractmethod
    def delete(self, primary: P, external_id: str) -> None:
        """Delete the thing. It is no error if it does not exist."""

    def find(self, primary: P, key: str) -> str | None:  # noqa: ARG002 - for subclasses
        """Return the id of what `create` has created with a key; None if it is not known.

        Called if an earlier call of `create` with the key was interrupted: before the next call,
        and before the deletion of the primary.
        """
        return None

    def matches(self, primary: P, found: X) -> bool:  # noqa: ARG002 - for subclasses
        """Return whether the thing is as the primary wants it. If not, `update` is called."""
        return True

    def update(self, primary: P, external_id: str, found: X) -> None:
        """Change the thing, so that it is as the primary wants it."""
        raise NotImplementedError(f"{type(self).__name__} has matches(), so it needs update()")


class ExternalStep(Step, Generic[P, X]):
    """An external dependent in a workflow."""

    def __init__(
        self,
        name: str,
        after: Sequence[str],
        external: External[P, X],
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

    def reconcile(self, run: Run[Any]) -> DependentState | None:
        """Create or update the thing. Returns None if it is not wanted."""
        if self._when is not None and not self._when(run.primary):
            return None
        run.ensure_finalizer()
        state = self._state(run)
        found = None if not state.id else self._poll(run, state)
        run.requeue(self._every)
        if found is None and state.is_new(self._clock.now(), self._every):
            return DependentState(self.name, "NotReady", "it was created, and cannot be read yet")
        if found is None:
            state = self._create(run, state)
            found = self._poll(run, state)
        elif not self._external.matches(run.primary, found):
            run.memory.polled.pop(self.name, None)
            work: Any = self._external
            awaited("update", work.update(run.primary, state.id, found))
            found = self._poll(run, state)
        return self._judged(found)

    def _judged(self, found: X | None) -> DependentState:
        if found is None:
            return DependentState(self.name, "NotReady", "it was created, and cannot be read yet")
        if self._ready is None:
            return DependentState(self.name, "Ready")
        verdict = self._ready.check(found)
        return DependentState(self.name, "Ready" if verdict.met else "NotReady", verdict.why)

    def _state(self, run: Run[Any]) -> ExternalState:
        return read_state(run.primary.metadata.annotations, self.name, run.uid)

    def _write(
        self, run: Run[Any], state: ExternalState, *, must_be_newest: bool = False
    ) -> ExternalState:
        name = annotation_of(self.name)
        run.annotate(name, state.text(), must_be_newest=must_be_newest)
        return state

    def _poll(self, run: Run[Any], state: ExternalState) -> X | None:
        """Read the thing, unless it was read a moment ago."""
        now = self._clock.monotonic()
        time, id_, known = run.memory.polled.get(self.name, (0.0, "", None))
        if known is not None and id_ == state.id and now < time + self._every:
            return cast("X", known)
        found: X | None = awaited("read", self._external.read(run.primary, state.id))
        run.memory.polled[self.name] = (now, state.id, found)
        return found

    def _create(self, run: Run[Any], state: ExternalState) -> ExternalState:
        """Write a key, create the thing with it, and write its id."""
        if not state.is_begun:
            state = self._write(run, state.begin(), must_be_newest=True)
            made = None
        else:
            made = awaited("find", self._external.find(run.primary, state.key))
        return self._finish(run, state, made)

    def _finish(self, run: Run[Any], state: ExternalState, made: str | None) -> ExternalState:
        if made is None:
            made = awaited("create", self._external.create(run.primary, state.key))
        id_ = checked_id(made, f"{type(self._external).__name__}.create()")
        return self._write(run, state.end(id_, self._clock.now()))

    def remove(self, run: Run[Any]) -> DependentState:
        """Delete the thing. If its creation was interrupted, its id is found out first.

        Without `find`, that means to call `create` once more: it returns the id.
        """
        state = self._state(run)
        if state.is_begun:
            made = awaited("find", self._external.find(run.primary, state.key))
            if made is not None or _has_no_find(self._external):
                state = self._finish(run, state, made)
        if state.may_exist and not state.id:
            self._write(run, state.delete())
        if state.id:
            work: Any = self._external
            awaited("delete", work.delete(run.primary, state.id))
            self._write(run, state.delete())
        run.memory.polled.pop(self.name, None)
        return DependentState(self.name, "NotWanted")


def _has_no_find(external: object) -> bool:
    """Return whether a class of external dependents has no `find` of its own."""
    base = External.__mro__
    return not any("find" in vars(each) for each in type(external).__mro__ if each not in base)
