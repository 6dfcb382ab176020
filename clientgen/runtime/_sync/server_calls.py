# Derived from _async/server_calls.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Calls about the server and the caller: version, OpenAPI, rights, and requests to any path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from msgspec import DecodeError as MsgspecError
from msgspec import ValidationError, convert, json

from .._http.path_segments import check_segment, segment
from .._http.request import HttpRequest
from .._models.arguments import type_of
from ..errors import ApiError, DecodeError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Unpack

    from .._discovery.discovered_resources import ResourceName
    from .._http.call_options import CallOptions, RawOptions, RawStreamOptions
    from .._http.request import HttpResponse
    from .._models.proxy_response import RawResponse
    from .._models.server_answers import AccessRules, UserInfo, VersionInfo
    from .dynamic import DynamicClient
    from .raw_stream import RawStream
    from .rest import Rest

T = TypeVar("T")

_NOT_MODIFIED = 304
_JSON = (("Accept", "application/json"), ("Content-Type", "application/json"))


class _OpenApiDocuments(dict[str, tuple[str, dict[str, Any]]]):
    """The OpenAPI documents of a server, with their ETags, by path. Clients share them."""


class ServerCalls:
    """Calls of clientsets about the server and the caller."""

    _rest: Rest

    if TYPE_CHECKING:

        @property
        def namespace(self) -> str: ...
        @property
        def dynamic(self) -> DynamicClient: ...

    def version(self, **options: Unpack[CallOptions]) -> VersionInfo:
        """Return the version of the server: `(k.version()).git_version`."""
        from .._models.server_answers import VersionInfo  # imported late: few programs ask

        return _decoded(self._exchange("GET", "/version", None, options), VersionInfo)

    def raw(self, method: str, path: str, **options: Unpack[RawOptions]) -> RawResponse:
        """Send a request to any path of the server: `(k.raw("GET", "/readyz")).text`.

        It has the credentials, the retries and the errors of other calls. Redirects are not
        followed.

        Args:
            method: the method, such as GET.
            path: the path, such as `/metrics`. It may have a query.
            options: `query`, `headers`, `body` and `timeout`. The media types are JSON, if
                `headers` has no others.

        Raises:
            ApiError: the server responded with a status of 300 or more.
            ValueError: the path does not begin with `/`, or has `..`; or an argument is not valid.
                Or the client makes dry runs only, and the request may write.
        """
        from .._http.raw_requests import check_no_dry_run, server_request  # few programs need it
        from .._models.proxy_response import RawResponse

        request = server_request(method, path, options)
        check_no_dry_run(request, self._rest.write_defaults)
        response = self._rest.send(request, self._rest.deadline(options))
        return RawResponse(status=response.status, headers=response.headers, body=response.body)

    def raw_stream(self, method: str, path: str, **options: Unpack[RawStreamOptions]) -> RawStream:
        """Send a request to any path of the server, and read the response piece by piece.

        with k.raw_stream("GET", "/metrics") as response:
            for data in response:
                file.write(data)

        Arguments and errors are those of `raw`. `timeout` limits the time until the response
        begins.
        """
        from .._http.raw_requests import check_no_dry_run, server_request
        from .raw_stream import RawStream

        request = server_request(method, path, options)
        check_no_dry_run(request, self._rest.write_defaults)
        return RawStream(self._rest, request, options.get("timeout"))

    def openapi(self, group_version: str = "", **options: Unpack[CallOptions]) -> Mapping[str, Any]:
        """Return an OpenAPI document of the server. It is cached while it does not change.

        Each call asks the server whether the document has changed. All callers share one document:
        do not change it.

        Args:
            group_version: the group version, such as `apps/v1` or `v1`, whose OpenAPI v3 document
                to return. By default, it is the OpenAPI v2 document of all.
            options: `timeout`, in seconds.

        Raises:
            NotFound: the server has no such group version.
        """
        path = _openapi_path(group_version) if group_version else "/openapi/v2"
        documents = self._rest.shared.get_or_create(_OpenApiDocuments, _OpenApiDocuments)
        etag, document = documents.get(path, ("", {}))
        headers = _JSON[:1] + ((("If-None-Match", etag),) if etag else ())
        try:
            request = HttpRequest("GET", path, headers)
            response = self._rest.send(request, self._rest.deadline(options))
        except ApiError as error:
            if error.code != _NOT_MODIFIED or not etag:
                raise
            return document
        document = _decoded(response, dict[str, Any])
        if etag := response.headers.get("etag", ""):
            documents[path] = etag, document
        return document

    def whoami(self, **options: Unpack[CallOptions]) -> UserInfo:
        """Return the user as which the server sees the caller: `(k.whoami()).username`.

        This creates a SelfSubjectReview (authentication.k8s.io/v1, since Kubernetes 1.28).
        """
        from .._models.server_answers import UserInfo

        status = self._review("authentication.k8s.io", "SelfSubjectReview", None, options)
        return _converted(status.get("userInfo"), UserInfo)

    def can_i(
        self,
        verb: str,
        what: ResourceName | type[Any],
        *,
        name: str = "",
        subresource: str = "",
        namespace: str | None = None,
        **options: Unpack[CallOptions],
    ) -> bool:
        """Return whether the caller may do something: `k.can_i("create", Pod)`.

        This creates a SelfSubjectAccessReview, as `kubectl auth can-i`.

        Args:
            verb: the verb, such as `get`, `list`, `create` or `*`.
            what: a class; a name such as `deploy`; a path such as `/metrics`; or `*`.
            name: the name of the object; by default all names.
            subresource: the subresource, such as `log`.
            namespace: the namespace; `k.namespace` by default. Empty text means all namespaces.
            options: `timeout`, in seconds.

        Raises:
            LookupError: the server has no such resource.
            ValueError: the verb has capital letters, or a namespace is given for a kind that is not
                namespaced, or an argument is not valid.
        """
        if not isinstance(cast("object", verb), str) or not verb or verb != verb.lower():
            raise ValueError(f"verb must be a word in lower case, such as create, not {verb!r}")
        spec: dict[str, Any]
        if isinstance(what, str) and what.startswith("/"):
            if name or subresource or namespace:
                raise ValueError(f"a path has no name, subresource or namespace: {what!r}")
            spec = {"nonResourceAttributes": {"path": what, "verb": verb}}
        else:
            more = {"name": name, "subresource": subresource}
            attributes = self._resource_attributes(what, namespace, options)
            spec = {"resourceAttributes": {"verb": verb, **attributes, **more}}
        group, kind = "authorization.k8s.io", "SelfSubjectAccessReview"
        return (self._review(group, kind, spec, options)).get("allowed") is True

    def access_rules(
        self, *, namespace: str | None = None, **options: Unpack[CallOptions]
    ) -> AccessRules:
        """Return all that the caller may do in a namespace, as `kubectl auth can-i --list`.

        This creates a SelfSubjectRulesReview.

        Args:
            namespace: the namespace; `k.namespace` by default.
            options: `timeout`, in seconds.
        """
        from .._models.server_answers import AccessRules

        chosen = self.namespace if namespace is None else check_segment("namespace", namespace)
        spec = {"namespace": chosen}
        group, kind = "authorization.k8s.io", "SelfSubjectRulesReview"
        return _converted(self._review(group, kind, spec, options), AccessRules)

    def _resource_attributes(
        self, what: ResourceName | type[Any], namespace: str | None, options: CallOptions
    ) -> dict[str, str]:
        if namespace:
            check_segment("namespace", namespace)
        if what == "*":
            group, version, plural, is_namespaced = "*", "*", "*", True
        else:
            resource = self.dynamic.find(what, self._rest.deadline(options))
            group, version, plural = resource.group, resource.version, resource.plural
            is_namespaced = resource.namespaced
        if not is_namespaced and namespace:
            raise ValueError(f"{plural} are not in namespaces: leave out namespace={namespace!r}")
        chosen = (self.namespace if namespace is None else namespace) if is_namespaced else ""
        return {"group": group, "version": version, "resource": plural, "namespace": chosen}

    def _review(
        self, group: str, kind: str, spec: dict[str, Any] | None, options: CallOptions
    ) -> dict[str, Any]:
        """Create a review, which is not stored, and return its status."""
        body = {"apiVersion": f"{group}/v1", "kind": kind}
        path = f"/apis/{group}/v1/{kind.lower()}s"
        content = json.encode(body if spec is None else {**body, "spec": spec})
        response = self._exchange("POST", path, content, options)
        status = _decoded(response, dict[str, Any]).get("status")
        if not isinstance(status, dict):
            raise DecodeError(f"the server returned a {kind} without a status")
        return cast("dict[str, Any]", status)

    def _exchange(
        self, method: str, path: str, body: bytes | None, options: CallOptions
    ) -> HttpResponse:
        headers = _JSON[:1] if body is None else _JSON
        request = HttpRequest(method, path, headers, body)
        return self._rest.send(request, self._rest.deadline(options))


