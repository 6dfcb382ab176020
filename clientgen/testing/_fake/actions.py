"""Actions: one per request to a cluster, for assertions and reactions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import parse_qsl, unquote

from msgspec import DecodeError, json

from clientgen.runtime._models.model import Model

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clientgen.runtime._http.request import HttpRequest

__all__ = ["Action", "action_of"]

M = TypeVar("M", bound=Model)

_NAMED: Final = {"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch"}
_NAMED_VERBS: Final = {**_NAMED, "DELETE": "delete"}
_COLLECTION_VERBS: Final = {**_NAMED, "GET": "list", "DELETE": "deletecollection"}
_PATCHES: Final = {
    "application/json-patch+json": "json",
    "application/merge-patch+json": "merge",
    "application/strategic-merge-patch+json": "strategic",
    "application/apply-patch+yaml": "apply",
    "application/apply-patch+cbor": "apply",
}
_READING: Final = frozenset({"get", "list", "watch"})
# Subresources of a namespace: they follow `namespaces/x/`, as resources do.
_OF_NAMESPACES: Final = frozenset({"status", "finalize"})
_FALSE: Final = frozenset({"false", "0"})
_IN_GROUP: Final = 3
_WITH_NAME: Final = 3


@dataclass(frozen=True)
class Action:
    """One request, in the words of the API.

    `str()` says it in short, which reads well in asserts: `create pods default/web-0`,
    `patch deployments.apps/scale default/web`, `watch pods` (of all namespaces).

    Attributes:
        verb: get, list, watch, create, update, patch, delete or deletecollection; server-side
            apply is a patch, as it is for RBAC.
        resource: the plural, such as `pods`.
        namespace: empty for cluster-scoped resources and for all namespaces.
        name: empty for collections; that of a new object stands in the object, so that there is
            none with generateName.
        object: the body: an object, a patch or DeleteOptions; None without one.
        options: the query, such as `{"labelSelector": "app=web"}`.
        patch_type: json, merge, strategic or apply; empty unless the verb is patch.
    """

    verb: str
    group: str = ""
    version: str = "v1"
    resource: str = ""
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    object: Any = field(default=None, repr=False)
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    patch_type: str = ""

    @property
    def group_resource(self) -> str:
        """`pods`, `deployments.apps`."""
        return f"{self.resource}.{self.group}" if self.group else self.resource

    @property
    def is_write(self) -> bool:
        """Whether it is anything but get, list and watch."""
        return self.verb not in _READING

    def decode(self, model: type[M]) -> M:
        """The body as a model.

        Raises:
            DecodeError: there is no body, or it is no object.
        """
        from clientgen.runtime._models.model_codec import from_dict  # not needed to record

        return from_dict(model, self.object)

    def __str__(self) -> str:
        part = f"/{self.subresource}" if self.subresource else ""
        where = "/".join(filter(None, (self.namespace, self.name)))
        return f"{self.verb} {self.group_resource}{part} {where}".rstrip()


def action_of(request: HttpRequest) -> Action | None:
    """Return the action of a request; None if it is about no resource (discovery, health)."""
    path, _, query = request.target.partition("?")
    place = _place(path)
    if place is None:
        return None
    options = dict(parse_qsl(query, keep_blank_values=True)) if query else {}
    table = _NAMED_VERBS if place["name"] else _COLLECTION_VERBS
    verb = table.get(request.method, request.method.lower())
    if verb == "list" and options.get("watch", "false") not in _FALSE:
        verb = "watch"
    kind = _header(request, "content-type").partition(";")[0].strip()
    patch_type = _PATCHES.get(kind, "") if verb == "patch" else ""
    body = _body(request.body, kind) if request.body else None
    if verb == "create" and not place["name"]:
        place["name"] = _name_in(body)
    return Action(verb, **place, object=body, options=options, patch_type=patch_type)


def _place(path: str) -> dict[str, str] | None:
    """Group, version, resource, namespace, name and subresource of a path.

    Facts: docs/internals/kubernetes-semantics.md, 1.1.
    """
    root, _, rest = path.strip("/").partition("/")
    words = [unquote(word) for word in rest.split("/")] if rest else []
    if root == "api":
        words.insert(0, "")
    elif root != "apis":
        return None
    if len(words) < _IN_GROUP:
        return None
    group, version, *words = words
    namespace = ""
    inside = len(words) > _WITH_NAME or (
        len(words) == _WITH_NAME and words[2] not in _OF_NAMESPACES
    )
    if words[0] == "namespaces" and inside:
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
    from clientgen._yaml.loader import load_yaml  # hardly ever needed

    try:
        value, _ = load_yaml(body)
    except ValueError:
        return None  # the server will say what is wrong
    return value
