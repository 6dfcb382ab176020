"""Validates containers: images, ports, environment, mounts, resources, probes.

The rules are those of the API reference of Container; the fields that causes name are those which
the API server names, also where it leaves out an index.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    invalid_value,
    not_supported,
    required,
    too_many,
)
from clientgen._apimachinery.name_syntax import (
    config_key_problems,
    environment_name_problems,
    label_problems,
    port_name_problems,
    qualified_name_problems,
    subdomain_problems,
)
from clientgen._json import part, parts

from .common_checks import PROTOCOLS, matches, not_found, one_of, port_number, relative_path, text
from .container_resources import STANDARD, resize_causes, resource_causes
from .probe_validation import handler_causes, probe_causes
from .quantities import amount
from .security_context import container_security_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_RULES: Final = 20
_MAX_CODES: Final = 255
_PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES: Final = ("File", "FallbackToLogsOnError")
_RESTARTS: Final = ("Always", "Never", "OnFailure")
_PROPAGATIONS: Final = ("Bidirectional", "HostToContainer", "None")
_UNITS: Final = {
    "cpu": ("1m", "1"),
    "bytes": ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"),
}
_SOURCES: Final = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_RESOURCE_FIELDS: Final = tuple(
    f"{side}.{name}" for side in ("limits", "requests") for name in sorted(STANDARD)
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
_RESTART_ACTIONS: Final = ("Restart", "RestartAllContainers")
_BLOCKS: Final = frozenset({"persistentVolumeClaim", "ephemeral"})
_MAPS: Final = ("metadata.labels", "metadata.annotations")
_SUBSCRIPTED: Final = re.compile(r"metadata\.(?P<map>labels|annotations)\['(?P<key>.*)'\]")


def container_causes(
    container: dict[str, Any], field: str, volumes: dict[str, Any], spec: dict[str, Any]
) -> Iterator[Cause]:
    """Check a container, whichever list it is in."""
    yield from text(f"{field}.name", container.get("name"), label_problems)
    yield from image_causes(container.get("image") or "", f"{field}.image")
    yield from one_of(f"{field}.imagePullPolicy", container.get("imagePullPolicy"), _PULL_POLICIES)
    policy = container.get("terminationMessagePolicy")
    yield from one_of(f"{field}.terminationMessagePolicy", policy, _MESSAGE_POLICIES)
    if container.get("restartPolicy") is not None or container.get("restartPolicyRules"):
        yield from _restart(container, field)
    yield from _ports(container, f"{field}.ports", host=bool(spec.get("hostNetwork")))
    for index, variable in enumerate(parts(container, "env")):
        yield from _variable(variable, f"{field}.env[{index}]")
        file = part(part(variable, "valueFrom"), "fileKeyRef")
        if file and file.get("volumeName") not in volumes:
            at = f"{field}.env[{index}].valueFrom.fileKeyRef.volumeName"
            yield not_found(at, file.get("volumeName") or "")
    for index, source in enumerate(parts(container, "envFrom")):
        yield from _variables(source, f"{field}.envFrom", index)
    yield from _mounts(container, f"{field}.volumeMounts", volumes)
    yield from _devices(container, f"{field}.volumeDevices", volumes)
    yield from _asked(container, field, spec)
    yield from _hooks(container, field, spec)
    if container.get("securityContext"):
        context, users = container["securityContext"], spec.get("hostUsers") is not False
        yield from container_security_causes(context, f"{field}.securityContext", host_users=users)


def _asked(container: dict[str, Any], field: str, spec: dict[str, Any]) -> Iterator[Cause]:
    if container.get("resources"):
        yield from resource_causes(container["resources"], f"{field}.resources", spec)
    if container.get("resizePolicy"):
        policy = spec.get("restartPolicy") or ""
        yield from resize_causes(container["resizePolicy"], f"{field}.resizePolicy", policy)


def _hooks(container: dict[str, Any], field: str, spec: dict[str, Any]) -> Iterator[Cause]:
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        if container.get(name) is not None:
            yield from probe_causes(container[name], f"{field}.{name}", name)
    for name, handler in part(container, "lifecycle").items():
        if name in ("postStart", "preStop") and handler is not None:
            grace = spec.get("terminationGracePeriodSeconds")
            yield from handler_causes(handler, f"{field}.lifecycle.{name}", grace)


def _restart(container: dict[str, Any], field: str) -> Iterator[Cause]:
    policy, rules = container.get("restartPolicy"), parts(container, "restartPolicyRules")
    if policy is None and rules:
        why = "must specify restartPolicy when restart rules are used"
        yield required(f"{field}.restartPolicy", why)
    yield from one_of(f"{field}.restartPolicy", policy, _RESTARTS, needed=False)
    if len(rules) > _MAX_RULES:
        yield too_many(f"{field}.restartPolicyRules", len(rules), _MAX_RULES)
    for index, rule in enumerate(rules):
        at, codes = f"{field}.restartPolicyRules[{index}]", rule.get("exitCodes")
        yield from one_of(f"{at}.action", rule.get("action"), _RESTART_ACTIONS)
        if codes is None:
            yield required(f"{at}.exitCodes", "must be specified")
            continue
        yield from one_of(f"{at}.exitCodes.operator", codes.get("operator"), ("In", "NotIn"))
        values: list[int] = codes.get("values") or []
        if len(values) > _MAX_CODES:
            yield too_many(f"{at}.exitCodes.values", len(values), _MAX_CODES)


def image_causes(image: str, field: str) -> Iterator[Cause]:
    """Require an image, without blanks around its name."""
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
        why = "must match `containerPort` when `hostNetwork` is true"
        yield invalid_value(f"{field}.hostPort", host_port, why)
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
    """Check a reference to a field of the pod."""
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
    elif path not in known and path not in (*_ENV_FIELDS, *_MAPS):
        why = f"error converting fieldPath: field label not supported: {path}"
        yield invalid_value(f"{field}.fieldPath", path, why)
    elif path not in known:
        yield not_supported(f"{field}.fieldPath", path, sorted(known))


def resource_reference(
    reference: dict[str, Any], field: str, *, volume: bool = False
) -> Iterator[Cause]:
    """Check a reference to an amount of resources of a container."""
    if volume and not reference.get("containerName"):
        yield required(f"{field}.containerName")
        return
    resource = reference.get("resource") or ""
    if not resource:
        yield required(f"{field}.resource")
    elif resource not in _RESOURCE_FIELDS and ".hugepages-" not in resource:
        yield not_supported(f"{field}.resource", resource, _RESOURCE_FIELDS)
    else:
        yield from _divisor(reference.get("divisor") or "0", resource, f"{field}.divisor")


def _divisor(divisor: object, resource: str, field: str) -> Iterator[Cause]:
    """Check the unit of an amount."""
    kind = resource.partition(".")[2].partition("-")[0]
    units = _UNITS["cpu" if kind == "cpu" else "bytes"]
    if amount(divisor) and not any(amount(divisor) == amount(unit) for unit in units):
        name = {"ephemeral": "local ephemeral storage", "hugepages": "hugepages"}.get(kind, kind)
        shown = f"{', '.join(units[:-1])} and {units[-1]}" if kind == "cpu" else ", ".join(units)
        why = f"only divisor's values {shown} are supported with the {name} resource"
        yield invalid_value(field, resource, why)


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


def _mounts(container: dict[str, Any], field: str, volumes: dict[str, Any]) -> Iterator[Cause]:
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
            why = "subPathExpr and subPath are mutually exclusive"
            yield invalid_value(f"{at}.subPathExpr", mount["subPathExpr"], why)
        # The server tells these two without the index.
        for member in ("subPath", "subPathExpr"):
            yield from relative_path(f"{field}.{member}", mount.get(member) or "")
        propagation = mount.get("mountPropagation")
        yield from one_of(f"{field}.mountPropagation", propagation, _PROPAGATIONS, needed=False)


def _devices(container: dict[str, Any], field: str, volumes: dict[str, Any]) -> Iterator[Cause]:
    names: set[str] = set()
    paths: set[str] = set()
    for index, device in enumerate(parts(container, "volumeDevices")):
        at = f"{field}[{index}]"
        name, path = device.get("name") or "", device.get("devicePath") or ""
        if not name:
            yield required(f"{at}.name")
        if name in names:
            yield invalid_value(f"{at}.name", name, "must be unique")
        if name not in volumes:
            yield not_found(f"{at}.name", name)
        elif not _BLOCKS & volumes[name].keys():
            why = "can only use volume source type of PersistentVolumeClaim or Ephemeral for"
            yield invalid_value(f"{at}.name", name, f"{why} block mode")
        if not path:
            yield required(f"{at}.devicePath")
        elif path in paths:
            yield invalid_value(f"{at}.devicePath", path, "must be unique")
        if path and ".." in path.split("/"):
            yield invalid_value(f"{at}.devicePath", path, "can not contain backsteps ('..')")
        names |= {name} - {""}
        paths |= {path} - {""}
