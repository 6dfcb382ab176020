"""Warnings about pods and pod templates, such as fields without effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.name_syntax import label_problems
from clientgen._json import part, parts, texts
from clientgen._text_cache import ContentCache, encoded

from .claim_warnings import claim_spec_warnings, fraction_warnings
from .host_ports import PortPlaces
from .ip_warnings import address_warnings, quoted
from .node_labels import expression_warnings, label_warning
from .path_overlaps import overlap_warnings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_ANNOTATIONS: Final[Mapping[str, str]] = {
    "scheduler.alpha.kubernetes.io/critical-pod": (
        'non-functional in v1.16+; use the "priorityClassName" field instead'
    ),
    "security.alpha.kubernetes.io/sysctls": (
        'non-functional in v1.11+; use the "sysctls" field instead'
    ),
    "security.alpha.kubernetes.io/unsafe-sysctls": (
        'non-functional in v1.11+; use the "sysctls" field instead'
    ),
}
_VOLUMES: Final[Mapping[str, str]] = {
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "gitRepo": "deprecated in v1.11, and disabled by default in v1.33+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "flocker": "deprecated in v1.22, non-functional in v1.25+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "quobyte": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}
_SHOWN_AS: Final[Mapping[str, str]] = {"storageos": "storageOS"}
_SECCOMP: Final = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP_CONTAINER: Final = "container.seccomp.security.alpha.kubernetes.io/"
_APP_ARMOR: Final = "container.apparmor.security.beta.kubernetes.io/"
_USE_SECCOMP: Final = 'non-functional in v1.27+; use the "seccompProfile" field instead'
_USE_APP_ARMOR: Final = 'deprecated since v1.30; use the "appArmorProfile" field instead'
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_WHOLE_BYTES: Final = ("memory", "ephemeral-storage")
_QUIET: Final = ContentCache[bool]()
"""The specs with annotations that there is nothing to warn of."""
_NO_POD: Final = "a null labelSelector results in matching no pod"


def pod_warnings(pod: dict[str, Any]) -> Iterator[str]:
    """Warn of unusual members of a pod."""
    yield from _warnings(pod, "", "spec", of_template=False)


def template_warnings(template: dict[str, Any], field: str) -> Iterator[str]:
    """Warn of unusual members of a template of pods."""
    yield from _warnings(template, f"{field}.", f"{field}.spec", of_template=True)


def _warnings(pod: dict[str, Any], prefix: str, field: str, *, of_template: bool) -> Iterable[str]:
    text = encoded([pod.get("spec"), part(pod, "metadata").get("annotations"), of_template])
    if _QUIET.get(text):
        return ()
    found = list(_found(pod, prefix, field, of_template=of_template))
    if not found:
        _QUIET.put(text, made=True)
    return found


def _found(pod: dict[str, Any], prefix: str, field: str, *, of_template: bool) -> Iterator[str]:
    spec, annotations = part(pod, "spec"), part(part(pod, "metadata"), "annotations")
    metadata = f"{prefix}metadata.annotations"
    yield from _nodes(spec, field)
    for name, why in _ANNOTATIONS.items():
        if name in annotations:
            yield f"{metadata}[{name}]: {why}"
    yield from _volumes(parts(spec, "volumes"), f"{field}.volumes")
    yield from _doubled(parts(spec, "hostAliases"), "ip", f"{field}.hostAliases")
    yield from _doubled(parts(spec, "imagePullSecrets"), "name", f"{field}.imagePullSecrets")
    for index, secret in enumerate(parts(spec, "imagePullSecrets")):
        if not secret.get("name"):
            yield f'{field}.imagePullSecrets[{index}].name: invalid empty name ""'
    yield from fraction_warnings(part(spec, "overhead"), f"{field}.overhead")
    context = part(spec, "securityContext")
    if not context.get("seccompProfile") and _SECCOMP in annotations:
        yield f"{metadata}[{_SECCOMP}]: {_USE_SECCOMP}"
    for container, at in _containers(spec, field):
        yield from _profiles(container, annotations, metadata, context, of_template=of_template)
        yield from _container(container, at)
    yield from _ports(spec, field)
    if (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        why = "must be >= 0; negative values are invalid and will be treated as 1"
        yield f"{field}.terminationGracePeriodSeconds: {why}"
    yield from _terms(part(spec, "affinity"), f"{field}.affinity")
    yield from _addresses(spec, field)


def _containers(spec: dict[str, Any], field: str) -> Iterator[tuple[dict[str, Any], str]]:
    for member in ("initContainers", "containers", "ephemeralContainers"):
        for index, container in enumerate(parts(spec, member)):
            yield container, f"{field}.{member}[{index}]"


# ------------------------------------------------------------------------------ scheduling


def _nodes(spec: dict[str, Any], field: str) -> Iterator[str]:
    for key in part(spec, "nodeSelector"):
        if why := label_warning(key):
            yield f"{field}.nodeSelector[{key}]: {why}"
    affinity, at = part(part(spec, "affinity"), "nodeAffinity"), f"{field}.affinity.nodeAffinity"
    for index, term in enumerate(parts(part(affinity, _REQUIRED), "nodeSelectorTerms")):
        yield from expression_warnings(term, f"{at}.{_REQUIRED}.nodeSelectorTerms[{index}]")
    for index, preferred in enumerate(parts(affinity, _PREFERRED)):
        where = f"{at}.{_PREFERRED}[{index}].preference"
        yield from expression_warnings(part(preferred, "preference"), where, values=True)
    for index, constraint in enumerate(parts(spec, "topologySpreadConstraints")):
        where, topology = f"{field}.topologySpreadConstraints[{index}]", constraint["topologyKey"]
        if why := label_warning(topology):
            yield f"{where}.topologyKey: {topology} is {why}"
        if constraint.get("labelSelector") is None:
            yield f"{where}.labelSelector: {_NO_POD}"


def _terms(affinity: dict[str, Any], field: str) -> Iterator[str]:
    for kind in ("podAffinity", "podAntiAffinity"):
        for index, term in enumerate(parts(part(affinity, kind), _REQUIRED)):
            if term.get("labelSelector") is None:
                yield f"{field}.{kind}.{_REQUIRED}[{index}].labelSelector: {_NO_POD}"
        for index, preferred in enumerate(parts(part(affinity, kind), _PREFERRED)):
            if part(preferred, "podAffinityTerm").get("labelSelector") is None:
                at = f"{field}.{kind}.{_PREFERRED}[{index}].podAffinityTerm.labelSelector"
                yield f"{at}: {_NO_POD}"


def _addresses(spec: dict[str, Any], field: str) -> Iterator[str]:
    for index, server in enumerate(texts(part(spec, "dnsConfig"), "nameservers")):
        yield from address_warnings(f"{field}.dnsConfig.nameservers[{index}]", server)
    for index, alias in enumerate(parts(spec, "hostAliases")):
        yield from address_warnings(f"{field}.hostAliases[{index}].ip", alias.get("ip") or "")


# --------------------------------------------------------------------------------- volumes


def _volumes(volumes: list[dict[str, Any]], field: str) -> Iterator[str]:
    for index, volume in enumerate(volumes):
        for kind, why in _VOLUMES.items():
            if volume.get(kind) is not None:
                yield f"{field}[{index}].{_SHOWN_AS.get(kind, kind)}: {why}"
        template = part(volume, "ephemeral").get("volumeClaimTemplate")
        if template is not None:
            at = f"{field}[{index}].ephemeral.volumeClaimTemplate.spec"
            yield from claim_spec_warnings(part(template, "spec"), at)
    yield from overlap_warnings(volumes)


def _doubled(values: list[dict[str, Any]], member: str, field: str) -> Iterator[str]:
    seen: set[str] = set()
    for index, value in enumerate(values):
        text = value.get(member) or ""
        if text in seen:
            yield f"{field}[{index}].{member}: duplicate {member} {quoted(text)}"
        seen.add(text)


# ------------------------------------------------------------------------------ containers


def _profiles(
    container: dict[str, Any],
    annotations: Mapping[str, str],
    metadata: str,
    pod_context: dict[str, Any],
    *,
    of_template: bool,
) -> Iterator[str]:
    """Annotations that are fields now."""
    context, name = part(container, "securityContext"), container.get("name") or ""
    key = f"{_SECCOMP_CONTAINER}{name}"
    if context.get("seccompProfile") is None and key in annotations:
        yield f"{metadata}[{key}]: {_USE_SECCOMP}"
    key = f"{_APP_ARMOR}{name}"
    if context.get("appArmorProfile") is None and key in annotations:
        profile = _profile(annotations[key])
        known = pod_context.get("appArmorProfile")
        if profile != known if of_template or profile else True:
            yield f"{metadata}[{key}]: {_USE_APP_ARMOR}"


def _profile(annotation: str) -> dict[str, Any] | None:
    """Return the AppArmor profile that an annotation names."""
    if annotation == "unconfined":
        return {"type": "Unconfined"}
    if annotation == "runtime/default":
        return {"type": "RuntimeDefault"}
    place, slash, name = annotation.partition("/")
    return (
        {"type": "Localhost", "localhostProfile": name} if place == "localhost" and slash else None
    )


def _container(container: dict[str, Any], field: str) -> Iterator[str]:
    resources = part(container, "resources")
    for name in _WHOLE_BYTES:
        for side in ("limits", "requests"):
            yield from fraction_warnings(part(resources, side), f"{field}.resources.{side}", name)
    seen: set[str] = set()
    for index, variable in enumerate(parts(container, "env")):
        name = variable.get("name") or ""
        if name in seen and _hides(variable, f"$({name})"):
            why = f"hides previous definition of {quoted(name)}"
            yield f"{field}.env[{index}]: {why}, which may be dropped when using apply"
        seen.add(name)


def _hides(variable: dict[str, Any], reference: str) -> bool:
    """Return whether a variable uses nothing of the earlier one with its name."""
    value = variable.get("value") or ""
    return bool(variable.get("valueFrom")) or value == reference or reference not in value


# ----------------------------------------------------------------------------------- ports


def _ports(spec: dict[str, Any], field: str) -> Iterator[str]:
    ports = [
        (port, f"{at}.ports[{index}]")
        for container, at in _containers(spec, field)
        for index, port in enumerate(parts(container, "ports"))
    ]
    known: dict[tuple[object, object], PortPlaces] = {}
    for port, at in ports:
        number, address = port.get("hostPort") or 0, port.get("hostIP") or ""
        if address and not number:
            yield f"{at}: hostIP set without hostPort: {_port_text(port)}"
        pair = (port.get("containerPort"), port.get("protocol"))
        places = known.setdefault(pair, PortPlaces())
        for kind, where in places.clashes(number, address):
            yield f"{at}: {kind} port definition with {where}"
        places.add(number, address, at)
    names: dict[str, str] = {}
    for port, at in ports:
        name = port.get("name")
        if name and name in names:
            yield (
                f"{at}: duplicate port name {quoted(name)} with {names[name]}, services and "
                f"probes that select ports by name will use {names[name]}"
            )
        elif name:
            names[name] = at


def _port_text(port: dict[str, Any]) -> str:
    members = (
        ("Name", "name", ""),
        ("HostPort", "hostPort", 0),
        ("ContainerPort", "containerPort", 0),
        ("Protocol", "protocol", ""),
        ("HostIP", "hostIP", ""),
    )
    shown = " ".join(f"{name}:{port.get(member) or zero}" for name, member, zero in members)
    return f"{{{shown}}}"


# ------------------------------------------------------------------------------- workloads


def name_warnings(obj: dict[str, Any]) -> Iterator[str]:
    """Warn of a name that does not fit into the names of pods."""
    problems = label_problems(obj["metadata"].get("name") or "")
    if problems:
        yield (
            "metadata.name: this is used in Pod names and hostnames, which can result in "
            f"surprising behavior; a DNS label is recommended: [{' '.join(problems)}]"
        )


def workload_warnings(new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
    """Warn of the name of a new workload, and of a template that is new or has changed."""
    if old is None:
        yield from name_warnings(new)
    if not is_same_generation(new, old):
        yield from template_warnings(part(new["spec"], "template"), "spec.template")


def is_same_generation(new: dict[str, Any], old: dict[str, Any] | None) -> bool:
    """Return whether nothing but metadata and status has changed."""
    if old is None:
        return False
    return bool(new["metadata"].get("generation") == old["metadata"].get("generation"))
