"""How a controller declares its dependents: `dependent`, `external` and `workflow`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar, cast, overload

from .._controllers.declared_rights import RightsListener, policy_rules
from .._controllers.dependent_objects import checked_labels
from .._controllers.finalizers import checked_finalizer
from .._controllers.workflow import is_name
from .._models.arguments import check_class, check_function, type_of
from .._models.model_info import is_view, viewed_model
from .._models.unstructured import Object
from ._primitives import awaited
from .dependents import (
    AsyncDependent,
    AsyncDependents,
    AsyncObjectsStep,
    AsyncWatchedKind,
    namespaces_of,
)
from .external import AsyncExternal, AsyncExternalStep
from .workflow import AsyncWorkflow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Self

    from .._clock import Clock
    from .._controllers.declared_rights import DeclaredRight
    from .._controllers.reconcile_loop import Request, Result
    from .._http.resource import Resource
    from ._primitives import Callback, Function
    from .controller import AsyncSource

T = TypeVar("T", bound=Object)
C = TypeVar("C")
M = TypeVar("M", bound=Object)
X = TypeVar("X")
E = TypeVar("E", bound=type[AsyncExternal[Any, Any]])


class AsyncExternalDependent(Generic[X]):
    """An external dependent of a controller. Pass it to `context.secondary`, and to `after`.

    Attributes:
        name: The name of the dependent.
    """

    def __init__(self, name: str, workflow: AsyncWorkflow[Any]) -> None:
        self.name = name
        self._workflow = workflow

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def _secondary(self, primary: Any) -> X | None:
        polled = self._workflow.memory_of(primary).polled
        _, _, found = polled.get(self.name, (0.0, "", None))
        return cast("X | None", found)


if TYPE_CHECKING:
    Before: TypeAlias = (
        str
        | AsyncDependent[Any]
        | AsyncDependents[Any]
        | AsyncExternalDependent[Any]
        | type[AsyncExternal[Any, Any]]
    )
    """What `after` takes: a name, or what `dependent` or `external` returned."""


class AsyncDependentDeclarations(Generic[T, C]):
    """The methods of a managed controller that declare dependents.

    `T` is the class of the primaries, `C` that of the contexts.
    """

    name: str
    _clock: Clock
    _resource: Resource | None
    _workflow: AsyncWorkflow[T] | None = None

    if TYPE_CHECKING:

        def watches(
            self, source: AsyncSource[Any], mapper: Callable[[Any], Iterable[Request]]
        ) -> Self: ...

        def _cached(self, request: Request, cluster: Any) -> T | None: ...

    # Decorators.
    @overload
    def dependent(
        self,
        model: type[M],
        /,
        *,
        many: Literal[False] = ...,
        name: str | None = ...,
        after: Before | Iterable[Before] = ...,
        ready: Callable[[M], object] | None = ...,
        when: Callable[[T], object] | None = ...,
        delete_when: Callable[[M], object] | None = ...,
        adopt: bool = ...,
        labels: Mapping[str, str] | None = ...,
    ) -> Callable[[Callback[[C], M | Mapping[str, object] | None]], AsyncDependent[M]]: ...
    @overload
    def dependent(
        self,
        model: type[M],
        /,
        *,
        many: Literal[True],
        name: str | None = ...,
        after: Before | Iterable[Before] = ...,
        ready: Callable[[M], object] | None = ...,
        when: Callable[[T], object] | None = ...,
        delete_when: Callable[[M], object] | None = ...,
        adopt: bool = ...,
        labels: Mapping[str, str] | None = ...,
    ) -> Callable[
        [Callback[[C], Iterable[M] | Iterable[Mapping[str, object]] | None]],
        AsyncDependents[M],
    ]: ...

    # Calls.
    @overload
    def dependent(
        self,
        model: type[M],
        desired: Callback[[C], M | Mapping[str, object] | None],
        /,
        *,
        many: Literal[False] = ...,
        name: str | None = ...,
        after: Before | Iterable[Before] = ...,
        ready: Callable[[M], object] | None = ...,
        when: Callable[[T], object] | None = ...,
        delete_when: Callable[[M], object] | None = ...,
        adopt: bool = ...,
        labels: Mapping[str, str] | None = ...,
    ) -> AsyncDependent[M]: ...
    @overload
    def dependent(
        self,
        model: type[M],
        desired: Callback[[C], Iterable[M] | Iterable[Mapping[str, object]] | None],
        /,
        *,
        many: Literal[True],
        name: str | None = ...,
        after: Before | Iterable[Before] = ...,
        ready: Callable[[M], object] | None = ...,
        when: Callable[[T], object] | None = ...,
        delete_when: Callable[[M], object] | None = ...,
        adopt: bool = ...,
        labels: Mapping[str, str] | None = ...,
    ) -> AsyncDependents[M]: ...
    def dependent(
        self,
        model: type[Any],
        desired: Callable[..., Any] | None = None,
        /,
        *,
        many: bool = False,
        name: str | None = None,
        after: Before | Iterable[Before] = (),
        ready: Callable[[Any], object] | None = None,
        when: Callable[[Any], object] | None = None,
        delete_when: Callable[[Any], object] | None = None,
        adopt: bool = False,
        labels: Mapping[str, str] | None = None,
    ) -> Any:
        """Keep an object for each primary: what the function returns is applied before `reconcile`.

            @shops.dependent(Deployment)
            def deployment(context: AsyncContext[Shop]) -> Deployment: ...

            service = shops.dependent(Service, service_for, after=deployment)

        The object is applied by server-side apply, with the controller's name as the field manager,
        and only if that may change it: values that only the server has set are no difference. It
        gets the primary as its controlling owner, and is watched. It is deleted when the function
        returns None, or an object of another name. An object in another namespace than its primary,
        or a cluster-scoped one, cannot have the primary as its owner: a label marks it, and a
        finalizer of the primary deletes it. (This follows the Java Operator SDK.)

        Args:
            model: The class of the object. The scheme knows it.
            desired: The function; without it, `dependent` is a decorator. It is called with the
                context of each reconciliation, and returns a model, a manifest or None. It may be a
                coroutine function (in `ManagedController`, it is an ordinary function).
            many: Whether the function returns or yields any number of objects, by name.
            name: The name in conditions and messages; None means the name of the function.
            after: What must be ready, or not wanted, before: dependents or their names. Until then,
                this dependent is left as it is.
            ready: A condition of `clientgen.runtime.conditions`, or a function of the object; None
                means the readiness of its kind.
            when: A function of the primary. If it returns false, the object is not wanted.
            delete_when: A function of the object. While it returns false, the object is not
                deleted. The primary then gets a finalizer. A foreground deletion of the primary
                does not ask.
            adopt: Whether to take over an object of the name that belongs to nobody. Otherwise, and
                if another object controls it, the dependent is refused.
            labels: Labels that all objects get. Only objects with them are watched, which keeps the
                cache small.

        Raises:
            RuntimeError: `for_` was not called before.
            LookupError: The scheme does not know the class.
            TypeError: The class is a view.
            ValueError: The name is not valid, or another dependent has it.
        """
        check_class(model)
        if is_view(model):
            viewed = cast("Any", viewed_model(model)).__name__
            raise TypeError(
                f"dependent({model.__name__}): a dependent compares whole objects, and a view has"
                f" some fields of them; pass {viewed}"
            )

        def add(function: Callable[..., Any]) -> Any:
            check_function("desired", function)
            workflow = self._new_workflow()
            kind = self._watched_kind(model, checked_labels(labels))
            step: AsyncObjectsStep[Any] = AsyncObjectsStep(
                name or _name_of(function, kind.informer.resource),
                self._names(after),
                model,
                kind,
                controller=self.name,
                desired=function,
                many=many,
                ready=ready,
                when=when,
                delete_when=delete_when,
                adopt=adopt,
                labels=checked_labels(labels),
            )
            workflow.add(step)
            return (AsyncDependents if many else AsyncDependent)(step, workflow)

        return add if desired is None else add(desired)

    @overload
    def external(
        self,
        name: str,
        /,
        *,
        every: float,
        after: Before | Iterable[Before] = ...,
        ready: Callable[[Any], object] | None = ...,
        when: Callable[[T], object] | None = ...,
    ) -> Callable[[E], E]: ...
    @overload
    def external(
        self,
        name: str,
        external: AsyncExternal[T, X],
        /,
        *,
        every: float,
        after: Before | Iterable[Before] = ...,
        ready: Callable[[X], object] | None = ...,
        when: Callable[[T], object] | None = ...,
    ) -> AsyncExternalDependent[X]: ...
    def external(
        self,
        name: str,
        external: AsyncExternal[T, Any] | None = None,
        /,
        *,
        every: float,
        after: Before | Iterable[Before] = (),
        ready: Callable[[Any], object] | None = None,
        when: Callable[[T], object] | None = None,
    ) -> Any:
        """Keep something outside of the cluster for each primary; see `AsyncExternal`.

            record = shops.external("record", Record(dns), every=300)

        A primary that wants the thing gets a finalizer: the thing is deleted before the primary.

        Args:
            name: The name in conditions and in the annotation that has the id. Never change it: the
                ids would be lost.
            external: The functions of the thing. Without it, `external` decorates a class whose
                constructor needs no arguments.
            every: How many seconds pass between two reads of the thing.
            after: See `dependent`.
            ready: A function of the thing; None means that it is ready as soon as it can be read.
            when: See `dependent`.

        Raises:
            RuntimeError: `for_` was not called before.
            TypeError: `external` is not an `AsyncExternal`.
            ValueError: `every` is not positive and finite, or the name is not valid.
        """
        if not 0 < every < math.inf:
            raise ValueError(f"every={every}: write the seconds between two reads, such as 300")

        def add(given: AsyncExternal[T, Any]) -> AsyncExternalDependent[Any]:
            if not isinstance(cast("object", given), AsyncExternal):
                raise TypeError(
                    f"external() takes an {AsyncExternal.__name__}, not {type_of(given)}"
                )
            workflow = self._new_workflow()
            workflow.add(
                AsyncExternalStep(
                    name,
                    self._names(after),
                    given,
                    every=every,
                    ready=ready,
                    when=when,
                    clock=self._clock,
                )
            )
            handle: AsyncExternalDependent[Any] = AsyncExternalDependent(name, workflow)
            workflow.handles[type(given)] = handle
            return handle

        def decorate(cls: E) -> E:
            add(cast("Any", cls)())
            return cls

        return decorate if external is None else add(external)

    def workflow(self, *, status: bool = False, finalizer: str | None = None) -> Self:
        """Set options of all dependents of this controller.

        Args:
            status: Whether to write conditions into the status of the primaries, if they change:
                `Ready` and `Progressing` for all dependents together, and one for each, such as
                `ServiceReady` for the dependent `service`. They have the observedGeneration.
            finalizer: The name of the finalizer; by default the group of the primaries and the name
                of the controller. Never change it: objects with the old one would never be removed.

        Raises:
            RuntimeError: `for_` was not called before.
            ValueError: The name of the finalizer is not valid.
        """
        workflow = self._new_workflow()
        workflow.writes_status = status
        if finalizer is not None:
            workflow.finalizer_name = checked_finalizer(finalizer)
        return self

    def rules(self) -> list[dict[str, Any]]:
        """Return the rules of a role for the dependents and their primaries.

        They follow from the declarations: no request was made. `pytest --rbac` adds them to the
        role when a test starts the manager. The requests of `reconcile` itself, the lease and the
        events of the manager are not included.
        """
        return policy_rules(self._rights())

    # ---- inside -------------------------------------------------------------------------------

    def _new_workflow(self) -> AsyncWorkflow[T]:
        """Return the workflow, which is made for the first dependent."""
        if self._resource is None:
            raise RuntimeError(f"{self!r}: call for_() before you declare dependents")
        if self._workflow is None:
            self._workflow = AsyncWorkflow(
                self.name, self._resource, self._clock, lambda request: self._cached(request, None)
            )
        return self._workflow

    def _watched_kind(self, model: type[Any], labels: Mapping[str, str]) -> AsyncWatchedKind:
        """Return the informer of a kind, which this controller watches once."""
        workflow = self._new_workflow()
        options: dict[str, Any] = {"label_selector": dict(labels)} if labels else {}
        informer = cast("Any", self)._host.source(model, **options)
        cast("Any", self).informers_by_class.append(informer)
        kinds = self.__dict__.setdefault("_kinds", {})
        kind: AsyncWatchedKind | None = kinds.get(informer)
        if kind is None:
            kind = kinds[informer] = AsyncWatchedKind(informer, workflow.resource)
            self.watches(informer, kind.requests)
        return kind

    def _names(self, after: Before | Iterable[Before]) -> list[str]:
        """Return the names of the dependents that `after` names."""
        value: Any = after
        is_one = isinstance(after, (str, type)) or hasattr(value, "name")
        given: list[object] = [value] if is_one else [*value]
        return [self._name_in(each) for each in given]

    def _name_in(self, before: object) -> str:
        if isinstance(before, str):
            return before
        handles = {} if self._workflow is None else self._workflow.handles
        named: Any = handles.get(before, before) if isinstance(before, type) else before
        if not isinstance(named, (AsyncDependent, AsyncDependents, AsyncExternalDependent)):
            raise TypeError(f"after= takes dependents or their names, not {type_of(before)}")
        name: str = cast("Any", named).name
        return name

    def _check_workflow(self) -> None:
        """Check the dependents when the manager starts, and tell their rights to a test.

        Raises:
            ValueError: A dependent is after an unknown one, or dependents are in a circle. Or a dry
                run would forget what is created outside of the cluster.
        """
        if self._workflow is not None:
            self._workflow.check()
            rest = cast("Any", self)._host.clientset.rest
            steps = self._workflow.steps.values()
            is_external = any(isinstance(each, AsyncExternalStep) for each in steps)
            if is_external and rest.write_defaults.get("dry_run"):
                raise ValueError(
                    f"{self!r}: external dependents need a client that writes: not one of"
                    " with_(dry_run=True), which would forget what was created"
                )
            listener: RightsListener | None = rest.shared.get(RightsListener)
            if listener is not None:
                listener.tell(self._rights())

    def _rights(self) -> list[DeclaredRight]:
        if self._workflow is None:
            return []
        sources: list[Any] = [*cast("Any", self)._primaries.values()]
        namespaces = [each for source in sources for each in namespaces_of(source)]
        return self._workflow.rights(namespaces)

    async def _work(self, reconcile: Function[[Any], Result | None], context: Any) -> Result | None:
        """Run the dependents, if there are any, and call `reconcile`."""
        if self._workflow is None:
            return await awaited("reconcile", reconcile(context))
        if context.clientset.rest is not cast("Any", self)._host.clientset.rest:
            raise RuntimeError(f"{self!r}: dependents work in the cluster of the manager only")
        context._workflow = self._workflow
        return await self._workflow.work(context, reconcile)


def _name_of(function: Callable[..., Any], resource: Resource) -> str:
    """Return the name of a dependent without `name`: of its function, or else of its kind."""
    name = str(getattr(function, "__name__", ""))
    return name if is_name(name) else resource.kind[:1].lower() + resource.kind[1:]
