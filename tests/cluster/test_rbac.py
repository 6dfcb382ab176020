"""Derived roles under a real authorizer: sufficient, and every rule of them necessary.

The same requests are made under the same roles here and in memory, and the same ones are refused.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from random import Random
from typing import Any

import pytest
from clusterkit.scratch import Scratch
from clusterkit.together import async_until
from kubeapi import AsyncClientset
from kubeapi.authorization.v1.models import (
    NonResourceAttributes,
    ResourceAttributes,
    SubjectAccessReview,
    SubjectAccessReviewSpec,
)
from kubeapi.rbac.v1.models import ClusterRole, ClusterRoleBinding, Role, RoleBinding

from clientgen._rbac.access import Access
from clientgen._rbac.authorizer import decide
from clientgen._rbac.callers import Account
from clientgen._rbac.default_rules import is_free
from clientgen._rbac.derivation import Needs, derived_roles
from clientgen._rbac.roles import KINDS, Roles
from clientgen.runtime.errors import ApiError, Forbidden
from clientgen.testing import FakeCluster
from clientgen.testing._fake.service_accounts import Run, begin_run, end_run

pytestmark = pytest.mark.cluster

RBAC = "rbac.authorization.k8s.io"
CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap"}
CLASSES: dict[str, type[Any]] = {
    "ClusterRole": ClusterRole,
    "ClusterRoleBinding": ClusterRoleBinding,
    "Role": Role,
    "RoleBinding": RoleBinding,
}
Step = Callable[[AsyncClientset, str, str], Awaitable[object]]


# ---- a program --------------------------------------------------------------------------------


async def lists(k: AsyncClientset, namespace: str, fresh: str) -> None:
    await k.core_v1.config_maps().list(limit=1)


async def watches(k: AsyncClientset, namespace: str, fresh: str) -> None:
    async for _ in k.core_v1.config_maps().watch(timeout=10):
        break


async def gets_abroad(k: AsyncClientset, namespace: str, fresh: str) -> None:
    await k.core_v1.secrets("default").get("none")


async def gets_at_home(k: AsyncClientset, namespace: str, fresh: str) -> None:
    await k.core_v1.services(namespace).get("none")


async def applies_a_new_one(k: AsyncClientset, namespace: str, fresh: str) -> None:
    await k.core_v1.config_maps(namespace).apply({"metadata": {"name": fresh}})


async def applies_again(k: AsyncClientset, namespace: str, fresh: str) -> None:
    await k.core_v1.config_maps(namespace).apply({"metadata": {"name": "one"}, "data": {"a": "b"}})


async def updates_a_lease(k: AsyncClientset, namespace: str, fresh: str) -> None:
    lease: Any = {"metadata": {"name": "program"}, "spec": {"holderIdentity": fresh}}
    await k.coordination_v1.leases(namespace).update(lease)


async def scales(k: AsyncClientset, namespace: str, fresh: str) -> None:
    await k.apps_v1.deployments(namespace).scale("none").patch({"spec": {"replicas": 1}})


async def evicts(k: AsyncClientset, namespace: str, fresh: str) -> None:
    await k.core_v1.pods(namespace).evict("none")


async def reads_logs(k: AsyncClientset, namespace: str, fresh: str) -> None:
    await k.core_v1.pods(namespace).logs("none")


async def deletes_all(k: AsyncClientset, namespace: str, fresh: str) -> None:
    await k.core_v1.endpoints(namespace).delete_collection(label_selector="none=none")


async def gets_a_node(k: AsyncClientset, namespace: str, fresh: str) -> None:
    await k.core_v1.nodes().get("none")


async def gets_its_namespace(k: AsyncClientset, namespace: str, fresh: str) -> None:
    await k.core_v1.namespaces().get(namespace)


async def grants(k: AsyncClientset, namespace: str, fresh: str) -> None:
    rule = {"apiGroups": [""], "resources": ["pods"], "verbs": ["delete"]}
    role: Any = {"metadata": {"name": "granted"}, "rules": [rule]}
    await k.rbac_v1.roles(namespace).update(role)


async def binds(k: AsyncClientset, namespace: str, fresh: str) -> None:
    reference = {"apiGroup": RBAC, "kind": "ClusterRole", "name": "system:kube-dns"}
    binding: Any = {"metadata": {"name": fresh}, "roleRef": reference}
    await k.rbac_v1.role_bindings(namespace).create(binding)


STEPS: tuple[Step, ...] = (
    lists,
    watches,
    gets_abroad,
    gets_at_home,
    applies_a_new_one,
    applies_again,
    updates_a_lease,
    scales,
    evicts,
    reads_logs,
    deletes_all,
    gets_a_node,
    gets_its_namespace,
    grants,
    binds,
)


async def refused(k: AsyncClientset, namespace: str, fresh: str) -> list[str]:
    """The steps that are forbidden; anything else that goes wrong is past authorization."""
    names: list[str] = []
    for step in STEPS:
        try:
            await step(k, namespace, fresh)
        except Forbidden:
            names.append(step.__name__)
        except ApiError:
            pass
    return names


async def prepare(k: AsyncClientset, namespace: str) -> None:
    """Have what the steps find; a lease and a role only so that no step creates them."""
    await k.core_v1.config_maps(namespace).apply({"metadata": {"name": "one"}})
    lease: Any = {"metadata": {"name": "program"}}
    await k.coordination_v1.leases(namespace).apply(lease)
    role: Any = {"metadata": {"name": "granted"}}
    await k.rbac_v1.roles(namespace).apply(role)


# ---- roles ------------------------------------------------------------------------------------


async def derived(namespace: str, account: Account) -> tuple[list[dict[str, Any]], list[Access]]:
    """The roles for the program, as its requests in memory say, and these requests."""
    run = Run()
    begin_run(run)
    try:
        cluster = FakeCluster({"apiVersion": "v1", "kind": "Namespace", **named(namespace)})
        await prepare(cluster.clientset(AsyncClientset), namespace)
        acting = cluster.clientset(AsyncClientset, service_account=str(account))
        assert await refused(acting, namespace, "fresh") == []
    finally:
        end_run(run)
    requests = run.recording.of(account)
    objects = derived_roles({account: Needs(requests)})
    return [each for each in objects if each["kind"] in KINDS], requests


async def refused_in_memory(
    namespace: str, account: Account, objects: list[dict[str, Any]]
) -> list[str]:
    cluster = FakeCluster(
        {"apiVersion": "v1", "kind": "Namespace", **named(namespace)}, rbac=objects
    )
    await prepare(cluster.clientset(AsyncClientset), namespace)
    acting = cluster.clientset(AsyncClientset, service_account=str(account))
    return await refused(acting, namespace, "fresh")


def named(name: str, namespace: str = "") -> dict[str, Any]:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"metadata": metadata}


async def send(kube: AsyncClientset, objects: list[dict[str, Any]]) -> None:
    for obj in objects:
        rules: dict[str, Any] = {"rules": []} if obj["kind"].endswith("Role") else {}
        await kube.apply(rules | obj, force=True)


async def remove(kube: AsyncClientset, objects: list[dict[str, Any]]) -> None:
    for obj in objects:
        if not obj["metadata"].get("namespace"):
            await kube.delete(CLASSES[obj["kind"]], obj["metadata"]["name"])


def smaller(objects: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The objects without one of their rules, for each rule."""
    for index, obj in enumerate(objects):
        for at in range(len(obj.get("rules", ()))):
            rules = [rule for other, rule in enumerate(obj["rules"]) if other != at]
            yield [*objects[:index], {**obj, "rules": rules}, *objects[index + 1 :]]


