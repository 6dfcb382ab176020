"""What creating and changing objects of the core group brings with it, Pods and Services apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.optional_parts import part

from ..kinds.shared.default_class import default_class
from .strategies import on_create

if TYPE_CHECKING:
    from ..object_reader import ObjectReader

__all__: list[str] = []


# ----------------------------------------------------------------------------- namespaces


# ---------------------------------------------------------------------------------- nodes


# -------------------------------------------------------------------------------- storage


@on_create("networking.k8s.io", "ingresses")
def _create_ingress(ingress: dict[str, Any], reader: ObjectReader) -> None:
    annotated = "kubernetes.io/ingress.class" in part(ingress["metadata"], "annotations")
    if ingress["spec"].get("ingressClassName") is not None or annotated:
        return
    classes = reader.list("networking.k8s.io", "ingressclasses")
    name = default_class(classes, "ingressclass.kubernetes.io/is-default-class")
    if name:
        ingress["spec"]["ingressClassName"] = name


# ----------------------------------------------------------------------------- small kinds
