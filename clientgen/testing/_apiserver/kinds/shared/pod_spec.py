"""The spec of pods, which pod templates have too (API reference, PodSpec)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    required,
    too_long,
)
from clientgen._apimachinery.labels import labels_causes
from clientgen._apimachinery.name_syntax import (
    ip_problems,
    label_problems,
    qualified_name_problems,
    range_problems,
    subdomain_problems,
    underscored_problems,
)
from clientgen._json import part, parts, texts
from clientgen._text_cache import ContentCache, encoded

from .common_checks import matches, one_of, text
from .container_resources import pod_resource_causes, resource_causes
from .container_validation import container_causes
from .operating_systems import system_causes
from .pod_scheduling import (
    affinity_causes,
    gates_causes,
    spread_causes,
    tolerations_causes,
)
from .security_context import pod_security_causes
from .volume_validation import volumes_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

_VALID: Final = ContentCache[bool](4096)
"""The specs in which nothing was wrong: a pod is validated as a whole whatever changes."""
_RESTARTS: Final = ("Always", "OnFailure", "Never")
_DNS: Final = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_POLICIES: Final = ("PreemptLowerPriority", "Never")
_MAX_INT32: Final = 2**31 - 1
_MAX_NAMESERVERS: Final = 3
_MAX_SEARCHES: Final = 32
_MAX_SEARCH_CHARS: Final = 2048
_MAX_HOSTNAME_LENGTH: Final = 64
_CLAIM_SOURCES: Final = ("resourceClaimName", "resourceClaimTemplateName")
_INIT_ONLY_WITH_RESTART: Final = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")


def pod_spec_causes(spec: dict[str, Any], field: str) -> list[Cause]:
    """Check the spec of a pod, or of the pods of a template."""
    text = encoded(spec)
    if _VALID.get(text):
        return []
    causes = list(_causes(spec, field))
    if not causes:
        _VALID.put(text, made=True)
    return causes


def _causes(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    volumes = parts(spec, "volumes")
    named: dict[str, Any] = {}
    yield from volumes_causes(volumes, f"{field}.volumes", named)
    yield from _claims(parts(spec, "resourceClaims"), f"{field}.resourceClaims")
    yield from _containers(spec, field, named)
    yield from pod_resource_causes(spec, field)
    yield from one_of(f"{field}.restartPolicy", spec.get("restartPolicy"), _RESTARTS)
    yield from _dns(spec, field)
    yield from labels_causes(spec.get("nodeSelector"), f"{field}.nodeSelector")
    yield from _names(spec, field)
    yield from pod_security_causes(spec, f"{field}.securityContext")
    yield from affinity_causes(spec.get("affinity"), f"{field}.affinity")
    yield from tolerations_causes(parts(spec, "tolerations"), f"{field}.tolerations")
    yield from _aliases(parts(spec, "hostAliases"), f"{field}.hostAliases")
    yield from spread_causes(
        parts(spec, "topologySpreadConstraints"), f"{field}.topologySpreadConstraints"
    )
    yield from gates_causes(parts(spec, "schedulingGates"), f"{field}.schedulingGates")
    for index, gate in enumerate(parts(spec, "readinessGates")):
        at = f"{field}.readinessGates[{index}].conditionType"
        yield from matches(at, gate.get("conditionType") or "", qualified_name_problems)
    yield from _rest(spec, field)


def _containers(spec: dict[str, Any], field: str, volumes: dict[str, Any]) -> Iterator[Cause]:
    containers = parts(spec, "containers")
    if not containers:
        yield required(f"{field}.containers")
    names: set[str] = set()
    for index, container in enumerate(containers):
        at = f"{field}.containers[{index}]"
        yield from container_causes(container, at, volumes, spec)
        yield from free_name_causes(container, at, names)
        names.add(container.get("name") or "")
    yield from _host_ports(containers, f"{field}.containers")
    for index, container in enumerate(parts(spec, "initContainers")):
        at = f"{field}.initContainers[{index}]"
        yield from _init_container(container, at)
        yield from container_causes(_without(container), at, volumes, spec)
        if (container.get("name") or "") in names:
            yield duplicate(f"{at}.name", container.get("name") or "")
        names.add(container.get("name") or "")


def free_name_causes(container: dict[str, Any], field: str, names: set[str]) -> Iterator[Cause]:
    """Refuse a name that another container of the pod has."""
    name = container.get("name") or ""
    if name and name in names:
        yield duplicate(f"{field}.name", name)


def _host_ports(containers: list[dict[str, Any]], field: str) -> Iterator[Cause]:
    """Refuse a port of the host for a second container."""
    taken: set[str] = set()
    for index, container in enumerate(containers):
        for number, port in enumerate(parts(container, "ports")):
            if not port.get("hostPort"):
                continue
            key = f"{port.get('protocol')}/{port.get('hostIP') or ''}/{port['hostPort']}"
            if key in taken:
                yield duplicate(f"{field}[{index}].ports[{number}].hostPort", key)
            taken.add(key)


def _is_sidecar(container: dict[str, Any]) -> bool:
    return container.get("restartPolicy") == "Always"


def _without(container: dict[str, Any]) -> dict[str, Any]:
    """Leave out what an init container must not have: there is a cause for it already."""
    if _is_sidecar(container):
        return container
    return {key: value for key, value in container.items() if key not in _INIT_ONLY_WITH_RESTART}


def _init_container(container: dict[str, Any], field: str) -> Iterator[Cause]:
    if not _is_sidecar(container):
        for member in _INIT_ONLY_WITH_RESTART:
            if container.get(member) is not None:
                why = "may not be set for init containers without restartPolicy=Always"
                yield forbidden_value(f"{field}.{member}", why)


def _dns(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    yield from one_of(f"{field}.dnsPolicy", spec.get("dnsPolicy"), _DNS)
    config = spec.get("dnsConfig")
    servers = texts(part(spec, "dnsConfig"), "nameservers")
    if spec.get("dnsPolicy") == "None" and config is None:
        why = "must provide `dnsConfig` when `dnsPolicy` is None"
        yield required(f"{field}.dnsConfig", why)
    elif spec.get("dnsPolicy") == "None" and not servers:
        why = "must provide at least one DNS nameserver when `dnsPolicy` is None"
        yield required(f"{field}.dnsConfig.nameservers", why)
    if len(servers) > _MAX_NAMESERVERS:
        why = f"must not have more than {_MAX_NAMESERVERS} nameservers"
        yield invalid_value(f"{field}.dnsConfig.nameservers", servers, why)
    for index, server in enumerate(servers):
        yield from matches(f"{field}.dnsConfig.nameservers[{index}]", server, ip_problems)
    yield from _searches(part(spec, "dnsConfig"), f"{field}.dnsConfig")


def _searches(config: dict[str, Any], field: str) -> Iterator[Cause]:
    searches = texts(config, "searches")
    if len(searches) > _MAX_SEARCHES:
        why = f"must not have more than {_MAX_SEARCHES} search paths"
        yield invalid_value(f"{field}.searches", searches, why)
    if len(" ".join(searches)) > _MAX_SEARCH_CHARS:
        why = (
            f"must not have more than {_MAX_SEARCH_CHARS} characters (including spaces) "
            "in the search list"
        )
        yield invalid_value(f"{field}.searches", searches, why)
    for index, search in enumerate(searches):
        if search != ".":
            name = search.removesuffix(".")
            yield from matches(f"{field}.searches[{index}]", name, underscored_problems)
    for index, option in enumerate(parts(config, "options")):
        if not option.get("name"):
            yield required(f"{field}.options[{index}]", "must not be empty")


def _names(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    for member, rule in (
        ("serviceAccountName", subdomain_problems),
        ("nodeName", subdomain_problems),
        ("hostname", label_problems),
        ("subdomain", label_problems),
        ("priorityClassName", subdomain_problems),
    ):
        yield from text(f"{field}.{member}", spec.get(member), rule, needed=False)
    runtime = spec.get("runtimeClassName")
    if runtime is not None:
        yield from matches(f"{field}.runtimeClassName", runtime, subdomain_problems)


def _aliases(aliases: list[dict[str, Any]], field: str) -> Iterator[Cause]:
    for index, alias in enumerate(aliases):
        at = f"{field}[{index}]"
        yield from matches(f"{at}.ip", alias.get("ip") or "", ip_problems)
        for number, name in enumerate(texts(alias, "hostnames")):
            yield from matches(f"{at}.hostnames[{number}]", name, subdomain_problems)


def _rest(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None:
        for problem in range_problems(deadline, 1, _MAX_INT32):
            yield invalid_value(f"{field}.activeDeadlineSeconds", deadline, problem)
    policy = spec.get("preemptionPolicy")
    if policy == "":
        yield required(f"{field}.preemptionPolicy")
    else:
        yield from one_of(f"{field}.preemptionPolicy", policy, _POLICIES, needed=False)
    if spec.get("overhead"):
        yield from resource_causes({"limits": spec["overhead"]}, f"{field}.overhead", {})
    yield from system_causes(spec, field)
    yield from _host_users(spec, field)
    if spec.get("hostnameOverride") is not None:
        yield from _hostname(spec["hostnameOverride"], spec, f"{field}.hostnameOverride")


def _host_users(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    for member, shown in (
        ("hostNetwork", "hostNetwork"),
        ("hostPID", "HostPID"),
        ("hostIPC", "HostIPC"),
    ):
        if spec.get("hostUsers") is False and spec.get(member):
            yield forbidden_value(f"{field}.{shown}", "when `hostUsers` is false")


def _hostname(name: str, spec: dict[str, Any], field: str) -> Iterator[Cause]:
    for member in ("setHostnameAsFQDN", "hostNetwork"):
        if spec.get(member):
            yield forbidden_value(field, f"may not be specified when {member} is true")
    if len(name) > _MAX_HOSTNAME_LENGTH:
        yield too_long(field, f"may not be more than {_MAX_HOSTNAME_LENGTH} bytes")
    yield from matches(field, name, subdomain_problems)


def _claims(claims: list[dict[str, Any]], field: str) -> Iterator[Cause]:
    """Check the claims of devices that a pod has or makes."""
    seen: set[str] = set()
    for index, claim in enumerate(claims):
        at, name = f"{field}[{index}]", claim.get("name") or ""
        if not name:
            yield required(f"{at}.name")
        elif name in seen:
            yield duplicate(f"{at}.name", name)
        else:
            yield from matches(f"{at}.name", name, label_problems)
        seen.add(name)
        chosen = [member for member in _CLAIM_SOURCES if claim.get(member) is not None]
        if len(chosen) > 1:
            why = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be"
            yield invalid_value(at, claim, f"{why} specified")
        elif not chosen:
            why = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            yield invalid_value(at, claim, why)
        for member in chosen:
            yield from matches(f"{at}.{member}", claim[member], subdomain_problems)
