"""Validates the conversion of a CustomResourceDefinition.

In the server's internal form the webhook's parts stand in `conversion` itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from clientgen._apimachinery.name_syntax import service_label_problems, subdomain_problems
from clientgen._json import part

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_STRATEGIES: Final = ("None", "Webhook")
_REVIEWS: Final = ("v1", "v1beta1")
_MAX_PORT: Final = 65535


def check_conversion(conversion: Mapping[str, Any] | None, path: str) -> Iterator[Cause]:
    """Check `spec.conversion`."""
    if conversion is None:
        return
    strategy = conversion.get("strategy")
    if not strategy:
        yield required(f"{path}.strategy")
    elif strategy not in _STRATEGIES:
        yield not_supported(f"{path}.strategy", strategy, _STRATEGIES)
    webhook = part(conversion, "webhook")
    client: dict[str, Any] | None = webhook.get("clientConfig")
    reviews: list[str] = webhook.get("conversionReviewVersions") or []
    if strategy == "Webhook":
        yield from _client(client, f"{path}.webhookClientConfig")
        yield from _reviews(reviews, f"{path}.conversionReviewVersions")
        return
    why = "should not be set when strategy is not set to Webhook"
    if client is not None:
        yield forbidden_value(f"{path}.webhookClientConfig", why)
    if reviews:
        yield forbidden_value(f"{path}.conversionReviewVersions", why)


def _client(client: Mapping[str, Any] | None, path: str) -> Iterator[Cause]:
    if client is None:
        yield required(path, "required when strategy is set to Webhook")
        return
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        yield required(path, "exactly one of url or service is required")
    elif url is not None:
        yield from _url(url, f"{path}.url")
    else:
        yield from _service(service or {}, f"{path}.service")


def _url(url: str, path: str) -> Iterator[Cause]:
    parsed = urlsplit(url)
    wrong = {
        "'https' is the only allowed URL scheme; desired format: https://host[/path]": (
            parsed.scheme != "https"
        ),
        "host must be specified; desired format: https://host[/path]": not parsed.netloc,
        "user information is not permitted in the URL": "@" in parsed.netloc,
        "fragments are not permitted in the URL": bool(parsed.fragment),
        "query parameters are not permitted in the URL": bool(parsed.query),
    }
    for why, holds in wrong.items():
        if holds:
            yield invalid_value(path, url, why)


def _service(service: Mapping[str, Any], path: str) -> Iterator[Cause]:
    for name in ("name", "namespace"):
        if not service.get(name):
            yield required(f"{path}.{name}", f"service {name} is required")
    port = service.get("port", 443)
    if not 1 <= port <= _MAX_PORT:
        why = "port is not valid: must be between 1 and 65535, inclusive"
        yield invalid_value(f"{path}.port", port, why)
    if service_path := service.get("path"):
        yield from _service_path(service_path, f"{path}.path")


def _service_path(service_path: str, path: str) -> Iterator[Cause]:
    if service_path == "/":
        return
    if service_path == "//":
        yield invalid_value(path, service_path, "segment[0] may not be empty")
        return
    if not service_path.startswith("/"):
        yield invalid_value(path, service_path, "must start with a '/'")
    for at, segment in enumerate(service_path[1:].removesuffix("/").split("/")):
        if not segment:
            yield invalid_value(path, service_path, f"segment[{at}] may not be empty")
        else:
            for problem in subdomain_problems(segment):
                yield invalid_value(path, service_path, f"segment[{at}]: {problem}")


def _reviews(versions: list[str], path: str) -> Iterator[Cause]:
    if not versions:
        yield required(path)
        return
    for at, version in enumerate(versions):
        if version in versions[:at]:
            yield invalid_value(f"{path}[{at}]", version, "duplicate version")
            continue
        for problem in service_label_problems(version):
            yield invalid_value(f"{path}[{at}]", version, problem)
    if not set(versions) & set(_REVIEWS):
        yield invalid_value(path, versions, f"must include at least one of {', '.join(_REVIEWS)}")
