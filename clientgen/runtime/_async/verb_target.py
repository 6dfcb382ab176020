"""The object of a verb such as `label`: given as an object, or as a class and a name."""

# Verbs find resources as clientsets do.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from .._http.call_defaults import with_defaults
from .._http.path_segments import name_in, segment
from .._manifests.object_addresses import kind_of, namespace_for
from .._models.arguments import check_whole
from .._models.unstructured import Unstructured
from .clientset import AsyncClientsetBase
from .lease_client import rest_of
from .outdated import with_remaining_time

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from .._http.resource import Resource
    from .lease_client import AsyncClient


class Steps:
    """The options of a verb of several requests. Their timeout limits the requests together."""

    def __init__(self, k: AsyncClientsetBase, options: Mapping[str, Any]) -> None:
        self._rest = k.rest
        self._options = options
        self.begin()

    def begin(self) -> None:
        """Let the timeout begin, again after a wait that has a limit of its own."""
        self._deadline = self._rest.deadline(self._options)

    @property
    def write_options(self) -> Any:
        """The options of a write, with the time that is left."""
        return with_remaining_time(self._rest, self._options, self._deadline)

    @property
    def read_options(self) -> Any:
        """The options of a read, which are the time that is left."""
        options = self.write_options
        return {"timeout": options["timeout"]} if "timeout" in options else {}

    @property
    def is_dry_run(self) -> bool:
        """Whether the writes are dry runs."""
        return bool(with_defaults(self._options, self._rest.write_defaults).get("dry_run"))


class VerbTarget:
    """The object of a verb. It is read and changed as JSON, so that unknown fields stay."""

    def __init__(
        self,
        k: AsyncClientsetBase,
        resource: Resource,
        model: type[Any],
        address: Unstructured,
        steps: Steps,
    ) -> None:
        self.k = k
        self.resource = resource
        self.address = address
        self.steps = steps
        self._model = model

    @property
    def name(self) -> str:
        """The name."""
        return self.address.name

    @property
    def namespace(self) -> str:
        """The namespace; empty for cluster-scoped objects."""
        return self.address.namespace

    def __str__(self) -> str:
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.resource.kind} {where}{self.name}"

    def check_kind(self, call: str, api_version: str, *kinds: str) -> None:
        """Check that a verb takes objects of this kind.

        Raises:
            TypeError: It does not.
        """
        resource = self.resource
        if resource.api_version != api_version or resource.kind not in kinds:
            raise TypeError(f"{call} takes a {' or '.join(kinds)}, not {resource.kind}")

    async def read(self) -> Unstructured:
        """Read the object."""
        return await self.k.refresh(self.address, **self.steps.read_options)

    async def edit(self, change: Callable[[Unstructured], object]) -> Any:
        """Read the object, let `change` modify it, and send the difference. Retries on conflict."""
        return self.typed(await self.k.edit(self.address, change, **self.steps.write_options))

    async def patch(self, patch: Mapping[str, object]) -> Any:
        """Send a merge patch."""
        return self.typed(await self.k.patch(self.address, patch, **self.steps.write_options))

    def typed(self, obj: Unstructured) -> Any:
        """Convert an object to the class that the caller uses."""
        return obj if self._model is Unstructured else obj.to(self._model)


def clientset_of(client: AsyncClient) -> AsyncClientsetBase:
    """Return a clientset as it is; for its `rest`, a clientset that finds kinds by discovery.

    Raises:
        TypeError: The argument is not a client, or is a client of the other flavour.
    """
    return client if isinstance(client, AsyncClientsetBase) else AsyncClientsetBase(rest_of(client))


async def find_target(
    call: str,
    client: AsyncClient,
    arguments: tuple[Any, ...],
    namespace: str | None,
    options: Mapping[str, Any],
    *following: str,
) -> tuple[VerbTarget, tuple[Any, ...]]:
    """Return the object of a verb, and the arguments after the object.

    Args:
        call: The name of the verb, for messages.
        client: The clientset, or its `rest`.
        arguments: The object, or its class and its name; then the other arguments.
        namespace: The argument `namespace` of the verb.
        options: The options of the verb.
        following: The names of the arguments after the name, for messages.

    Raises:
        LookupError: The server has no resource of the kind.
        TypeError: An argument is missing or of a wrong type.
        ValueError: The name or the namespace is not valid.
    """
    k = clientset_of(client)
    what, *given = arguments
    is_class = isinstance(what, type)
    if len(given) != len(following) + is_class:
        ways = [", ".join(("k", first, *following)) for first in ("OBJECT", 'CLASS, "NAME"')]
        raise TypeError(f"write {call}({ways[0]}) or {call}({ways[1]})")
    with _named(call):
        name = given.pop(0) if is_class else name_in(what)
        check_whole(f"{call}()", cast("type[Any]", what if is_class else type(what)))
        kind: Any = what if is_class else kind_of(what)
        segment("name" if is_class else "metadata.name", name)
    resource = await k._resource_of(kind)
    body: Any = {} if is_class else what
    with _named(call):
        where = namespace_for(resource, body, namespace, k.namespace)
    model = kind if isinstance(kind, type) else k._class_of(kind, body)
    metadata = {"name": name, "namespace": where}
    address = Unstructured(apiVersion=resource.api_version, kind=resource.kind, metadata=metadata)
    return VerbTarget(k, resource, model, address, Steps(k, options)), tuple(given)


@contextmanager
def _named(call: str) -> Generator[None]:
    """Begin the messages of wrong arguments with the name of the verb."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise type(error)(f"{call}: {error}") from None
