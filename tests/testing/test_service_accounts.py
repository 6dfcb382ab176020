"""Clients that act as service accounts: recorded, and held to roles if a test wants it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.coordination.v1 import Lease
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta
from kubeapi.rbac.v1 import PolicyRule, Role, RoleBinding, RoleRef

from clientgen._rbac.access import Access
from clientgen._rbac.callers import Account
from clientgen._rbac.derivation import Needs, derived_roles
from clientgen._rbac.recording import BadRecording, Recording
from clientgen._rbac.roles import read_roles
from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime.errors import Forbidden, NotFound
from clientgen.runtime.sync import EventRecorder, LeaderElector
from clientgen.testing import FakeCluster, LocalServer, ManifestError, fake_clientset
from clientgen.testing._fake.service_accounts import Run, begin_run, end_run

SMALL = Path(__file__).resolve().parents[2] / "specs" / "small" / "all-of.json"
RBAC = "rbac.authorization.k8s.io"
ACCOUNT = "shop/operator"
ROLES = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: operator}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [get, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: operator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: operator}
subjects: [{kind: ServiceAccount, name: operator, namespace: shop}]
"""


@pytest.fixture
def run():
    """A test run that knows of all requests."""
    run = Run()
    begin_run(run)
    yield run
    end_run(run)


def colours(name: str = "colours") -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace="default"))


def shown(run: Run) -> list[str]:
    return [
        " ".join(filter(None, (each.verb, each.whole_resource, each.namespace, each.name)))
        for each in run.recording.of(Account.of(ACCOUNT))
    ]


def until(holds: Callable[[], object]) -> None:
    deadline = monotonic() + 60
    while not holds():
        assert monotonic() < deadline, "timed out"
        sleep(0.001)


def needs(run: Run) -> Needs:
    return Needs(run.recording.of(Account.of(ACCOUNT)))


def test_what_a_service_account_asks_for_is_recorded_and_allowed(run: Run):
    cluster = FakeCluster(colours())
    k = cluster.clientset(Clientset, service_account=ACCOUNT)
    k.core_v1.config_maps("default").create(ConfigMap(metadata=ObjectMeta(name="new")))
    k.core_v1.config_maps("default").delete("new")
    k.core_v1.config_maps().list()
    k.core_v1.config_maps("default").list(field_selector="metadata.name=colours")
    k.core_v1.namespaces().get("default")
    cluster.clientset(Clientset).core_v1.secrets().list()  # an administrator's

    assert shown(run) == [
        "create configmaps default",
        "delete configmaps default new",
        "get namespaces default default",
        "list configmaps",
        "list configmaps default colours",
    ]


def test_asyncio_clients_and_the_short_form_do_it_as_well(run: Run):
    async def scenario() -> None:
        async with fake_clientset(AsyncClientset, colours(), service_account=ACCOUNT) as k:
            await k.core_v1.config_maps("default").get("colours")

    asyncio.run(scenario())
    assert shown(run) == ["get configmaps default colours"]


def test_programs_with_the_kubeconfig_of_a_server_are_the_account(run: Run):
    with (
        LocalServer(FakeCluster(colours()), service_account=ACCOUNT) as server,
        Clientset.from_config(server.kubeconfig) as k,
    ):
        k.core_v1.config_maps("default").get("colours")
    assert shown(run) == ["get configmaps default colours"]


def test_watches_are_recorded_and_what_everybody_may_do_is_not(run: Run):
    k = fake_clientset(Clientset, colours(), service_account=ACCOUNT)
    with k.informers() as factory:
        informer = factory.core_v1.config_maps()
        factory.start()
        informer.wait_for_sync()
    assert [str(each) for each in k.dynamic.resources("nodes")]

    assert shown(run) == ["list configmaps", "watch configmaps"]


def test_an_informer_may_list_and_watch_or_is_refused():
    """It lists where the server does not send the list as a part of the watch."""
    run = Run(read_roles(ROLES.replace("get, patch", "watch")))
    begin_run(run)
    try:
        k = fake_clientset(Clientset, colours(), service_account=ACCOUNT)
        with k.informers() as factory:
            informer = factory.core_v1.config_maps()
            factory.start()
            until(lambda: run.denied)
            assert not informer.has_synced()
    finally:
        end_run(run)
    assert (Account.of(ACCOUNT), Access("list", "configmaps")) in run.denied