async def allowed(kube: AsyncClientset, account: Account, access: Access) -> bool:
    """What the server says to an access of a service account."""
    spec = SubjectAccessReviewSpec(user=account.user, groups=list(account.caller().groups))
    if access.path:
        spec.non_resource_attributes = NonResourceAttributes(path=access.path, verb=access.verb)
    else:
        spec.resource_attributes = ResourceAttributes(
            verb=access.verb,
            group=access.group,
            resource=access.resource,
            subresource=access.subresource,
            namespace=access.namespace,
            name=access.name,
        )
    reviews = kube.authorization_v1.subject_access_reviews()
    return (await reviews.create(SubjectAccessReview(spec=spec))).status.allowed


async def wait_for_verdicts(
    kube: AsyncClientset, account: Account, requests: list[Access], objects: list[dict[str, Any]]
) -> None:
    """Wait until the authorizer has heard of the roles."""
    roles, caller = Roles(objects), account.caller()

    async def agreed() -> bool:
        for each in requests:
            if await allowed(kube, account, each) != decide(caller, each, roles).allowed:
                return False
        return True

    await async_until(agreed)


async def test_derived_roles_are_sufficient_and_each_rule_is_necessary(
    kubeconfig: str, kube: AsyncClientset, scratch: Scratch, namespace: str
) -> None:
    account = Account(namespace, namespace)  # so that the ClusterRole has a name of its own
    objects, requests = await derived(namespace, account)
    assert {each["kind"] for each in objects} == {*CLASSES}
    await prepare(kube, namespace)
    try:
        async with AsyncClientset.from_config(
            kubeconfig, impersonate_user=account.user, timeout=30
        ) as acting:
            await send(kube, objects)
            await wait_for_verdicts(kube, account, requests, objects)
            assert await refused(acting, namespace, scratch.new_name()) == []
            count = 0
            for fewer in smaller(objects):
                await send(kube, fewer)
                await wait_for_verdicts(kube, account, requests, fewer)
                expected = await refused_in_memory(namespace, account, fewer)
                assert expected, "each rule is needed"
                assert await refused(acting, namespace, scratch.new_name()) == expected
                count += 1
            assert count > 10
    finally:
        await remove(kube, objects)


