"""The base class of generated clientsets: calls for objects of any kind."""

# Clientsets call the private verbs of clients. The client's clock measures timeouts.
# pyright: reportPrivateUsage=false
# ruff: noqa: ASYNC109

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from msgspec import UNSET, UnsetType

from .._cache.not_found import check_same_object
from .._http.edit import status_difference
from .._http.path_segments import called, name_in, uid_in
from .._manifests.object_addresses import kind_of, namespace_for
from .._models.argument_errors import UnknownAttribute, public_attributes
from .._models.arguments import check_class, explain_missing_rest, type_of
from .._models.meta_v1 import ModelList, PartialObjectMetadata
from .._models.model import Model
from .._models.model_info import viewed_model
from .._models.unstructured import Object, Typed, Unstructured, UnstructuredList, WholeObject
from ..errors import AlreadyExists, DiscoveryFailed, NoResourceMatch
from ._primitives import short_lock
from .object_client import AsyncObjectClient
from .outdated import retry_if_outdated, with_remaining_time
from .rest import AsyncRest
from .server_calls import AsyncServerCalls

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
    from os import PathLike
    from types import TracebackType
    from typing import Self, Unpack

    from clientgen._gvk import GroupVersionKind

    from .._conditions.checks import Deleted
    from .._config.kubeconfig_source import Kubeconfig
    from .._discovery.discovered_resources import ResourceName
    from .._http.call_defaults import CallDefaults
    from .._http.call_options import (
        ApplyOptions,
        ClientOptions,
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
    from .._http.resource import Resource
    from .._manifests.scheme import Scheme
    from .._manifests.set_objects import ManifestSource
    from .._models.ensured import Ensured
    from .._models.meta_v1 import Status
    from .._models.tables import Table
    from .._models.views import View
    from ._primitives import Callback
    from .dynamic import AsyncDynamicClient, AsyncMetadataClient
    from .manifest_set import AsyncManifestSet
    from .watch import AsyncWatch

M = TypeVar("M", bound=Typed)
ClassT = TypeVar("ClassT", bound=type[Any])
WholeT = TypeVar("WholeT", bound=Model)
T = TypeVar("T", bound=Object)
W = TypeVar("W", bound=WholeObject)


class AsyncClientsetBase(AsyncServerCalls):
    """The base class of clientsets, which talk to one cluster. Use it as a context manager.

    Its methods work with any kind that `scheme` knows: by class (`k.get(Deployment, "web")`), or
    with an object, which has its kind, name and namespace (`k.apply(deployment)`). The
    attributes of generated clientsets, such as `k.apps_v1`, lead to clients of single resources,
    which also have subresources and logs.

    If the argument `namespace` is missing, methods for one object use the namespace of the object,
    or else `namespace` of this clientset. `list`, `each` and `watch` then include all namespaces.

    Every method raises:
        LookupError: the scheme does not know the kind. The message says what to do.
        ValueError: a name or a namespace is not valid, the object is not in the given namespace, or
            a namespace is given for a cluster-scoped kind.
        ApiError: the server responded with an error.
        TransportError: there was no response before the deadline.
    """

    _module: str = ""
    """The module of a generated clientset. The module `scheme` of its package is next to it."""

    def __init__(self, rest: AsyncRest) -> None:
        self._rest = rest
        self._scheme: Scheme | None = None
        self._lock = short_lock()
        self._known: Mapping[object, Resource] = {}

    def __dir__(self) -> list[str]:
        """List the public attributes."""
        return public_attributes(self)

    if not TYPE_CHECKING:  # `__getattr__` would hide mistakes from type checkers
        __init__ = explain_missing_rest(__init__)

        def __getattr__(self, name: str) -> object:
            raise AttributeError(UnknownAttribute(type(self), name), name=name)

    @classmethod
    def from_config(
        cls,
        kubeconfig: Kubeconfig | None = None,
        context: str | None = None,
        *,
        text: str | bytes | None = None,
        base: str | PathLike[str] | None = None,
        token: str | Callback[[], str] | None = None,
        exec_plugins: Collection[str] | None = None,
        **options: Unpack[ClientOptions],
    ) -> Self:
        """Create a clientset from KUBECONFIG, ~/.kube/config or the pod's service account.

        Args:
            kubeconfig: the kubeconfig file to use instead of these, or a kubeconfig as a dict.
            context: the context to use instead of the current context.
            text: the kubeconfig itself, as YAML or JSON.
            base: the folder of relative paths in `text` or in a dict; they are refused without it.
            token: the token to use instead of the user's, or a function that returns it.
            exec_plugins: the credential plugins that may run: names in PATH, or paths. In `text`
                and dicts, none may run by default.
            options: see `ClientOptions`.

        Raises:
            ConfigError: the configuration is missing or invalid; the message says where.
        """
        rest = AsyncRest.from_config(
            kubeconfig,
            context,
            text=text,
            base=base,
            token=token,
            exec_plugins=exec_plugins,
            **options,
        )
        return cls(rest)

    def with_(self, **defaults: Unpack[CallDefaults]) -> Self:
        """Return a clientset of the same connection with other defaults for its calls.

            shop = k.with_(namespace="shop", field_manager="deployer", dry_run=True)

        Both share connections, credentials, the results of discovery and the scheme. An option of a
        call wins over these defaults; an option that is None counts as missing, except `timeout`.
        Only the original closes the connection: closing the new clientset does nothing.

        `dry_run` is for all writes of objects, also those of manifest sets, drains and event
        recorders. Leader election refuses it, and it does not change commands in containers.

        Args:
            defaults: `namespace` is that of `k.namespace`: lists are of all namespaces all the
                same. The others are `field_manager`, `dry_run`, `field_validation`, and `timeout`
                in seconds, or None for no limit. A missing one stays as it is.

        Raises:
            TypeError: there is no such default, or a value has a wrong type.
            ValueError: a value is not valid.
        """
        derived = type(self)(self._rest.with_(**defaults))
        derived._scheme = self.scheme
        derived._known = self._known
        return derived

    @property
    def rest(self) -> AsyncRest:
        """The REST client that all clients share."""
        return self._rest

    @property
    def namespace(self) -> str:
        """The namespace of `with_`, of the kubeconfig's context or of the pod; else `default`."""
        return self._rest.namespace

    @property
    def scheme(self) -> Scheme:
        """The kinds that this clientset knows: the kinds of its package, and added kinds.

        `PACKAGE.add_to_scheme(k.scheme)` adds another generated package.
        `k.scheme.register(CLASS, plural=...)` adds a class of your own.
        """
        return self._new_scheme() if self._scheme is None else self._scheme

    def _new_scheme(self) -> Scheme:
        from .._manifests.scheme import scheme_of  # imported late: few calls need it

        made = scheme_of(vars(kind).get("_module") for kind in type(self).__mro__)
        with self._lock:
            scheme = self._scheme = self._scheme or made  # another thread may have set it
        self._known = scheme.known_resources
        return scheme

    @property
    def dynamic(self) -> AsyncDynamicClient:
        """Clients of any resource of the server, by name: `k.dynamic.resource("deploy")`.

        Objects have the classes of `scheme`; objects of other kinds are `Unstructured`.
        """
        from .dynamic import AsyncDynamicClient  # imported late: few programs need it

        return AsyncDynamicClient(self._rest, self.scheme, self.namespace)

    @property
    def metadata(self) -> AsyncMetadataClient:
        """Clients that receive only metadata, of any resource: `k.metadata.resource("pods")`."""
        from .dynamic import AsyncMetadataClient

        return AsyncMetadataClient(self.dynamic)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close all connections."""
        await self._rest.aclose()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._rest!r})"

    # ---- reading ------------------------------------------------------------------------------

    @retry_if_outdated
    async def get(
        self,
        model: type[M],
        name: str,
        *,
        namespace: str | None = None,
        default: DefaultT | UnsetType = UNSET,
        **options: Unpack[GetOptions],
    ) -> M | DefaultT:
        """Get an object: `k.get(Deployment, "web", namespace="shop")`.

        Args:
            model: the class of the object.
            name: the name of the object.
            namespace: the namespace of the object; `k.namespace` by default.
            default: the result if there is no such object, such as None; by default that is an
                error. An unknown kind remains an error.
            options: see `GetOptions`.
        """
        client = await self._client_of_class(model, namespace)
        return await client._get(model, name, options, default)

    @overload
    async def exists(
        self,
        obj: Object | Mapping[str, object],
        /,
        *,
        namespace: str | None = ...,
        **options: Unpack[GetOptions],
    ) -> bool: ...
    @overload
    async def exists(
        self,
        model: type[Typed],
        name: str,
        /,
        *,
        namespace: str | None = ...,
        **options: Unpack[GetOptions],
    ) -> bool: ...
    @retry_if_outdated
    async def exists(
        self,
        what: Any,
        /,
        *given: Any,
        namespace: str | None = None,
        **options: Unpack[GetOptions],
    ) -> bool:
        """Return whether an object exists: `k.exists(obj)` or `k.exists(Pod, "web-0")`.

        Only the metadata of the object is read.

        Args:
            what: the object, or a manifest with its apiVersion and kind; or a class.
            given: the name, if `what` is a class.
            namespace: the namespace, if the object has none; `k.namespace` by default.
            options: see `GetOptions`.
        """
        client, (name,) = await self._client_and_arguments(what, given, namespace)
        return await client._get(PartialObjectMetadata, name, options, None) is not None

    @retry_if_outdated
    async def refresh(self, obj: T, **options: Unpack[GetOptions]) -> T:
        """Get the newest state of an object; `obj` stays as it is.

        Args:
            obj: the object, as it was read.
            options: see `GetOptions`.

        Raises:
            NotFound: the object is gone. Another object may have its name.
        """
        client = await self._client_of_object(obj, None)
        found = await client.get(name_in(obj), **options)
        if uid_in(obj):
            check_same_object(client.resource, found, obj)
        return cast("T", found)

    @retry_if_outdated
    async def full(self, view: View[WholeT], **options: Unpack[GetOptions]) -> WholeT:
        """Get the whole object of a view, for example to change it.

        Args:
            view: the view, such as a `PodPlace` for `class PodPlace(View[Pod])`.
            options: see `GetOptions`.

        Raises:
            NotFound: the object is gone. Another object may have its name.
            TypeError: the argument is not a view.
        """
        model = viewed_model(type(view))
        if model is None:
            raise TypeError(f"full() takes a view, not {type_of(view)}")
        client = await self._client_of_class(
            cast("type[WholeT]", model), view.metadata.namespace or None
        )
        obj = await client.get(view.metadata.name, **options)
        check_same_object(client.resource, obj, view)
        return obj

    @retry_if_outdated
    async def list(
        self,
        model: type[M],
        *,
        namespace: str | None = None,
        namespaces: NamespaceNames | None = None,
        **options: Unpack[ListOptions],
    ) -> ModelList[M]:
        """List the objects that match the options. With `limit`, return a single page.

            k.list(Pod, namespaces=["shop", "team-*"])

        Several namespaces are listed at the same time, eight at most, and the list has no resource
        version. If the server refuses one of them, the call fails.

        Args:
            model: the class of the objects.
            namespace: the namespace of the objects; all namespaces by default.
            namespaces: several namespaces: names and patterns such as `team-*`, or a label selector
                of the namespaces. Only patterns and selectors need the right to list namespaces.
            options: see `ListOptions`. `limit` is for a single collection.
        """
        if namespaces is not None:
            return await self.dynamic.resource(_checked(model)).list(
                namespace=namespace, namespaces=namespaces, **options
            )
        resource = await self._resource_of(_checked(model))
        return await self._client_of_all(model, resource, namespace).list(**options)

    def each(
        self,
        model: type[M],
        *,
        namespace: str | None = None,
        namespaces: NamespaceNames | None = None,
        **options: Unpack[EachOptions],
    ) -> AsyncIterator[M]:
        """Iterate over the objects that match the options, reading a page at a time.

        Args:
            model: the class of the objects.
            namespace: the namespace of the objects; all namespaces by default.
            namespaces: several namespaces, as for `list`; they are read one after the other.
            options: see `EachOptions`.
        """
        return self.dynamic.resource(_checked(model)).each(
            namespace=namespace, namespaces=namespaces, **options
        )

    def watch(
        self, model: type[M], *, namespace: str | None = None, **options: Unpack[WatchOptions]
    ) -> AsyncWatch[M]:
        """Yield an event for every change to the objects that match the options, until stopped.

        Args:
            model: the class of the objects.
            namespace: the namespace of the objects; all namespaces by default.
            options: see `WatchOptions`.
        """
        return self.dynamic.resource(_checked(model)).watch(namespace=namespace, **options)

    @retry_if_outdated
    async def table(
        self,
        name: ResourceName | type[Any],
        *,
        namespace: str | None = None,
        sort_by: str | None = None,
        **options: Unpack[ListOptions],
    ) -> Table:
        """List objects as the table that `kubectl get` prints: `print(await k.table("pods"))`.

        Args:
            name: a class or a name such as `deploy`; see `AsyncDynamicClient.resource`.
            namespace: the namespace of the objects; all namespaces by default.
            sort_by: the path of a field to sort by, as `kubectl get --sort-by`: `.spec.nodeName`.
                The rows then have whole objects.
            options: see `ListOptions`.

        Raises:
            NoResourceMatch, DiscoveryFailed, AmbiguousResource: the server has no such resource.
            ValueError: no object has the field `sort_by`, or its values cannot be sorted.
        """
        resource = self.dynamic.resource(name)
        return await resource.table(namespace=namespace, sort_by=sort_by, **options)

    # ---- writing ------------------------------------------------------------------------------

    @overload
    async def create(
        self, body: W, *, namespace: str | None = ..., **options: Unpack[WriteOptions]
    ) -> W: ...
    @overload
    async def create(
        self,
        body: Mapping[str, object],
        *,
        namespace: str | None = ...,
        **options: Unpack[WriteOptions],
    ) -> WholeObject: ...
    @retry_if_outdated
    async def create(
        self, body: Any, *, namespace: str | None = None, **options: Unpack[WriteOptions]
    ) -> Any:
        """Create an object.

        Args:
            body: the object, or a manifest with its apiVersion and kind. For a manifest, the result
                is an object of the class of its kind.
            namespace: the namespace, if the object has none; `k.namespace` by default.
            options: see `WriteOptions`.
        """
        client = await self._client_of_object(body, namespace)
        return await client._create(client._model, body, options)

    @overload
    async def get_or_create(
        self, body: W, *, namespace: str | None = ..., **options: Unpack[WriteOptions]
    ) -> W: ...
    @overload
    async def get_or_create(
        self,
        body: Mapping[str, object],
        *,
        namespace: str | None = ...,
        **options: Unpack[WriteOptions],
    ) -> WholeObject: ...
    @retry_if_outdated
    async def get_or_create(
        self, body: Any, *, namespace: str | None = None, **options: Unpack[WriteOptions]
    ) -> Any:
        """Get the object that has the name of `body`, or create it if there is none.

        An existing object stays as it is; `ensure` changes it.

        Args:
            body: the object, or a manifest with its apiVersion and kind.
            namespace: the namespace, if the object has none; `k.namespace` by default.
            options: of the creation; see `WriteOptions`.
        """
        client = await self._client_of_object(body, namespace)
        name, deadline = name_in(body), self._rest.deadline(options)
        found = await client._get(client._model, name, _timeout_of(options), None)
        if found is not None:
            return found
        options = cast("WriteOptions", with_remaining_time(self._rest, options, deadline))
        try:
            return await client._create(client._model, body, options)
        except AlreadyExists:  # another program was faster
            return await client._get(client._model, name, _timeout_of(options))

    @overload
    async def ensure(
        self, body: W, *, namespace: str | None = ..., **options: Unpack[ApplyOptions]
    ) -> Ensured[W]: ...
    @overload
    async def ensure(
        self,
        body: Mapping[str, object],
        *,
        namespace: str | None = ...,
        **options: Unpack[ApplyOptions],
    ) -> Ensured[WholeObject]: ...
    @retry_if_outdated
    async def ensure(
        self, body: Any, *, namespace: str | None = None, **options: Unpack[ApplyOptions]
    ) -> Any:
        """Apply an object, and tell whether that created it, changed it or left it unchanged.

            if k.ensure(config_map).outcome != "unchanged": ...

        The object is read first, and then applied by server-side apply: fields of others stay, and
        fields that `body` no longer has are removed. If another program writes between the two, the
        outcome may count its change.

        Args:
            body: the object, or a manifest with its apiVersion and kind.
            namespace: the namespace, if the object has none; `k.namespace` by default.
            options: see `ApplyOptions`.

        Raises:
            ApplyConflict: another field manager owns a field of `body`; `force=True` takes it over.
        """
        from .._models.ensured import Ensured, outcome_of_apply  # imported late: few calls need it

        client = await self._client_of_object(body, namespace)
        deadline = self._rest.deadline(options)
        live = await client._get(client._model, name_in(body), _timeout_of(options), None)
        rest_of_time = with_remaining_time(self._rest, options, deadline)
        obj = await client._apply(client._model, body, rest_of_time)
        return Ensured(outcome_of_apply(live, obj), obj)

    @overload
    async def update(
        self, body: W, *, namespace: str | None = ..., **options: Unpack[WriteOptions]
    ) -> W: ...
    @overload
    async def update(
        self,
        body: Mapping[str, object],
        *,
        namespace: str | None = ...,
        **options: Unpack[WriteOptions],
    ) -> WholeObject: ...
    @retry_if_outdated
    async def update(
        self, body: Any, *, namespace: str | None = None, **options: Unpack[WriteOptions]
    ) -> Any:
        """Replace the object that has the name of `body`.

        Args:
            body: the object, or a manifest with its apiVersion and kind.
            namespace: the namespace, if the object has none; `k.namespace` by default.
            options: see `WriteOptions`.
        """
        client = await self._client_of_object(body, namespace)
        return await client._update(client._model, body, options)

    @overload
    async def apply(
        self, body: W, *, namespace: str | None = ..., **options: Unpack[ApplyOptions]
    ) -> W: ...
    @overload
    async def apply(
        self,
        body: Mapping[str, object],
        *,
        namespace: str | None = ...,
        **options: Unpack[ApplyOptions],
    ) -> WholeObject: ...
    @retry_if_outdated
    async def apply(
        self, body: Any, *, namespace: str | None = None, **options: Unpack[ApplyOptions]
    ) -> Any:
        """Server-side apply: create or update the object.

        The field manager owns the fields that are set in `body`.

        Args:
            body: the object, or a manifest with its apiVersion and kind. For a manifest, the result
                is an object of the class of its kind.
            namespace: the namespace, if the object has none; `k.namespace` by default.
            options: see `ApplyOptions`.

        Raises:
            ManifestError: the server refuses a field that the class does not have, or a value of a
                wrong type. The message says where.
        """
        client = await self._client_of_object(body, namespace)
        return await client._apply(client._model, body, options)

    @overload
    async def patch(
        self,
        obj: W,
        patch: Patch | Mapping[str, object],
        /,
        *,
        namespace: str | None = ...,
        **options: Unpack[PatchOptions],
    ) -> W: ...
    @overload
    async def patch(
        self,
        model: type[WholeT],
        name: str,
        patch: Patch | Mapping[str, object],
        /,
        *,
        namespace: str | None = ...,
        **options: Unpack[PatchOptions],
    ) -> WholeT: ...
    @retry_if_outdated
    async def patch(
        self,
        what: Any,
        /,
        *given: Any,
        namespace: str | None = None,
        **options: Unpack[PatchOptions],
    ) -> Any:
        """Patch an object: `k.patch(obj, patch)` or `k.patch(Deployment, "web", patch)`.

        Args:
            what: the object; or its class, followed by its name.
            given: the patch, after the name if `what` is a class. A dict is a merge patch.
            namespace: the namespace, if the object has none; `k.namespace` by default.
            options: see `PatchOptions`.
        """
        client, (name, patch) = await self._client_and_arguments(what, given, namespace, "patch")
        return await client.patch(name, patch, **options)

    @overload
    async def edit(
        self,
        obj: W,
        change: Callable[[W], object],
        /,
        *,
        namespace: str | None = ...,
        **options: Unpack[EditOptions],
    ) -> W: ...
    @overload
    async def edit(
        self,
        model: type[WholeT],
        name: str,
        change: Callable[[WholeT], object],
        /,
        *,
        namespace: str | None = ...,
        **options: Unpack[EditOptions],
    ) -> WholeT: ...
    @retry_if_outdated
    async def edit(
        self,
        what: Any,
        /,
        *given: Any,
        namespace: str | None = None,
        **options: Unpack[EditOptions],
    ) -> Any:
        """Get an object, let a function modify it, and send the difference. Retries on conflict.

            def scale_up(deployment: Deployment) -> None:
                deployment.spec.replicas += 1

            await k.edit(Deployment, "web", scale_up, namespace="shop")

        Args:
            what: the class of the object, followed by its name; or an object, whose newest state is
                read first.
            given: the function, after the name if `what` is a class.
            namespace: the namespace, if the object has none; `k.namespace` by default.
            options: see `EditOptions`.
        """
        client, (name, change) = await self._client_and_arguments(what, given, namespace, "change")
        return await client.edit(name, change, **options)

    @retry_if_outdated
    async def patch_status(self, old: W, new: W) -> W:
        """Send the changes of the status of an object.

        Sends no request if the status is unchanged. If the object has changed on the server since
        it was read, the server responds with a Conflict; a controller then reconciles again.

            changed = deep_copy(tab)  # objects of a cache are read-only
            set_condition(changed, "Ready", True, reason="Scheduled")
            await k.patch_status(tab, changed)

        Args:
            old: the object as it was read.
            new: the object with the new status.

        Returns:
            The new state of the object; `new` if no request was sent.

        Raises:
            ValueError: `old` and `new` are different objects, or differ in more than the status.
            Conflict: `old` is not the newest state of the object.
        """
        patch = status_difference(old, new)
        if patch is None:
            return new
        client = await self._client_of_object(old, None)
        changed: W = await client.status(name_in(old)).patch(patch)
        return changed

    @overload
    async def delete(
        self, obj: T, /, *, namespace: str | None = ..., **options: Unpack[DeleteOptions]
    ) -> T | Status: ...
    @overload
    async def delete(
        self,
        obj: Mapping[str, object],
        /,
        *,
        namespace: str | None = ...,
        **options: Unpack[DeleteOptions],
    ) -> Object: ...
    @overload
    async def delete(
        self,
        model: type[M],
        name: str,
        /,
        *,
        namespace: str | None = ...,
        **options: Unpack[DeleteOptions],
    ) -> M | Status: ...
    @retry_if_outdated
    async def delete(
        self,
        what: Any,
        /,
        *given: Any,
        namespace: str | None = None,
        **options: Unpack[DeleteOptions],
    ) -> Any:
        """Delete an object: `k.delete(obj)` or `k.delete(Deployment, "web")`.

        The object is deleted by its name, even if it was changed or replaced since it was read. The
        option `uid` or `resource_version` prevents that.

        Returns the object if its deletion is pending, otherwise usually a Status.

        Args:
            what: the object, or a manifest with its apiVersion and kind; or a class.
            given: the name, if `what` is a class.
            namespace: the namespace, if the object has none; `k.namespace` by default.
            options: see `DeleteOptions`.
        """
        client, (name,) = await self._client_and_arguments(what, given, namespace)
        return await client.delete(name, **options)

    @retry_if_outdated
    async def delete_collection(
        self,
        model: type[M],
        *,
        namespace: str | None = None,
        **options: Unpack[DeleteCollectionOptions],
    ) -> ModelList[M] | Status:
        """Delete every object that matches the options.

        Args:
            model: the class of the objects.
            namespace: the namespace of the objects; required for namespaced kinds.
            options: see `DeleteCollectionOptions`.
        """
        resource = await self._resource_of(_checked(model))
        return await self._client_of_all(model, resource, namespace).delete_collection(**options)

    @overload
    async def wait(  # type: ignore[overload-overlap]
        self,
        obj: T,
        /,
        *,
        until: Deleted,
        namespace: str | None = ...,
        fail: Callable[[T], object] | None = ...,
        timeout: float | None = ...,
        on_progress: Callable[[str], object] | None = ...,
    ) -> T | None: ...
    @overload
    async def wait(
        self,
        obj: T,
        /,
        *,
        until: Callable[[T], object],
        namespace: str | None = ...,
        fail: Callable[[T], object] | None = ...,
        timeout: float | None = ...,
        on_progress: Callable[[str], object] | None = ...,
    ) -> T: ...
    @overload
    async def wait(  # type: ignore[overload-overlap]
        self,
        model: type[M],
        name: str,
        /,
        *,
        until: Deleted,
        namespace: str | None = ...,
        fail: Callable[[M], object] | None = ...,
        timeout: float | None = ...,
        on_progress: Callable[[str], object] | None = ...,
    ) -> M | None: ...
    @overload
    async def wait(
        self,
        model: type[M],
        name: str,
        /,
        *,
        until: Callable[[M], object],
        namespace: str | None = ...,
        fail: Callable[[M], object] | None = ...,
        timeout: float | None = ...,
        on_progress: Callable[[str], object] | None = ...,
    ) -> M: ...
    @overload
    async def wait(
        self,
        model: type[M],
        /,
        *,
        until: Callable[[M], object],
        namespace: str | None = ...,
        fail: Callable[[M], object] | None = ...,
        timeout: float | None = ...,
        label_selector: Labels | None = ...,
        field_selector: Fields | None = ...,
        on_progress: Callable[[str], object] | None = ...,
    ) -> Sequence[M]: ...
    async def wait(
        self,
        what: Any,
        /,
        *given: Any,
        until: Callable[[Any], object],
        namespace: str | None = None,
        **options: Any,
    ) -> Any:
        """Wait: `k.wait(obj, until=ready)`, `k.wait(Pod, "web", until=ready)`, `k.wait(Pod, ...)`.

        With an object and `until=deleted`, the wait ends when that object is gone, even if a new
        object has its name. With a class alone, the wait is for all objects that match the
        selectors, in one namespace or in all. Arguments and results are the same as for `wait` of
        clients.

        Args:
            what: the object; or a class.
            given: the name, if `what` is the class of one object.
            until: a condition of `clientgen.runtime.conditions`, or any function of the object.
            namespace: the namespace, if the object has none.
            options: `fail`, `timeout`, `on_progress`; with a class alone `label_selector` and
                `field_selector`, too.

        Raises:
            WaitFailed: the condition cannot become true any more, or `fail` is true.
            WaitTimeout: the condition did not become true in time.
        """
        await self._rediscover_unregistered(what)
        if isinstance(what, type) and not given:
            model = _checked(cast("type[Model]", what))
            resource = await self._resource_of(model)
            client: Any = self._client_of_all(model, resource, namespace)
            return await client.wait(until=until, **options)
        try:
            target, (name,) = await self._client_and_arguments(what, given, namespace)
        except NoResourceMatch as error:
            if isinstance(error, DiscoveryFailed) or not _may_be_gone(what, until):
                raise
            return None
        target._list_model = self._list_model_of(target._model)
        uid = "" if isinstance(what, type) else uid_in(what)
        return await target._wait_for_one(name, until, uid=uid, **options)

    # ---- manifests ----------------------------------------------------------------------------

    def manifests(
        self,
        *sources: ManifestSource,
        namespace: str | None = None,
        strict: bool = True,
        field_manager: str | None = None,
        helm_hooks: Collection[str] | None = None,
    ) -> AsyncManifestSet:
        """Read manifests, to apply, compare or delete them: `k.manifests(Path("deploy")).apply()`.

        This checks the manifests, and sends no request. If a folder has a kustomization, it is
        built, as by `kustomize`.

        Args:
            sources: text, Paths of files and folders, objects, and lists of Paths and objects.
                `Path("-")` is standard input.
            namespace: the namespace that all objects must be in. Objects without a namespace get
                this namespace, or else `namespace` of this clientset.
            strict: refuse unknown fields and missing required fields.
            field_manager: the owner of the fields in `apply` and `diff`; by default the program's
                name.
            helm_hooks: of the objects with the annotation `helm.sh/hook`, take only those of these
                events, such as `pre-install` or `test`: `helm_hooks=()` takes none. By default, all
                are taken.

        Raises:
            ManifestError: manifests are wrong; the message has a line for each problem.
            TypeError: a source is of a wrong type.
            ValueError: the namespace is not a valid name, Helm has no such event, or the field
                manager is empty.
        """
        from .manifest_set import AsyncManifestSet  # imported late: few calls need it

        return AsyncManifestSet(
            self._rest,
            self.scheme,
            *sources,
            namespace=namespace,
            strict=strict,
            field_manager=field_manager,
            helm_hooks=helm_hooks,
        )

    # ---- finding resources -------------------------------------------------------------------

    async def _resource_of(self, kind: type[Any] | GroupVersionKind) -> Resource:
        """Return the resource of a kind from the scheme, or else from discovery.

        Raises:
            LookupError: the server has no resource of the kind.
        """
        try:
            return self.scheme.resource(kind)
        except LookupError:
            if isinstance(kind, type) and issubclass(kind, ModelList):
                raise
        return await self.dynamic.find(kind, self._rest.deadline({}))

    async def _rediscover_unregistered(self, what: object) -> None:
        """Discover an unregistered kind again, because `wait` may take a 404 as "deleted"."""
        try:
            self.scheme.resource(what if isinstance(what, type) else self._kind_of(what))
        except LookupError:
            await self.dynamic.discovery.confirm(self._rest.deadline({}))

    def _forget(self) -> bool:
        """Return True: the resource may come from discovery. See `retry_if_outdated`."""
        return True

    async def _client_of_class(
        self, model: type[M], namespace: str | None
    ) -> AsyncObjectClient[M, ModelList[Any]]:
        """Return the client of one object, by its class."""
        try:
            resource = self._known[model]
        except (KeyError, TypeError):
            resource = await self._resource_of(_checked(model))
        if namespace is None and resource.namespaced:
            namespace = self.namespace
        return self._client(model, resource, namespace, ModelList)

    def _client_of_all(
        self, model: type[M], resource: Resource, namespace: str | None
    ) -> AsyncObjectClient[M, ModelList[M]]:
        """Return the client of the objects of one namespace, or of all namespaces."""
        return self._client(model, resource, namespace, self.scheme.list_model(model))

    async def _client_of_object(
        self, body: Any, namespace: str | None
    ) -> AsyncObjectClient[Any, ModelList[Any]]:
        """Return the client for the kind and the namespace of an object."""
        model: type[Any] = body.__class__
        resource = self._known.get(model)
        if resource is None:
            kind = self._kind_of(body)
            resource = await self._resource_of(kind)
            model = kind if isinstance(kind, type) else self._class_of(kind, body)
        try:
            object_namespace = namespace_for(resource, body, namespace, self._rest.namespace)
        except ValueError as error:
            raise ValueError(f"{called(self)[1:-2]}({resource.kind}): {error}") from None
        return self._client(model, resource, object_namespace, ModelList)

    def _list_model_of(self, model: type[Object]) -> type[ModelList[Any]]:
        """Return the class of lists of `model`."""
        return self.scheme.list_model(model) if issubclass(model, Model) else UnstructuredList

    def _kind_of(self, body: object) -> type[Model] | GroupVersionKind:
        try:
            return kind_of(body)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{called(self)[1:]}: {error}") from None

    def _class_of(self, kind: GroupVersionKind, body: Object) -> type[Object]:
        """Return the class of the server's response: the registered class, or Unstructured."""
        if isinstance(body, Unstructured) or kind not in self.scheme:
            return Unstructured
        return self.scheme.model(kind)

    async def _client_and_arguments(
        self, what: object, given: tuple[Any, ...], namespace: str | None, *following: str
    ) -> tuple[AsyncObjectClient[Any, ModelList[Any]], tuple[Any, ...]]:
        """Return the client of an object, and its name with the arguments that follow it.

        Args:
            what: the object, or its class.
            given: the other arguments; after a class, the first is the name.
            namespace: the argument `namespace` of the call.
            following: the names of the arguments after the name, for error messages.
        """
        is_class = isinstance(what, type)
        if len(given) != len(following) + is_class:
            call = called(self).strip(".()")
            ways = [", ".join((first, *following)) for first in ("OBJECT", 'CLASS, "NAME"')]
            raise TypeError(f"write {call}({ways[0]}) or {call}({ways[1]})")
        if is_class:
            return await self._client_of_class(cast("type[Model]", what), namespace), given
        return await self._client_of_object(what, namespace), (name_in(what), *given)

    def _client(
        self,
        model: type[T],
        resource: Resource,
        namespace: str | None,
        list_model: type[ModelList[Any]],
    ) -> AsyncObjectClient[T, ModelList[Any]]:
        return AsyncObjectClient(self._rest, resource, namespace, model, list_model, caller=self)


def _checked(model: ClassT) -> ClassT:
    """Check that the first argument of a call is a class."""
    check_class(model)
    return model


def _timeout_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the option `timeout` of a call, if it was given, for another call."""
    return {"timeout": options["timeout"]} if "timeout" in options else {}


def _may_be_gone(what: object, until: Callable[[Any], object]) -> bool:
    """Return whether `until` means "deleted" and `what` was read from a server."""
    from .._conditions.checks import as_check  # imported late: few calls need it

    came_from_server = not isinstance(what, type) and bool(uid_in(what))
    return came_from_server and as_check(until).on_absence is True
