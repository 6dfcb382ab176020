"""Sources of volumes, by plugin; the rules remain although most plugins are gone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, not_supported, required
from clientgen._apimachinery.name_syntax import label_problems, range_problems, subdomain_problems
from clientgen._json import part, texts

from .common_checks import driver_name, matches, one_of, relative_path, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "awsElasticBlockStore": ("volumeID",),
    "azureDisk": ("diskName", "diskURI"),
    "azureFile": ("secretName", "shareName"),
    "cephfs": ("monitors",),
    "cinder": ("volumeID",),
    "flexVolume": ("driver",),
    "gcePersistentDisk": ("pdName",),
    "gitRepo": ("repository",),
    "glusterfs": ("endpoints", "path"),
    "iscsi": ("targetPortal", "iqn"),
    "local": ("path",),
    "photonPersistentDisk": ("pdID",),
    "portworxVolume": ("volumeID",),
    "rbd": ("monitors", "image"),
    "scaleIO": ("gateway", "system", "volumeName"),
    "vsphereVolume": ("volumePath",),
}
"""Members that a source cannot do without."""
_SHOWN_AS: Final[Mapping[str, str]] = {"gcePersistentDisk": "persistentDisk"}
_MAX_LUN: Final = 255
_MAX_TENANT_LENGTH: Final = 64
_NAMES: Final[Mapping[str, re.Pattern[str]]] = {
    "iqn": re.compile(r"iqn\.\d{4}-\d{2}\.([A-Za-z0-9.-]+)(:[^,;*&$|\s]+)"),
    "eui": re.compile("eui.[A-Za-z0-9]{16}"),
    "naa": re.compile("naa.[A-Za-z0-9]{32}"),
}
"""The names of iSCSI nodes (RFC 3720, 3.2.6.3)."""
_CACHING: Final = ("None", "ReadOnly", "ReadWrite")
_DISKS: Final = ("Dedicated", "Managed", "Shared")
_MANAGED_DISK: Final = (
    "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/"
    "{disk-id}"
)
_BLOB_DISK: Final = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"


def plugin_causes(
    name: str, source: dict[str, Any], field: str, *, persistent: bool
) -> Iterator[Cause]:
    """Check a source; that of a persistent volume has rules of its own."""
    at = field.removesuffix(name) + _SHOWN_AS.get(name, name)
    for member in _NEEDED.get(name, ()):
        if not source.get(member):
            yield required(f"{at}.{member}")
    check = _CHECKS.get(name)
    if check is not None:
        yield from check(source, at, persistent)


def _disk(source: dict[str, Any], field: str, persistent: bool) -> Iterator[Cause]:
    del persistent
    number = source.get("partition") or 0
    if not 0 <= number <= _MAX_LUN:
        yield invalid_value(f"{field}.partition", number, "must be between 1 and 255, inclusive")


def _repository(source: dict[str, Any], field: str, persistent: bool) -> Iterator[Cause]:
    del persistent
    yield from relative_path(f"{field}.directory", source.get("directory") or "")


def _lun(number: int, field: str) -> Iterator[Cause]:
    for problem in range_problems(number, 0, _MAX_LUN):
        yield invalid_value(f"{field}.lun", number, problem)


def _iscsi(source: dict[str, Any], field: str, persistent: bool) -> Iterator[Cause]:
    if source.get("iqn"):
        yield from _iscsi_name(source["iqn"], f"{field}.iqn", persistent=persistent)
    yield from _lun(source.get("lun") or 0, field)
    secret = source.get("secretRef")
    if (source.get("chapAuthDiscovery") or source.get("chapAuthSession")) and secret is None:
        yield required(f"{field}.secretRef")
    elif persistent and secret is not None and not secret.get("name"):
        yield required(f"{field}.secretRef.name")
    initiator = source.get("initiatorName")
    if initiator is not None:
        yield from _iscsi_name(initiator, f"{field}.initiatorname", persistent=persistent)


def _iscsi_name(name: str, field: str, *, persistent: bool) -> Iterator[Cause]:
    syntax = _NAMES.get(name[:3])
    if syntax is None and not persistent:
        why = "must be valid format starting with iqn, eui, or naa"
        yield invalid_value(field, name, why)
    elif syntax is None or not syntax.fullmatch(name):
        yield invalid_value(field, name, "must be valid format")


def _fibre(source: dict[str, Any], field: str, persistent: bool) -> Iterator[Cause]:
    del persistent
    names, ids = texts(source, "targetWWNs"), texts(source, "wwids")
    if not names and not ids:
        why = "must specify either targetWWNs or wwids, but not both"
        yield required(f"{field}.targetWWNs", why)
    if names and ids:
        why = "targetWWNs and wwids can not be specified simultaneously"
        yield invalid_value(f"{field}.targetWWNs", names, why)
    if names and source.get("lun") is None:
        yield required(f"{field}.lun", "lun is required if targetWWNs is specified")
    elif names:
        yield from _lun(source["lun"], field)


def _gluster(source: dict[str, Any], field: str, persistent: bool) -> Iterator[Cause]:
    namespace, at = source.get("endpointsNamespace"), f"{field}.endpointsNamespace"
    if not persistent or namespace is None:
        return
    if not namespace:
        why = "if the endpointnamespace is set, it must be a valid namespace name"
        yield invalid_value(at, namespace, why)
    yield from text(at, namespace, label_problems, needed=False)


def _flocker(source: dict[str, Any], field: str, persistent: bool) -> Iterator[Cause]:
    del persistent
    name, uid = source.get("datasetName") or "", source.get("datasetUUID") or ""
    if not name and not uid:
        yield required(field, "one of datasetName and datasetUUID is required")
    if name and uid:
        why = "datasetName and datasetUUID can not be specified simultaneously"
        yield invalid_value(field, "resource", why)
    if "/" in name:
        yield invalid_value(f"{field}.datasetName", name, "must not contain '/'")


def _quobyte(source: dict[str, Any], field: str, persistent: bool) -> Iterator[Cause]:
    del persistent
    registry: str = source.get("registry") or ""
    why = "must be a host:port pair or multiple pairs separated by commas"
    if not registry:
        yield required(f"{field}.registry", why)
    elif len(source.get("tenant") or "") > _MAX_TENANT_LENGTH:
        why = "must be a UUID and may not exceed a length of 64 characters"
        yield required(f"{field}.tenant", why)
    else:
        for pair in registry.split(","):
            if pair.count(":") != 1 and not pair.startswith("["):
                yield invalid_value(f"{field}.registry", registry, why)
    if not source.get("volume"):
        yield required(f"{field}.volume")


def _cinder(source: dict[str, Any], field: str, persistent: bool) -> Iterator[Cause]:
    secret = source.get("secretRef")
    if secret is not None and not secret.get("name"):
        yield required(f"{field}.secretRef.name")
    if persistent and secret is not None and not secret.get("namespace"):
        yield required(f"{field}.secretRef.namespace")


def _flex(source: dict[str, Any], field: str, persistent: bool) -> Iterator[Cause]:
    del persistent
    for key in part(source, "options"):
        domain = "." + key.partition("/")[0].lower()
        if domain.endswith((".kubernetes.io", ".k8s.io")):
            why = "kubernetes.io and k8s.io namespaces are reserved"
            yield invalid_value(f"{field}.options[{key}]", key, why)


def _azure_file(source: dict[str, Any], field: str, persistent: bool) -> Iterator[Cause]:
    if persistent and source.get("secretNamespace") == "":
        yield required(f"{field}.secretNamespace")


def _azure_disk(source: dict[str, Any], field: str, persistent: bool) -> Iterator[Cause]:
    del persistent
    place, kind = source.get("diskURI") or "", source.get("kind")
    caching = source.get("cachingMode")
    yield from one_of(f"{field}.cachingMode", caching, _CACHING, needed=False)
    yield from one_of(f"{field}.kind", kind, _DISKS, needed=False)
    if kind == "Managed" and not place.startswith("/subscriptions/"):
        yield not_supported(f"{field}.diskURI", place, (_MANAGED_DISK,))
    elif kind not in (None, "Managed") and not place.startswith("https://"):
        yield not_supported(f"{field}.diskURI", place, (_BLOB_DISK,))


def _local(source: dict[str, Any], field: str, persistent: bool) -> Iterator[Cause]:
    del persistent
    path: str = source.get("path") or ""
    if ".." in path.split("/"):
        yield invalid_value(f"{field}.path", path, "must not contain '..'")


def _storage_os(source: dict[str, Any], field: str, persistent: bool) -> Iterator[Cause]:
    yield from text(f"{field}.volumeName", source.get("volumeName"), label_problems)
    space = source.get("volumeNamespace")
    yield from text(f"{field}.volumeNamespace", space, label_problems, needed=False)
    yield from _cinder(source, field, persistent)


def _csi(source: dict[str, Any], field: str, persistent: bool) -> Iterator[Cause]:
    yield from driver_name(f"{field}.driver", source.get("driver"))
    if not persistent:
        secret = source.get("nodePublishSecretRef")
        if secret is not None and not secret.get("name"):
            yield required(f"{field}.nodePublishSecretRef.name")
        elif secret is not None:
            yield from matches(f"{field}.name", secret["name"], subdomain_problems)
        return
    if not source.get("volumeHandle"):
        yield required(f"{field}.volumeHandle")
    for use in ("controllerPublish", "controllerExpand", "nodePublish", "nodeExpand"):
        reference = source.get(f"{use}SecretRef")
        if reference is not None:
            at = f"{field}.{use}SecretRef"
            yield from text(f"{at}.name", reference.get("name"), subdomain_problems)
            yield from text(f"{at}.namespace", reference.get("namespace"), label_problems)


_CHECKS: Final[Mapping[str, Callable[[dict[str, Any], str, bool], Iterator[Cause]]]] = {
    "awsElasticBlockStore": _disk,
    "azureDisk": _azure_disk,
    "azureFile": _azure_file,
    "cinder": _cinder,
    "csi": _csi,
    "fc": _fibre,
    "flexVolume": _flex,
    "flocker": _flocker,
    "gcePersistentDisk": _disk,
    "gitRepo": _repository,
    "glusterfs": _gluster,
    "iscsi": _iscsi,
    "local": _local,
    "quobyte": _quobyte,
    "storageos": _storage_os,
}
