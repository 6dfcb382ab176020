# Derived from _async/client.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""What generated clients inherit: a method per verb, which sends and reads the answer."""

# The two classes here are friends.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ..edit import changed, log_unchanged
from ..errors import Conflict
from ..meta_v1 import ModelList, Status
from ..model import Model
from ..patches import ApplyPatch
from ..request import GET, LOGS, build, build_delete, build_patch, build_write
from ..response import read_object, read_object_or_status
from ..retry import ConflictRetry, annotate
from ._primitives import sleep
from .lines import Lines
from .pages import each_page, list_pages
from .watch import Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Unpack

    from ..options import ApplyOptions, EditOptions, GetOptions, PatchOptions, WriteOptions
    from ..patches import Patch
    from ..request import HttpRequest
    from ..resource import Resource
    from .rest import Rest

__all__ = ["ResourceClient", "Subresource"]

T = TypeVar("T", bound=Model)
ListT = TypeVar("ListT", bound=ModelList[Any])

# An edit without a timeout of its own gives up then: what conflicts for so long always will.
_CONFLICT_SECONDS = 60.0


class ResourceClient:
    """The verbs of one resource, in one namespace or, without, in all.

    Subclasses say which resource, and offer the verbs it has under their public names.
    """

    resource: ClassVar[Resource]

    def __init__(self, rest: Rest, namespace: str | None = None) -> None:
        self._rest = rest
        self._namespace = namespace
        self._path = self.resource.path(namespace)

    def __repr__(self) -> str:
        where = f", {self._namespace!r}" if self._namespace else ""
        return f"{type(self).__name__}({self._rest!r}{where})"

    def _get(
        self, model: type[T], name: str, options: Mapping[str, Any], *, subresource: str = ""
    ) -> T:
        request = build("GET", self._path_of(name, subresource), options, GET)
        return self._send(model, request, self._rest.deadline(options))

    def _list(
        self,
        list_model: type[ListT],
        options: Mapping[str, Any],
        *,
        name: str = "",
        subresource: str = "",
    ) -> ListT:
        return list_pages(self._rest, self._at(name, subresource), list_model, options)

    def _each(self, list_model: type[ModelList[T]], options: Mapping[str, Any]) -> Iterator[T]:
        for page in each_page(self._rest, self._path, list_model, options):
            for item in page.items:
                yield item

    def _watch(self, model: type[T], options: Mapping[str, Any]) -> Watch[T]:
        return Watch(self._rest, self._path, model, options)

    def _create(
        self,
        model: type[T],
        body: object,
        options: Mapping[str, Any],
        *,
        name: str = "",
        subresource: str = "",
    ) -> T:
        request = build_write("POST", self._at(name, subresource), body, options)
        return self._send(model, request, self._rest.deadline(options))

    def _update(
        self,
        model: type[T],
        body: object,
        options: Mapping[str, Any],
        *,
        name: str = "",
        subresource: str = "",
    ) -> T:
        path = self._path_of(name or _name_of(body), subresource)
        request = build_write("PUT", path, body, options)
        return self._send(model, request, self._rest.deadline(options))

    def _edit(
        self,
        model: type[T],
        name: str,
        change: Callable[[T], object],
        options: Mapping[str, Any],
        *,
        subresource: str = "",
    ) -> T:
        path = self._path_of(name, subresource)
        deadline = self._rest.deadline(options)
        retry = ConflictRetry(deadline or monotonic() + _CONFLICT_SECONDS)
        while True:
            current = self._send(model, build("GET", path, {}, GET), deadline)
            patch = changed(current, change)
            if patch is None:
                log_unchanged(path)
                return current
            try:
                return self._send(model, build_patch(path, patch, options), deadline)
            except Conflict as conflict:
                delay = retry.after(conflict, monotonic())
                if delay is None:
                    annotate(conflict, retry.count, None)
                    raise
            sleep(delay)

    def _patch(
        self,
        model: type[T],
        name: str,
        patch: Patch,
        options: Mapping[str, Any],
        *,
        subresource: str = "",
    ) -> T:
        request = build_patch(self._path_of(name, subresource), patch, options)
        return self._send(model, request, self._rest.deadline(options))

    def _apply(
        self,
        model: type[T],
        body: Model | Mapping[str, object],
        options: Mapping[str, Any],
        *,
        name: str = "",
        subresource: str = "",
    ) -> T:
        # The server insists on a name for who applies; without one it is the program's.
        options = {"field_manager": self._rest.field_manager, **options}
        path = self._path_of(name or _name_of(body), subresource)
        request = build_patch(path, ApplyPatch(body), options)
        return self._send(model, request, self._rest.deadline(options))

    def _delete(self, model: type[T], name: str, options: Mapping[str, Any]) -> T | Status:
        request = build_delete(self._path_of(name), options)
        response = self._rest.send(request, self._rest.deadline(options))
        return read_object_or_status(response.body, model, request)

    def _delete_collection(self, list_model: type[T], options: Mapping[str, Any]) -> T | Status:
        request = build_delete(self._path, options, collection=True)
        response = self._rest.send(request, self._rest.deadline(options))
        return read_object_or_status(response.body, list_model, request)

    def _subresource(self, model: type[T], name: str, subresource: str) -> Subresource[T]:
        return Subresource(self, model, name, subresource)

    def _logs(self, name: str, options: Mapping[str, Any]) -> str:
        request = build("GET", self._path_of(name, "log"), options, LOGS)
        response = self._rest.send(request, self._rest.deadline(options))
        return response.body.decode("utf-8", "replace")

    def _follow_logs(self, name: str, options: Mapping[str, Any]) -> Lines:
        following = {**options, "follow": True}
        request = build("GET", self._path_of(name, "log"), following, LOGS)
        return Lines(self._rest, request, options.get("timeout"))

    def _send(self, model: type[T], request: HttpRequest, deadline: float | None) -> T:
        response = self._rest.send(request, deadline)
        return read_object(response.body, model, request)

    def _path_of(self, name: str, subresource: str = "") -> str:
        return self.resource.path(self._namespace, name, subresource)

    def _at(self, name: str, subresource: str) -> str:
        """The collection, or something below it."""
        return self._path_of(name, subresource) if name or subresource else self._path