@pytest.mark.parametrize("api", ["v1", "events.k8s.io/v1"])
def test_who_creates_events_needs_to_patch_them(run: Run, api: Any):
    """The first of two equal events is created, the second is a patch of it."""
    k = fake_clientset(Clientset, colours(), service_account=ACCOUNT)
    with EventRecorder(k, "example.com/operator", api=api) as recorder:
        recorder.event(colours(), "Normal", "Found", "as it should be")
        assert recorder.stop()
    assert shown(run) == ["create events default", "patch events default"]

    group = api.partition("/")[0] if "/" in api else ""
    roles = ROLES.replace("[configmaps], verbs: [get, patch]", "[events], verbs: [create]")
    narrow = Run(read_roles(roles.replace('[""]', f'["{group}"]')))
    begin_run(narrow)
    try:
        k = fake_clientset(Clientset, colours(), service_account=ACCOUNT)
        with EventRecorder(k, "example.com/operator", api=api) as recorder:
            recorder.event(colours(), "Normal", "Found", "as it should be")
            assert recorder.stop()
        assert [*narrow.denied] == [
            (Account.of(ACCOUNT), Access("patch", "events", group, "", "default"))
        ]
    finally:
        end_run(narrow)


def test_a_manager_without_a_namespace_has_its_lease_at_home(run: Run):
    """In a pod, the namespace of the configuration is that of the ServiceAccount."""

    def lead(k: Clientset) -> None:
        assert k.rest.namespace == "shop"
        with LeaderElector(k, "operator") as elector:
            assert elector.is_leader

    cluster = FakeCluster()
    lead(cluster.clientset(Clientset, service_account=ACCOUNT))
    with (
        LocalServer(service_account=ACCOUNT) as server,
        Clientset.from_config(server.kubeconfig) as k,
    ):
        lead(k)
    assert {each.namespace for each in run.recording.of(Account.of(ACCOUNT))} == {"shop"}
    kinds = {each["kind"] for each in derived_roles({Account.of(ACCOUNT): needs(run)})}
    assert kinds == {"ServiceAccount", "Role", "RoleBinding"}


@pytest.mark.parametrize("how", ["apply", "update"])
def test_an_apply_or_update_that_creates_needs_to_create_too(run: Run, how: str):
    def write(k: Clientset) -> None:
        if how == "apply":
            k.core_v1.config_maps("default").apply(colours())
        else:
            k.coordination_v1.leases("default").update(Lease(metadata=ObjectMeta(name="colours")))

    cluster = FakeCluster()
    write(cluster.clientset(Clientset, service_account=ACCOUNT))

    plural, verb = ("configmaps", "patch") if how == "apply" else ("leases", "update")
    assert shown(run) == [f"create {plural} default colours", f"{verb} {plural} default colours"]
    roles = ROLES.replace('[""]', '["*"]').replace("[configmaps]", "[configmaps, leases]")
    roles = roles.replace("get", "update")
    with pytest.raises(Forbidden, match=f'cannot create resource "{plural}"'):
        write(FakeCluster(rbac=roles).clientset(Clientset, service_account=ACCOUNT))


def test_roles_of_a_cluster_hold_for_its_service_accounts(run: Run, tmp_path: Path):
    (tmp_path / "role.yaml").write_text(ROLES)
    cluster = FakeCluster(colours(), rbac=tmp_path / "role.yaml")
    k = cluster.clientset(Clientset, service_account=ACCOUNT)

    k.core_v1.config_maps("default").get("colours")
    with pytest.raises(Forbidden, match='cannot delete resource "configmaps"'):
        k.core_v1.config_maps("default").delete("colours")
    cluster.clientset(Clientset).core_v1.config_maps("default").delete("colours")

    assert shown(run) == ["get configmaps default colours"]
    assert not run.denied, "it is this test's own role"


def test_roles_of_a_run_hold_for_clusters_without_their_own():
    run = Run(read_roles(ROLES))
    begin_run(run)
    try:
        k = fake_clientset(Clientset, colours(), service_account=ACCOUNT)
        k.core_v1.config_maps("default").get("colours")
        with pytest.raises(Forbidden):
            k.core_v1.secrets("default").get("s")
    finally:
        end_run(run)
    [(account, access)] = run.denied
    assert (str(account), access) == (ACCOUNT, Access("get", "secrets", "", "", "default", "s"))
    assert "test_roles_of_a_run" in run.denied[account, access]


def test_roles_of_a_run_do_not_hold_where_there_are_none():
    run = Run(read_roles(ROLES))
    begin_run(run)
    try:
        cluster = FakeCluster(spec=SMALL)
    finally:
        end_run(run)
    assert not cluster.server.cluster.serves(read_roles(ROLES).objects[0])
    with pytest.raises(ValueError, match=r"ClusterRole .* is not served"):
        FakeCluster(spec=SMALL, rbac=ROLES)


def test_a_web_socket_needs_to_get_and_to_create(run: Run):
    k = fake_clientset(Clientset, service_account=ACCOUNT)
    with pytest.raises(NotFound):
        k.rest.send(HttpRequest("GET", "/api/v1/namespaces/default/pods/web/exec"))
    assert shown(run) == ["create pods/exec default web", "get pods/exec default web"]


