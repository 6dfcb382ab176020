"""A package of custom resources beside kubeapi: the clients of examples/servicelookup."""

from __future__ import annotations

import sys

from support.example_clients import EXAMPLES, generate_client

sys.path.append(str(generate_client("servicelookup").parents[1]))

from kubeapi.meta.v1 import ObjectMeta
from servicelookup import api as lookups
from servicelookup.api.servicelookup.v1alpha1 import PodToService, PodToServiceSpec

__all__ = ["CRD", "PodToService", "lookup", "lookups"]

CRD = EXAMPLES / "servicelookup/crd.yaml"


def lookup(name: str, service: str = "web", namespace: str = "default") -> PodToService:
    spec = PodToServiceSpec(
        pod_name=name, pod_uid="1", pod_address="10.0.0.1", service_name=service
    )
    return PodToService(metadata=ObjectMeta(name=name, namespace=namespace), spec=spec)
