"""The configurations that a program writes when it starts."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from msgspec import Struct, structs

from clientgen._json import is_array, is_object

from .._http.resource import Resource
from .._models.unstructured import Unstructured
from .configurations import Endpoint, configurations, crd_conversions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._manifests.scheme import Scheme
    from .webhook_options import WebhookOptions
    from .webhook_set import WebhookSet

_GROUP: Final = "admissionregistration.k8s.io"
RESOURCES: Final = {
    "MutatingWebhookConfiguration": Resource(
        _GROUP,
        "v1",
        "mutatingwebhookconfigurations",
        "MutatingWebhookConfiguration",
        namespaced=False,
    ),
    "ValidatingWebhookConfiguration": Resource(
        _GROUP,
        "v1",
        "validatingwebhookconfigurations",
        "ValidatingWebhookConfiguration",
        namespaced=False,
    ),
    "CustomResourceDefinition": Resource(
        "apiextensions.k8s.io",
        "v1",
        "customresourcedefinitions",
        "CustomResourceDefinition",
        namespaced=False,
    ),
}
CONFIGURATIONS: Final = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


class Installation(Struct, frozen=True, kw_only=True):
    """What `install` was called with.

    Raises:
        TypeError: A CRD is no object.
        ValueError: A CRD is of another kind, or an argument is malformed.
    """

    name: str
    service: str
    port: int
    url: str
    ca_bundle: str | bytes
    annotations: Mapping[str, str]
    defaults: WebhookOptions
    crds: Sequence[Unstructured]

    def __post_init__(self) -> None:
        """Check the values."""
        if self.service or self.url:
            self._endpoint(b"")
        for crd in self.crds:
            if crd.kind != "CustomResourceDefinition":
                raise ValueError(f"install: crds has a {crd.kind}; it takes definitions only")

    def with_service(self, services: Sequence[tuple[str, str]]) -> Installation:
        """Return the installation with a default service.

        Raises:
            ValueError: There is neither a service nor a URL.
        """
        if self.service or self.url or not services:
            self._endpoint(b"")
            return self
        return structs.replace(self, service="/".join(services[0]))

    @property
    def services(self) -> list[tuple[str, str]]:
        """Namespace and name of the service, if there is one."""
        namespace, slash, name = self.service.partition("/")
        return [(namespace, name)] if slash else []

    @property
    def hosts(self) -> list[str]:
        """The host of the URL, if there is one."""
        host = urlsplit(self.url).hostname
        return [host] if host else []

    def _endpoint(self, bundle: bytes) -> Endpoint:
        return Endpoint(self.service, self.port, self.url, bundle or self.ca_bundle)

    def manifests(
        self, webhook_set: WebhookSet, scheme: Scheme | None, bundle: bytes
    ) -> list[Unstructured]:
        """Return the definitions and the configurations to apply.

        Raises:
            LookupError: The scheme does not know the resource of a class.
            ValueError: The name is not valid.
        """
        endpoint = self._endpoint(bundle)
        conversions = {each.name: each for each in crd_conversions(webhook_set, endpoint, scheme)}
        crds = [_with_conversion(crd, conversions.pop(crd.name, None)) for crd in self.crds]
        found = configurations(
            webhook_set,
            self.name,
            endpoint,
            scheme=scheme,
            defaults=self.defaults,
            annotations=self.annotations,
        )
        return [*crds, *conversions.values(), *found]


def _with_conversion(crd: Unstructured, conversion: Unstructured | None) -> Unstructured:
    """Return the manifest of a CRD for server-side apply."""
    manifest = Unstructured(deepcopy({**crd}))
    manifest.pop("status", None)
    metadata = manifest.get("metadata")
    for name in ("managedFields", "resourceVersion", "uid", "creationTimestamp", "generation"):
        if is_object(metadata):
            metadata.pop(name, None)
    if conversion is not None:
        manifest["spec"] = {**manifest.get("spec", {}), **conversion["spec"]}
    return manifest


def is_whole(manifest: Unstructured) -> bool:
    """Return whether a manifest may create an object. The part of a CRD may only change it."""
    return manifest.kind != "CustomResourceDefinition" or "group" in manifest.get("spec", {})


def emptied(obj: Unstructured, name: str, field_manager: str) -> Unstructured | None:
    """Return the manifest that removes the webhooks that this program applied to an object.

    None if the program has applied nothing. Webhooks of others stay.
    """
    metadata: Any = obj.get("metadata")
    entries: Any = metadata.get("managedFields") if is_object(metadata) else None
    is_ours = is_array(entries) and any(
        is_object(each) and (each.get("manager"), each.get("operation")) == (field_manager, "Apply")
        for each in entries
    )
    if not is_ours:
        return None
    about = {"apiVersion": f"{_GROUP}/v1", "kind": obj.kind}
    return Unstructured(about, metadata={"name": name})