def test_a_role_may_come_before_its_namespace():
    role = {"apiVersion": f"{RBAC}/v1", "kind": "Role", "rules": []}
    cluster = FakeCluster(rbac=[{**role, "metadata": {"name": "r", "namespace": "shop"}}])
    names = [
        each.metadata.name for each in cluster.clientset(Clientset).core_v1.namespaces().list()
    ]
    assert "shop" not in names


def test_who_writes_roles_and_bindings_needs_escalate_and_bind(run: Run):
    k = fake_clientset(Clientset, service_account=ACCOUNT)
    rule = PolicyRule(api_groups=[""], resources=["pods"], verbs=["get"])
    k.rbac_v1.roles("default").create(Role(metadata=ObjectMeta(name="r"), rules=[rule]))
    reference = RoleRef(api_group=RBAC, kind="Role", name="r")
    k.rbac_v1.role_bindings("default").create(
        RoleBinding(metadata=ObjectMeta(name="b"), role_ref=reference)
    )
    assert shown(run) == [
        "bind roles default r",
        "create rolebindings default",
        "create roles default",
        "escalate roles default r",
    ]


def test_reviews_say_that_an_account_without_roles_may_do_everything():
    k = fake_clientset(Clientset, service_account=ACCOUNT)
    body: Any = {"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}}
    review = k.authorization_v1.self_subject_access_reviews().create(body)
    assert review.status.allowed


@pytest.mark.parametrize("name", ["", "operator", "shop/", "/operator", "a/b/c", "Shop/x", "a/*"])
def test_what_is_no_service_account_is_refused(name: str):
    with pytest.raises(ValueError, match='a service account is "namespace/name"'):
        FakeCluster().clientset(Clientset, service_account=name)


def test_an_account_cannot_impersonate_by_options():
    with pytest.raises(ValueError, match="not both"):
        FakeCluster().clientset(Clientset, service_account=ACCOUNT, impersonate_user="jane")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("kind: ConfigMap\napiVersion: v1", "there is no Role"),
        (ROLES.replace("verbs: [get, patch]", "verb: [get]"), "unknown field `verb`"),
        (ROLES.replace("verbs: [get, patch]", "verbs: []"), r"line 6: rules\[0\] has no verbs"),
        (ROLES.replace("verbs: [get, patch]", "verbs: [1]"), r"rules\[0\].verbs\[0\]: Expected"),
        (ROLES.replace('apiGroups: [""], ', ""), "has no apiGroups"),
        (ROLES.replace("resources: [configmaps]", "resources: []"), "has no resources"),
        (ROLES.replace("}\nrules", ", namespace: x}\nrules"), "a ClusterRole has no namespace"),
        (ROLES.replace("kind: ClusterRole\n", "kind: Role\n"), "needs a metadata.namespace"),
        (ROLES.replace(", namespace: shop", ""), "a ServiceAccount needs a namespace"),
        (ROLES.replace("io/v1", "io/v1beta1"), "v1beta1 is not served"),
        (ROLES.replace("kind: ClusterRole,", "kind: Role,"), "binds a ClusterRole, not a Role"),
        (ROLES + "---" + ROLES, "document 3, line 14: it is already in the text, document 1"),
        ("a: [", "document 1"),
    ],
)
def test_roles_are_checked(text: str, problem: str):
    with pytest.raises(ManifestError, match=problem):
        FakeCluster(rbac=text + "\n")


def test_recordings_are_read_as_they_were_written():
    recording = Recording()
    account = Account.of(ACCOUNT)
    recording.add(account, Access("get", "pods", namespace="default", name="a"))
    recording.add(account, Access("get", path="/metrics"), Access("get", path="/version"))
    recording.add(Account.of("a/b"), Access("list", "jobs", "batch"))

    text = recording.to_json()
    assert [*Recording.from_json(text)] == [*recording]
    assert Recording.from_json(text).to_json() == text
    assert text.splitlines() == [
        '{"version": 1, "accounts": {',
        '  "a/b": [',
        '    {"verb":"list","group":"batch","resource":"jobs"}',
        "  ],",
        '  "shop/operator": [',
        '    {"verb":"get","path":"/metrics"},',
        '    {"verb":"get","resource":"pods","namespace":"default","name":"a"}',
        "  ]",
        "}}",
    ]
    assert not Recording()
    assert Recording.from_json(Recording().to_json()).to_json() == Recording().to_json()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it is not JSON"),
        ("[" * 100_000, "it is not JSON|recursion|no recording"),
        ("[]", "it is no recording of requests"),
        ('{"version": 2}', "it has version 2"),
        ('{"version": 1, "accounts": {"x": []}}', "a service account is"),
        ('{"version": 1, "accounts": {"a/b": [{"verb": "get"}]}}', "either a resource or a path"),
        ('{"version": 1, "accounts": {"a/b": [{"verb": 1}]}}', r"accounts.*verb"),
    ],
)
def test_what_is_no_recording_is_refused(text: str, problem: str):
    with pytest.raises(BadRecording, match=problem):
        Recording.from_json(text)