# ---- verdicts at random -----------------------------------------------------------------------

GROUPS = ("", "apps", "batch", "*")
PLURALS = ("pods", "deployments", "jobs", "nodes", "namespaces", "*")
PARTS = ("", "", "status", "scale")
VERBS = ("get", "list", "create", "update", "bind", "*")
NAMES = ("", "", "a", "b")
PATHS = ("/metrics", "/debug/a", "/debug/*", "/debug*", "/*", "*", "/healthz")


def random_access(random: Random, namespaces: tuple[str, ...]) -> Access:
    if random.random() < 0.15:
        return Access(random.choice(VERBS), path=random.choice(PATHS))
    return Access(
        random.choice(VERBS),
        random.choice(PLURALS),
        random.choice(GROUPS),
        random.choice(PARTS),
        random.choice(("", *namespaces)),
        random.choice(NAMES),
    )


def random_rule(random: Random, *, namespaced: bool) -> dict[str, Any]:
    verbs = random.sample(VERBS, random.randint(1, 2))
    if not namespaced and random.random() < 0.2:
        return {"verbs": verbs, "nonResourceURLs": random.sample(PATHS, random.randint(1, 2))}
    parts = [f"{random.choice(PLURALS)}/{part}" if part else "" for part in random.sample(PARTS, 2)]
    plurals = [part or random.choice(PLURALS) for part in parts]
    rule: dict[str, Any] = {
        "verbs": verbs,
        "apiGroups": random.sample(GROUPS, random.randint(1, 2)),
        "resources": plurals,
    }
    if random.random() < 0.3:
        rule["resourceNames"] = random.sample(("a", "b", "c"), 2)
    return rule


def random_roles(
    random: Random, prefix: str, namespace: str, accounts: list[Account]
) -> list[dict[str, Any]]:
    """Roles and bindings to accounts and groups; some bind roles that are not there."""
    objects: list[dict[str, Any]] = []
    for number in range(8):
        for kind, home in (("ClusterRole", ""), ("Role", namespace)):
            rules = [random_rule(random, namespaced=bool(home)) for _ in range(3)]
            about = {"apiVersion": f"{RBAC}/v1", "kind": kind}
            objects.append({**about, **named(f"{prefix}-{number}", home), "rules": rules})
    for number in range(32):
        home = random.choice(("", namespace))
        kind = random.choice(("Role", "ClusterRole")) if home else "ClusterRole"
        account = random.choice(accounts)
        subject: dict[str, str] = {
            "kind": "ServiceAccount",
            "name": account.name,
            "namespace": account.namespace,
        }
        if random.random() < 0.1 and home:
            group = f"system:serviceaccounts:{account.namespace}"
            subject = {"kind": "Group", "name": group, "apiGroup": RBAC}
        objects.append(
            {
                "apiVersion": f"{RBAC}/v1",
                "kind": "RoleBinding" if home else "ClusterRoleBinding",
                **named(f"{prefix}-{number}", home),
                "roleRef": {
                    "apiGroup": RBAC,
                    "kind": kind,
                    "name": f"{prefix}-{random.randint(0, 8)}",
                },
                "subjects": [subject],
            }
        )
    return objects


async def test_verdicts_on_random_requests_are_the_servers(
    kube: AsyncClientset, scratch: Scratch, namespace: str, flavour: str
) -> None:
    random = Random(flavour)
    accounts = [Account(each, "program") for each in (namespace, "clientgen-test-a", "x")]
    objects = random_roles(random, scratch.new_name(), namespace, accounts)
    roles = Roles(objects)
    requests = [
        (random.choice(accounts), random_access(random, (namespace, "x"))) for _ in range(500)
    ]
    expected = [
        is_free(access) or decide(account.caller(), access, roles).allowed
        for account, access in requests
    ]
    assert min(expected.count(True), expected.count(False)) > 60
    try:
        await send(kube, objects)
        last = [request for request, verdict in zip(requests, expected, strict=True) if verdict]
        for account, access in last:

            async def heard(account: Account = account, access: Access = access) -> bool:
                return await allowed(kube, account, access)

            await async_until(heard)
        verdicts = [await allowed(kube, account, access) for account, access in requests]
    finally:
        await remove(kube, objects)
    differing = [
        (request, verdict)
        for request, verdict, wanted in zip(requests, verdicts, expected, strict=True)
        if verdict != wanted
    ]
    assert differing == []
