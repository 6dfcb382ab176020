"""What containers may say: images, ports, environment, mounts, resources, probes.

The rules are those of the API reference of Container; the fields that causes name are those which
the API server names, also where it leaves out an index.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ..failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from ..parts import part, parts
from .checks import (
    PROTOCOLS,
    matches,
    not_found,
    one_of,
    port_number,
    text,
)
from .probes import handler_causes, probe_causes
from .quantities import amount
from .security import container_security_causes
from .texts import (
    config_key_problems,
    environment_name_problems,
    label_problems,
    port_name_problems,
    qualified_name_problems,
    subdomain_problems,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "container_causes",
    "field_reference",
    "image_causes",
    "relative_path",
    "resource_causes",
    "resource_reference",
]

_PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES: Final = ("File", "FallbackToLogsOnError")
_RESTARTS: Final = ("Always", "Never", "OnFailure")
_PROPAGATIONS: Final = ("Bidirectional", "HostToContainer", "None")
_SOURCES: Final = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_STANDARD: Final = ("cpu", "memory", "ephemeral-storage")
_RESOURCE_FIELDS: Final = tuple(
    f"{side}.{name}" for side in ("limits", "requests") for name in sorted(_STANDARD)
)
_ENV_FIELDS: Final = frozenset(
    {
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.nodeName",
        "spec.serviceAccountName",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs",
    }
)
_SUBSCRIPTED: Final = re.compile(r"metadata\.(?P<map>labels|annotations)\['(?P<key>.*)'\]")


def container_causes(
    container: dict[str, Any], field: str, volumes: set[str], spec: dict[str, Any]
) -> Iterator[Cause]:
    """What is wrong with one container, whichever list it is in."""
    yield from text(f"{field}.name", container.get("name"), label_problems)
    yield from image_causes(container.get("image") or "", f"{field}.image")
    yield from one_of(f"{field}.imagePullPolicy", container.get("imagePullPolicy"), _PULL_POLICIES)
    policy = container.get("terminationMessagePolicy")
    yield from one_of(f"{field}.terminationMessagePolicy", policy, _MESSAGE_POLICIES)
    restart = container.get("restartPolicy")
    yield from one_of(f"{field}.restartPolicy", restart, _RESTARTS, needed=False)
    yield from _ports(container, f"{field}.ports", host=bool(spec.get("hostNetwork")))
    for index, variable in enumerate(parts(container, "env")):
        yield from _variable(variable, f"{field}.env[{index}]")
    for index, source in enumerate(parts(container, "envFrom")):
        yield from _variables(source, f"{field}.envFrom", index)
    yield from _mounts(container, f"{field}.volumeMounts", volumes)
    yield from _devices(container, f"{field}.volumeDevices", volumes)
    yield from resource_causes(part(container, "resources"), f"{field}.resources")
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        if container.get(name) is not None:
            yield from probe_causes(container[name], f"{field}.{name}", name)
    for name in ("postStart", "preStop"):
        handler = part(container, "lifecycle").get(name)
        if handler is not None:
            grace = spec.get("terminationGracePeriodSeconds")
            yield from handler_causes(handler, f"{field}.lifecycle.{name}", grace)
    yield from container_security_causes(
        part(container, "securityContext"), f"{field}.securityContext"
    )


def image_causes(image: str, field: str) -> Iterator[Cause]:
    """An image is named, and has no blanks around its name."""
    if not image:
        yield required(field)
    elif image != image.strip():
        yield invalid_value(field, image, "must not have leading or trailing whitespace")


# ---------------------------------------------------------------------------------- ports


def _ports(container: dict[str, Any], field: str, *, host: bool) -> Iterator[Cause]:
    names: set[str] = set()
    for index, port in enumerate(parts(container, "ports")):
        at = f"{field}[{index}]"
        name = port.get("name")
        if name:
            problems = list(matches(f"{at}.name", name, port_name_problems))
            yield from problems
            if not problems and name in names:
                yield duplicate(f"{at}.name", name)
            names.add(name)
        yield from _port(port, at, host=host)


def _port(port: dict[str, Any], field: str, *, host: bool) -> Iterator[Cause]:
    number, host_port = port.get("containerPort") or 0, port.get("hostPort") or 0
    if not number:
        yield required(f"{field}.containerPort")
    else:
        yield from port_number(f"{field}.containerPort", number)
    if host_port:
        yield from port_number(f"{field}.hostPort", host_port)
    if host and host_port != number:
        said = "must match `containerPort` when `hostNetwork` is true"
        yield invalid_value(f"{field}.hostPort", host_port, said)
    yield from one_of(f"{field}.protocol", port.get("protocol"), PROTOCOLS)


# ---------------------------------------------------------------------------- environment


def _variable(variable: dict[str, Any], field: str) -> Iterator[Cause]:
    yield from text(f"{field}.name", variable.get("name"), environment_name_problems)
    source = variable.get("valueFrom")
    if source is None:
        return
    at = f"{field}.valueFrom"
    chosen = [name for name in _SOURCES if source.get(name) is not None]
    if not chosen:
        listed = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef`"
        yield invalid_value(at, "", f"must specify one of: {listed} or `fileKeyRef`")
    for name in chosen:
        yield from _source(source[name], f"{at}.{name}", name)
    if chosen and variable.get("value"):
        yield invalid_value(at, "", "may not be specified when `value` is not empty")
    elif len(chosen) > 1:
        yield invalid_value(at, "", "may not have more than one field specified at a time")


def _source(source: dict[str, Any], field: str, name: str) -> Iterator[Cause]:
    if name == "fieldRef":
        yield from field_reference(source, field, _ENV_FIELDS)
    elif name == "resourceFieldRef":
        yield from resource_reference(source, field)
    elif name != "fileKeyRef":
        yield from matches(f"{field}.name", source.get("name") or "", subdomain_problems)
        yield from text(f"{field}.key", source.get("key"), config_key_problems)


def field_reference(
    reference: dict[str, Any], field: str, known: frozenset[str]
) -> Iterator[Cause]:
    """A reference to a field of the pod."""
    path = reference.get("fieldPath") or ""
    if not path:
        yield required(f"{field}.fieldPath")
        return
    subscripted = _SUBSCRIPTED.fullmatch(path)
    if subscripted:
        key = subscripted["key"]
        looked_at = key.lower() if subscripted["map"] == "annotations" else key
        for problem in qualified_name_problems(looked_at):
            yield invalid_value(field, key, problem)
    elif path not in known and path not in _ENV_FIELDS:
        said = f"error converting fieldPath: field label not supported: {path}"
        yield invalid_value(f"{field}.fieldPath", path, said)
    elif path not in known:
        yield not_supported(f"{field}.fieldPath", path, sorted(known))


def resource_reference(
    reference: dict[str, Any], field: str, *, volume: bool = False
) -> Iterator[Cause]:
    """A reference to an amount of resources of a container."""
    if volume and not reference.get("containerName"):
        yield required(f"{field}.containerName")
        return
    resource = reference.get("resource") or ""
    if not resource:
        yield required(f"{field}.resource")
    elif resource not in _RESOURCE_FIELDS and ".hugepages-" not in resource:
        yield not_supported(f"{field}.resource", resource, _RESOURCE_FIELDS)


def _variables(source: dict[str, Any], field: str, index: int) -> Iterator[Cause]:
    at = f"{field}[{index}]"
    prefix = source.get("prefix") or ""
    yield from text(f"{at}.prefix", prefix, environment_name_problems, needed=False)
    chosen = [name for name in ("configMapRef", "secretRef") if source.get(name) is not None]
    if not chosen:
        yield invalid_value(field, "", "must specify one of: `configMapRef` or `secretRef`")
    elif len(chosen) > 1:
        yield invalid_value(field, "", "may not have more than one field specified at a time")
    for name in chosen:
        yield from text(f"{at}.{name}.name", source[name].get("name"), subdomain_problems)


# --------------------------------------------------------------------------------- mounts


def _mounts(container: dict[str, Any], field: str, volumes: set[str]) -> Iterator[Cause]:
    paths: set[str] = set()
    for index, mount in enumerate(parts(container, "volumeMounts")):
        at = f"{field}[{index}]"
        name, path = mount.get("name") or "", mount.get("mountPath") or ""
        if not name:
            yield required(f"{at}.name")
        if name not in volumes:
            yield not_found(f"{at}.name", name)
        if not path:
            yield required(f"{at}.mountPath")
        elif path in paths:
            yield invalid_value(f"{at}.mountPath", path, "must be unique")
        paths.add(path)
        if mount.get("subPath") and mount.get("subPathExpr"):
            said = "subPathExpr and subPath are mutually exclusive"
            yield invalid_value(f"{at}.subPathExpr", mount["subPathExpr"], said)
        # The server tells these two without the index.
        for member in ("subPath", "subPathExpr"):
            yield from relative_path(f"{field}.{member}", mount.get(member) or "")
        propagation = mount.get("mountPropagation")
        yield from one_of(f"{field}.mountPropagation", propagation, _PROPAGATIONS, needed=False)


def relative_path(field: str, path: str) -> Iterator[Cause]:
    """A path that stays below where it begins."""
    if path.startswith("/"):
        yield invalid_value(field, path, "must be a relative path")
    if ".." in path.split("/"):
        yield invalid_value(field, path, "must not contain '..'")


def _devices(container: dict[str, Any], field: str, volumes: set[str]) -> Iterator[Cause]:
    for index, device in enumerate(parts(container, "volumeDevices")):
        at = f"{field}[{index}]"
        name = device.get("name") or ""
        if not name:
            yield required(f"{at}.name")
        elif name not in volumes:
            yield not_found(f"{at}.name", name)
        if not device.get("devicePath"):
            yield required(f"{at}.devicePath")


# ------------------------------------------------------------------------------ resources


def resource_causes(resources: dict[str, Any], field: str) -> Iterator[Cause]:
    """What is wrong with requests and limits."""
    limits, requests = part(resources, "limits"), part(resources, "requests")
    for side, amounts in (("limits", limits), ("requests", requests)):
        for name, quantity in amounts.items():
            yield from _quantity(name, quantity, f"{field}.{side}[{name}]")
    for name, quantity in requests.items():
        yield from _request(name, quantity, limits.get(name), field)
    asked = {*limits, *requests}
    if any(name.startswith("hugepages-") for name in asked) and not asked & {"cpu", "memory"}:
        yield forbidden_value(field, "HugePages require cpu or memory")


def _is_standard(name: str) -> bool:
    return name in _STANDARD or name.startswith("hugepages-")


def _quantity(name: str, quantity: object, field: str) -> Iterator[Cause]:
    problems = qualified_name_problems(name)
    for problem in problems:
        yield invalid_value(field, name, problem)
    if "/" not in name and not _is_standard(name):
        if not problems:
            said = "must be a standard resource type or fully qualified"
            yield invalid_value(field, name, said)
        yield invalid_value(field, name, "must be a standard resource for containers")
    number = amount(quantity)
    if number < 0:
        yield invalid_value(field, quantity, "must be greater than or equal to 0")
    if "/" in name and number != number.to_integral_value():
        yield invalid_value(field, quantity, "must be an integer")


def _request(name: str, quantity: object, limit: object, field: str) -> Iterator[Cause]:
    overcommitted = name in _STANDARD or name.partition("/")[0].endswith("kubernetes.io")
    at = f"{field}.requests"
    if limit is None:
        if not overcommitted and (_is_standard(name) or "/" in name):
            said = "Limit must be set for non overcommitable resources"
            yield required(f"{field}.limits", said)
    elif not overcommitted and amount(quantity) != amount(limit):
        yield invalid_value(at, quantity, f"must be equal to {name} limit of {limit}")
    elif amount(quantity) > amount(limit):
        said = f"must be less than or equal to {name} limit of {limit}"
        yield invalid_value(at, quantity, said)