class Subresource(Generic[T]):
    """A part of one object with an endpoint of its own, such as its status or its scale."""

    def __init__(self, client: ResourceClient, model: type[T], name: str, subresource: str) -> None:
        self._client = client
        self._model = model
        self._name = name
        self._part = subresource

    def __repr__(self) -> str:
        return f"{self._client!r}.{self._part}({self._name!r})"

    def get(self, **options: Unpack[GetOptions]) -> T:
        """Read it."""
        return self._client._get(self._model, self._name, options, subresource=self._part)

    def update(self, body: T, **options: Unpack[WriteOptions]) -> T:
        """Replace it."""
        return self._client._update(
            self._model, body, options, name=self._name, subresource=self._part
        )

    def patch(self, patch: Patch, **options: Unpack[PatchOptions]) -> T:
        """Change it by a patch."""
        return self._client._patch(self._model, self._name, patch, options, subresource=self._part)

    def apply(self, body: T | Mapping[str, object], **options: Unpack[ApplyOptions]) -> T:
        """Own the fields that `body` sets: server-side apply."""
        return self._client._apply(
            self._model, body, options, name=self._name, subresource=self._part
        )

    def edit(self, change: Callable[[T], object], **options: Unpack[EditOptions]) -> T:
        """Read it, change it in place, and send the difference; again if it has changed since."""
        return self._client._edit(self._model, self._name, change, options, subresource=self._part)


def _name_of(body: Any) -> str:
    """The name in an object's metadata; a path without one is refused later."""
    if isinstance(body, Model):
        return getattr(body, "metadata").name or ""  # noqa: B009 - kinds have it, parts do not
    metadata: dict[str, Any] = body.get("metadata") or {}
    return metadata.get("name") or ""
