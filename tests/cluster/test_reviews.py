"""Who somebody is and what they may do: reviews, impersonation, and refusals."""

from __future__ import annotations

from dataclasses import replace

import pytest
from clusterkit.objects import config_map
from clusterkit.together import async_until
from kubeapi import AsyncClientset
from kubeapi.authentication.v1.models import (
    SelfSubjectReview,
    TokenRequest,
    TokenReview,
    TokenReviewSpec,
    UserInfo,
)
from kubeapi.authorization.v1.models import (
    LocalSubjectAccessReview,
    NonResourceAttributes,
    ResourceAttributes,
    SelfSubjectAccessReview,
    SelfSubjectAccessReviewSpec,
    SelfSubjectRulesReview,
    SelfSubjectRulesReviewSpec,
    SubjectAccessReview,
    SubjectAccessReviewSpec,
)
from kubeapi.rbac.v1.models import PolicyRule, Role, RoleBinding, RoleRef, Subject

from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.config import AuthConfig, load_config
from clientgen.runtime.errors import Forbidden, Invalid, Unauthorized
from clientgen.runtime.models import ObjectMeta

pytestmark = pytest.mark.cluster

NOBODY = "clientgen-test-nobody"
READER = "clientgen-test-reader"


async def user_of(kube: AsyncClientset) -> UserInfo:
    review = await kube.authentication_v1.self_subject_reviews().create(SelfSubjectReview())
    assert review.status.user_info is not None
    return review.status.user_info


async def allow_reading(kube: AsyncClientset, namespace: str) -> None:
    """Let READER get and list config maps of the namespace."""
    rule = PolicyRule(api_groups=[""], resources=["configmaps"], verbs=["get", "list"])
    metadata = ObjectMeta(name="reader")
    await kube.rbac_v1.roles(namespace).create(Role(metadata=metadata, rules=[rule]))
    binding = RoleBinding(
        metadata=metadata,
        role_ref=RoleRef(api_group="rbac.authorization.k8s.io", kind="Role", name="reader"),
        subjects=[Subject(api_group="rbac.authorization.k8s.io", kind="User", name=READER)],
    )
    await kube.rbac_v1.role_bindings(namespace).create(binding)


def attributes(namespace: str, verb: str, resource: str = "configmaps") -> ResourceAttributes:
    return ResourceAttributes(namespace=namespace, verb=verb, resource=resource)


# ---- who --------------------------------------------------------------------------------------


async def test_somebody_is_impersonated_with_everything(kubeconfig: str) -> None:
    async with AsyncClientset.from_config(
        kubeconfig,
        impersonate_user="grün",
        impersonate_groups=["one", "two"],
        impersonate_uid="123",
        impersonate_extra={"clientgen.example/Scope": ["a", "b c"]},
    ) as other:
        user = await user_of(other)
    assert (user.username, user.uid) == ("grün", "123")
    assert {"one", "two"} <= set(user.groups)
    assert user.extra == {"clientgen.example/scope": ["a", "b c"]}


async def test_impersonation_without_permission_is_forbidden(kubeconfig: str) -> None:
    config = load_config(kubeconfig)
    anonymous = replace(config, auth=AuthConfig())
    async with AsyncClientset(AsyncRest(anonymous, impersonate_user="system:admin")) as kube:
        with pytest.raises((Forbidden, Unauthorized)):
            await user_of(kube)


async def test_a_bad_token_is_unauthorized(kubeconfig: str, namespace: str) -> None:
    config = replace(load_config(kubeconfig), auth=AuthConfig(token="wr0ng-t0ken"))
    async with AsyncClientset(AsyncRest(config)) as kube:
        with pytest.raises(Unauthorized) as caught:
            await kube.core_v1.config_maps(namespace).get("one")
        with pytest.raises(Unauthorized):
            await kube.core_v1.config_maps(namespace).create(config_map("one"))
        with pytest.raises(Unauthorized):
            await kube.core_v1.config_maps(namespace).watch(timeout=10).__anext__()
    assert caught.value.code == 401
    assert "wr0ng-t0ken" not in f"{caught.value!r} {caught.value} {kube!r} {config!r}"


async def test_a_token_of_a_service_account_is_somebody(
    kubeconfig: str, kube: AsyncClientset, namespace: str
) -> None:
    accounts = kube.core_v1.service_accounts(namespace)
    token = (await accounts.create_token("default", TokenRequest())).status.token
    assert token
    name = f"system:serviceaccount:{namespace}:default"
    config = replace(load_config(kubeconfig), auth=AuthConfig(token=token))
    async with AsyncClientset(AsyncRest(config)) as other:
        assert (await user_of(other)).username == name
        with pytest.raises(Forbidden, match=name):
            await other.core_v1.secrets(namespace).list()
    review = TokenReview(spec=TokenReviewSpec(token=token))
    answer = await kube.authentication_v1.token_reviews().create(review)
    assert answer.status.authenticated
    assert answer.status.user is not None
    assert answer.status.user.username == name
    review.spec.token = "not a token"
    answer = await kube.authentication_v1.token_reviews().create(review)
    assert not answer.status.authenticated
    assert token not in repr(review)


