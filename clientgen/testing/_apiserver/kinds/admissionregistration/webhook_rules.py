"""Webhook configurations: the webhooks that requests are sent to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    invalid_value,
    not_supported,
    required,
)
from clientgen._apimachinery.name_syntax import (
    range_problems,
    service_label_problems,
    subdomain_problems,
)
from clientgen._json import parts, texts

from ...tables.columns import AGE, NAME, Column, Printer, size
from ..defaults import TypeDefaults, set_empty, set_missing
from ..shared.common_checks import one_of, selector_causes
from .admission_strategy import AdmissionStrategy
from .match_resources import RULE_TYPES, condition_causes, rule_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

_MIN_DOTS: Final = 2
_MAX_TIMEOUT_SECONDS: Final = 30
_EFFECTS: Final = ("None", "NoneOnDryRun")
_REVIEWS: Final = ("v1", "v1beta1")
_FORM: Final = "; desired format: https://host[/path]"
_HTTPS: Final = 443

WEBHOOK_TYPES: Final = {
    **RULE_TYPES,
    "admissionregistration.v1.ServiceReference": TypeDefaults(
        fill=lambda reference: set_empty(reference, port=443)
    ),
}
"""The defaults of parts of webhooks."""


def set_webhook_defaults(webhook: dict[str, Any]) -> None:
    """Complete a webhook."""
    set_missing(
        webhook,
        failurePolicy="Fail",
        matchPolicy="Equivalent",
        namespaceSelector={},
        objectSelector={},
        timeoutSeconds=10,
    )


class WebhookStrategy(AdmissionStrategy):
    """The strategy for configurations of webhooks."""

    generation_fields = ("webhooks",)
    printer = Printer(
        (
            NAME,
            Column("Webhooks", "How many webhooks it has.", size("webhooks"), type="integer"),
            AGE,
        )
    )

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the webhooks."""
        names: set[str] = set()
        for index, webhook in enumerate(parts(obj, "webhooks")):
            at, name = f"webhooks[{index}]", webhook.get("name") or ""
            yield from _domain_causes(name, f"{at}.name")
            yield from _matching(webhook, at)
            yield from _behaviour(webhook, at)
            yield from _client(webhook.get("clientConfig") or {}, f"{at}.clientConfig")
            yield from condition_causes(parts(webhook, "matchConditions"), f"{at}.matchConditions")
            versions = texts(webhook, "admissionReviewVersions")
            yield from _versions(versions, f"{at}.admissionReviewVersions")
            if name and name in names:
                yield duplicate(f"{at}.name", name)
            names.add(name)


def _domain_causes(name: str, field: str) -> Iterator[Cause]:
    """Check a name that has to be a domain."""
    if not name:
        yield required(field)
        return
    problems = subdomain_problems(name)
    yield from (invalid_value(field, name, problem) for problem in problems)
    if not problems and name.count(".") < _MIN_DOTS:
        why = "should be a domain with at least three segments separated by dots"
        yield invalid_value(field, name, why)


def _matching(webhook: dict[str, Any], field: str) -> Iterator[Cause]:
    for index, rule in enumerate(parts(webhook, "rules")):
        yield from rule_causes(rule, f"{field}.rules[{index}]")
    for member in ("namespaceSelector", "objectSelector"):
        yield from selector_causes(webhook.get(member), f"{field}.{member}")


def _behaviour(webhook: dict[str, Any], field: str) -> Iterator[Cause]:
    for member, known in (
        ("failurePolicy", ("Fail", "Ignore")),
        ("matchPolicy", ("Equivalent", "Exact")),
        ("reinvocationPolicy", ("IfNeeded", "Never")),
    ):
        yield from one_of(f"{field}.{member}", webhook.get(member), known, needed=False)
    effects = webhook.get("sideEffects")
    if not effects:
        yield required(f"{field}.sideEffects", f"must specify one of {', '.join(_EFFECTS)}")
    elif effects not in _EFFECTS:
        yield not_supported(f"{field}.sideEffects", effects, _EFFECTS)
    seconds = webhook.get("timeoutSeconds")
    if seconds is not None and not 1 <= seconds <= _MAX_TIMEOUT_SECONDS:
        why = f"the timeout value must be between 1 and {_MAX_TIMEOUT_SECONDS} seconds"
        yield invalid_value(f"{field}.timeoutSeconds", seconds, why)


def _client(client: dict[str, Any], field: str) -> Iterator[Cause]:
    place, service = client.get("url"), client.get("service")
    if (place is None) == (service is None):
        yield required(field, "exactly one of url or service is required")
    elif place is not None:
        yield from _url(place, f"{field}.url")
    elif service is not None:
        yield from _service(service, f"{field}.service")


def _url(text: str, field: str) -> Iterator[Cause]:
    try:
        url = urlsplit(text)
        _ = url.port
    except ValueError as problem:
        why = f"url must be a valid URL: {problem}{_FORM}"
        yield required(field, why)
        return
    if re.search(r"[\x00-\x1f\x7f]", text) or re.search(r"%(?![0-9A-Fa-f]{2})", text):
        yield required(field, f"url must be a valid URL: {text}{_FORM}")
        return
    user, _, host = url.netloc.rpartition("@")
    if url.scheme != "https":
        why = f"'https' is the only allowed URL scheme{_FORM}"
        yield invalid_value(field, url.scheme, why)
    if not host:
        yield invalid_value(field, host, f"host must be specified{_FORM}")
    for value, why in (
        (user, "user information is not permitted in the URL"),
        (url.fragment, "fragments are not permitted in the URL"),
        (url.query, "query parameters are not permitted in the URL"),
    ):
        if value:
            yield invalid_value(field, value, why)


def _service(service: dict[str, Any], field: str) -> Iterator[Cause]:
    # The server names one for the other.
    for member, named in (("name", "namespace"), ("namespace", "name")):
        if not service.get(member):
            yield required(f"{field}.{named}")
    port = service.get("port")
    for problem in range_problems(_HTTPS if port is None else port, 1, 65535):
        yield invalid_value(f"{field}.port", port, f"port is not valid: {problem}")
    yield from _service_path(service.get("path") or "", f"{field}.path")


def _service_path(path: str, field: str) -> Iterator[Cause]:
    """Check the path of a service."""
    if path in ("", "/"):
        return
    if path == "//":
        yield invalid_value(field, path, "segment[0] may not be empty")
        return
    if not path.startswith("/"):
        yield invalid_value(field, path, "must start with a '/'")
    for index, step in enumerate(path[1:].removesuffix("/").split("/")):
        if not step:
            yield invalid_value(field, path, f"segment[{index}] may not be empty")
            continue
        for problem in subdomain_problems(step):
            yield invalid_value(field, path, f"segment[{index}]: {problem}")


def _versions(versions: list[str], field: str) -> Iterator[Cause]:
    if not versions:
        yield required(field, f"must specify one of {', '.join(_REVIEWS)}")
        return
    seen: set[str] = set()
    for index, version in enumerate(versions):
        if version in seen:
            yield invalid_value(f"{field}[{index}]", version, "duplicate version")
            continue
        seen.add(version)
        for problem in service_label_problems(version):
            yield invalid_value(f"{field}[{index}]", version, problem)
    if not seen & set(_REVIEWS):
        why = f"must include at least one of {', '.join(_REVIEWS)}"
        yield invalid_value(field, versions, why)
