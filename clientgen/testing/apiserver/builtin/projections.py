"""Projected volumes: several sources of files in one directory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..failures import Cause, forbidden_value, invalid_value, not_supported, required
from ..parts import parts
from .checks import selector_causes
from .containers import relative_path
from .texts import signer_problems, subdomain_problems
from .volume_files import downward_causes, items_causes, mode_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["projected_causes"]

_KEYS: Final = ("RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")
_KINDS: Final = (
    "secret",
    "configMap",
    "downwardAPI",
    "serviceAccountToken",
    "clusterTrustBundle",
    "podCertificate",
)
_CERTIFICATE_PATHS: Final = ("credentialBundlePath", "keyPath", "certificateChainPath")
_LEAST_TOKEN_SECONDS: Final = 600
_MOST_TOKEN_SECONDS: Final = 2**32
_LEAST_CERTIFICATE_SECONDS: Final = 3600
_MOST_CERTIFICATE_SECONDS: Final = 91 * 24 * 3600


def projected_causes(source: dict[str, Any], field: str) -> Iterator[Cause]:
    """What is wrong with the sources of a projected volume."""
    yield from mode_causes(f"{field}.defaultMode", source.get("defaultMode"))
    taken: set[str] = set()
    for index, projection in enumerate(parts(source, "sources")):
        at = f"{field}.sources[{index}]"
        chosen = [kind for kind in _KINDS if projection.get(kind) is not None]
        for kind in chosen:
            yield from _source(kind, projection[kind], f"{at}.{kind}", field)
            for path, shown in _paths(kind, projection[kind]):
                if path in taken:
                    yield invalid_value(field, shown, "conflicting duplicate paths")
                taken.add(path)
        if len(chosen) > 1:
            yield forbidden_value(at, "may not specify more than 1 volume type")


def _paths(kind: str, source: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The files that a source makes, and how the server calls each."""
    if kind in ("secret", "configMap", "downwardAPI"):
        for item in parts(source, "items"):
            path = item.get("path") or ""
            if path:
                yield path, path if kind == "downwardAPI" else source.get("name") or ""
    elif kind == "clusterTrustBundle":
        yield source.get("path") or "", source.get("path") or ""
    elif kind == "podCertificate":
        yield from ((source[name], source[name]) for name in _CERTIFICATE_PATHS if source.get(name))


def _source(kind: str, source: dict[str, Any], at: str, field: str) -> Iterator[Cause]:
    if kind in ("secret", "configMap"):
        if not source.get("name"):
            yield required(f"{at}.name")
        yield from items_causes(source, at)
    elif kind == "downwardAPI":
        yield from downward_causes(source, at)
    elif kind == "serviceAccountToken":
        yield from _token(source, at, field)
    elif kind == "clusterTrustBundle":
        yield from _bundle(source, at)
    else:
        yield from _certificate(source, at)


def _token(token: dict[str, Any], at: str, field: str) -> Iterator[Cause]:
    seconds = token.get("expirationSeconds") or 0
    if seconds < _LEAST_TOKEN_SECONDS:
        said = "may not specify a duration less than 10 minutes"
        yield invalid_value(f"{at}.expirationSeconds", seconds, said)
    if seconds > _MOST_TOKEN_SECONDS:
        said = "may not specify a duration larger than 2^32 seconds"
        yield invalid_value(f"{at}.expirationSeconds", seconds, said)
    if not token.get("path"):
        yield required(f"{field}.path")
    else:
        yield from _own_path(f"{field}.path", token["path"])


def _own_path(field: str, path: str) -> Iterator[Cause]:
    """A path within the volume that is none of the kubelet's own."""
    yield from relative_path(field, path)
    if path.startswith("..") and not path.startswith("../"):
        yield invalid_value(field, path, "must not start with '..'")


def _bundle(bundle: dict[str, Any], field: str) -> Iterator[Cause]:
    name, signer = bundle.get("name"), bundle.get("signerName")
    if name is not None and signer is not None:
        yield invalid_value(field, bundle, "only one of name and signerName may be used")
    elif name is not None:
        if not name:
            yield required(f"{field}.name", "must be a valid object name")
        for problem in subdomain_problems(name.rpartition(":")[2]):
            said = f"not a valid clustertrustbundlename: {problem}"
            yield invalid_value(f"{field}.name", name, said)
        if bundle.get("labelSelector") is not None:
            said = "labelSelector must be unset if name is specified"
            yield invalid_value(f"{field}.labelSelector", bundle["labelSelector"], said)
    elif signer is not None:
        if not signer:
            yield required(f"{field}.signerName", "must be a valid signer name")
        yield from _signer(f"{field}.signerName", signer)
        yield from selector_causes(bundle.get("labelSelector"), f"{field}.labelSelector")
    else:
        yield required(field, "either name or signerName must be specified")
    if not bundle.get("path"):
        yield required(f"{field}.path")
    yield from _own_path(f"{field}.path", bundle.get("path") or "")


def _signer(field: str, signer: str) -> Iterator[Cause]:
    if not signer:
        yield required(field)
        return
    yield from (invalid_value(field, signer, problem) for problem in signer_problems(signer))


def _certificate(source: dict[str, Any], field: str) -> Iterator[Cause]:
    yield from _signer(f"{field}.signerName", source.get("signerName") or "")
    if source.get("keyType") not in _KEYS:
        yield not_supported(f"{field}.keyType", source.get("keyType") or "", _KEYS)
    seconds, at = source.get("maxExpirationSeconds"), f"{field}.maxExpirationSeconds"
    if seconds is not None and seconds < _LEAST_CERTIFICATE_SECONDS:
        said = f"if provided, maxExpirationSeconds must be >= {_LEAST_CERTIFICATE_SECONDS}"
        yield invalid_value(at, seconds, said)
    if seconds is not None and seconds > _MOST_CERTIFICATE_SECONDS:
        said = f"if provided, maxExpirationSeconds must be <= {_MOST_CERTIFICATE_SECONDS}"
        yield invalid_value(at, seconds, said)
    chosen = [name for name in _CERTIFICATE_PATHS if source.get(name)]
    for name in chosen:
        yield from _own_path(f"{field}.{name}", source[name])
    if not chosen:
        said = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"
        yield required(field, said)
