"""When certificates of a program's own are made, renewed and forgotten. Decisions only.

A certificate is replaced after two thirds of its life. For an authority this takes three steps,
so that clients trust the server all the time: the new authority joins the old one in `ca.crt`;
when all configurations have both, the server gets a certificate of the new one; after the overlap,
the old one leaves `ca.crt`.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from msgspec import Struct, structs

from clientgen._json import is_object

from .certificate_authority import (
    Certificate,
    Pair,
    has_signed,
    is_authority,
    is_valid_at,
    names_of,
    new_authority,
    new_certificate,
    read_certificates,
    read_pair,
    to_pem,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

CA_CERTIFICATES: Final = "ca.crt"
CA_KEY: Final = "ca.key"
CERTIFICATE: Final = "tls.crt"
KEY: Final = "tls.key"

# API servers read configurations from a cache: they need this long to know a new authority.
SETTLE: Final = timedelta(minutes=1)
_MAX_TRUSTED: Final = 8


class Policy(Struct, frozen=True):
    """How certificates are to be."""

    names: tuple[str, ...]
    lifetime: timedelta
    ca_lifetime: timedelta
    overlap: timedelta


class Certificates(Struct, frozen=True):
    """The usable content of the Secret."""

    trusted: tuple[Certificate, ...] = ()
    """The authorities that clients are to trust, the newest first."""
    authority: Pair | None = None
    """The authority that signs."""
    served: Pair | None = None
    """The certificate of the server."""

    @property
    def bundle(self) -> bytes:
        """The trusted authorities as PEM, for `caBundle`."""
        return to_pem(self.trusted)

    def issuer(self) -> Certificate | None:
        """Return the trusted authority that has signed the certificate of the server."""
        if self.served is None:
            return None
        served = self.served.certificate
        return next((each for each in self.trusted if has_signed(each, served)), None)


def is_foreign(data: Mapping[str, object]) -> bool:
    """Return whether a Secret belongs to another program: it has data, and no key of an authority.

    A Secret of cert-manager or of `kubectl create secret tls` is foreign.
    """
    return bool(data) and CA_KEY not in data


def read(data: Mapping[str, object]) -> Certificates:
    """Read the data of a Secret. What is not usable is left out."""
    texts = {name: _decoded(data.get(name)) for name in (CA_CERTIFICATES, CA_KEY, CERTIFICATE, KEY)}
    found = filter(is_authority, read_certificates(texts[CA_CERTIFICATES]))
    trusted = tuple(found)[:_MAX_TRUSTED]
    authority: Pair | None = None
    for each in trusted:
        authority = authority or read_pair(to_pem([each]), texts[CA_KEY])
    return Certificates(trusted, authority, read_pair(texts[CERTIFICATE], texts[KEY]))


def salvaged(stored: Certificates, memory: Certificates) -> Certificates:
    """Return what to go on with if the Secret is gone or broken: what the program has in memory.

    The certificate stays in use until clients trust the new authority. The key of the old authority
    is not written again: somebody may have deleted the Secret because the key was stolen.
    """
    if stored.authority is not None:
        return stored
    trusted = tuple(dict.fromkeys([*stored.trusted, *memory.trusted]))[:_MAX_TRUSTED]
    found = Certificates(trusted, None, stored.served)
    return found if found.issuer() is not None else structs.replace(found, served=memory.served)


def data_of(certificates: Certificates) -> dict[str, str]:
    """Return the data of a Secret with these certificates."""
    authority, served = certificates.authority, certificates.served
    assert authority is not None
    assert served is not None
    texts = {
        CA_CERTIFICATES: certificates.bundle,
        CA_KEY: authority.key_pem,
        CERTIFICATE: served.certificate_pem,
        KEY: served.key_pem,
    }
    return {name: b64encode(text).decode() for name, text in texts.items()}


def _decoded(value: object) -> bytes:
    try:
        return b64decode(value, validate=True) if isinstance(value, str) else b""
    except ValueError:
        return b""


def renewed(
    current: Certificates, policy: Policy, now: datetime, carried_since: datetime | None
) -> Certificates:
    """Return the certificates that there should be. They are equal if nothing is to be done.

    Args:
        current: What the Secret has.
        policy: How certificates are to be.
        now: The time.
        carried_since: Since when all configurations trust the authority of the Secret; None if one
            of them does not, or if that is not known.
    """
    trusted = tuple(each for each in current.trusted if is_valid_at(each, now))
    authority = current.authority
    if authority is None or _is_due(authority.certificate, now):
        authority = new_authority(now, policy.ca_lifetime)
        trusted = (authority.certificate, *trusted)[:_MAX_TRUSTED]
        carried_since = None
    wanted = Certificates(trusted, authority, current.served)
    if _needs_certificate(wanted, policy, now, carried_since):
        names = _wanted_names(wanted, policy, now)
        served = new_certificate(authority, names, now, policy.lifetime)
        wanted = structs.replace(wanted, served=served)
    return _without_old_authorities(wanted, policy, now)


def _needs_certificate(
    wanted: Certificates, policy: Policy, now: datetime, carried_since: datetime | None
) -> bool:
    issuer, served = wanted.issuer(), wanted.served
    if served is None or issuer is None or not is_valid_at(served.certificate, now):
        return True
    assert wanted.authority is not None
    if issuer != wanted.authority.certificate:
        return carried_since is not None and now >= carried_since + SETTLE
    return _is_due(served.certificate, now) or not _has_names(served.certificate, policy)


def _wanted_names(wanted: Certificates, policy: Policy, now: datetime) -> list[str]:
    """Return the names of a new certificate.

    A certificate that is replaced before its time keeps its names: two releases of a program, with
    different services, would otherwise replace each other's certificates.
    """
    served = wanted.served
    if served is None or _is_due(served.certificate, now) or wanted.issuer() is None:
        return [*policy.names]
    return list(dict.fromkeys([*policy.names, *names_of(served.certificate)]))


def _without_old_authorities(wanted: Certificates, policy: Policy, now: datetime) -> Certificates:
    """Forget the old authorities, once the overlap with a newer certificate is over."""
    authority, served = wanted.authority, wanted.served
    assert authority is not None
    if served is None or wanted.issuer() != authority.certificate:
        return wanted
    if now < served.certificate.not_valid_before_utc + policy.overlap:
        return wanted
    return structs.replace(wanted, trusted=(authority.certificate,))


def _has_names(certificate: Certificate, policy: Policy) -> bool:
    return set(policy.names).issubset(names_of(certificate))


def _due_time(certificate: Certificate) -> datetime:
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    return begin + (end - begin) * 2 / 3


def _is_due(certificate: Certificate, now: datetime) -> bool:
    """Return whether two thirds of the life of a certificate are over."""
    return now >= _due_time(certificate)


def next_change(
    current: Certificates, policy: Policy, carried_since: datetime | None
) -> datetime | None:
    """Return when `renewed` will have something to do; None if that does not depend on the time."""
    if current.authority is None or current.served is None:
        return None
    authority, served = current.authority.certificate, current.served.certificate
    times = [_due_time(authority), served.not_valid_after_utc]
    if current.issuer() == authority:
        times.append(_due_time(served))
        if current.trusted != (authority,):
            times.append(served.not_valid_before_utc + policy.overlap)
    elif carried_since is not None:
        times.append(carried_since + SETTLE)
    return min(times)


# ---- configurations ---------------------------------------------------------------------------


class Clients(Struct, frozen=True):
    """Which `clientConfig`s of configurations lead to this program."""

    services: frozenset[tuple[str, str]]
    hosts: frozenset[str]

    def leads_here(self, config: Mapping[str, Any]) -> bool:
        """Return whether a `clientConfig` leads to this program."""
        service, url = config.get("service"), config.get("url")
        if is_object(service):
            return (service.get("namespace"), service.get("name")) in self.services
        try:
            return isinstance(url, str) and urlsplit(url).hostname in self.hosts
        except ValueError:
            return False

    def configs(self, obj: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the `clientConfig`s of a configuration, or of a CRD, that lead here."""
        conversion: Any = obj.get("spec")
        for name in ("conversion", "webhook"):
            conversion = conversion.get(name) if is_object(conversion) else None
        webhooks: Any = obj.get("webhooks") or []
        found = [each.get("clientConfig") for each in [conversion, *webhooks] if is_object(each)]
        return [each for each in found if is_object(each) and self.leads_here(each)]


def bundle_patch(obj: dict[str, Any], clients: Clients, bundle: bytes) -> dict[str, Any] | None:
    """Return the merge patch that puts the bundle into an object; None if nothing differs.

    `obj` is changed. The patch fails if the object has changed since it was read.
    """
    text = b64encode(bundle).decode()
    wrong = [each for each in clients.configs(obj) if each.get("caBundle") != text]
    if not wrong:
        return None
    for config in wrong:
        config["caBundle"] = text
    read: Any = obj.get("metadata")
    metadata = {name: read.get(name) for name in ("uid", "resourceVersion")}
    if "webhooks" in obj:
        return {"metadata": metadata, "webhooks": obj["webhooks"]}
    webhook = {"clientConfig": {"caBundle": text}}
    return {"metadata": metadata, "spec": {"conversion": {"webhook": webhook}}}


def trusts(obj: Mapping[str, Any], clients: Clients, authority: Certificate) -> bool:
    """Return whether all `clientConfig`s of an object that lead here trust an authority."""
    bundles = [_decoded(each.get("caBundle")) for each in clients.configs(obj)]
    return all(authority in read_certificates(bundle) for bundle in bundles)
