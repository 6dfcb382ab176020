"""Manifests of webhook configurations, by which the API server calls webhooks.

https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
"""

from __future__ import annotations

import re
from base64 import b64encode
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from .._models.unstructured import Unstructured
from .conversion import gvk_of
from .webhook_set import CONVERT_PATH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._http.resource import Resource
    from .._manifests.scheme import Scheme
    from .._models.model import Model
    from .webhook_options import WebhookOptions
    from .webhook_set import Webhook, WebhookSet

_API_VERSION: Final = "admissionregistration.k8s.io/v1"
_CONFIGURATIONS: Final = {
    "validate": "ValidatingWebhookConfiguration",
    "mutate": "MutatingWebhookConfiguration",
}
_PEM: Final = "-----BEGIN CERTIFICATE-----"
_LABEL: Final = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
_SERVICE: Final = re.compile(rf"{_LABEL}/{_LABEL}")
_NAME: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_DEFAULT_PORT: Final = 443
# The fields of a webhook by option, in the order in which manifests are written.
_FIELD_OF_OPTION: Final = {
    "failure_policy": "failurePolicy",
    "side_effects": "sideEffects",
    "timeout_seconds": "timeoutSeconds",
    "match_policy": "matchPolicy",
    "match_conditions": "matchConditions",
    "namespace_selector": "namespaceSelector",
    "object_selector": "objectSelector",
    "reinvocation_policy": "reinvocationPolicy",
}
_DEFAULT_OPTIONS: Final[WebhookOptions] = {"failure_policy": "Fail", "side_effects": "None"}


class Endpoint(Struct, frozen=True):
    """The address of the webhooks for the API server: a service or a URL.

    Raises:
        ValueError: Both or neither is given, or a value is malformed.
    """

    service: str = ""
    port: int = _DEFAULT_PORT
    url: str = ""
    ca_bundle: str | bytes = ""

    def __post_init__(self) -> None:
        """Check the values."""
        if bool(self.service) == bool(self.url):
            raise ValueError('pass either service="NAMESPACE/NAME" or url="https://..."')
        if self.service and not _SERVICE.fullmatch(self.service):
            raise ValueError(f"service must be NAMESPACE/NAME, not {self.service!r}")
        if self.url and not self.url.startswith("https://"):
            raise ValueError(f"url must start with https://, not {self.url!r}")
        if self.ca_bundle and _PEM not in self._pem:
            raise ValueError("ca_bundle must be PEM, with a BEGIN CERTIFICATE line")

    @property
    def _pem(self) -> str:
        data = self.ca_bundle
        return data.decode("ascii", "replace") if isinstance(data, bytes) else data

    def client_config(self, path: str) -> dict[str, Any]:
        """Return the `clientConfig` for a path."""
        config: dict[str, Any] = {}
        if self.url:
            config["url"] = f"{self.url.rstrip('/')}{path}"
        else:
            namespace, _, name = self.service.partition("/")
            port = {} if self.port == _DEFAULT_PORT else {"port": self.port}
            config["service"] = {"namespace": namespace, "name": name, "path": path, **port}
        if self.ca_bundle:
            config["caBundle"] = b64encode(self._pem.encode()).decode()
        return config


