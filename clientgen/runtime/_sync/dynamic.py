# Derived from _async/dynamic.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Clients of resources by name, for kinds without a generated package or known only at run time.

    d = k.dynamic
    for deployment in d.resource("deploy").each(namespace="shop"): ...
    d.resource("crontabs.stable.example.com").create({...})
    print(d.resource("pods").table(namespace="shop"))

Names are as for kubectl; see `Discovery.resource`. client-go: dynamic, metadata, scale.
"""

# ruff: noqa: ASYNC109 - the client's clock measures the timeout
# The classes use each other's private methods.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

from msgspec import UNSET, UnsetType

from clientgen._gvk import GroupVersion, GroupVersionKind

from .._cache.namespace_choice import NamespaceChoice
from .._discovery.discovered_resources import ApiResource
from .._discovery.verbs import check_verb, subresource_of
from .._http.path_segments import check_segment
from .._http.request import WATCH, build
from .._http.resource import Resource
from .._http.watch_progress import WatchProgress
from .._manifests.object_addresses import namespace_for
from .._manifests.scheme import Scheme
from .._models.argument_errors import public_attributes
from .._models.arguments import check_object, type_of
from .._models.meta_v1 import ModelList, PartialObjectMetadata
from .._models.model import Model
from .._models.tables import Table
from .._models.unstructured import Object, Unstructured, list_class
from ..errors import NoResourceMatch, NotFound
from .discovery import discovery_of
from .object_client import ObjectClient
from .outdated import is_outdated, retry_if_outdated, with_remaining_time
from .watch import Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Unpack

    from .._conditions.checks import Deleted
    from .._discovery.discovered_resources import ResourceName
    from .._http.call_options import (
        ApplyOptions,
        DefaultT,
        DeleteCollectionOptions,
        DeleteOptions,
        EachOptions,
        EditOptions,
        Fields,
        GetOptions,
        Labels,
        ListOptions,
        NamespaceNames,
        PatchOptions,
        WatchOptions,
        WriteOptions,
    )
    from .._http.patches import Patch
    from .._models.meta_v1 import Status
    from .._models.model_codec import WatchEvent
    from .client import Subresource
    from .discovery import Discovery
    from .rest import Rest

T = TypeVar("T", bound=Object)
S = TypeVar("S", bound=Object)

_REPRESENTATIONS = (PartialObjectMetadata, Table)
_SCALE = GroupVersionKind("autoscaling", "v1", "Scale")


class DynamicClient:
    """Clients of resources by name.

    Args:
        rest: the client that sends requests.
        scheme: the kinds whose objects are instances of classes; other objects are `Unstructured`.
        namespace: the namespace of single objects, unless a call or the object names a namespace;
            by default the namespace of the configuration.
    """

    def __init__(
        self, rest: Rest, scheme: Scheme | None = None, namespace: str | None = None
    ) -> None:
        self.rest = rest
        self.scheme = Scheme() if scheme is None else scheme
        self.namespace = rest.namespace if namespace is None else namespace

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.rest!r})"

    def __dir__(self) -> list[str]:
        """List the public attributes."""
        return public_attributes(self, "find", "registered", "model_of", "list_model_of")

    @property
    def discovery(self) -> Discovery:
        """The discovery of the server."""
        return discovery_of(self.rest)

    @overload
    def resource(self, name: type[T]) -> DynamicResource[T]: ...
    @overload
    def resource(self, name: ResourceName, *, model: type[T]) -> DynamicResource[T]: ...
    @overload
    def resource(self, name: ResourceName) -> DynamicResource[Any]: ...
    def resource(
        self, name: ResourceName | type[Any], *, model: type[Any] | None = None
    ) -> DynamicResource[Any]:
        """Return a client of a resource. Its first call may need discovery.

        Args:
            name: a plural, a singular, a short name or a kind: `deployments`, `deploy`,
                `Deployment`, `deployments.apps`, `deployments.v1.apps`, `apps/v1/Deployment`; or
                the group, version and kind, a class, or a `Resource`. Discovery finds the resource,
                unless the kind is registered in the scheme.
            model: the class of the objects; by default the class that is registered for the kind,
                or `Unstructured`.

        The methods of the client raise NoResourceMatch, DiscoveryFailed and AmbiguousResource if
        the name does not match exactly one resource of the server.

        Raises:
            ValueError: The name is empty.
        """
        return DynamicResource(self, name, model)

    def resources(self, names: str) -> list[DynamicResource[Any]]:
        """Return clients of the resources of a category such as `all`, or of `deploy,sts`.

        Raises:
            NoResourceMatch, DiscoveryFailed, AmbiguousResource: as `Discovery.resources`.
            ApiError, TransportError, DecodeError, ValueError: as `Discovery.resources`.
        """
        found = self.discovery.resources(names)
        return [DynamicResource(self, each, None) for each in found]

    # ---- finding resources --------------------------------------------------------------------

    def find(self, name: ResourceName | type[Any], deadline: float | None) -> Resource:
        """Find a resource among the registered kinds, or else by discovery."""
        if isinstance(name, Resource):
            return name
        if (registered := self.registered(name)) is not None:
            return registered
        wanted = _kind_of(name) if isinstance(name, type) else name
        return self.discovery.find(wanted, deadline)

    def registered(self, name: object) -> Resource | None:
        """Return the resource of a registered kind; None for other names."""
        is_kind = isinstance(name, (type, GroupVersionKind)) or (
            isinstance(name, str) and "/" in name
        )
        if not is_kind or name is Unstructured:
            return None
        try:
            return self.scheme.resource(cast("Any", name))
        except LookupError:
            return None

    def model_of(self, kind: GroupVersionKind) -> type[Object]:
        """Return the class of a kind, or `Unstructured`."""
        return self.scheme.model(kind) if kind in self.scheme else Unstructured

    def list_model_of(self, model: type[T]) -> type[ModelList[T]]:
        """Return the class of lists of a class."""
        wanted: Any = model
        if not issubclass(wanted, Model) or issubclass(wanted, _REPRESENTATIONS):
            return list_class(wanted, "", "")
        return cast("type[ModelList[T]]", self.scheme.list_model(wanted))


class MetadataClient:
    """Clients of resources. The clients receive only the metadata of objects.

    The clients have the verbs of dynamic clients. Objects are `PartialObjectMetadata`, which is
    enough to delete objects, and to patch and edit labels, annotations, owners and finalizers.
    client-go: metadata.
    """

    def __init__(self, dynamic: DynamicClient) -> None:
        self._dynamic = dynamic

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._dynamic.rest!r})"

    def __dir__(self) -> list[str]:
        """List the public attributes."""
        return public_attributes(self)

    def resource(self, name: ResourceName | type[Any]) -> DynamicResource[PartialObjectMetadata]:
        """Return a client of a resource; see `DynamicClient.resource`."""
        return DynamicResource(self._dynamic, name, PartialObjectMetadata)

    def resources(self, names: str) -> list[DynamicResource[PartialObjectMetadata]]:
        """Return clients of several resources; see `DynamicClient.resources`.

        Raises:
            NoResourceMatch, DiscoveryFailed, AmbiguousResource: as `DynamicClient.resources`.
            ApiError, TransportError, DecodeError, ValueError: as `DynamicClient.resources`.
        """
        return [each.metadata for each in self._dynamic.resources(names)]


class DynamicResource(Generic[T]):
    """The verbs of a resource. The first call finds the resource.

    For single objects, the namespace is the argument, or else the namespace of the object, or of
    the client. Without a namespace, `list`, `each` and `watch` include all namespaces. Objects of
    registered kinds are instances of their class, other objects are `Unstructured`.

    Every method raises:
        NoResourceMatch, DiscoveryFailed, AmbiguousResource: the name does not match exactly one
            resource of the server.
        MethodNotAllowed: the resource does not have the verb.
        ValueError: a name is not valid, or a namespace is given for a cluster-scoped resource.
    """

    def __init__(
        self, client: DynamicClient, name: ResourceName | type[Any], model: type[T] | None
    ) -> None:
        if name == "":
            raise ValueError("name must be the name of a resource, such as 'deployments', not ''")
        self._client = client
        self._name = name
        self._found = name if isinstance(name, Resource) else None
        if model is None and isinstance(name, type):
            model = cast("type[T]", name)
        self._model = model

    def __repr__(self) -> str:
        name = self._found.name if self._found else _name_text(self._name)
        return f"{type(self).__name__}({self._client.rest!r}, {name!r})"

    def __dir__(self) -> list[str]:
        """List the public attributes."""
        return public_attributes(
            self, "client_in", "model_for", "subresource_client", "watched_resource"
        )

    def resource(self) -> Resource:
        """Return the resource; an `ApiResource` if discovery has found it.

        Raises:
            NoResourceMatch, DiscoveryFailed, AmbiguousResource: as `Discovery.resource`.
            ApiError, TransportError, DecodeError, ValueError: as `Discovery.resource`.
        """
        return self._find(self._client.rest.deadline({}))

    @property
    def metadata(self) -> DynamicResource[PartialObjectMetadata]:
        """A client of the same resource. It receives only the metadata of objects."""
        name = self._name if self._found is None else self._found
        return DynamicResource(self._client, name, PartialObjectMetadata)

    # ---- reading ------------------------------------------------------------------------------

    @retry_if_outdated
    def get(
        self,
        name: str,
        *,
        namespace: str | None = None,
        default: DefaultT | UnsetType = UNSET,
        **options: Unpack[GetOptions],
    ) -> T | DefaultT:
        """Get the object called `name`. With `default`, return that if there is none."""
        check_segment("name", name)
        client, call_options = self._client_for_one("get", namespace, options)
        return client.get(name, default=default, **call_options)

    @retry_if_outdated
    def list(
        self,
        *,
        namespace: str | None = None,
        namespaces: NamespaceNames | None = None,
        **options: Unpack[ListOptions],
    ) -> ModelList[T]:
        """List the objects that match the options, in one namespace, in several, or in all.

        `namespaces` has names, patterns such as `team-*`, or a label selector of the namespaces.
        """
        if namespaces is not None:
            return self._list_several(NamespaceChoice(namespaces, namespace), options)
        client, call_options = self._client_for_all("list", namespace, options)
        return client.list(**call_options)

    def _list_several(self, choice: NamespaceChoice, options: Mapping[str, Any]) -> ModelList[T]:
        from .namespace_lists import list_namespaces  # imported late: few programs need it

        client, call_options = self._client_for_all("list", choice.example, options)
        lists = client._list_model
        return list_namespaces(self.rest, choice, self.list, lists, call_options)

    def each(
        self,
        *,
        namespace: str | None = None,
        namespaces: NamespaceNames | None = None,
        **options: Unpack[EachOptions],
    ) -> Iterator[T]:
        """Iterate over the objects that match the options, reading a page at a time.

        `namespaces` are several namespaces, as for `list`.
        """
        if namespaces is not None:
            choice = NamespaceChoice(namespaces, namespace)
            for obj in self._each_of_several(choice, options):
                yield obj
            return
        deadline = self.rest.deadline(options)
        has_yielded = False
        try:
            client, call_options = self._client_for_all("list", namespace, options)
            for obj in client.each(**call_options):
                has_yielded = True
                yield obj
        except NotFound as error:
            if has_yielded or not self._forget():
                raise
            if not is_outdated(self.rest, error, deadline):
                raise
        else:
            return
        client, call_options = self._client_for_all("list", namespace, options)
        for obj in client.each(**call_options):
            yield obj

    def _each_of_several(self, choice: NamespaceChoice, options: Mapping[str, Any]) -> Iterator[T]:
        from .namespace_lists import each_of_namespaces  # imported late: few programs need it

        _, call_options = self._client_for_all("list", choice.example, options)
        for obj in each_of_namespaces(self.rest, choice, self.each, call_options):
            yield obj

    def watch(self, *, namespace: str | None = None, **options: Unpack[WatchOptions]) -> Watch[T]:
        """Yield an event for every change to the objects that match the options, until stopped."""
        return DynamicWatch(self, namespace, options)

    @overload
    def wait(  # type: ignore[overload-overlap]
        self,
        name: str,
        *,
        until: Deleted,
        namespace: str | None = None,
        fail: Callable[[T], object] | None = None,
        timeout: float | None = None,
        on_progress: Callable[[str], object] | None = None,
    ) -> T | None: ...
    @overload
    def wait(
        self,
        name: str,
        *,
        until: Callable[[T], object],
        namespace: str | None = None,
        fail: Callable[[T], object] | None = None,
        timeout: float | None = None,
        on_progress: Callable[[str], object] | None = None,
    ) -> T: ...
    @overload
    def wait(
        self,
        *,
        until: Callable[[T], object],
        namespace: str | None = None,
        fail: Callable[[T], object] | None = None,
        timeout: float | None = None,
        label_selector: Labels | None = None,
        field_selector: Fields | None = None,
        on_progress: Callable[[str], object] | None = None,
    ) -> Sequence[T]: ...
    def wait(
        self,
        name: str | UnsetType = UNSET,
        *,
        until: Callable[[T], object],
        namespace: str | None = None,
        **options: Any,
    ) -> T | Sequence[T] | None:
        """Wait until a condition is true for an object, or for all objects that match selectors.

        Without a name and a namespace, the wait includes all namespaces. The arguments and results
        are the same as for `wait` of typed clients.
        """
        given: dict[str, Any] = {**options, "until": until}
        self._find_anew({})
        if name is UNSET:
            client, _ = self._client_for_all("watch", namespace, {})
        else:
            check_segment("name", name)
            client, _ = self._client_for_one("watch", namespace, {})
            given["name"] = name
        waiting: Any = client
        return cast("T | Sequence[T] | None", waiting.wait(**given))

    @retry_if_outdated
    def table(
        self,
        *,
        namespace: str | None = None,
        sort_by: str | None = None,
        **options: Unpack[ListOptions],
    ) -> Table:
        """List the objects that match the options as the table that `kubectl get` prints.

        The server chooses the columns. `print(table)` prints it as kubectl does.

        Args:
            namespace: the namespace of the objects; all namespaces by default.
            sort_by: the path of a field to sort by, as `kubectl get --sort-by`: `.spec.nodeName`.
                The rows then have whole objects.
            options: see `ListOptions`.

        Raises:
            ValueError: no object has the field, or its values cannot be sorted.
        """
        deadline = self._client.rest.deadline(options)
        found = self._find(deadline)
        check_verb(found, "list")
        client = ObjectClient(self._client.rest, found, namespace, Table, Table)
        rest_of_time = with_remaining_time(self._client.rest, options, deadline)
        if sort_by is None:
            return client.list(**rest_of_time)
        from .._printing.tables import sort_rows  # imported late: few programs sort tables

        listed = client._list(Table, {**rest_of_time, "include_object": "Object"})
        return sort_rows(listed, sort_by)

    # ---- writing ------------------------------------------------------------------------------

    @retry_if_outdated
    def create(
        self,
        body: T | Mapping[str, object],
        *,
        namespace: str | None = None,
        **options: Unpack[WriteOptions],
    ) -> T:
        """Create the object."""
        client, call_options, sent = self._client_for_body("create", body, namespace, options)
        return client.create(sent, **call_options)

    @retry_if_outdated
    def update(
        self,
        body: T | Mapping[str, object],
        *,
        namespace: str | None = None,
        **options: Unpack[WriteOptions],
    ) -> T:
        """Replace the object with `body`."""
        client, call_options, sent = self._client_for_body("update", body, namespace, options)
        return client.update(sent, **call_options)

    @retry_if_outdated
    def apply(
        self,
        body: T | Mapping[str, object],
        *,
        namespace: str | None = None,
        **options: Unpack[ApplyOptions],
    ) -> T:
        """Server-side apply: create or update the object.

        The field manager owns the fields that are set in `body`.
        """
        client, call_options, sent = self._client_for_body(
            "patch", body, namespace, options, "apply()"
        )
        return client.apply(sent, **call_options)

    @retry_if_outdated
    def patch(
        self,
        name: str,
        patch: Patch | Mapping[str, object],
        *,
        namespace: str | None = None,
        **options: Unpack[PatchOptions],
    ) -> T:
        """Patch the object called `name`. A dict is a merge patch."""
        check_segment("name", name)
        client, call_options = self._client_for_one("patch", namespace, options)
        return client.patch(name, patch, **call_options)

    @retry_if_outdated
    def edit(
        self,
        name: str,
        change: Callable[[T], object],
        *,
        namespace: str | None = None,
        **options: Unpack[EditOptions],
    ) -> T:
        """Get the object, let `change` modify it, and send the difference. Retries on conflict."""
        check_segment("name", name)
        client, call_options = self._client_for_one("patch", namespace, options)
        return client.edit(name, change, **call_options)

    @retry_if_outdated
    def delete(
        self, name: str, *, namespace: str | None = None, **options: Unpack[DeleteOptions]
    ) -> T | Status:
        """Delete the object called `name`.

        Returns the object if its deletion is pending, otherwise usually a Status.
        """
        check_segment("name", name)
        client, call_options = self._client_for_one("delete", namespace, options)
        return client.delete(name, **call_options)

    @retry_if_outdated
    def delete_collection(
        self, *, namespace: str | None = None, **options: Unpack[DeleteCollectionOptions]
    ) -> ModelList[T] | Status:
        """Delete every object that matches the options.

        Raises:
            ValueError: the resource is namespaced and no namespace is given.
        """
        client, call_options = self._client_for_all("deletecollection", namespace, options)
        return client.delete_collection(**call_options)

    # ---- subresources -------------------------------------------------------------------------

    def status(self, name: str, *, namespace: str | None = None) -> DynamicSubresource[T]:
        """Get, update, patch, apply or edit the status of the object called `name`."""
        return self._subresource(name, "status", namespace, None)

    def scale(self, name: str, *, namespace: str | None = None) -> DynamicSubresource[Any]:
        """Get, update, patch or edit the scale of the object called `name`.

        The scale is an autoscaling/v1 Scale for all resources.
        """
        return self._subresource(name, "scale", namespace, self._client.model_of(_SCALE))

    @overload
    def subresource(
        self, name: str, part: str, *, namespace: str | None = ..., model: type[S]
    ) -> DynamicSubresource[S]: ...
    @overload
    def subresource(
        self, name: str, part: str, *, namespace: str | None = ...
    ) -> DynamicSubresource[Any]: ...
    def subresource(
        self,
        name: str,
        part: str,
        *,
        namespace: str | None = None,
        model: type[Any] | None = None,
    ) -> DynamicSubresource[Any]:
        """Call the verbs of a subresource of the object called `name`.

        Args:
            name: the name of the object.
            part: the subresource, such as `scale` or `eviction`.
            namespace: the namespace of the object.
            model: the class of the subresource; by default the class that is registered for its
                kind, or `Unstructured`.

        Raises:
            ValueError: one of the names is not valid.
        """
        return self._subresource(name, part, namespace, model)

    def _subresource(
        self, name: str, part: str, namespace: str | None, model: type[S] | None
    ) -> DynamicSubresource[S]:
        check_segment("name", name)
        check_segment("subresource", part)
        return DynamicSubresource(self, name, part, namespace, model)

    # ---- finding the resource -----------------------------------------------------------------

    @property
    def rest(self) -> Rest:
        """The client that sends requests."""
        return self._client.rest

    def _find(self, deadline: float | None) -> Resource:
        found = self._found
        if found is None:
            found = self._found = self._client.find(self._name, deadline)
        return found

    def _forget(self) -> bool:
        """Forget the found resource. Returns False if it did not come from discovery."""
        if self._found is not None and not isinstance(self._found, ApiResource):
            return False
        if isinstance(self._name, ApiResource):
            self._name = self._name.gvr
        self._found = None
        return True

    def _find_anew(self, options: Mapping[str, Any]) -> None:
        """Find the resource without the cache on disk.

        Watches and waits need this: they last long, and a wait may take a 404 as "deleted".
        """
        deadline = self.rest.deadline(options)
        if isinstance(self._find(deadline), ApiResource):
            self._client.discovery.confirm(deadline)
            self._forget()

    def _find_with_details(self, deadline: float | None) -> ApiResource:
        """Return the resource with the details of discovery."""
        found = self._find(deadline)
        if isinstance(found, ApiResource):
            return found
        details = self._client.discovery.find(found.gvr, deadline)
        self._found = details
        return details

    def _client_for_one(
        self, verb: str, namespace: str | None, options: Mapping[str, Any]
    ) -> tuple[ObjectClient[T, ModelList[T]], Any]:
        """Return the client for calls to one object, and the remaining options."""
        deadline = self._client.rest.deadline(options)
        found = self._find(deadline)
        check_verb(found, verb)
        if namespace is None and found.namespaced:
            namespace = self._client.namespace
        return self.client_in(found, namespace), with_remaining_time(
            self._client.rest, options, deadline
        )

    def _client_for_all(
        self, verb: str, namespace: str | None, options: Mapping[str, Any]
    ) -> tuple[ObjectClient[T, ModelList[T]], Any]:
        deadline = self._client.rest.deadline(options)
        found = self._find(deadline)
        check_verb(found, verb)
        return self.client_in(found, namespace), with_remaining_time(
            self._client.rest, options, deadline
        )

    def _client_for_body(
        self,
        verb: str,
        body: T | Mapping[str, object],
        namespace: str | None,
        options: Mapping[str, Any],
        call: str = "",
    ) -> tuple[ObjectClient[T, ModelList[T]], Any, Any]:
        call = call or f"{verb}()"
        check_object(call, body)
        if isinstance(body, _REPRESENTATIONS):
            raise TypeError(f"{call} takes a whole object or a manifest, not {type_of(body)}")
        deadline = self._client.rest.deadline(options)
        found = self._find(deadline)
        check_verb(found, verb)
        whole: Any = body
        object_namespace = namespace_for(found, whole, namespace, self._client.namespace)
        return (
            self.client_in(found, object_namespace),
            with_remaining_time(self._client.rest, options, deadline),
            _with_type(body, found),
        )

    def client_in(self, found: Resource, namespace: str | None) -> ObjectClient[T, ModelList[T]]:
        """Return the client of the resource in a namespace, or in all namespaces."""
        model = self.model_for(found)
        lists = self._client.list_model_of(model)
        return ObjectClient(self._client.rest, found, namespace, model, lists)

    def model_for(self, found: Resource) -> type[T]:
        """Return the class of the objects."""
        return self._model or cast("type[T]", self._client.model_of(found.gvk))

    def subresource_client(
        self,
        part: str,
        namespace: str | None,
        model: type[S] | None,
        verb: str,
        options: Mapping[str, Any],
    ) -> tuple[ObjectClient[T, ModelList[T]], type[S], Any]:
        """Return the client of a subresource, its class, and the remaining options."""
        deadline = self._client.rest.deadline(options)
        found = self._find(deadline)
        if isinstance(found, ApiResource) or (part != "status" and model is None):
            found = self._find_with_details(deadline)
            try:
                part_info = subresource_of(found, part, verb)
            except NoResourceMatch:  # the subresource may be newer than the cache
                self._find_anew(options)
                found = self._find_with_details(deadline)
                part_info = subresource_of(found, part, verb)
            kind = GroupVersion.parse(part_info.api_version).with_kind(part_info.kind)
            model = model or cast("type[S]", self._model if part == "status" else None)
            model = model or cast("type[S]", self._client.model_of(kind))
        model = model or cast("type[S]", self.model_for(found))
        if namespace is None and found.namespaced:
            namespace = self._client.namespace
        return (
            self.client_in(found, namespace),
            model,
            with_remaining_time(self._client.rest, options, deadline),
        )

    def watched_resource(self, options: Mapping[str, Any]) -> tuple[Resource, type[T]]:
        """Return the resource to watch, and the class of its objects."""
        self._find_anew(options)
        found = self._find(self._client.rest.deadline(options))
        check_verb(found, "watch")
        return found, self.model_for(found)


class DynamicSubresource(Generic[T]):
    """The verbs of a subresource of one object, such as its status or its scale.

    Every method raises:
        NoResourceMatch: the resource or the subresource does not exist.
        MethodNotAllowed: the subresource does not have the verb.
    """

    def __init__(
        self,
        resource: DynamicResource[Any],
        name: str,
        part: str,
        namespace: str | None,
        model: type[T] | None,
    ) -> None:
        self._resource = resource
        self._name = name
        self._part = part
        self._namespace = namespace
        self._model = model

    def __repr__(self) -> str:
        return f"{self._resource!r}.{self._part}({self._name!r})"

    def __dir__(self) -> list[str]:
        """List the public attributes."""
        return public_attributes(self)

    @property
    def rest(self) -> Rest:
        """The client that sends requests."""
        return self._resource.rest

    def _forget(self) -> bool:
        return self._resource._forget()

    @retry_if_outdated
    def get(self, **options: Unpack[GetOptions]) -> T:
        """Get the subresource."""
        part, call_options = self._part_for("get", options)
        return part.get(**call_options)

    @retry_if_outdated
    def create(self, body: T | Mapping[str, object], **options: Unpack[WriteOptions]) -> T:
        """Create the subresource with a POST, as for an eviction or a token."""
        check_object("create()", body)
        client, model, call_options = self._client_for("create", options)
        return client.create_subresource(self._name, self._part, body, model, **call_options)

    @retry_if_outdated
    def update(self, body: T | Mapping[str, object], **options: Unpack[WriteOptions]) -> T:
        """Replace the subresource with `body`."""
        check_object("update()", body)
        part, call_options = self._part_for("update", options)
        return part.update(body, **call_options)

    @retry_if_outdated
    def patch(self, patch: Patch | Mapping[str, object], **options: Unpack[PatchOptions]) -> T:
        """Patch the subresource. A dict is a merge patch."""
        part, call_options = self._part_for("patch", options)
        return part.patch(patch, **call_options)

    @retry_if_outdated
    def apply(self, body: T | Mapping[str, object], **options: Unpack[ApplyOptions]) -> T:
        """Server-side apply: update the subresource and own the fields in `body`."""
        check_object("apply()", body)
        part, call_options = self._part_for("patch", options)
        return part.apply(body, **call_options)

    @retry_if_outdated
    def edit(self, change: Callable[[T], object], **options: Unpack[EditOptions]) -> T:
        """Get the subresource, let `change` modify it, and send the difference.

        Retries on conflict.
        """
        part, call_options = self._part_for("patch", options)
        return part.edit(change, **call_options)

    def _part_for(
        self, verb: str, options: Mapping[str, Any]
    ) -> tuple[Subresource[T, Mapping[str, object]], Any]:
        client, model, call_options = self._client_for(verb, options)
        return client.subresource(self._name, self._part, model), call_options

    def _client_for(
        self, verb: str, options: Mapping[str, Any]
    ) -> tuple[ObjectClient[Any, Any], type[T], Any]:
        return self._resource.subresource_client(
            self._part, self._namespace, self._model, verb, options
        )


class DynamicWatch(Watch[T]):
    """A watch that finds its resource when it is first read."""

    def __init__(
        self, resource: DynamicResource[T], namespace: str | None, options: Mapping[str, Any]
    ) -> None:
        unknown_model = cast("type[T]", Unstructured)
        super().__init__(resource.rest, "/", unknown_model, options)
        self._resource: DynamicResource[T] | None = resource
        self._namespace = namespace
        self._options = options

    def __next__(self) -> WatchEvent[T]:
        if self._resource is not None and not self._stopped.is_set():
            self._find(self._resource)
        return super().__next__()

    def _find(self, resource: DynamicResource[T]) -> None:
        found, self._model = resource.watched_resource(self._options)
        self._path = found.collection_path(self._namespace)
        self._request = build("GET", self._path, self._options, WATCH)
        self._progress = WatchProgress(self._options, self._request.info)
        self._resource = None


def _kind_of(model: type[Any]) -> GroupVersionKind:
    """Return the kind of a class.

    Raises:
        TypeError: the class has no kind.
    """
    constants = getattr(model, "__constants__", {})
    api_version, kind = constants.get("api_version"), constants.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str):
        raise TypeError(f"{model.__name__} has no kind: pass the resource's name, and model=...")
    return GroupVersion.parse(api_version).with_kind(kind)


def _with_type(body: object, found: Resource) -> object:
    """Add a missing apiVersion and kind to a manifest."""
    if not isinstance(body, Mapping):
        return body
    given = cast("Mapping[str, object]", body)
    if "apiVersion" in given and "kind" in given:
        return given
    return {"apiVersion": found.api_version, "kind": found.kind, **given}


def _name_text(name: object) -> str:
    return name.__name__ if isinstance(name, type) else str(name)
