"""Validates volumes of pods and persistent volumes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, forbidden_value, invalid_value, required
from clientgen._apimachinery.labels import annotations_causes, labels_causes
from clientgen._apimachinery.name_syntax import label_problems
from clientgen._json import part

from .common_checks import one_of, text, unique
from .projected_volumes import projected_causes
from .quantities import amount
from .volume_claims import claim_causes
from .volume_items import downward_causes, items_causes, mode_causes
from .volume_plugins import plugin_causes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_HOST_PATHS: Final = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)


def volumes_causes(
    volumes: list[dict[str, Any]], field: str, sound: dict[str, Any]
) -> Iterator[Cause]:
    """Check the volumes of a pod, and add the valid ones to `sound`."""
    for index, volume in enumerate(volumes):
        at = f"{field}[{index}]"
        problems = list(text(f"{at}.name", volume.get("name"), label_problems))
        problems += source_causes(volume, at)
        yield from problems
        if not problems:
            sound[volume["name"]] = volume
    names = [volume.get("name") for volume in volumes]
    yield from (cause for cause in unique(field, names, ".name") if '""' not in cause.message)


def source_causes(
    volume: dict[str, Any], field: str, *, persistent: bool = False
) -> Iterator[Cause]:
    """Check the source of a volume."""
    sources = [name for name, value in volume.items() if isinstance(value, dict)]
    known = _PERSISTENT_ORDER if persistent else _ORDER
    ordered: list[str] = [name for name in known if name in sources]
    ordered += [name for name in sources if name not in ordered]
    for index, name in enumerate(ordered):
        at = f"{field}.{name}"
        if index and not (persistent and name == "flexVolume"):
            at = f"{field}.{_ELSEWHERE.get(name, name)}"
            yield forbidden_value(at, "may not specify more than 1 volume type")
            continue
        check = _CHECKS.get(name)
        if check is not None:
            yield from check(volume[name], at)
        else:
            yield from plugin_causes(name, volume[name], at, persistent=persistent)


def _empty_dir(source: dict[str, Any], field: str) -> Iterator[Cause]:
    if source.get("sizeLimit") is not None and amount(source["sizeLimit"]) < 0:
        why = "SizeLimit field must be a valid resource quantity"
        yield forbidden_value(f"{field}.sizeLimit", why)


def _host_path(source: dict[str, Any], field: str) -> Iterator[Cause]:
    path = source.get("path") or ""
    if not path:
        yield required(f"{field}.path")
        return
    if ".." in path.split("/"):
        yield invalid_value(f"{field}.path", path, "must not contain '..'")
    yield from one_of(f"{field}.type", source.get("type"), _HOST_PATHS, needed=False)


def _nfs(source: dict[str, Any], field: str) -> Iterator[Cause]:
    for member in ("server", "path"):
        if not source.get(member):
            yield required(f"{field}.{member}")
    path = source.get("path") or ""
    if not path.startswith("/"):
        yield invalid_value(f"{field}.path", path, "must be an absolute path")


def _secret(source: dict[str, Any], field: str) -> Iterator[Cause]:
    if not source.get("secretName"):
        yield required(f"{field}.secretName")
    yield from mode_causes(f"{field}.defaultMode", source.get("defaultMode"))
    yield from items_causes(source, field)


def _config_map(source: dict[str, Any], field: str) -> Iterator[Cause]:
    if not source.get("name"):
        yield required(f"{field}.name")
    yield from mode_causes(f"{field}.defaultMode", source.get("defaultMode"))
    yield from items_causes(source, field)


def _ephemeral(source: dict[str, Any], field: str) -> Iterator[Cause]:
    template, at = source.get("volumeClaimTemplate"), f"{field}.volumeClaimTemplate"
    if template is None:
        yield required(at)
        return
    metadata = part(template, "metadata")
    yield from annotations_causes(metadata.get("annotations"), f"{at}.metadata.annotations")
    yield from labels_causes(metadata.get("labels"), f"{at}.metadata.labels")
    for member in metadata:
        if member not in ("annotations", "labels", "creationTimestamp"):
            yield forbidden_value(f"{at}.metadata.{member}", "cannot be set")
    yield from claim_causes(part(template, "spec"), f"{at}.spec")


def _claim(source: dict[str, Any], field: str) -> Iterator[Cause]:
    if not source.get("claimName"):
        yield required(f"{field}.claimName")


def _image(source: dict[str, Any], field: str) -> Iterator[Cause]:
    policy = source.get("pullPolicy")
    known = ("Always", "IfNotPresent", "Never")
    yield from one_of(f"{field}.pullPolicy", policy, known, needed=False)


_CHECKS: Final[Mapping[str, Callable[[dict[str, Any], str], Iterator[Cause]]]] = {
    "configMap": _config_map,
    "downwardAPI": downward_causes,
    "emptyDir": _empty_dir,
    "ephemeral": _ephemeral,
    "hostPath": _host_path,
    "image": _image,
    "nfs": _nfs,
    "persistentVolumeClaim": _claim,
    "projected": projected_causes,
    "secret": _secret,
}
_ORDER: Final = (
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "flexVolume",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
)
_ELSEWHERE: Final = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
_PERSISTENT_ORDER: Final = (
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
)
"""Which source counts as the first when there are several."""