def configurations(
    webhook_set: WebhookSet,
    name: str,
    endpoint: Endpoint,
    *,
    scheme: Scheme | None,
    defaults: WebhookOptions,
    annotations: Mapping[str, str],
) -> list[Unstructured]:
    """Return the MutatingWebhookConfiguration and the ValidatingWebhookConfiguration.

    Raises:
        LookupError: The scheme does not know the resource of a class.
        ValueError: The name is not valid for an object.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{name!r} is not a valid name for a configuration; write a name such as 'my-app'"
        )
    metadata: dict[str, Any] = {"name": name}
    if annotations:
        metadata["annotations"] = dict(annotations)
    configurations_found: list[Unstructured] = []
    for action in ("mutate", "validate"):
        webhooks = [
            _webhook_entry(webhook, endpoint, scheme, defaults)
            for webhook in webhook_set.webhooks
            if webhook.action == action
        ]
        if webhooks:
            configurations_found.append(
                Unstructured(
                    apiVersion=_API_VERSION,
                    kind=_CONFIGURATIONS[action],
                    metadata=metadata | {},
                    webhooks=webhooks,
                )
            )
    return configurations_found


def _webhook_entry(
    webhook: Webhook, endpoint: Endpoint, scheme: Scheme | None, defaults: WebhookOptions
) -> dict[str, Any]:
    options: dict[str, Any] = {**_DEFAULT_OPTIONS, **defaults, **webhook.options}
    rules = options.get("rules") or [_default_rule(webhook, scheme)]
    entry: dict[str, Any] = {
        "name": _webhook_name(webhook),
        "admissionReviewVersions": ["v1"],
        "clientConfig": endpoint.client_config(webhook.path),
        "rules": [dict(rule) for rule in rules],
    }
    for option, field in _FIELD_OF_OPTION.items():
        if option not in options or (option, webhook.action) == ("reinvocation_policy", "validate"):
            continue
        value = options[option]
        entry[field] = [dict(each) for each in value] if option == "match_conditions" else value
    return entry


def _default_rule(webhook: Webhook, scheme: Scheme | None) -> dict[str, Any]:
    if issubclass(webhook.model, Unstructured):
        raise LookupError(  # noqa: TRY004 - no argument has a wrong type
            f"{webhook.path}: a webhook for Unstructured objects needs rules=[...]"
        )
    resource = _resource(webhook.model, scheme)
    return {
        "operations": list(webhook.operations),
        "apiGroups": [resource.group],
        "apiVersions": [resource.version],
        "resources": [resource.plural],
        "scope": "Namespaced" if resource.namespaced else "Cluster",
    }


def _resource(model: type[Model], scheme: Scheme | None) -> Resource:
    if scheme is None:
        raise LookupError(
            f"the resource of {model.__name__} is unknown: pass scheme=... to the webhooks,"
            " such as the scheme of a clientset (`k.scheme`)"
        )
    return scheme.resource(model)


def _webhook_name(webhook: Webhook) -> str:
    """Return a unique name for a path. The API server requires at least three labels."""
    if issubclass(webhook.model, Unstructured):
        words = re.findall(r"[a-z0-9]+", webhook.path.lower()) or [webhook.action]
        return f"{'-'.join(words)}.webhooks.local"
    gvk = gvk_of(webhook.model)
    default_suffix = f"-{gvk.group.replace('.', '-')}-{gvk.version}-{gvk.kind.lower()}"
    # A path that the program has chosen becomes part of the name.
    custom_words = (
        ""
        if webhook.path.endswith(default_suffix)
        else "-".join(re.findall(r"[a-z0-9]+", webhook.path))
    )
    first = "-".join(filter(None, (custom_words or webhook.action, gvk.version)))
    return f"{first}.{gvk.kind.lower()}.{gvk.group or 'core'}"


def crd_conversions(
    webhook_set: WebhookSet, endpoint: Endpoint, scheme: Scheme | None
) -> list[Unstructured]:
    """Return the part of each CustomResourceDefinition that enables the conversion webhook.

    Raises:
        LookupError: The scheme does not know the resource of a class.
    """
    return [
        Unstructured(
            apiVersion="apiextensions.k8s.io/v1",
            kind="CustomResourceDefinition",
            metadata={"name": _any_resource(models, scheme).name},
            spec={
                "conversion": {
                    "strategy": "Webhook",
                    "webhook": {
                        "conversionReviewVersions": ["v1"],
                        "clientConfig": endpoint.client_config(CONVERT_PATH),
                    },
                }
            },
        )
        for models in webhook_set.conversions.kinds()
    ]


def conversion_crds(webhook_set: WebhookSet, scheme: Scheme | None) -> list[str]:
    """Return the names of the CustomResourceDefinitions with conversions.

    Raises:
        LookupError: The scheme does not know the resource of a class.
    """
    return [_any_resource(models, scheme).name for models in webhook_set.conversions.kinds()]


def _any_resource(models: list[type[Model]], scheme: Scheme | None) -> Resource:
    """Return the resource of a kind, by any version that the scheme knows."""
    webhook_set = [model for model in models if scheme is not None and gvk_of(model) in scheme]
    return _resource((webhook_set or models)[0], scheme)
