"""What the metadata of any object may hold (fact sheet 1.4; API conventions, "Metadata").

The real server checks metadata several times over when an object is changed - once for every kind
alike, and once or twice more in the rules of the kind - and lists what it found each time. A client
that counts causes sees that, so `_AGAIN` says what each kind repeats.
"""

from __future__ import annotations

from enum import Flag, auto
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    required,
)
from clientgen._apimachinery.labels import annotations_causes, labels_causes
from clientgen._apimachinery.name_syntax import (
    path_segment_problems,
    qualified_name_problems,
)
from clientgen._apimachinery.optional_parts import parts, texts

from .names import name_causes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..resources import Resource

__all__ = ["metadata_causes"]

_OWN_FINALIZERS: Final = frozenset({"kubernetes", "orphan", "foregroundDeletion"})
_NEVER_OWNERS: Final = frozenset({("v1", "Event")})


class _Again(Flag):
    """What a kind's own rules look at once more, beyond what is asked of every kind."""

    NOTHING = 0
    CHANGE = auto()
    WHOLE = auto()
    PLAIN = auto()  # without the rule that finalizers have a domain


_OFTEN: Final = _Again.CHANGE | _Again.WHOLE
_AGAIN: Final[Mapping[tuple[str, str], _Again]] = {
    **dict.fromkeys(
        [
            ("", "configmaps"),
            ("", "secrets"),
            ("", "endpoints"),
            ("", "namespaces"),
            ("", "nodes"),
            ("", "persistentvolumeclaims"),
            ("", "persistentvolumes"),
            ("", "pods"),
            ("", "serviceaccounts"),
            ("apps", "controllerrevisions"),
            ("batch", "jobs"),
            ("networking.k8s.io", "ingressclasses"),
            ("networking.k8s.io", "ingresses"),
            ("networking.k8s.io", "ipaddresses"),
            ("rbac.authorization.k8s.io", "clusterrolebindings"),
            ("rbac.authorization.k8s.io", "clusterroles"),
            ("rbac.authorization.k8s.io", "rolebindings"),
            ("rbac.authorization.k8s.io", "roles"),
            ("resource.k8s.io", "deviceclasses"),
            ("resource.k8s.io", "resourceclaims"),
            ("resource.k8s.io", "resourceclaimtemplates"),
            ("storage.k8s.io", "csistoragecapacities"),
            ("storage.k8s.io", "storageclasses"),
            ("storage.k8s.io", "volumeattributesclasses"),
        ],
        _OFTEN,
    ),
    **dict.fromkeys(
        [
            ("", "limitranges"),
            ("discovery.k8s.io", "endpointslices"),
            ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations"),
            ("storage.k8s.io", "csinodes"),
            ("storage.k8s.io", "volumeattachments"),
        ],
        _Again.WHOLE,
    ),
    **dict.fromkeys(
        [
            ("admissionregistration.k8s.io", "mutatingadmissionpolicies"),
            ("admissionregistration.k8s.io", "mutatingadmissionpolicybindings"),
            ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
            ("admissionregistration.k8s.io", "validatingadmissionpolicies"),
            ("admissionregistration.k8s.io", "validatingadmissionpolicybindings"),
            ("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
        ],
        _Again.WHOLE | _Again.PLAIN,
    ),
    **dict.fromkeys(
        [("coordination.k8s.io", "leases"), ("coordination.k8s.io", "leasecandidates")],
        _Again.CHANGE | _Again.PLAIN,
    ),
    ("node.k8s.io", "runtimeclasses"): _OFTEN | _Again.PLAIN,
    ("", "events"): _Again.PLAIN,
    ("policy", "poddisruptionbudgets"): _Again.PLAIN,
}
_STATUS_ONCE: Final = frozenset({("policy", "poddisruptionbudgets"), ("batch", "cronjobs")})
_CUSTOM: Final = _Again.CHANGE | _Again.PLAIN


def metadata_causes(
    resource: Resource,
    new: dict[str, Any],
    old: dict[str, Any] | None,
    subresource: str = "",
) -> list[Cause]:
    """What is wrong with an object's metadata, on its own and as a change of `old`."""
    again = _again(resource, subresource)
    plain = _Again.PLAIN in again
    if old is None:
        return _whole(resource, new["metadata"], plain=plain)
    before, after = old["metadata"], new["metadata"]
    causes = [*_segments(after), *_contents(after), *_change(after, before)]
    if _Again.CHANGE in again:
        causes += [*_change(after, before), *_domains(after, plain=plain)]
    if _Again.WHOLE in again:
        causes += _whole(resource, after, plain=plain)
    return causes


def _again(resource: Resource, subresource: str) -> _Again:
    if resource.custom is not None:
        return _CUSTOM
    key = (resource.group, resource.plural)
    if subresource:
        return _Again.PLAIN if key in _STATUS_ONCE else _Again.CHANGE
    return _AGAIN.get(key, _Again.CHANGE)


def _whole(resource: Resource, metadata: dict[str, Any], *, plain: bool) -> list[Cause]:
    causes: list[Cause] = []
    if prefix := metadata.get("generateName"):
        causes += name_causes(resource, prefix, prefix=True)
    if name := metadata.get("name"):
        causes += name_causes(resource, name, prefix=False)
    else:
        causes.append(required("metadata.name", "name or generateName is required"))
    return [*causes, *_contents(metadata), *_domains(metadata, plain=plain)]


def _segments(metadata: dict[str, Any]) -> list[Cause]:
    return [
        invalid_value(f"metadata.{field}", text, problem)
        for field in ("generateName", "name")
        for text in [metadata.get(field, "")]
        for problem in path_segment_problems(text)
    ]


def _contents(metadata: dict[str, Any]) -> list[Cause]:
    """The parts that are looked at alike whatever the kind."""
    generation = metadata.get("generation", 0)
    causes: list[Cause] = []
    if generation < 0:
        least = "must be greater than or equal to 0"
        causes.append(invalid_value("metadata.generation", generation, least))
    return [*causes, *_described(metadata), *_finalizers(metadata)]


def _described(metadata: dict[str, Any]) -> list[Cause]:
    return [
        *labels_causes(metadata.get("labels"), "metadata.labels"),
        *annotations_causes(metadata.get("annotations"), "metadata.annotations"),
        *_owners(parts(metadata, "ownerReferences")),
    ]


def _owners(references: list[dict[str, Any]]) -> list[Cause]:
    causes: list[Cause] = []
    controller: dict[str, Any] | None = None
    for reference in references:
        causes += _owner(reference)
        if not reference.get("controller"):
            continue
        if controller is not None:
            said = 'Only one reference can have Controller set to true. Found "true" in references'
            both = f"{_shown(controller)} and {_shown(reference)}"
            field = "metadata.ownerReferences"
            causes.append(invalid_value(field, references, f"{said} for {both}"))
        else:
            controller = reference
    return causes


def _shown(reference: dict[str, Any]) -> str:
    return f"{reference.get('kind', '')}/{reference.get('name', '')}"


def _owner(reference: dict[str, Any]) -> list[Cause]:
    field = "metadata.ownerReferences"
    api_version = reference.get("apiVersion", "")
    kind = reference.get("kind", "")
    causes: list[Cause] = []
    if not _version(api_version):
        said = "version must not be empty"
        causes.append(invalid_value(f"{field}.apiVersion", api_version, said))
    causes += [
        invalid_value(f"{field}.{member}", "", "must not be empty")
        for member in ("kind", "name", "uid")
        if not reference.get(member)
    ]
    if (api_version, kind) in _NEVER_OWNERS:
        said = f"/{api_version}, Kind={kind} is disallowed from being an owner"
        causes.append(invalid_value(field, reference, said))
    return causes


def _version(api_version: str) -> str:
    """The version of `group/version`; nothing when it cannot be told."""
    group, slash, version = api_version.partition("/")
    if not slash:
        return group
    return "" if "/" in version else version


def _finalizers(metadata: dict[str, Any]) -> list[Cause]:
    field = "metadata.finalizers"
    finalizers: list[str] = texts(metadata, "finalizers")
    causes = [
        invalid_value(field, name, problem)
        for name in finalizers
        for problem in qualified_name_problems(name)
    ]
    if {"orphan", "foregroundDeletion"} <= set(finalizers):
        said = "finalizer orphan and foregroundDeletion cannot be both set"
        causes.append(invalid_value(field, finalizers, said))
    return causes


def _domains(metadata: dict[str, Any], *, plain: bool) -> list[Cause]:
    """Finalizers of built-in kinds have a domain or are the server's own."""
    if plain:
        return []
    said = "name is neither a standard finalizer name nor is it fully qualified"
    return [
        invalid_value(f"metadata.finalizers[{index}]", name, said)
        for index, name in enumerate(texts(metadata, "finalizers"))
        if "/" not in name and name not in _OWN_FINALIZERS
    ]


def _change(new: dict[str, Any], old: dict[str, Any]) -> list[Cause]:
    causes = _new_finalizers(new, old)
    for field in (
        "name",
        "namespace",
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
    ):
        if new.get(field) != old.get(field):
            value = new.get(field)
            causes.append(invalid_value(f"metadata.{field}", value, "field is immutable"))
    return [*causes, *_described(new)]


def _new_finalizers(new: dict[str, Any], old: dict[str, Any]) -> list[Cause]:
    if not old.get("deletionTimestamp"):
        return []
    before = set(texts(old, "finalizers"))
    added = [name for name in texts(new, "finalizers") if name not in before]
    if not added:
        return []
    listed = ", ".join(f'"{name}"' for name in added)
    said = "no new finalizers can be added if the object is being deleted, found new finalizers "
    return [forbidden_value("metadata.finalizers", f"{said}[]string{{{listed}}}")]
