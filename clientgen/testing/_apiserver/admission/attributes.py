"""The attributes of a request for the steps of admission.

The words are those of k8s.io/apiserver/pkg/admission.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import internal_error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clientgen._gvk import GroupVersionKind

    from ..access import Caller
    from ..kinds.strategy import Strategy
    from ..requests.api_request import Request
    from ..served_resources import Resource
    from ..storage.cluster_state import ClusterState

CREATE: Final = "CREATE"
UPDATE: Final = "UPDATE"
DELETE: Final = "DELETE"
CONNECT: Final = "CONNECT"

_META_VERSION: Final = "meta.k8s.io/v1"
_NAMESPACES: Final = "namespaces"
_TEXTS: Final = ("fieldManager", "fieldValidation")


@dataclass(slots=True)
class Reinvocation:
    """What the steps that change an object remember of each other's changes.

    Attributes:
        is_reinvoke: whether the steps run for the second and last time.
        wanted: whether they are to run again; a step says so when it has changed the object after
            another step that wants to know has seen it.
        notes: what each step remembers, by its name.
    """

    is_reinvoke: bool = False
    wanted: bool = False
    notes: dict[str, Any] = field(default_factory=dict[str, Any])
    _seen: dict[str, dict[str, bool]] = field(default_factory=dict[str, dict[str, bool]])

    def note_seen(self, plugin: str, name: str) -> None:
        """Note that a step has shown the object to somebody who asks for later changes."""
        self._seen.setdefault(plugin, {})[name] = False

    def note_change(self) -> None:
        """Note that the object was changed, so that those that have seen it before see it again."""
        for names in self._seen.values():
            for name in names:
                names[name] = True
                self.wanted = True

    def is_wanted_by(self, plugin: str, name: str) -> bool:
        """Return whether a webhook or policy sees the object again in the second run."""
        return self._seen.get(plugin, {}).get(name, False)


@dataclass(slots=True)
class Attributes:
    """A request as admission sees it.

    Attributes:
        cluster: the server's state.
        request: the request; its `warnings` are shown to the client.
        strategy: of the kind of `object`.
        operation: CREATE, UPDATE, DELETE or CONNECT.
        resource: the resource of the request.
        kind: of `object`; that of the resource, or of a subresource's body.
        subresource: empty for the object itself.
        namespace: of the object, or the namespace itself; empty for other cluster-scoped ones.
        name: empty while it has to be generated.
        object: the new object with apiVersion and kind, None for a DELETE. Change it by `replace`.
        old_object: the stored object, None for CREATE and CONNECT.
        options: CreateOptions and so on, as in an AdmissionReview; None for CONNECT.
        dry_run: whether nothing will be stored.
        reinvocation: shared by the steps that change the object.
    """

    cluster: ClusterState
    request: Request
    strategy: Strategy
    operation: str
    resource: Resource
    kind: GroupVersionKind
    subresource: str
    namespace: str
    name: str
    object: dict[str, Any] | None
    old_object: dict[str, Any] | None
    options: dict[str, Any] | None
    dry_run: bool
    reinvocation: Reinvocation = field(default_factory=Reinvocation)

    def __post_init__(self) -> None:
        if self.resource.group_resource == _NAMESPACES:
            self.namespace = self.name

    @property
    def caller(self) -> Caller:
        """Who sent the request."""
        return self.request.caller

    def warn(self, text: str) -> None:
        """Show the client a warning."""
        self.request.warnings.append(text)

    def namespace_object(self) -> dict[str, Any] | None:
        """Return the Namespace of the object; None for cluster-scoped objects.

        For a write to a Namespace this is the new one, for a delete the stored one.
        """
        if self.resource.group_resource == _NAMESPACES:
            return self.object if self.subresource == "" and self.object else self.old_object
        if not self.namespace:
            return None
        return self.cluster.get("", _NAMESPACES, "", self.namespace)

    def replace(self, value: dict[str, Any]) -> bool:
        """Put another object in the place of `object`. Return whether it differs.

        It is decoded as the body of a request is, and gets defaults.

        Raises:
            Failure: 500, the value is no such object.
        """
        before = self.object
        kind, version = value.get("kind"), value.get("apiVersion")
        if (kind, version) != (self.kind.kind, self.kind.group_version.api_version):
            why = f"{version}, Kind={kind} cannot take the place of a {self.kind.kind}"
            raise internal_error(why)
        value, _ = self.strategy.codec.clean(value, self.cluster.spec.schemas, internal_error)
        changed = value != before
        self.strategy.default(value)
        self.object = value
        return changed


def options_of(kind: str, query: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return CreateOptions or UpdateOptions as an object, as far as the query sets them."""
    options: dict[str, Any] = {"kind": kind, "apiVersion": _META_VERSION}
    if query.get("dryRun"):
        options["dryRun"] = list(query["dryRun"])
    options |= {name: query[name][0] for name in _TEXTS if query.get(name) and query[name][0]}
    return options
