"""How a Proxy looks in the other version. Nothing is lost on the way there and back."""

from __future__ import annotations

from clientgen.runtime.models import deep_copy
from clientgen.runtime.webhooks import Denied

from . import v1, v1beta1

TLS = "proxy.example.com/tls"
"""The annotation that holds, in v1beta1, what v1beta1 has no field for."""


def to_v1(old: v1beta1.Proxy) -> v1.Proxy:
    """Convert to the version that is stored.

    Raises:
        Denied: there is no port. The client sees the message.
    """
    metadata = deep_copy(old.metadata)
    tls = metadata.annotations.pop(TLS, "") == "true"
    host, _, port = old.spec.host_port.rpartition(":")
    if not port.isdecimal():  # it was stored before the definition had a pattern
        raise Denied(f"spec.hostPort {old.spec.host_port!r} has no port")
    return v1.Proxy(metadata=metadata, spec=v1.ProxySpec(host=host, port=int(port), tls=tls))


def to_v1beta1(new: v1.Proxy) -> v1beta1.Proxy:
    """Convert to the old version."""
    metadata = deep_copy(new.metadata)
    if new.spec.tls:
        metadata.annotations[TLS] = "true"
    else:
        metadata.annotations.pop(TLS, None)
    host_port = f"{new.spec.host}:{new.spec.port}"
    return v1beta1.Proxy(metadata=metadata, spec=v1beta1.ProxySpec(host_port=host_port))
