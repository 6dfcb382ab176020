# Derived from _async/client.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Base class of generated clients, with a method per verb."""

# These two classes use each other's private methods.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from msgspec import UNSET, UnsetType

from .._cache.not_found import is_missing_object
from .._http.call_defaults import with_defaults
from .._http.edit import changed, log_unchanged
from .._http.patches import ApplyPatch
from .._http.path_segments import called, check_segment, is_name, name_in, segment
from .._http.representations import asking_for
from .._http.request import GET, LOGS, build, build_delete, build_patch, build_write
from .._http.response import read_object, read_object_or_status
from .._http.retry import ConflictRetry, annotate
from .._models.argument_errors import UnknownAttribute, public_attributes
from .._models.arguments import check_function, check_object, check_whole, missing_attribute_error
from .._models.meta_v1 import ModelList, Status
from .._models.unstructured import Object
from ..errors import Conflict, InternalError, NotFound
from ._primitives import sleep
from .line_stream import Lines
from .pager import each_page, list_pages
from .watch import Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike
    from typing import Unpack

    from .._http.call_options import (
        ApplyOptions,
        DefaultT,
        EditOptions,
        GetOptions,
        PatchOptions,
        WriteOptions,
    )
    from .._http.patches import Patch
    from .._http.request import HttpRequest
    from .._http.resource import Resource
    from .._models.copy_result import CopyResult
    from .._models.exec_result import ExecResult
    from .._models.unstructured import Unstructured
    from .exec_stream import ExecStream
    from .log_tail import LogTail
    from .port_forward import PortForward
    from .proxy import Proxy
    from .rest import Rest

T = TypeVar("T", bound=Object)
ListT = TypeVar("ListT", bound=ModelList[Any])
ManifestT = TypeVar("ManifestT")

# An edit without a timeout fails after this many seconds of conflicts with other writers.
_CONFLICT_TIMEOUT_SECONDS = 60.0


class GroupVersionClient:
    """The clients of one group version, one per resource, such as `k.core_v1`.

    Args:
        rest: The client of the server.
    """

    def __init__(self, rest: Rest) -> None:
        self._rest = rest

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._rest!r})"

    def __dir__(self) -> list[str]:
        """List the public attributes."""
        return public_attributes(self)

    if not TYPE_CHECKING:  # `__getattr__` would hide mistakes from type checkers

        def __getattr__(self, name: str) -> object:
            raise AttributeError(UnknownAttribute(type(self), name), name=name)


