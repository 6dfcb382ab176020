"""Informer factories: one watch per resource and set of options, for any number of users.

client-go: informers/factory.go. Generated factories add an attribute for each group version.
"""

# ruff: noqa: ASYNC109 - the factory's clock measures timeouts

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast, overload

from clientgen._gvk import GroupVersionResource

from .._cache.informer_options import NamespaceSelectors, namespaces_of
from .._cache.storage_forms import check_form, form_for
from .._cache.sync_errors import not_started_error, timeout_error
from .._clock import SYSTEM_CLOCK
from .._http.resource import Resource
from .._models.argument_errors import public_attributes
from .._models.arguments import check_clientset, check_view, unexpected_option
from .._models.list_classes import view_list_class
from .._models.meta_v1 import PartialObjectMetadata, PartialObjectMetadataList
from .._models.unstructured import Object, Unstructured, UnstructuredList, list_class
from ._primitives import short_lock
from .informer import AsyncSharedInformer
from .lease_client import rest_of
from .live_namespaces import AsyncLiveNamespaces

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType
    from typing import Self, Unpack

    from .._cache.informer_metrics import InformerMetricsProvider
    from .._cache.informer_options import (
        FactoryOptions,
        Namespaces,
        ScopeOptions,
        ShardSelection,
    )
    from .._cache.storage import Storage
    from .._cache.storage_forms import StorageForm
    from .._clock import Clock
    from .._discovery.discovered_resources import ResourceName
    from .._http.call_options import Fields, Labels
    from .._models.meta_v1 import ModelList
    from .clientset import AsyncClientsetBase
    from .lease_client import AsyncClient

T = TypeVar("T", bound=Object)
InformerT = TypeVar("InformerT", bound=AsyncSharedInformer[Any])
FactoryT = TypeVar("FactoryT", bound="AsyncInformerFactory")

_OPTIONS = frozenset({"namespace", "label_selector", "field_selector", "shard_selector", "storage"})


class _Pool:
    """The informers of a factory and of the factories that `join` created."""

    def __init__(self) -> None:
        self.lock = short_lock()
        self.informers: dict[tuple[object, ...], AsyncSharedInformer[Any]] = {}
        self.is_shut_down = False

    def check(self) -> None:
        """Check that the factory still works.

        Raises:
            RuntimeError: The factory is shut down.
        """
        if self.is_shut_down:
            raise RuntimeError("the informer factory is shut down; create a new one")

    def all(self) -> list[AsyncSharedInformer[Any]]:
        """List the informers that were requested."""
        return [*self.informers.values()]

    def discard(self, informer: AsyncSharedInformer[Any]) -> None:
        """Forget an informer, which the caller stops: the next request makes another one."""
        with self.lock:
            for key in [key for key, each in self.informers.items() if each is informer]:
                del self.informers[key]


