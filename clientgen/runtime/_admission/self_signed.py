"""The request for certificates that a program makes itself."""

from __future__ import annotations

import re
from datetime import timedelta
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

_LABEL: Final = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
_SERVICE: Final = re.compile(rf"(?:{_LABEL}/)?{_LABEL}")
_NAME: Final = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*")
_MIN_LIFETIME: Final = timedelta(hours=1)
_LISTS: Final = ("services", "hosts", "configurations")


class SelfSigned(Struct, frozen=True, kw_only=True):
    """Certificates that the program makes and renews: `manager.webhooks(certificates=...)`.

        SelfSigned(secret="shop-webhook-certs", services=["shop-webhooks"])

    A Secret has a certificate authority and the certificate of the server. All replicas serve the
    certificate of the Secret, and write the authority into the `caBundle` of the configurations.
    Needs the extra `clientgen[certificates]`.

    Raises:
        TypeError: A list is a string.
        ValueError: A name or a lifetime is not valid, or there is neither a service nor a host.
    """

    secret: str
    """The name of the Secret. The program creates it, or fills one that has no data."""

    services: Sequence[str] = ()
    """The services in front of the webhooks, as `NAME` or `NAMESPACE/NAME`.

    The `caBundle` is kept in the webhooks that lead to these services.
    """

    namespace: str | None = None
    """The namespace of the Secret, and of services without one; None means the client's."""

    hosts: Sequence[str] = ()
    """Further DNS names and IP addresses of the webhooks, for configurations with URLs."""

    configurations: Sequence[str] = ()
    """The names of the webhook configurations in which the `caBundle` is kept.

    Those of `install` and the CustomResourceDefinitions with conversions need not be named.
    """

    lifetime: timedelta = timedelta(days=90)
    """How long a certificate is valid. It is renewed after two thirds; at least an hour."""

    ca_lifetime: timedelta = timedelta(days=365)
    """How long an authority is valid. A new one joins it after two thirds."""

    overlap: timedelta = timedelta(days=1)
    """How long an old authority stays trusted after its last certificate was replaced."""

    def __post_init__(self) -> None:
        """Check the values."""
        for name in _LISTS:
            if isinstance(getattr(self, name), str):
                raise TypeError(f"SelfSigned: {name} is a list of names; write [{name!r}] for one")
        self._check_names()
        self._check_lifetimes()

    def _check_names(self) -> None:
        for name in (self.secret, *self.configurations):
            if not _NAME.fullmatch(name):
                raise ValueError(f"SelfSigned: {name!r} is not a valid name of an object")
        for service in self.services:
            if not _SERVICE.fullmatch(service):
                raise ValueError(
                    f"SelfSigned: services are NAME or NAMESPACE/NAME, not {service!r}"
                )
        for host in self.hosts:
            if not (_NAME.fullmatch(host) or is_ip_address(host)):
                raise ValueError(f"SelfSigned: {host!r} is neither a DNS name nor an IP address")

    def _check_lifetimes(self) -> None:
        if self.lifetime < _MIN_LIFETIME or self.ca_lifetime < 2 * self.lifetime:
            raise ValueError(
                "SelfSigned: lifetime must be an hour or more, and ca_lifetime twice that or more,"
                f" not {self.lifetime} and {self.ca_lifetime}"
            )
        if not timedelta(0) <= self.overlap < self.ca_lifetime / 3:
            raise ValueError(
                f"SelfSigned: overlap must be less than a third of ca_lifetime, not {self.overlap}"
            )

    def full_services(self, namespace: str) -> list[tuple[str, str]]:
        """Return namespace and name of each service."""
        parts = [service.rpartition("/") for service in self.services]
        return [(found or namespace, name) for found, _, name in parts]

    def names(self, namespace: str) -> list[str]:
        """Return the DNS names and IP addresses of the certificate.

        Raises:
            ValueError: There is neither a service nor a host.
        """
        names: list[str] = []
        for where, name in self.full_services(namespace):
            names += [f"{name}.{where}.svc", f"{name}.{where}.svc.cluster.local"]
            names.append(f"{name}.{where}")
        # As certificates have them: another spelling of an address would never be found in one.
        names += [str(ip_address(each)) if is_ip_address(each) else each for each in self.hosts]
        if not names:
            raise ValueError(
                'SelfSigned: pass services=["NAME"], or hosts=["ADDRESS"] for webhooks with a URL'
            )
        return list(dict.fromkeys(names))


def is_ip_address(host: str) -> bool:
    """Return whether a host is an IP address, without a zone."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return "%" not in host
