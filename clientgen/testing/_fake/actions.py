"""Actions: the recorded requests to a cluster, for assertions and reactors."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar
from urllib.parse import parse_qsl, unquote

from msgspec import DecodeError, Struct, json

from clientgen.runtime._models.model import Model

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clientgen.runtime._http.request import HttpRequest

M = TypeVar("M", bound=Model)

_COMMON_VERBS: Final = {"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch"}
_NAMED_VERBS: Final = {**_COMMON_VERBS, "DELETE": "delete"}
_COLLECTION_VERBS: Final = {**_COMMON_VERBS, "GET": "list", "DELETE": "deletecollection"}
_PATCH_TYPES: Final = {
    "application/json-patch+json": "json",
    "application/merge-patch+json": "merge",
    "application/strategic-merge-patch+json": "strategic",
    "application/apply-patch+yaml": "apply",
    "application/apply-patch+cbor": "apply",
}
_READ_VERBS: Final = frozenset({"get", "list", "watch"})
# Subresources of Namespace: `namespaces/x/status` has the shape of `namespaces/x/pods`.
_NAMESPACE_SUBRESOURCES: Final = frozenset({"status", "finalize"})
_FALSE_VALUES: Final = frozenset({"false", "0"})
_BODY: Final = "_body"
_MANY_BYTES: Final = 1024
_MIN_RESOURCE_WORDS: Final = 3
_WORDS_OF_NAMED_OBJECT: Final = 3


class _Metadata(Struct):
    name: str


class _Named(Struct):
    metadata: _Metadata


_NAMED: Final = json.Decoder(_Named)


class _Body(NamedTuple):
    """The body of a request, as bytes, and its media type."""

    text: bytes
    kind: str
    is_packed: bool = False

    def packed(self) -> _Body:
        """Return the same body compressed, if its bytes are many."""
        if self.is_packed or len(self.text) < _MANY_BYTES:
            return self
        # A copy: the compressor's own bytes keep the room that it made for more of them.
        return _Body(bytes(memoryview(zlib.compress(self.text, 1))), self.kind, is_packed=True)

    def read(self) -> Any:
        """Return what the bytes say; None if that is no JSON and no YAML."""
        return _body(zlib.decompress(self.text) if self.is_packed else self.text, self.kind)


def pack(action: Action) -> None:
    """Compress the body of an old action, unless somebody has looked at it."""
    members = action.__dict__
    if "object" in members:
        members.pop(_BODY, None)
    elif _BODY in members:
        members[_BODY] = members[_BODY].packed()


def _nothing() -> Any:
    return None


@dataclass(frozen=True)
class Action:
    """A request to the API server: verb, resource, names and body.

    `str()` returns a short form for asserts: `create pods default/web-0`, `patch
    deployments.apps/scale default/web`, `watch pods` (of all namespaces).

    Attributes:
        verb: get, list, watch, create, update, patch, delete or deletecollection. Server-side apply
            is a patch, as for RBAC.
        resource: the plural, such as `pods`.
        namespace: empty for cluster-scoped resources and for all namespaces.
        name: empty for collections. The name of a created object is read from its body, so the name
            is empty for objects with generateName.
        object: the body: an object, a patch or DeleteOptions; None for requests without a body.
        options: the query parameters, such as `{"labelSelector": "app=web"}`.
        patch_type: json, merge, strategic or apply; empty unless the verb is patch.
    """

    verb: str
    group: str = ""
    version: str = "v1"
    resource: str = ""
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    object: Any = field(default_factory=_nothing, repr=False)
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    patch_type: str = ""

    if not TYPE_CHECKING:  # type checkers would take any name for an attribute

        def __getattr__(self, name: str) -> Any:
            """Read the body of a recorded request when somebody first looks at it."""
            body = self.__dict__.get(_BODY) if name == "object" else None
            if body is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            found = self.__dict__["object"] = body.read()
            return found

    @property
    def group_resource(self) -> str:
        """The plural with its group: `pods`, `deployments.apps`."""
        return f"{self.resource}.{self.group}" if self.group else self.resource

    @property
    def is_write(self) -> bool:
        """Whether the verb is anything but get, list and watch."""
        return self.verb not in _READ_VERBS

    def decode(self, model: type[M]) -> M:
        """Decode the body as a model.

        Raises:
            DecodeError: the request has no body, or the body is not an object of this kind.
        """
        from clientgen.runtime._models.model_codec import from_dict  # imported late

        return from_dict(model, self.object)

    def __str__(self) -> str:
        suffix = f"/{self.subresource}" if self.subresource else ""
        where = "/".join(filter(None, (self.namespace, self.name)))
        return f"{self.verb} {self.group_resource}{suffix} {where}".rstrip()


def action_of(request: HttpRequest) -> Action | None:
    """Return the action of a request; None for requests without a resource (discovery, health)."""
    path, _, query = request.target.partition("?")
    resource_path = _parse_path(path)
    if resource_path is None:
        return None
    options = dict(parse_qsl(query, keep_blank_values=True)) if query else {}
    table = _NAMED_VERBS if resource_path["name"] else _COLLECTION_VERBS
    verb = table.get(request.method, request.method.lower())
    if verb == "list" and options.get("watch", "false") not in _FALSE_VALUES:
        verb = "watch"
    kind = _header(request, "content-type").partition(";")[0].strip()
    patch_type = _PATCH_TYPES.get(kind, "") if verb == "patch" else ""
    if verb == "create" and not resource_path["name"] and request.body:
        resource_path["name"] = _created_name(request.body, kind)
    action = Action(verb, **resource_path, options=options, patch_type=patch_type)
    if request.body:
        _keep(action, _Body(request.body, kind))
    return action


def _keep(action: Action, body: _Body) -> None:
    """Leave the body unread: most actions are counted, or told apart by their names."""
    members = action.__dict__
    del members["object"]
    members[_BODY] = body


def _parse_path(path: str) -> dict[str, str] | None:
    """Split a path into group, version, resource, namespace, name and subresource.

    Facts: docs/internals/kubernetes-semantics.md, 1.1.
    """
    root, _, rest = path.strip("/").partition("/")
    words = [unquote(word) for word in rest.split("/")] if rest else []
    if root == "api":
        words.insert(0, "")
    elif root != "apis":
        return None
    if len(words) < _MIN_RESOURCE_WORDS:
        return None
    group, version, *words = words
    namespace = ""
    is_below_namespace = len(words) > _WORDS_OF_NAMED_OBJECT or (
        len(words) == _WORDS_OF_NAMED_OBJECT and words[2] not in _NAMESPACE_SUBRESOURCES
    )
    if words[0] == "namespaces" and is_below_namespace:
        namespace, words = words[1], words[2:]
    resource, name, subresource = (*words, "", "")[:3]
    return {
        "group": group,
        "version": version,
        "resource": resource,
        "namespace": namespace,
        "name": name,
        "subresource": subresource,
    }


def _created_name(body: bytes, kind: str) -> str:
    try:
        if body.isascii():  # others are refused as a whole if they are no UTF-8
            return _NAMED.decode(body).metadata.name
    except (DecodeError, RecursionError):
        pass
    return _name_in(_body(body, kind))


def _name_in(body: Any) -> str:
    try:
        name = body["metadata"]["name"]
    except (KeyError, TypeError):
        return ""
    return name if isinstance(name, str) else ""


def _header(request: HttpRequest, name: str) -> str:
    for key, value in request.headers:
        if key.lower() == name:
            return value
    return ""


def _body(body: bytes, kind: str) -> Any:
    try:
        return json.decode(body)
    except (DecodeError, UnicodeDecodeError, RecursionError):
        return _yaml(body) if "yaml" in kind else None


def _yaml(body: bytes) -> Any:
    from clientgen._yaml.loader import load_yaml  # imported late: few requests have YAML bodies

    try:
        value, _ = load_yaml(body)
    except ValueError:
        return None  # the server refuses the body and reports the error
    return value
