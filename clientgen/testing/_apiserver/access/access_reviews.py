"""The kinds that ask a question: they are posted, answered and never stored.

https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access and the
TokenReview and SelfSubjectReview of authentication/v1.

Facts: docs/internals/kubernetes-semantics.md, 1.10.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, bad_request, invalid, invalid_value
from clientgen._json import part, texts
from clientgen._rbac.access import Access
from clientgen._rbac.authorizer import decide, rules_of
from clientgen._rbac.callers import Caller

from .requirements import selector_attributes_causes, selector_error
from .tokens import timestamp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..object_reader import ObjectReader
    from ..served_resources import Resource
    from .tokens import Tokens

REVIEWS: Final = frozenset(
    [
        ("authentication.k8s.io", "selfsubjectreviews"),
        ("authentication.k8s.io", "tokenreviews"),
        ("authorization.k8s.io", "localsubjectaccessreviews"),
        ("authorization.k8s.io", "selfsubjectaccessreviews"),
        ("authorization.k8s.io", "selfsubjectrulesreviews"),
        ("authorization.k8s.io", "subjectaccessreviews"),
    ]
)
"""Group and plural of the resources that `review` answers."""

_RULE_FIELDS: Final = ("verbs", "apiGroups", "resources", "resourceNames")
_RESOURCE: Final = "spec.resourceAttributes"
_PATH: Final = "spec.nonResourceAttributes"


def review(
    resource: Resource, obj: dict[str, Any], caller: Caller, reader: ObjectReader, tokens: Tokens
) -> dict[str, Any]:
    """Answer a review.

    Args:
        resource: one of `REVIEWS`.
        obj: the body, with `metadata.namespace` of the path for a namespaced one.
        caller: who asks.
        reader: where the roles, bindings, accounts and pods are.
        tokens: what knows the tokens of this server.

    Returns:
        The object with its status filled; the caller of this function stores nothing.

    Raises:
        Failure: 422 for a question that cannot be asked, 400 when its main part is missing.
    """
    match resource.kind:
        case "SelfSubjectReview":
            return _who_am_i(obj, caller, reader)
        case "TokenReview":
            return _token(obj, reader, tokens)
        case "SelfSubjectRulesReview":
            return _rules(obj, caller, reader)
        case kind:
            return _access(kind, obj, caller, reader)


# ------------------------------------------------------------------------- authentication


def _who_am_i(obj: Mapping[str, Any], caller: Caller, reader: ObjectReader) -> dict[str, Any]:
    return {
        "kind": obj["kind"],
        "apiVersion": obj["apiVersion"],
        "metadata": {"creationTimestamp": timestamp(reader.now())},
        "status": {"userInfo": caller.user_info()},
    }


def _token(obj: Mapping[str, Any], reader: ObjectReader, tokens: Tokens) -> dict[str, Any]:
    spec = part(obj, "spec")
    if not spec.get("token"):
        raise bad_request("token is required for TokenReview in authentication")
    status = tokens.review(spec["token"], texts(spec, "audiences"), reader)
    return {**obj, "spec": spec, "status": status}


# -------------------------------------------------------------------------- authorization


def _rules(obj: Mapping[str, Any], caller: Caller, reader: ObjectReader) -> dict[str, Any]:
    namespace = part(obj, "spec").get("namespace")
    if not namespace:
        raise bad_request("no namespace on request")
    rules, trouble = rules_of(caller, namespace, reader)
    status: dict[str, Any] = {
        "resourceRules": [
            {name: rule[name] for name in _RULE_FIELDS if rule.get(name)}
            for rule in rules
            if rule.get("resources")
        ],
        "nonResourceRules": [
            {"verbs": rule["verbs"], "nonResourceURLs": rule["nonResourceURLs"]}
            for rule in rules
            if rule.get("nonResourceURLs")
        ],
        "incomplete": False,
    }
    if trouble:
        status["evaluationError"] = trouble
    # The real server answers with an empty spec and without the metadata it was given.
    about = {"kind": obj["kind"], "apiVersion": obj["apiVersion"]}
    return {**about, "metadata": {}, "spec": {}, "status": status}


def _access(
    kind: str, obj: Mapping[str, Any], caller: Caller, reader: ObjectReader
) -> dict[str, Any]:
    metadata, spec = part(obj, "metadata"), part(obj, "spec")
    causes = _spec_causes(kind, spec) + _metadata_causes(kind, metadata)
    if kind == "LocalSubjectAccessReview":
        causes += _local_causes(metadata, spec)
    if causes:
        raise invalid("authorization.k8s.io", "", "", causes)
    subject = caller if kind == "SelfSubjectAccessReview" else _subject(spec)
    status = _decided(subject, spec, reader)
    return {**obj, "metadata": metadata, "spec": spec, "status": status}


def _spec_causes(kind: str, spec: Mapping[str, Any]) -> list[Cause]:
    attributes, path = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    causes: list[Cause] = []
    if attributes is not None and path is not None:
        shown = {"Path": path.get("path", ""), "Verb": path.get("verb", "")}
        why = "cannot be specified in combination with resourceAttributes"
        causes.append(invalid_value(_PATH, shown, why))
    if attributes is None and path is None:
        why = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        causes.append(invalid_value(_RESOURCE, None, why))
    if attributes is not None:
        causes += selector_attributes_causes(attributes, _RESOURCE)
    if kind != "SelfSubjectAccessReview" and not spec.get("user") and not spec.get("groups"):
        why = "at least one of user or group must be specified"
        causes.append(invalid_value("spec.user", "", why))
    return causes


def _metadata_causes(kind: str, metadata: Mapping[str, Any]) -> list[Cause]:
    local = kind == "LocalSubjectAccessReview"
    allowed = ("managedFields", "namespace") if local else ("managedFields",)
    if not any(value for name, value in metadata.items() if name not in allowed):
        return []
    why = "must be empty except for namespace" if local else "must be empty"
    return [invalid_value("metadata", dict(metadata), why)]


def _local_causes(metadata: Mapping[str, Any], spec: Mapping[str, Any]) -> list[Cause]:
    attributes, path = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    causes: list[Cause] = []
    if attributes is not None:
        namespace = attributes.get("namespace") or ""
        if namespace != (metadata.get("namespace") or ""):
            why = "must match metadata.namespace"
            causes.append(invalid_value(f"{_RESOURCE}.namespace", namespace, why))
    if path is not None:
        shown = {"Path": path.get("path", ""), "Verb": path.get("verb", "")}
        causes.append(invalid_value(_PATH, shown, "disallowed on this kind of request"))
    return causes


def _subject(spec: Mapping[str, Any]) -> Caller:
    return Caller(spec.get("user") or "", groups=tuple(texts(spec, "groups")))


def _decided(subject: Caller, spec: Mapping[str, Any], reader: ObjectReader) -> dict[str, Any]:
    attributes = spec.get("resourceAttributes")
    decision = decide(subject, _wanted(spec), reader)
    status: dict[str, Any] = {"allowed": decision.allowed}
    if decision.reason:
        status["reason"] = decision.reason
    error = selector_error(attributes, _RESOURCE) if attributes is not None else ""
    if error:
        status["evaluationError"] = error
    return status


def _wanted(spec: Mapping[str, Any]) -> Access:
    attributes = spec.get("resourceAttributes")
    if attributes is None:
        path = spec["nonResourceAttributes"]
        return Access(path.get("verb") or "", path=path.get("path") or "/")
    parts = ("verb", "resource", "group", "subresource", "namespace", "name")
    return Access(**{part: attributes.get(part) or "" for part in parts})