class ResourceClient:
    """The verbs of one resource, in one namespace or in all.

    Subclasses set the resource and expose its verbs under public names. Methods reject an invalid
    name before they send a request, because a path without a name is the path of the whole
    collection.

    Raises:
        ValueError: the namespace is not a valid name, or the resource is not namespaced.
    """

    resource: Resource
    """The resource of the requests."""
    _accessor: str = ""
    """The name of the accessor in error messages, if it is not the plural of the resource."""

    def __init__(self, rest: Rest, namespace: str | UnsetType = UNSET) -> None:
        self._rest = rest
        self._codec = rest.codec
        self._namespace = "" if namespace is UNSET else namespace
        self._has_one_collection = namespace is not UNSET or not self.resource.namespaced
        self._path = self._path_in(namespace)

    def __repr__(self) -> str:
        where = f", {self._namespace!r}" if self._namespace else ""
        return f"{type(self).__name__}({self._rest!r}{where})"

    def __dir__(self) -> list[str]:
        """List the public attributes."""
        return public_attributes(self)

    if not TYPE_CHECKING:  # `__getattr__` would hide mistakes from type checkers

        def __getattr__(self, name: str) -> object:
            raise AttributeError(
                missing_attribute_error(self, self._accessor or self.resource.plural, name)
            )

    def _get(
        self,
        model: type[T],
        name: str,
        options: Mapping[str, Any],
        default: DefaultT | UnsetType = UNSET,
        *,
        subresource: str = "",
    ) -> T | DefaultT:
        request = build("GET", self._path_of(name, subresource), options, GET)
        try:
            return self._send(model, request, self._rest.deadline(options))
        except NotFound as error:
            if default is UNSET or not is_missing_object(error):
                raise
            return default

    def _list(self, list_model: type[ListT], options: Mapping[str, Any]) -> ListT:
        return list_pages(self._rest, self._path, list_model, options)

    def _each(self, list_model: type[ModelList[T]], options: Mapping[str, Any]) -> Iterator[T]:
        for page in each_page(self._rest, self._path, list_model, options):
            for item in page.items:
                yield item

    def _watch(self, model: type[T], options: Mapping[str, Any]) -> Watch[T]:
        return Watch(self._rest, self._path, model, options)

    def _create(self, model: type[T], body: object, options: Mapping[str, Any]) -> T:
        path, body = self._collection(), self._completed(body)
        request = build_write("POST", path, body, self._with_defaults(options), self._codec)
        return self._send(model, request, self._rest.deadline(options))

    def _create_named(
        self,
        model: type[T],
        name: str,
        body: object,
        options: Mapping[str, Any],
        *,
        subresource: str = "",
        kind: type[object] | None = None,
    ) -> T:
        path = self._path_of(name, subresource)
        body = body if kind is None else self._completed(body, kind, name)
        request = build_write("POST", path, body, self._with_defaults(options), self._codec)
        return self._send(model, request, self._rest.deadline(options))

    def _update(
        self, model: type[T], body: object, options: Mapping[str, Any], *, subresource: str = ""
    ) -> T:
        check_object(f"update_{subresource}()" if subresource else "update()", body)
        path, body = self._path_for(body, subresource), self._completed(body)
        request = build_write("PUT", path, body, self._with_defaults(options), self._codec)
        return self._send(model, request, self._rest.deadline(options))

    def _update_named(
        self,
        model: type[T],
        name: str,
        body: object,
        options: Mapping[str, Any],
        *,
        subresource: str = "",
    ) -> T:
        path = self._path_of(name, subresource)
        body = self._completed(body, self._kind_of(model, subresource), name)
        request = build_write("PUT", path, body, self._with_defaults(options), self._codec)
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
        check_function("change of edit()", change)
        check_whole("edit()", model)
        deadline = self._rest.deadline(options)
        until = self._rest.real_deadline(deadline)
        retry = ConflictRetry(monotonic() + _CONFLICT_TIMEOUT_SECONDS if until is None else until)
        while True:
            current = self._send(model, build("GET", path, {}, GET), deadline)
            patch = changed(current, change)
            if patch is None:
                log_unchanged(path)
                return current
            request = build_patch(path, patch, self._with_defaults(options), self._codec)
            try:
                return self._send(model, request, deadline)
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
        patch: Patch | Mapping[str, Any],
        options: Mapping[str, Any],
        *,
        subresource: str = "",
    ) -> T:
        check_whole("patch()", model)
        return self._patch_as(model, name, patch, options, subresource=subresource)

    def _patch_as(
        self,
        model: type[T],
        name: str,
        patch: Patch | Mapping[str, Any],
        options: Mapping[str, Any],
        *,
        subresource: str = "",
    ) -> T:
        """Patch an object, and decode the answer as `model`, which may be a view."""
        request = build_patch(
            self._path_of(name, subresource), patch, self._with_defaults(options), self._codec
        )
        return self._send(model, request, self._rest.deadline(options))

    def _apply(
        self,
        model: type[T],
        body: Object | Mapping[str, Any],
        options: Mapping[str, Any],
        *,
        subresource: str = "",
    ) -> T:
        check_object(f"apply_{subresource}()" if subresource else "apply()", body)
        path = self._path_for(body, subresource)
        return self._send_apply(model, path, self._completed(body), options)

    def _apply_named(
        self,
        model: type[T],
        name: str,
        body: Object | Mapping[str, Any],
        options: Mapping[str, Any],
        *,
        subresource: str = "",
    ) -> T:
        path = self._path_of(name, subresource)
        check_object("apply()", body)
        body = self._completed(body, self._kind_of(model, subresource), name)
        return self._send_apply(model, path, body, options)

    def _send_apply(
        self,
        model: type[T],
        path: str,
        body: Any,
        options: Mapping[str, Any],
    ) -> T:
        # The server requires a field manager for apply; by default it is the program's name.
        options = with_defaults(options, {"field_manager": self._rest.field_manager})
        request = build_patch(path, ApplyPatch(body), self._with_defaults(options), self._codec)
        try:
            return self._send(model, request, self._rest.deadline(options))
        except InternalError as refusal:
            from .._manifests.refused_apply import explain_refusal  # imported late: rarely needed

            reason = explain_refusal(refusal, body, model)
            if reason is refusal:
                raise
            raise reason from refusal

    def _delete(self, model: type[T], name: str, options: Mapping[str, Any]) -> T | Status:
        request = build_delete(
            self._path_of(name), self._with_delete_defaults(options), self._codec
        )
        request = asking_for(model, request, self._codec)
        try:
            response = self._rest.send(request, self._rest.deadline(options))
        except NotFound as error:
            if not options.get("missing_ok") or not is_missing_object(error):
                raise
            return error.status
        return read_object_or_status(response, model, request, self._codec)

    def _delete_collection(self, list_model: type[T], options: Mapping[str, Any]) -> T | Status:
        request = build_delete(
            self._collection(), self._with_delete_defaults(options), self._codec, collection=True
        )
        request = asking_for(list_model, request, self._codec)
        deadline = self._rest.deadline(options)
        if options.get("shard_selector") is not None:
            from .shard_check import check_shards  # imported late: few programs use shards

            check_shards(self._rest, request, list_model, options["shard_selector"], deadline)
        response = self._rest.send(request, deadline)
        return read_object_or_status(response, list_model, request, self._codec)

    def _subresource(self, model: type[T], name: str, subresource: str) -> Subresource[T, Any]:
        self._path_of(name, subresource)  # raises ValueError for an invalid name
        return Subresource(self, model, name, subresource)

    def _logs(self, name: str, options: Mapping[str, Any]) -> str:
        request = build("GET", self._path_of(name, "log"), options, LOGS)
        response = self._rest.send(request, self._rest.deadline(options))
        return response.body.decode("utf-8", "replace")

    def _follow_logs(self, name: str, options: Mapping[str, Any]) -> Lines:
        following = {**options, "follow": True}
        request = build("GET", self._path_of(name, "log"), following, LOGS)
        return Lines(self._rest, request, options.get("timeout"))

    def _tail(self, options: Mapping[str, Any]) -> LogTail:
        from .log_tail import LogTail as Tail  # imported late: few programs tail logs

        return Tail(self._rest, self._path, options)

    def _exec(self, name: str, command: object, options: Mapping[str, Any]) -> ExecResult:
        from .._streams.outputs import check_result  # imported late: few programs run commands
        from .._streams.stream_requests import exec_request, stdin_of
        from .command import CommandInput, CommandOutput, GivenBytes, run_command
        from .exec_stream import ExecStream as Process

        query = dict(options)
        stdin, limit = stdin_of(query.pop("stdin", None)), query.pop("limit", None)
        is_checked = query.pop("check", False)
        if stdin is not None:
            query["stdin"] = True
        request = exec_request(self._path_of(name, "exec"), command, query)
        deadline = self._rest.whole_deadline(options)
        open_timeout = options.get("timeout", self._rest.timeout)
        stream = Process(self._rest, request, open_timeout, has_stdin=stdin is not None)
        given = None if stdin is None else CommandInput(GivenBytes(stdin).take)
        output = CommandOutput(request.info, limit)
        result = run_command(self._rest, stream, output, given, deadline)
        if is_checked:
            check_result(result, request.info)
        return result

    def _exec_stream(self, name: str, command: object, options: Mapping[str, Any]) -> ExecStream:
        from .._streams.stream_requests import exec_request
        from .exec_stream import ExecStream as Process

        request = exec_request(self._path_of(name, "exec"), command, options)
        has_stdin = bool(options.get("stdin"))
        open_timeout = options.get("timeout", self._rest.timeout)
        return Process(self._rest, request, open_timeout, has_stdin=has_stdin)

    def _attach(self, name: str, options: Mapping[str, Any]) -> ExecStream:
        from .._streams.stream_requests import attach_request
        from .exec_stream import ExecStream as Process

        request = attach_request(self._path_of(name, "attach"), options)
        has_stdin = bool(options.get("stdin"))
        open_timeout = options.get("timeout", self._rest.timeout)
        return Process(self._rest, request, open_timeout, has_stdin=has_stdin)

    def _copy_to(
        self,
        name: str,
        source: str | PathLike[str],
        target: str,
        options: Mapping[str, Any],
    ) -> CopyResult:
        from .copying import Copier  # imported late: few programs copy files

        copier = Copier(self._rest, self._path_of(name, "exec"), options)
        return copier.copy_to(source, target)

    def _copy_from(
        self,
        name: str,
        source: str,
        target: str | PathLike[str],
        options: Mapping[str, Any],
    ) -> CopyResult:
        from .copying import Copier  # imported late: few programs copy files

        copier = Copier(self._rest, self._path_of(name, "exec"), options)
        return copier.copy_from(source, target)

    def _port_forward(self, name: str, port: int, local_port: int) -> PortForward:
        from .._streams.port_channels import check_port  # imported late: few programs forward ports
        from .port_forward import PortForward as Forward
        from .port_forward import SinglePod

        number, local = check_port("port", port), check_port("local_port", local_port, least=0)
        pod = SinglePod(self._rest, self._path_of(name), number)
        return Forward(self._rest, pod, local)

    def _proxy(self, name: str, port: int | str | None, scheme: str | None) -> Proxy:
        from .._streams.proxying import proxy_segment  # imported late: few programs proxy requests
        from .proxy import Proxy as Proxied

        collection = self._collection()
        try:
            proxied_name = proxy_segment(name, port, scheme)
        except ValueError as error:
            raise self._call_error(error) from None
        return Proxied(self._rest, f"{collection}/{proxied_name}/proxy")

    def _with_defaults(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        return with_defaults(options, self._rest.write_defaults)

    def _with_delete_defaults(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        return with_defaults(options, self._rest.delete_defaults)

    def _send(self, model: type[T], request: HttpRequest, deadline: float | None) -> T:
        response = self._rest.send(asking_for(model, request, self._codec), deadline)
        return read_object(response, model, request, self._codec)

    def _path_in(self, namespace: str | UnsetType) -> str:
        if namespace is UNSET:
            return self.resource.collection_path()
        try:
            return self.resource.collection_path(check_segment("namespace", namespace))
        except ValueError as error:
            raise self._namespace_error(error, namespace) from None

    def _path_of(self, name: str, subresource: str = "") -> str:
        """Return the path of an object or its subresource. Rejects invalid names."""
        collection = self._collection()
        try:
            path = f"{collection}/{segment('name', name)}"
        except ValueError as error:
            raise self._call_error(error) from None
        return f"{path}/{subresource}" if subresource else path

    def _path_for(self, body: object, subresource: str) -> str:
        """Return the path of the object in `body` or its subresource. Rejects invalid names."""
        collection = self._collection()
        try:
            path = f"{collection}/{segment('metadata.name', name_in(body))}"
        except ValueError as error:
            raise self._call_error(error) from None
        return f"{path}/{subresource}" if subresource else path

    def _completed(self, body: object, kind: type[object] | None = None, name: str = "") -> Any:
        """Return the body with apiVersion and kind; see `completed`.

        Args:
            body: a model, which is returned as it is, or a manifest.
            kind: the class of the body, if it differs from the resource's kind.
            name: the name in the path, for a body without a name of its own.
        """
        if not isinstance(body, Mapping):
            return body
        from .._http.manifest_bodies import completed, constants_of  # imported late

        resource = self.resource
        type_fields: Mapping[str, str] = {
            "api_version": resource.api_version,
            "kind": resource.kind,
        }
        if kind is not None:
            type_fields = constants_of(kind)
        try:
            manifest = cast("Mapping[str, Any]", body)
            return completed(manifest, type_fields, namespace=self._namespace, name=name)
        except ValueError as error:
            raise self._call_error(error) from None

    def _kind_of(self, model: type[object], subresource: str) -> type[object] | None:
        """Return the class of a subresource's body; None if its kind is the resource's."""
        from .._http.manifest_bodies import constants_of  # imported late: few calls need it

        return None if subresource == "status" and not constants_of(model) else model

    def _collection(self) -> str:
        """Return the path of the collection to modify. Rejects clients for all namespaces."""
        if not self._has_one_collection:
            raise self._call_error("the call needs a namespace")
        return self._path

    def _namespace_error(self, problem: ValueError, namespace: str) -> ValueError:
        """Phrase an error about the namespace in terms of the accessor."""
        accessor = self._accessor or self.resource.plural
        has_all = any(hasattr(base, "resource") for base in type(self).__mro__[1:])
        hint = f"; {accessor}() means all namespaces"
        more = hint if has_all and not is_name(namespace) else ""
        return ValueError(f"{accessor}(): {problem}{more}")

    def _call_error(self, problem: object) -> ValueError:
        """Phrase an error in terms of the call: `pods("shop").delete(): ...`."""
        argument = f'"{self._namespace}"' if self._namespace else ""
        client = f"{self._accessor or self.resource.plural}({argument})"
        return ValueError(f"{client}{called(self)}: {problem}")


class Subresource(Generic[T, ManifestT]):
    """A subresource of one object, such as its status or its scale.

    `T` is the class of the subresource, `ManifestT` the type of its manifests.
    """

    def __init__(self, client: ResourceClient, model: type[T], name: str, subresource: str) -> None:
        self._client = client
        self._model = model
        self._name = name
        self._part = subresource

    def __repr__(self) -> str:
        return f"{self._client!r}.{self._part}({self._name!r})"

    def get(self, **options: Unpack[GetOptions]) -> T:
        """Get the subresource."""
        return self._client._get(self._model, self._name, options, subresource=self._part)

    def update(self, body: T | ManifestT | Unstructured, **options: Unpack[WriteOptions]) -> T:
        """Replace the subresource with `body`."""
        return self._client._update_named(
            self._model, self._name, body, options, subresource=self._part
        )

    def patch(self, patch: ManifestT | Patch, **options: Unpack[PatchOptions]) -> T:
        """Patch the subresource. A dict is a merge patch."""
        value: Any = patch
        return self._client._patch(self._model, self._name, value, options, subresource=self._part)

    def apply(self, body: T | ManifestT | Unstructured, **options: Unpack[ApplyOptions]) -> T:
        """Server-side apply: update the subresource and own the fields in `body`."""
        value: Any = body
        return self._client._apply_named(
            self._model, self._name, value, options, subresource=self._part
        )

    def edit(self, change: Callable[[T], object], **options: Unpack[EditOptions]) -> T:
        """Get the subresource, let `change` modify it, and send the difference.

        Retries on conflict.
        """
        return self._client._edit(self._model, self._name, change, options, subresource=self._part)