class AsyncInformerFactory:
    """Creates informers, starts new ones, and stops all of them.

    The options of a factory are the defaults of its informers. `join` combines the factories of
    several packages.

    Args:
        rest: The clientset or REST client for requests. Informers carry it as `client`.
        namespace: Only watch objects in this namespace, or in several; None for all. It has no
            effect on cluster-scoped resources. A mapping gives namespaces selectors of their own.
        label_selector: Only watch objects whose labels match.
        field_selector: Only watch objects whose fields match.
        shard_selector: Only watch a part of the objects; see `AsyncSharedInformer`.
        resync_period: The interval in seconds at which handlers get every object again; 0 disables
            it.
        transform: Called with each object before it is stored.
        strip_managed_fields: Whether to drop the managed fields of each object before `transform`
            gets it. They are half of many objects, and few programs read them.
        clock: The clock for waits.
        metrics: Receives metrics of the informers, for example `PrometheusInformerMetrics`.
        own_writes: Whether caches show what is written through `rest` as soon as the call returns.
        storage: "compressed" keeps each object compressed, and decodes it when it is read. Caches
            of metadata are never compressed.

    Raises:
        ImportError: `storage` is "compressed", and zstd is missing: install `clientgen[zstd]`.
        ValueError: `storage` has another value.
    """

    group_versions: ClassVar[Mapping[str, str]] = {}
    """The attribute of each group version, by its name in manifests."""

    def __init__(
        self,
        rest: AsyncClient,
        *,
        namespace: Namespaces | AsyncLiveNamespaces = None,
        label_selector: Labels | None = None,
        field_selector: Fields | None = None,
        shard_selector: ShardSelection = None,
        resync_period: float = 0.0,
        transform: Callable[[Any], Any] | None = None,
        strip_managed_fields: bool = False,
        clock: Clock = SYSTEM_CLOCK,
        metrics: InformerMetricsProvider | None = None,
        own_writes: bool = True,
        storage: StorageForm = "full",
    ) -> None:
        check_form(storage)
        self.rest = rest_of(rest)
        self._client = rest
        self._namespace = namespace
        self._label_selector = label_selector
        self._field_selector = field_selector
        self._shard_selector = shard_selector
        self._resync_period = resync_period
        self._transform = transform
        self._strip_managed_fields = strip_managed_fields
        self._clock = clock
        self._metrics = metrics
        self._own_writes = own_writes
        self._storage: StorageForm = storage
        self._pool = _Pool()

    def join(self, kind: type[FactoryT], **options: Unpack[FactoryOptions]) -> FactoryT:
        """Create a factory of another package that works together with this one.

            factory = k.informers()
            own = factory.join(crontabs.AsyncInformerFactory)

        The factories share the connection and the informers: starting, waiting for or shutting down
        one factory applies to all, and equal resources and options share one watch.

        Args:
            kind: The factory class of that package.
            options: Options that differ from the options of this factory; see `FactoryOptions`.
        """
        own: FactoryOptions = {
            "namespace": cast("Any", self._namespace),
            "label_selector": self._label_selector,
            "field_selector": self._field_selector,
            "shard_selector": self._shard_selector,
            "resync_period": self._resync_period,
            "transform": self._transform,
            "strip_managed_fields": self._strip_managed_fields,
            "clock": self._clock,
            "metrics": self._metrics,
            "own_writes": self._own_writes,
            "storage": self._storage,
        }
        own.update(options)
        factory = kind(self._client, **own)
        factory._pool = self._pool
        return factory

    def informer(
        self,
        resource: Resource,
        model: type[T],
        list_model: type[ModelList[T]],
        **options: Unpack[ScopeOptions],
    ) -> AsyncSharedInformer[T]:
        """Return the informer of a resource. Equal options return the same informer.

        Missing options default to the factory's; None overrides an option of the factory. A new
        informer runs after the next `start`. A new informer replaces an informer that was stopped
        separately.

        Raises:
            ImportError: The storage is "compressed", and zstd is missing.
            RuntimeError: The factory is shut down.
            ValueError: A namespace or a selector is not valid, or the storage does not fit `model`.
        """
        kind: type[AsyncSharedInformer[T]] = AsyncSharedInformer
        return self.shared(kind, resource, model, list_model, options)

    def view(self, view: type[T], **options: Unpack[ScopeOptions]) -> AsyncSharedInformer[T]:
        """Return an informer that stores only the fields of a view; see `informer`.

        The scheme of the clientset says which resource has the kind of the view.

        Args:
            view: A class such as `class PodPlace(View[Pod])`, of `clientgen.runtime.views`.
            options: missing options default to the factory's; see `ScopeOptions`.

        Raises:
            LookupError: The scheme does not know the kind.
            TypeError: The class is no view, or the factory was made without a clientset.
        """
        check_clientset(self._client)
        scheme = cast("AsyncClientsetBase", self._client).scheme
        resource = scheme.resource(cast("Any", view))
        check_view(view, resource.api_version, resource.kind)
        return self.informer(resource, view, view_list_class(cast("Any", view)), **options)

    def unstructured(
        self, resource: Resource, **options: Unpack[ScopeOptions]
    ) -> AsyncSharedInformer[Unstructured]:
        """Return the informer of a resource whose objects have no class; see `informer`."""
        return self.informer(resource, Unstructured, UnstructuredList, **options)

    def metadata(
        self, resource: Resource, **options: Unpack[ScopeOptions]
    ) -> AsyncSharedInformer[PartialObjectMetadata]:
        """Return an informer that reads and stores only the metadata of objects; see `informer`.

        It takes a fraction of the memory and traffic of whole objects. client-go: metadatainformer.
        """
        return self.informer(resource, PartialObjectMetadata, PartialObjectMetadataList, **options)

    def shared(
        self,
        kind: type[InformerT],
        resource: Resource,
        model: type[T],
        list_model: type[ModelList[Any]],
        options: Mapping[str, Any],
        *,
        storage: Storage[T] | None = None,
    ) -> InformerT:
        """Return the informer of a resource as an instance of a generated class; see `informer`.

        Each form of storage has an informer of its own.

        Raises:
            TypeError: An option does not exist.
        """
        for name in options.keys() - _OPTIONS:
            raise unexpected_option(name, _OPTIONS)
        namespace = options.get("namespace", self._namespace)
        namespaces = _scope(resource, namespace)
        selectors = NamespaceSelectors(
            namespace if namespaces else None,
            options.get("label_selector", self._label_selector),
            options.get("field_selector", self._field_selector),
        )
        shard = options.get("shard_selector", self._shard_selector)
        form = options.get("storage") or form_for(model, list_model, self._storage)
        of_factory = (self._resync_period, id(self._transform), self._strip_managed_fields)
        key: tuple[object, ...] = (resource, storage or (model, form), namespaces, selectors.key)
        key = (*key, shard, *of_factory, self._own_writes)
        with self._pool.lock:
            self._pool.check()
            informers = self._pool.informers
            if not isinstance(informers.get(key), kind | None):
                key = (*key, kind)  # the existing informer lacks the methods of this class
            existing = informers.get(key)
            if existing is None or existing.is_stopped:
                informers[key] = kind(
                    self._client,
                    resource,
                    model,
                    list_model,
                    namespace=namespace if selectors.by_namespace else namespaces or None,
                    label_selector=selectors.default.labels,
                    field_selector=selectors.default.fields,
                    shard_selector=shard,
                    resync_period=self._resync_period,
                    transform=self._transform,
                    strip_managed_fields=self._strip_managed_fields,
                    clock=self._clock,
                    metrics=self._metrics,
                    own_writes=self._own_writes,
                    storage=storage or form,
                )
            return cast("InformerT", informers[key])

    def for_resource(self, gvr: GroupVersionResource | str) -> AsyncSharedInformer[Any]:
        """Return the informer of a resource by name.

        Args:
            gvr: The resource, or text such as `v1/pods`, `apps/v1/deployments`.

        Raises:
            LookupError: This package has no informer for the resource.
        """
        wanted = _parsed(gvr) if isinstance(gvr, str) else gvr
        name = self.group_versions.get(str(wanted.group_version))
        informers: AsyncGroupVersionInformers | None = getattr(self, name) if name else None
        if informers is None or wanted.resource not in informers:
            raise LookupError(f"this package has no informer for {wanted}")
        return informers.for_resource(wanted.resource)

    @overload
    async def dynamic(
        self, name: ResourceName, *, model: type[T], **options: Unpack[ScopeOptions]
    ) -> AsyncSharedInformer[T]: ...
    @overload
    async def dynamic(
        self, name: ResourceName, **options: Unpack[ScopeOptions]
    ) -> AsyncSharedInformer[Any]: ...
    async def dynamic(
        self,
        name: ResourceName,
        *,
        model: type[Any] | None = None,
        **options: Unpack[ScopeOptions],
    ) -> AsyncSharedInformer[Any]:
        """Return the informer of any resource that the server has, like `informer`.

        client-go: dynamicinformer, metadatainformer.

        Args:
            name: as for `AsyncDiscovery.resource`: `crontabs.stable.example.com`, `ct`, or a
                `Resource`, which needs no discovery.
            model: the class of the objects; by default the class of this package, or
                `Unstructured`. With `PartialObjectMetadata`, only metadata is kept.
            options: missing options default to the factory's; see `ScopeOptions`.

        Raises:
            NoResourceMatch, DiscoveryFailed, AmbiguousResource: the server has no such resource.
            MethodNotAllowed: the resource cannot be watched.
            ApiError, TransportError, DecodeError: discovery failed.
            RuntimeError, ValueError, TypeError: as `informer`.
        """
        from .._discovery.verbs import check_verb  # most programs need none of these
        from .discovery import discovery_of

        found = name
        if not isinstance(found, Resource):
            discovery = discovery_of(self.rest)
            # An informer runs for long, so the cache on disk is not good enough.
            await discovery.confirm(self.rest.deadline({}))
            found = await discovery.resource(found)
        for verb in ("list", "watch"):
            check_verb(found, verb)
        resource = Resource(found.group, found.version, found.plural, found.kind, found.namespaced)
        if model is None:
            generated = self._generated(resource, options)
            if generated is not None:
                return generated
            model = Unstructured
        return self.informer(
            resource, model, list_class(model, resource.api_version, resource.kind), **options
        )

    def _generated(
        self, resource: Resource, options: ScopeOptions
    ) -> AsyncSharedInformer[Any] | None:
        """Return the informer that this package has for a resource, or None."""
        attribute = self.group_versions.get(resource.api_version)
        informers: AsyncGroupVersionInformers | None = (
            getattr(self, attribute) if attribute else None
        )
        if informers is None or resource.plural not in informers:
            return None
        return informers.for_resource(resource.plural, **options)

    def start(self) -> None:
        """Start the informers that are not running.

        Call `start` again after requesting more informers.

        Raises:
            RuntimeError: The factory is shut down.
        """
        with self._pool.lock:
            self._pool.check()
            informers = self._pool.all()
        for informer in informers:
            if not informer.is_stopped:
                informer.start()

    @property
    def seconds_without_watch(self) -> float:
        """The longest time in seconds that a cache has had no open watch; 0 if all have one."""
        return max((each.seconds_without_watch for each in self._pool.all()), default=0.0)

    async def wait_for_sync(self, timeout: float | None = None) -> dict[Resource, bool]:
        """Wait until all caches are synced, for at most this many seconds in total.

        Returns True for each resource, or False if an informer of the resource was stopped.

        Raises:
            NotSynced: Some informers were requested but not started.
            SyncTimeout: The time has passed. The message names each informer, the server's last
                response, and for a 403 the missing rule.
        """
        until = None if timeout is None else self._clock.monotonic() + timeout
        informers = self._pool.all()
        if idle := [
            informer
            for informer in informers
            if not informer.is_started and not informer.is_stopped
        ]:
            raise not_started_error(informer.title for informer in idle)
        by_resource: dict[Resource, bool] = {}
        for informer in informers:
            remaining = None if until is None else max(0.0, until - self._clock.monotonic())
            synced = await informer.wait_for_sync(remaining)
            if not synced and not informer.is_stopped:
                states = [(informer.title, informer.sync_status) for informer in informers]
                raise timeout_error(timeout or 0.0, states)
            by_resource[informer.resource] = synced and by_resource.get(informer.resource, True)
        return by_resource

    async def shutdown(self) -> None:
        """Stop all informers and wait for running handlers. The factory cannot be started again.

        Raises:
            CacheMutationError: As in `AsyncSharedInformer.stop`; all informers are stopped.
        """
        self.stop_soon()
        problem: Exception | None = None
        for informer in self._pool.all():
            try:
                await informer.stop()
            except AssertionError as error:
                problem = error
        if problem is not None:
            raise problem

    def stop_soon(self) -> None:
        """Stop without waiting for the end."""
        with self._pool.lock:
            self._pool.is_shut_down = True
            informers = self._pool.all()
        for informer in informers:
            informer.stop_soon()

    async def __aenter__(self) -> Self:
        self.start()
        return self

    def __dir__(self) -> list[str]:
        """List the public attributes."""
        return public_attributes(
            self, "group_versions", "shared", "seconds_without_watch", "stop_soon"
        )

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.shutdown()


