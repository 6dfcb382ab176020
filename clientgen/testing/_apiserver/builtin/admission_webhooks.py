"""What webhook configurations may say."""

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
from clientgen._apimachinery.optional_parts import parts, texts

from ..kinds.shared.checks import one_of, selector_causes
from .admission_matching import condition_causes, rule_causes
from .validating import checks

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["fully_qualified_causes", "service_path_causes"]

_GROUP: Final = "admissionregistration.k8s.io"
_LEAST_DOTS: Final = 2
_MOST_SECONDS: Final = 30
_EFFECTS: Final = ("None", "NoneOnDryRun")
_REVIEWS: Final = ("v1", "v1beta1")
_FORM: Final = "; desired format: https://host[/path]"
_HTTPS: Final = 443


@checks(_GROUP, "validatingwebhookconfigurations", "mutatingwebhookconfigurations")
def _webhooks(configuration: dict[str, Any]) -> Iterator[Cause]:
    names: set[str] = set()
    for index, webhook in enumerate(parts(configuration, "webhooks")):
        at, name = f"webhooks[{index}]", webhook.get("name") or ""
        yield from fully_qualified_causes(name, f"{at}.name")
        yield from _matching(webhook, at)
        yield from _behaviour(webhook, at)
        yield from _client(webhook.get("clientConfig") or {}, f"{at}.clientConfig")
        yield from condition_causes(parts(webhook, "matchConditions"), f"{at}.matchConditions")
        versions = texts(webhook, "admissionReviewVersions")
        yield from _versions(versions, f"{at}.admissionReviewVersions")
        if name and name in names:
            yield duplicate(f"{at}.name", name)
        names.add(name)


def fully_qualified_causes(name: str, field: str) -> Iterator[Cause]:
    """A name that is somebody's domain."""
    if not name:
        yield required(field)
        return
    problems = subdomain_problems(name)
    yield from (invalid_value(field, name, problem) for problem in problems)
    if not problems and name.count(".") < _LEAST_DOTS:
        said = "should be a domain with at least three segments separated by dots"
        yield invalid_value(field, name, said)


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
    if seconds is not None and not 1 <= seconds <= _MOST_SECONDS:
        said = f"the timeout value must be between 1 and {_MOST_SECONDS} seconds"
        yield invalid_value(f"{field}.timeoutSeconds", seconds, said)


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
        found = urlsplit(text)
        _ = found.port
    except ValueError as problem:
        why = f"url must be a valid URL: {problem}{_FORM}"
        yield required(field, why)
        return
    if re.search(r"[\x00-\x1f\x7f]", text) or re.search(r"%(?![0-9A-Fa-f]{2})", text):
        yield required(field, f"url must be a valid URL: {text}{_FORM}")
        return
    user, _, host = found.netloc.rpartition("@")
    if found.scheme != "https":
        said = f"'https' is the only allowed URL scheme{_FORM}"
        yield invalid_value(field, found.scheme, said)
    if not host:
        yield invalid_value(field, host, f"host must be specified{_FORM}")
    for value, said in (
        (user, "user information is not permitted in the URL"),
        (found.fragment, "fragments are not permitted in the URL"),
        (found.query, "query parameters are not permitted in the URL"),
    ):
        if value:
            yield invalid_value(field, value, said)


def _service(service: dict[str, Any], field: str) -> Iterator[Cause]:
    # The server tells one as the other.
    for member, told in (("name", "namespace"), ("namespace", "name")):
        if not service.get(member):
            yield required(f"{field}.{told}")
    port = service.get("port")
    for problem in range_problems(_HTTPS if port is None else port, 1, 65535):
        yield invalid_value(f"{field}.port", port, f"port is not valid: {problem}")
    yield from service_path_causes(service.get("path") or "", f"{field}.path")


def service_path_causes(path: str, field: str) -> Iterator[Cause]:
    """The path of a webhook that is a service."""
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
        said = f"must include at least one of {', '.join(_REVIEWS)}"
        yield invalid_value(field, versions, said)
