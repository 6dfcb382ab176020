# Derived from _async/events.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Lists and watches events, as `kubectl events`."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from .._controllers.event_aggregation import CORE_EVENTS
from .._http.path_segments import uid_in
from .._printing.event_texts import check_event_types, has_type, sort_events
from ..errors import Expired
from ._primitives import Event
from .described_object import Subject, find_described
from .lease_client import rest_of
from .outdated import with_remaining_time
from .recipe_target import any_client

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from types import TracebackType
    from typing import Self, Unpack

    from .._http.call_options import CallOptions
    from .._models.unstructured import Object, Unstructured, UnstructuredList
    from .lease_client import Client
    from .object_client import ObjectClient
    from .watch import Watch


def events(
    k: Client,
    about: type[Object] | Object | Mapping[str, Any] | None = None,
    name: str | None = None,
    *,
    namespace: str | None = None,
    types: Collection[str] = (),
    **options: Unpack[CallOptions],
) -> list[Unstructured]:
    """List the events about an object, as `kubectl events --for`. The newest is the last.

        print_table(events(k, pod))

    The events are those of core/v1, for the kind, version and name of the object: events about an
    older object of the same name are among them. They are sorted by the time when they were last
    seen. Servers delete events after an hour.

    Args:
        k: The clientset, or its `rest`.
        about: The object; or its class, followed by the name. None for all events.
        name: The name, if `about` is a class.
        namespace: The namespace of the object, if it has none; by default the namespace of the
            client. Without `about`, the namespace of the events; by default all namespaces.
        types: The types of the events, `Normal` or `Warning`; by default both.
        options: See `CallOptions`.

    Raises:
        ValueError: A type is neither `Normal` nor `Warning`.
        NoResourceMatch: The server has no such kind.
    """
    wanted = check_event_types(types)
    rest = rest_of(k)
    deadline = rest.deadline(options)
    client, selector = _source(k, _subject("events", about, name, namespace), deadline, namespace)
    remaining = with_remaining_time(rest, options, deadline)
    listed = client.list(field_selector=selector, **remaining)
    return sort_events([event for event in listed.items if has_type(event, wanted)])


def watch_events(
    k: Client,
    about: type[Object] | Object | Mapping[str, Any] | None = None,
    name: str | None = None,
    *,
    namespace: str | None = None,
    types: Collection[str] = (),
    timeout_seconds: int | None = None,
) -> EventWatch:
    """Yield the events about an object and then those that come, as `kubectl events --watch`.

        for event in watch_events(k, pod):
            print(event["reason"], event["message"])

    The events that exist come first, sorted as by `events`. An event that is counted again comes
    again. Deleted events do not come. The watch ends when `stop` is called or `timeout_seconds`
    have passed.

    Args:
        k: As for `events`.
        about: As for `events`.
        name: As for `events`.
        namespace: As for `events`.
        types: As for `events`.
        timeout_seconds: The seconds after which the server ends the watch. None for no limit.

    Raises:
        ValueError: A type is neither `Normal` nor `Warning`.
    """
    rest_of(k)
    subject = _subject("watch_events", about, name, namespace)
    return EventWatch(
        (k, subject, namespace), types=check_event_types(types), timeout_seconds=timeout_seconds
    )


class EventWatch:
    """An iterator of events: those that exist, and then those that come. See `watch_events`.

    If you leave the loop before its end, close the connection: use this object as a context
    manager, or call `close`.
    """

    def __init__(
        self,
        source: tuple[Client, Subject | None, str | None],
        *,
        types: frozenset[str],
        timeout_seconds: int | None,
    ) -> None:
        self._source = source
        self._types = types
        self._timeout_seconds = timeout_seconds
        self._pending: deque[Unstructured] = deque()
        self._versions: dict[str, str] = {}
        self._watch: Watch[Unstructured] | None = None
        self._stopped = Event()

    def stop(self) -> None:
        """End the iteration at once and without an error. Any task or thread may call this."""
        self._stopped.set()
        if self._watch is not None:
            self._watch.stop()

    def close(self) -> None:
        """Stop, and close the connection."""
        self.stop()
        if self._watch is not None:
            self._watch.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Unstructured:
        while not self._stopped.is_set():
            if self._pending:
                return self._pending.popleft()
            if self._watch is None:
                self._watch = self._list()
                continue
            try:
                change = self._watch.__next__()
            except Expired:  # the version is too old to resume from
                self._watch.close()
                self._watch = None
                continue
            self._take(change.object, is_deleted=change.type == "DELETED")
        raise StopIteration

    def _list(self) -> Watch[Unstructured]:
        """List the events, and return the watch of what comes after them."""
        k, subject, namespace = self._source
        deadline = rest_of(k).deadline({})
        client, selector = _source(k, subject, deadline, namespace)
        listed = client.list(field_selector=selector)
        before, self._versions = self._versions, {}
        for event in sort_events(listed.items):
            self._versions[uid_in(event)] = event.metadata.resource_version
            if before.get(uid_in(event)) != event.metadata.resource_version:
                self._queue(event)
        version = listed.metadata.resource_version
        if self._timeout_seconds is None:
            return client.watch(field_selector=selector, resource_version=version)
        return client.watch(
            field_selector=selector,
            resource_version=version,
            timeout_seconds=self._timeout_seconds,
        )

    def _take(self, event: Unstructured, *, is_deleted: bool) -> None:
        if is_deleted:
            self._versions.pop(uid_in(event), None)
            return
        self._versions[uid_in(event)] = event.metadata.resource_version
        self._queue(event)

    def _queue(self, event: Unstructured) -> None:
        if has_type(event, self._types):
            self._pending.append(event)


def _source(
    k: Client, subject: Subject | None, deadline: float | None, namespace: str | None
) -> tuple[ObjectClient[Unstructured, UnstructuredList], dict[str, str]]:
    """Return the client of the events, and their field selector."""
    rest = rest_of(k)
    if subject is None:
        return any_client(rest, CORE_EVENTS, namespace), {}
    found = find_described(k, subject, deadline)
    return any_client(rest, CORE_EVENTS, found.namespace), found.event_selector()


def _subject(call: str, about: Any, name: str | None, namespace: str | None) -> Subject | None:
    return None if about is None else Subject(call, about, name, namespace)
