"""Objects that tests create."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubeapi.apps.v1.models import Deployment
from kubeapi.certificates.v1.models import (
    CertificateSigningRequest,
    CertificateSigningRequestSpec,
)
from kubeapi.core.v1.models import ConfigMap, Pod
from kubeapi.policy.v1.models import PodDisruptionBudget

from clientgen.runtime.models import ObjectMeta, from_dict

__all__ = ["budget", "config_map", "deployment", "pod", "signing_request"]

# Nobody schedules the pods, so that they stay as the tests make them, on every cluster.
_NO_SCHEDULER = "clientgen-test-nobody"


def config_map(
    name: str, data: Mapping[str, str] | None = None, labels: Mapping[str, str] | None = None
) -> ConfigMap:
    """A config map with some data and labels."""
    metadata = ObjectMeta(name=name, labels=dict(labels or {}))
    return ConfigMap(metadata=metadata, data=dict(data or {}))


def pod(name: str, *containers: str, labels: Mapping[str, str] | None = None) -> Pod:
    """A pod that never runs."""
    spec: dict[str, Any] = {
        "schedulerName": _NO_SCHEDULER,
        "automountServiceAccountToken": False,
        "containers": [
            {"name": each, "image": "example.invalid/none:1"} for each in containers or ("main",)
        ],
    }
    return from_dict(Pod, {"metadata": {"name": name, "labels": dict(labels or {})}, "spec": spec})


def deployment(name: str, replicas: int = 0) -> Deployment:
    """A deployment of pods that never run."""
    template = pod(name, labels={"app": name})
    return from_dict(
        Deployment,
        {
            "metadata": {"name": name},
            "spec": {
                "replicas": replicas,
                "paused": True,
                "selector": {"matchLabels": {"app": name}},
                "template": {"metadata": {"labels": {"app": name}}, "spec": template.spec},
            },
        },
    )


def budget(name: str, app: str) -> PodDisruptionBudget:
    """A budget that wants one pod of an app to stay."""
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": app}}}
    return from_dict(PodDisruptionBudget, {"metadata": {"name": name}, "spec": spec})


def signing_request(name: str) -> CertificateSigningRequest:
    """A request for a certificate, from a signer that does not exist."""
    spec = CertificateSigningRequestSpec(
        request=_REQUEST, signer_name="clientgen.example/nobody", usages=["client auth"]
    )
    return CertificateSigningRequest(metadata=ObjectMeta(name=name), spec=spec)


# Signed with a key that was thrown away.
_REQUEST = b"""-----BEGIN CERTIFICATE REQUEST-----
MIHSMHsCAQAwGTEXMBUGA1UEAwwOY2xpZW50Z2VuLXRlc3QwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAATCxJBxumXs1dL92smnuagD3Efn9m5HI1tJqMyAe5dm9RAZ
hBJ3i5QBQwjb6arefFNTLaGj4fA669g0p7vQDmomoAAwCgYIKoZIzj0EAwIDRwAw
RAIgQOC/oXVbriMKBCJKBXHPANkrY7qYtL7xTgG6io8oZ8wCIHBbPN+g0LyY+DC1
/hjdFWO/cac2SuOeygrn0itA/eFg
-----END CERTIFICATE REQUEST-----
"""