# ---- what they may do -------------------------------------------------------------------------


async def test_requests_without_permission_are_forbidden(kubeconfig: str, namespace: str) -> None:
    async with AsyncClientset.from_config(kubeconfig, impersonate_user=NOBODY) as nobody:
        maps = nobody.core_v1.config_maps(namespace)
        with pytest.raises(Forbidden) as caught:
            await maps.get("one")
        error = caught.value
        assert (error.code, error.reason) == (403, "Forbidden")
        assert f'User "{NOBODY}" cannot get resource "configmaps"' in error.message
        assert error.details is not None
        assert (error.details.name, error.details.kind) == ("one", "configmaps")
        with pytest.raises(Forbidden):
            await maps.list()
        with pytest.raises(Forbidden):
            await maps.create(config_map("one"))
        with pytest.raises(Forbidden):
            await maps.delete("one")
        with pytest.raises(Forbidden):
            await maps.watch(timeout=10).__anext__()


async def test_permissions_are_limited_to_the_rules(
    kubeconfig: str, kube: AsyncClientset, namespace: str
) -> None:
    await allow_reading(kube, namespace)
    await kube.core_v1.config_maps(namespace).create(config_map("one", {"a": "1"}))
    async with AsyncClientset.from_config(kubeconfig, impersonate_user=READER) as reader:
        maps = reader.core_v1.config_maps(namespace)

        async def may_read() -> bool:
            try:  # authorizers take a moment to hear of new roles
                return (await maps.get("one")).data == {"a": "1"}
            except Forbidden:
                return False

        await async_until(may_read)
        assert await maps.list()
        with pytest.raises(Forbidden):
            await maps.edit("one", lambda it: it.data.update(a="2"))
        with pytest.raises(Forbidden):
            await reader.core_v1.secrets(namespace).get("one")
        with pytest.raises(Forbidden):
            await reader.core_v1.config_maps().list()
    assert (await kube.core_v1.config_maps(namespace).get("one")).data == {"a": "1"}


async def test_everybody_can_ask_what_they_may(
    kubeconfig: str, kube: AsyncClientset, namespace: str
) -> None:
    await allow_reading(kube, namespace)
    async with AsyncClientset.from_config(
        kubeconfig, impersonate_user=READER, impersonate_groups=["system:authenticated"]
    ) as reader:
        reviews = reader.authorization_v1.self_subject_access_reviews()

        async def may(verb: str) -> bool:
            spec = SelfSubjectAccessReviewSpec(resource_attributes=attributes(namespace, verb))
            return (await reviews.create(SelfSubjectAccessReview(spec=spec))).status.allowed

        await async_until(lambda: may("get"))
        assert await may("list")
        assert not await may("delete")
        rules = await reader.authorization_v1.self_subject_rules_reviews().create(
            SelfSubjectRulesReview(spec=SelfSubjectRulesReviewSpec(namespace=namespace))
        )
    matching = [rule for rule in rules.status.resource_rules if rule.resources == ["configmaps"]]
    assert [sorted(rule.verbs) for rule in matching] == [["get", "list"]]
    assert any("/version" in rule.non_resource_urls for rule in rules.status.non_resource_rules)


async def test_admins_can_ask_about_others(kube: AsyncClientset, namespace: str) -> None:
    await allow_reading(kube, namespace)
    local = kube.authorization_v1.local_subject_access_reviews(namespace)
    everywhere = kube.authorization_v1.subject_access_reviews()

    async def may_read() -> bool:
        spec = SubjectAccessReviewSpec(
            user=READER, resource_attributes=attributes(namespace, "get")
        )
        return (await local.create(LocalSubjectAccessReview(spec=spec))).status.allowed

    await async_until(may_read)
    spec = SubjectAccessReviewSpec(
        user=NOBODY,
        groups=["system:authenticated"],
        non_resource_attributes=NonResourceAttributes(path="/version", verb="get"),
    )
    assert (await everywhere.create(SubjectAccessReview(spec=spec))).status.allowed
    spec.non_resource_attributes = NonResourceAttributes(path="/metrics", verb="get")
    denied = await everywhere.create(SubjectAccessReview(spec=spec))
    assert not denied.status.allowed
    spec.resource_attributes = attributes(namespace, "get")
    with pytest.raises(Invalid, match="cannot be specified in combination"):
        await everywhere.create(SubjectAccessReview(spec=spec))
