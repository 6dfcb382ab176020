"""Which requests a webhook or a policy is about: rules, selectors, equivalent resources.

The members are those of admissionregistration/v1, which the server has found valid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.failures import internal_error, not_found
from clientgen._apimachinery.labels import selects
from clientgen._json import part, texts

from .attributes import CREATE, UPDATE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clientgen._gvk import GroupVersionKind

    from ..served_resources import Resource
    from .attributes import Attributes

_ALL = "*"
_GROUP = "admissionregistration.k8s.io"
_CONFIGURATIONS = frozenset(
    f"{kind}{suffix}"
    for kind in ("validating", "mutating")
    for suffix in ("webhookconfigurations", "admissionpolicies", "admissionpolicybindings")
)


def is_configuration(resource: Resource) -> bool:
    """Return whether a resource configures admission itself, which therefore is not asked."""
    return resource.group == _GROUP and resource.plural in _CONFIGURATIONS


# ------------------------------------------------------------------------------------- rules


def matches_rule(rule: Mapping[str, Any], attributes: Attributes, resource: Resource) -> bool:
    """Return whether a rule is about a request, if it were one for `resource`."""
    return (
        _in_scope(rule.get("scope") or _ALL, attributes)
        and _has(texts(rule, "operations"), attributes.operation)
        and _has(texts(rule, "apiGroups"), resource.group)
        and _has(texts(rule, "apiVersions"), resource.version)
        and _has_resource(texts(rule, "resources"), resource.plural, attributes.subresource)
        and _has_name(texts(rule, "resourceNames"), attributes.name)
    )


def _in_scope(scope: str, attributes: Attributes) -> bool:
    if scope == _ALL:
        return True
    is_namespace = attributes.resource.group_resource == "namespaces"
    return (scope == "Cluster") is (is_namespace or not attributes.namespace)


def _has(words: Sequence[str], wanted: str) -> bool:
    return _ALL in words or wanted in words


def _has_name(names: Sequence[str], name: str) -> bool:
    return not names or name in names  # only rules of policies have any


def _has_resource(patterns: Iterable[str], plural: str, subresource: str) -> bool:
    for pattern in patterns:
        name, _, below = pattern.partition("/")
        if name in (_ALL, plural) and below in (_ALL, subresource):
            return True
    return False


def matching_resource(
    rules: Sequence[Mapping[str, Any]], policy: str, attributes: Attributes
) -> Resource | None:
    """Return the resource as which the rules know the one of a request; None if they do not.

    With the policy `Equivalent` it may be the resource in another version or group.
    """
    resource = attributes.resource
    if any(matches_rule(rule, attributes, resource) for rule in rules):
        return resource
    if policy == "Exact":
        return None
    others = equivalent_resources(attributes)
    for rule in rules:
        for other in others:
            if matches_rule(rule, attributes, other):
                return other
    return None


def equivalent_resources(attributes: Attributes) -> list[Resource]:
    """List the other resources that show the same objects and have the same subresource."""
    resource, part_ = attributes.resource, attributes.subresource
    registry = attributes.cluster.registry
    collection = registry.storage_of(resource)
    return [
        each
        for each in registry.resources()
        if registry.storage_of(each) == collection
        and each != resource
        and (not part_ or part_ in each.subresources)
    ]


def kind_in(attributes: Attributes, resource: Resource) -> GroupVersionKind:
    """Return the kind of the request's object when it is shown as `resource`."""
    if resource == attributes.resource:
        return attributes.kind
    if attributes.subresource:
        return resource.subresources[attributes.subresource].kind
    return resource.gvk


def converted(
    attributes: Attributes, value: dict[str, Any] | None, source: Resource, target: Resource
) -> dict[str, Any] | None:
    """Return an object in the version of another resource.

    Raises:
        Failure: 500, it cannot be converted.
    """
    if value is None or kind_in(attributes, source) == kind_in(attributes, target):
        return value
    registry = attributes.cluster.registry
    result = registry.strategy_of(target).convert(value, source)
    if result.get("kind") != target.kind:
        raise internal_error(f"unable to convert to {target.api_version}, {target.plural}")
    return result


# --------------------------------------------------------------------------------- selectors


def selects_labels(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """Return whether a LabelSelector matches labels; an empty one matches everything."""
    return not selector or selects(selector, labels)


def selects_namespace(selector: Mapping[str, Any] | None, attributes: Attributes) -> bool:
    """Return whether a namespaceSelector selects the namespace; cluster-scoped objects always are.

    Raises:
        Failure: 404, there is no such namespace.
    """
    is_namespace = attributes.resource.plural == "namespaces"
    if not selector or (not attributes.namespace and not is_namespace):
        return True
    if is_namespace and not attributes.subresource and attributes.operation in (CREATE, UPDATE):
        return selects_labels(selector, _labels(attributes.object))
    namespace = attributes.cluster.record("", "namespaces", "", attributes.namespace)
    if namespace is None:
        raise not_found("", "namespaces", attributes.namespace)
    return selects_labels(selector, namespace.labels)


def selects_object(selector: Mapping[str, Any] | None, attributes: Attributes) -> bool:
    """Return whether an objectSelector selects the new object or the old one."""
    if not selector:
        return True
    return any(
        selects_labels(selector, _labels(value))
        for value in (attributes.object, attributes.old_object)
        if value is not None
    )


def _labels(value: Mapping[str, Any] | None) -> Mapping[str, str]:
    return part(part(value or {}, "metadata"), "labels")
