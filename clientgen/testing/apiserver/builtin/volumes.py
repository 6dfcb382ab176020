"""What the volumes of pods and persistent volumes may say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..failures import (
    Cause,
    forbidden_value,
    invalid_value,
    required,
)
from ..parts import parts
from .checks import is_not_negative, one_of, text, unique
from .containers import field_reference, relative_path, resource_reference
from .quantities import amount
from .texts import label_problems, subdomain_problems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["source_causes", "volumes_causes"]

_MOST_MODE: Final = 0o777
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
_VOLUME_FIELDS: Final = frozenset(
    {
        "metadata.name",
        "metadata.namespace",
        "metadata.labels",
        "metadata.annotations",
        "metadata.uid",
    }
)
_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "awsElasticBlockStore": ("volumeID",),
    "azureFile": ("secretName", "shareName"),
    "cephfs": ("monitors",),
    "cinder": ("volumeID",),
    "csi": ("driver",),
    "flexVolume": ("driver",),
    "gcePersistentDisk": ("pdName",),
    "gitRepo": ("repository",),
    "glusterfs": ("endpoints", "path"),
    "iscsi": ("targetPortal", "iqn"),
    "persistentVolumeClaim": ("claimName",),
    "photonPersistentDisk": ("pdID",),
    "quobyte": ("registry", "volume"),
    "rbd": ("monitors", "image"),
    "scaleIO": ("gateway", "system", "volumeName"),
    "vsphereVolume": ("volumePath",),
}
"""Members that a source cannot do without, where that is all there is to it."""


def volumes_causes(volumes: list[dict[str, Any]], field: str) -> Iterator[Cause]:
    """What is wrong with the volumes of a pod."""
    for index, volume in enumerate(volumes):
        at = f"{field}[{index}]"
        yield from text(f"{at}.name", volume.get("name"), label_problems)
        yield from source_causes(volume, at)
    names = [volume.get("name") for volume in volumes]
    yield from (cause for cause in unique(field, names, ".name") if '""' not in cause.message)


def source_causes(volume: dict[str, Any], field: str) -> Iterator[Cause]:
    """What is wrong with where a volume's content is from."""
    sources = [name for name, value in volume.items() if isinstance(value, dict)]
    ordered: list[str] = [name for name in _ORDER if name in sources]
    ordered += [name for name in sources if name not in ordered]
    for index, name in enumerate(ordered):
        at = f"{field}.{name}"
        if index:
            yield forbidden_value(at, "may not specify more than 1 volume type")
            continue
        for member in _NEEDED.get(name, ()):
            if not volume[name].get(member):
                yield required(f"{at}.{member}")
        check = _CHECKS.get(name)
        if check is not None:
            yield from check(volume[name], at)


def _empty_dir(source: dict[str, Any], field: str) -> Iterator[Cause]:
    if source.get("sizeLimit") is not None and amount(source["sizeLimit"]) < 0:
        said = "SizeLimit field must be a valid resource quantity"
        yield forbidden_value(f"{field}.sizeLimit", said)


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


def _mode(field: str, mode: int | None) -> Iterator[Cause]:
    if mode is not None and not 0 <= mode <= _MOST_MODE:
        said = "must be a number between 0 and 0777 (octal), both inclusive"
        yield invalid_value(field, mode, said)


def _items(source: dict[str, Any], field: str) -> Iterator[Cause]:
    for index, item in enumerate(parts(source, "items")):
        at = f"{field}.items[{index}]"
        if not item.get("key"):
            yield required(f"{at}.key")
        path = item.get("path") or ""
        if not path:
            yield required(f"{at}.path")
        yield from relative_path(f"{at}.path", path)
        yield from _mode(f"{at}.mode", item.get("mode"))


def _secret(source: dict[str, Any], field: str) -> Iterator[Cause]:
    if not source.get("secretName"):
        yield required(f"{field}.secretName")
    yield from _mode(f"{field}.defaultMode", source.get("defaultMode"))
    yield from _items(source, field)


def _config_map(source: dict[str, Any], field: str) -> Iterator[Cause]:
    if not source.get("name"):
        yield required(f"{field}.name")
    yield from _mode(f"{field}.defaultMode", source.get("defaultMode"))
    yield from _items(source, field)


def _downward(source: dict[str, Any], field: str) -> Iterator[Cause]:
    yield from _mode(f"{field}.defaultMode", source.get("defaultMode"))
    for item in parts(source, "items"):
        if not item.get("path"):
            yield required(f"{field}.path")
        yield from relative_path(f"{field}.path", item.get("path") or "")
        if item.get("fieldRef") is not None:
            yield from field_reference(item["fieldRef"], f"{field}.fieldRef", _VOLUME_FIELDS)
        elif item.get("resourceFieldRef") is not None:
            at = f"{field}.resourceFieldRef"
            yield from resource_reference(item["resourceFieldRef"], at, volume=True)
        else:
            yield required(field, "one of fieldRef and resourceFieldRef is required")
        yield from _mode(f"{field}.mode", item.get("mode"))


def _projected(source: dict[str, Any], field: str) -> Iterator[Cause]:
    yield from _mode(f"{field}.defaultMode", source.get("defaultMode"))
    for index, projection in enumerate(parts(source, "sources")):
        at = f"{field}.sources[{index}]"
        for name in ("secret", "configMap"):
            if projection.get(name) is not None:
                if not projection[name].get("name"):
                    yield required(f"{at}.{name}.name")
                yield from _items(projection[name], f"{at}.{name}")
        if projection.get("downwardAPI") is not None:
            yield from _downward(projection["downwardAPI"], f"{at}.downwardAPI")
        token = projection.get("serviceAccountToken")
        if token is not None and not token.get("path"):
            yield required(f"{at}.serviceAccountToken.path")


def _ephemeral(source: dict[str, Any], field: str) -> Iterator[Cause]:
    if source.get("volumeClaimTemplate") is None:
        yield required(f"{field}.volumeClaimTemplate")


def _iscsi(source: dict[str, Any], field: str) -> Iterator[Cause]:
    yield from is_not_negative(f"{field}.lun", source.get("lun"))


def _claim(source: dict[str, Any], field: str) -> Iterator[Cause]:
    name = source.get("claimName") or ""
    yield from text(f"{field}.claimName", name, subdomain_problems, needed=False)


_CHECKS: Final[Mapping[str, Callable[[dict[str, Any], str], Iterator[Cause]]]] = {
    "configMap": _config_map,
    "downwardAPI": _downward,
    "emptyDir": _empty_dir,
    "ephemeral": _ephemeral,
    "hostPath": _host_path,
    "iscsi": _iscsi,
    "nfs": _nfs,
    "persistentVolumeClaim": _claim,
    "projected": _projected,
    "secret": _secret,
}
_ORDER: Final = ("emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore")
"""Which source counts as the first when there are several."""