def _openapi_path(group_version: str) -> str:
    if not isinstance(cast("object", group_version), str):
        raise TypeError(
            f"group_version must be text, such as apps/v1, not {type_of(group_version)}"
        )
    group, slash, version = group_version.rpartition("/")
    root = f"/openapi/v3/apis/{segment('group', group)}" if slash else "/openapi/v3/api"
    return f"{root}/{segment('version', version)}"


def _decoded(response: HttpResponse, kind: type[T]) -> T:
    """Decode a JSON response.

    Raises:
        DecodeError: It is not JSON of this type.
    """
    try:
        value = json.decode(response.body)
    except (MsgspecError, RecursionError) as error:
        raise DecodeError(f"the response is not JSON: {error}") from None
    return _converted(value, kind)


def _converted(value: Any, kind: type[T]) -> T:
    try:
        return convert(_without_nulls(value), kind)
    except ValidationError as error:
        name = getattr(kind, "__name__", "object")
        raise DecodeError(f"the response is not a valid {name}: {error}") from None


def _without_nulls(value: Any) -> Any:
    """Return a JSON object without its null members, which Go sends for what is unset."""
    if value is None:
        return {}
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {name: _without_nulls(each) for name, each in members.items() if each is not None}
    if isinstance(value, list):
        return [_without_nulls(each) for each in cast("Sequence[Any]", value)]
    return value
