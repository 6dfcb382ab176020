# Derived from _async/controller_set.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""The controllers of a manager, which come and go while it runs."""

# The set is a part of the manager, and uses private parts of its controllers.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
from contextvars import Context, copy_context
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from ._primitives import short_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ._primitives import Function
    from .hosted_controller import HostedController
    from .informer import SharedInformer
    from .informer_factory import InformerFactory

P = TypeVar("P")
P_co = TypeVar("P_co", covariant=True)

logger = logging.getLogger("clientgen.runtime.manager")


class PartStarter(Protocol[P_co]):
    """Starts a part of a manager in a task or thread of its own."""

    def __call__(
        self,
        title: str,
        work: Function[[], None],
        stop: Callable[[], object] | None = None,
        context: Context | None = None,
        /,
    ) -> P_co:
        """Start `work`; `stop` makes it end."""
        ...


class ControllerSet(Generic[P]):
    """The controllers of a manager, and the parts in which they run.

    Controllers of a term of leadership run in the context of the term, which permits their writes,
    also if they are added later.

    Args:
        start_part: Starts a part.
        factory: The factory of the informers that controllers get by class.
    """

    def __init__(self, start_part: PartStarter[P], factory: InformerFactory) -> None:
        self._start_part = start_part
        self._factory = factory
        self._lock = short_lock()
        self._controllers: list[HostedController[Any]] = []
        self._contexts: dict[bool, Context] = {}  # by `needs_leader`
        self._parts: dict[HostedController[Any], P] = {}
        self._requested: set[SharedInformer[Any]] = set()

    def __iter__(self) -> Iterator[HostedController[Any]]:
        return iter([*self._controllers])

    def add(self, controller: HostedController[Any]) -> None:
        """Add a controller.

        Raises:
            ValueError: There is a controller with this name.
        """
        with self._lock:
            if any(each.name == controller.name for each in self._controllers):
                raise ValueError(f"there is a controller called {controller.name!r} already")
            self._controllers.append(controller)

    def part_of(self, controller: HostedController[Any]) -> P | None:
        """Return the part in which a controller runs, or has run; None before its start.

        Raises:
            LookupError: The controller is not in the set.
        """
        with self._lock:
            self._check_has(controller)
            return self._parts.get(controller)

    # ---- start and end ------------------------------------------------------------------------

    def begin(self, *, needs_leader: bool) -> None:
        """Start controllers, and from now on those that become ready later.

        They run in copies of the context of the caller.
        """
        with self._lock:
            self._contexts[needs_leader] = copy_context()
            ready = [each for each in self._controllers if each.is_ready]
        for controller in ready:
            self.start(controller)

    def start(self, controller: HostedController[Any]) -> None:
        """Start a controller, or note that it can start as soon as controllers of its kind do.

        Raises:
            LookupError: The controller is not in the set.
        """
        with self._lock:
            self._check_has(controller)
            controller.is_ready = True
            context = self._contexts.get(controller.needs_leader)
            if context is None or controller in self._parts:
                return
            title = f"controller {controller.name}"
            logger.info("starting the %s", title)
            self._parts[controller] = self._start_part(
                title, controller._run, controller.stop, context.copy()
            )

    def end(self, *, needs_leader: bool) -> list[P]:
        """Start no more controllers. Returns the parts of those that were started."""
        with self._lock:
            self._contexts.pop(needs_leader, None)
            for controller in self._controllers:
                if controller.needs_leader is needs_leader and not controller.is_ready:
                    logger.warning("%r was never started: call start()", controller)
            return self.parts(needs_leader=needs_leader)

    def parts(self, *, needs_leader: bool) -> list[P]:
        """Return the parts of the controllers that were started."""
        with self._lock:
            return [part for each, part in self._parts.items() if each.needs_leader is needs_leader]

    def discard(self, controller: HostedController[Any]) -> None:
        """Remove a controller whose part has ended."""
        with self._lock:
            if controller in self._controllers:
                self._controllers.remove(controller)
            self._parts.pop(controller, None)

    def _check_has(self, controller: HostedController[Any]) -> None:
        if controller not in self._controllers:
            raise LookupError(f"the manager has no {controller!r}: it was removed, or is another's")

    # ---- informers ----------------------------------------------------------------------------

    def note_request(self, informer: SharedInformer[Any]) -> None:
        """Note that the program got an informer, which must go on running."""
        with self._lock:
            self._requested.add(informer)

    def stop_unused(self, informers: Iterable[SharedInformer[Any]]) -> None:
        """Stop informers that neither controllers nor the program use."""
        for informer in dict.fromkeys(informers):
            with self._lock:
                used = {id(each) for other in self._controllers for each in other.informers}
                is_used = informer in self._requested or id(informer) in used
                if is_used or informer._processor.has_handlers:
                    continue
                self._factory._pool.discard(informer)
            informer.stop()
