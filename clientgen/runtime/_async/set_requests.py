"""The requests of one operation on a manifest set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .._http.patches import ApplyPatch
from .._http.representations import asking_for
from .._http.request import GET, build, build_delete, build_patch, build_write
from .._manifests.apply_set import ApplySetError
from .._manifests.set_answers import object_in
from .._models.meta_v1 import PartialObjectMetadata, PartialObjectMetadataList
from .._models.model_codec import to_dict
from ..errors import NotFound
from .pager import each_page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from .._http.patches import JsonPatch
    from .._http.request import HttpRequest
    from .._http.resource import Resource
    from .._manifests.apply_plan import ObjectKey
    from .._models.unstructured import Unstructured
    from .rest import AsyncRest

_CREATED: Final = 201


class AsyncSetRequests:
    """Gets, applies, lists and deletes objects of any kind, with one deadline.

    Args:
        rest: the client of the server.
        timeout: the seconds for all requests together; with None, the client's timeout limits each
            request.
        dry_run: whether writes are dry runs.
    """

    def __init__(self, rest: AsyncRest, timeout: float | None, *, dry_run: bool = False) -> None:
        self.rest = rest
        self.end = rest.whole_deadline({"timeout": timeout})
        """The deadline of all requests; None for no limit."""
        self.dry_run = dry_run

    @property
    def deadline(self) -> float | None:
        """The deadline of the next request."""
        return self.rest.deadline({}) if self.end is None else self.end

    async def get(self, path: str, key: ObjectKey) -> Unstructured | None:
        """Get an object; None if it does not exist."""
        return await self._get(build("GET", path, {}, GET), key)

    async def get_metadata(self, path: str, key: ObjectKey) -> Unstructured | None:
        """Get the metadata of an object; None if it does not exist."""
        request = build("GET", path, {}, GET)
        return await self._get(asking_for(PartialObjectMetadata, request, self.rest.codec), key)

    async def _get(self, request: HttpRequest, key: ObjectKey) -> Unstructured | None:
        try:
            response = await self.rest.send(request, self.deadline)
        except NotFound:
            return None
        return object_in(response, request, self.rest.codec, key)

    async def apply(
        self, path: str, key: ObjectKey, body: Mapping[str, Any], options: Mapping[str, Any]
    ) -> tuple[Unstructured, bool]:
        """Apply an object. Returns the object, and whether it was created."""
        options = {**options, "dry_run": self.dry_run}
        request = build_patch(path, ApplyPatch(body), options, self.rest.codec)
        response = await self.rest.send(request, self.deadline)
        obj = object_in(response, request, self.rest.codec, key)
        return obj, response.status == _CREATED

    async def patch(self, path: str, patch: JsonPatch) -> None:
        """Patch an object."""
        await self.rest.send(build_patch(path, patch, {}, self.rest.codec), self.deadline)

    async def simulate_update(
        self, path: str, key: ObjectKey, body: Mapping[str, Any], options: Mapping[str, Any]
    ) -> Unstructured:
        """Return the object that an update would store, with the defaults of the server."""
        options = {"field_manager": options["field_manager"], "dry_run": True}
        request = build_write("PUT", path, body, options, self.rest.codec)
        response = await self.rest.send(request, self.deadline)
        return object_in(response, request, self.rest.codec, key)

    async def delete(self, path: str, options: Mapping[str, Any]) -> bool:
        """Delete an object. Returns whether it existed."""
        options = {**options, **({"dry_run": True} if self.dry_run else {})}
        request = build_delete(path, options, self.rest.codec)
        try:
            await self.rest.send(request, self.deadline)
        except NotFound:
            return False
        return True

    async def each(
        self, resource: Resource, namespace: str, selector: str
    ) -> AsyncIterator[Mapping[str, Any]]:
        """Yield the metadata of objects that match a label selector.

        Raises:
            NotFound: the server does not have the kind.
            ApplySetError: the kind was deleted after some of the objects were listed.
        """
        path = resource.collection_path(namespace or None)
        options: dict[str, Any] = {"label_selector": selector}
        if self.end is not None:
            options["timeout"] = self.rest.left(self.end)
        pages = 0
        try:
            async for page in each_page(self.rest, path, PartialObjectMetadataList, options):
                pages += 1
                for item in page.items:
                    yield to_dict(item)
        except NotFound as error:
            if not pages:
                raise
            raise ApplySetError(
                f"the server did not list all {resource.plural}: {error}"
            ) from error
