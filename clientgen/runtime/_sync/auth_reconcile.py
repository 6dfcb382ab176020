# Derived from _async/auth_reconcile.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Reconciles roles and bindings with the server's, as `kubectl auth reconcile`."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .._http.resource import Resource
from .._models.unstructured import Unstructured, WholeObject
from .._recipes.rbac_reconciliation import (
    MAX_ATTEMPTS,
    RECONCILED,
    RECONCILED_MESSAGE,
    Reconciled,
    Reconciliation,
    check_rules,
    reconcile,
    with_defaults,
)
from .._recipes.rollouts import resource_of
from ..errors import AlreadyExists, Conflict, Forbidden, NotFound
from .recipe_target import RecipeTarget, any_client

if TYPE_CHECKING:
    from .lease_client import Client

W = TypeVar("W", bound=WholeObject)

_NAMESPACES = Resource("", "v1", "namespaces", "Namespace", namespaced=False)


def auth_reconcile(
    k: Client,
    obj: W,
    *,
    namespace: str | None = None,
    remove_extra_permissions: bool = False,
    remove_extra_subjects: bool = False,
) -> Reconciled[W]:
    """Add missing rules to a role, or subjects to a binding, as `kubectl auth reconcile`.

    A missing object is created, if need be with its namespace. Labels and annotations are added. A
    binding to another role is deleted and created anew. Retries on conflict.

    Args:
        k: The clientset, or its `rest`.
        obj: A Role, ClusterRole, RoleBinding or ClusterRoleBinding.
        namespace: The namespace; by default the namespace of the object, or of the client.
        remove_extra_permissions: Remove all that the role allows and `obj` does not.
        remove_extra_subjects: Remove the subjects that `obj` does not have.

    Raises:
        Conflict, AlreadyExists, NotFound: Other programs change the object all the time.
        ValueError: A field of a rule, such as resourceNames, is not a list of texts.
    """
    resource = resource_of(obj, "auth_reconcile", RECONCILED, RECONCILED_MESSAGE)
    target = RecipeTarget("auth_reconcile", k, resource, obj, None, namespace=namespace)
    expected = with_defaults(Unstructured.of(obj))
    check_rules(expected)
    if resource.namespaced:
        expected["metadata"] = {**expected["metadata"], "namespace": target.namespace}

    def attempt() -> Reconciled[W]:
        clients = any_client(target.rest, resource, target.namespace)
        live = clients.get(target.name, default=None)
        plan = reconcile(
            live,
            expected,
            remove_permissions=remove_extra_permissions,
            remove_subjects=remove_extra_subjects,
        )
        found = cast("W", _write(target, plan, live))
        return Reconciled(plan.outcome, found, plan.missing, plan.extra, plan.protected)

    for _ in range(MAX_ATTEMPTS - 1):
        with suppress(AlreadyExists, Conflict, NotFound):
            return attempt()
    return attempt()


def _write(target: RecipeTarget, plan: Reconciliation, live: Unstructured | None) -> Any:
    """Do what is to do. Returns the object as the server has it then."""
    if live is not None and (plan.protected or plan.outcome == "unchanged"):
        return target.client.get(target.name)
    body = Unstructured(plan.body)
    if plan.outcome == "configured":
        return target.client.update(body)
    if live is not None:
        if target.rest.write_defaults.get("dry_run"):  # the object would be in the way
            return target.client.get(target.name)
        with suppress(NotFound):
            target.client.delete(target.name, uid=live.metadata.uid)
    elif target.namespace:
        _ensure_namespace(target)
    return target.client.create(body)


def _ensure_namespace(target: RecipeTarget) -> None:
    """Create the namespace if it does not exist. Users who may not do that need not."""
    namespaces = any_client(target.rest, _NAMESPACES, None)
    with suppress(AlreadyExists, Forbidden):
        try:
            namespaces.get(cast("str", target.namespace))
        except (NotFound, Forbidden):
            metadata = {"name": target.namespace}
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
            namespaces.create(Unstructured(body))