class AsyncGroupVersionInformers:
    """The base of the generated informers of a group version; it holds the factory."""

    _accessors: ClassVar[Mapping[str, str]] = {}
    """The method for each resource, by its name in URLs."""

    def __init__(self, factory: AsyncInformerFactory) -> None:
        self._factory = factory

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factory!r})"

    def __dir__(self) -> list[str]:
        """List the public attributes."""
        return public_attributes(self)

    def __contains__(self, plural: object) -> bool:
        """Return whether there is an informer of the resource with this name in URLs."""
        return plural in self._accessors

    def for_resource(
        self, plural: str, **options: Unpack[ScopeOptions]
    ) -> AsyncSharedInformer[Any]:
        """Return the informer of a resource by its name in URLs.

        Raises:
            KeyError: There is no informer of the resource.
        """
        informer: AsyncSharedInformer[Any] = getattr(self, self._accessors[plural])(**options)
        return informer


def _scope(
    resource: Resource, namespace: Namespaces | AsyncLiveNamespaces
) -> tuple[str, ...] | AsyncLiveNamespaces:
    if not isinstance(namespace, AsyncLiveNamespaces):
        return namespaces_of(resource, namespace)
    return namespace if resource.namespaced else ()


def _parsed(text: str) -> GroupVersionResource:
    group_version, _, resource = text.rpartition("/")
    group, _, version = group_version.rpartition("/")
    if not version or not resource:
        raise LookupError(
            f"{text!r} is not a resource; write a name such as v1/pods or apps/v1/deployments"
        )
    return GroupVersionResource(group, version, resource)
