"""Names of resources and fields, as kubectl takes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.golden import GOLDEN, generated
from support.run_folders import RunFolders

from clientgen._problems import ClientgenError
from clientgen.reference.names import Target, find
from clientgen.reference.package_reader import Api
from clientgen.reference.sources import RANKS, installed
from clientgen.reference.terminal import lines

ROOT = Path(__file__).resolve().parents[2]


def found(api: Api, path: str, api_version: str = "") -> Target:
    return find(api, path, api_version, RANKS)


@pytest.mark.parametrize("name", ["pods", "pod", "po", "Pod", "PODS", "pods.v1"])
def test_a_resource_has_the_names_of_kubectl(kubeapi: Api, name: str):
    assert found(kubeapi, name).resource.kind == "Pod"


@pytest.mark.parametrize(
    ("path", "group_version", "kind"),
    [
        ("deploy", "apps/v1", "Deployment"),
        ("deployments.apps", "apps/v1", "Deployment"),
        ("hpa", "autoscaling/v2", "HorizontalPodAutoscaler"),
        ("horizontalpodautoscalers.v1.autoscaling", "autoscaling/v1", "HorizontalPodAutoscaler"),
        ("events", "v1", "Event"),
        ("ev.events.k8s.io", "events.k8s.io/v1", "Event"),
        ("resourceclaims", "resource.k8s.io/v1", "ResourceClaim"),
    ],
)
def test_a_name_in_several_groups_and_versions_is_that_of_the_preferred_one(
    kubeapi: Api, path: str, group_version: str, kind: str
):
    resource = found(kubeapi, path).resource

    assert (str(resource.group_version), resource.kind) == (group_version, kind)


def test_the_group_version_can_be_said(kubeapi: Api):
    target = found(kubeapi, "hpa.spec.maxReplicas", "autoscaling/v1")

    assert str(target.resource.group_version) == "autoscaling/v1"
    assert target.fields[-1].name == "maxReplicas"


@pytest.mark.parametrize(
    ("path", "python", "word"),
    [
        ("pods.spec.restartPolicy", "pod.spec.restart_policy", "string"),
        ("pods.spec.restart_policy", "pod.spec.restart_policy", "string"),
        ("pods.spec.containers", "pod.spec.containers", "[]Container"),
        ("pods.spec.containers.image", "pod.spec.containers[0].image", "string"),
        ("pods.spec.containers[0].image", "pod.spec.containers[0].image", "string"),
        (
            "deployments.apps.spec.template.spec.nodeSelector",
            "deployment.spec.template.spec.node_selector",
            "map[string]string",
        ),
        (
            "pods.spec.volumes.emptyDir.sizeLimit",
            "pod.spec.volumes[0].empty_dir.size_limit",
            "Quantity",
        ),
        ("nodes.status.capacity", "node.status.capacity", "map[string]Quantity"),
        ("services.spec.ports.targetPort", "service.spec.ports[0].target_port", "IntOrString"),
        ("pods.metadata.creationTimestamp", "pod.metadata.creation_timestamp", "Time"),
        (
            "networkpolicies.spec.ingress.from",
            "network_policy.spec.ingress[0].from_",
            "[]NetworkPolicyPeer",
        ),
    ],
)
def test_a_path_leads_to_a_field_and_to_its_python_name(
    kubeapi: Api, path: str, python: str, word: str
):
    target = found(kubeapi, path)

    assert (target.python, target.fields[-1].shape.word) == (python, word)


@pytest.mark.parametrize(
    ("path", "api_version", "message"),
    [
        ("pofs", "", "pofs: kubeapi has no resource of this name\n    did you mean `pods`?"),
        ("", "", "name a resource, such as `pods`"),
        (
            "pods.spec.restartPoli",
            "",
            (
                "pods.spec.restartPoli: PodSpec has no field `restartPoli`"
                "\n    did you mean `restartPolicy`?"
            ),
        ),
        (
            "pods.image",
            "",
            (
                "pods.image: Pod has no field `image`"
                "\n    it has apiVersion, kind, metadata, spec, status"
            ),
        ),
        (
            "deployments.replicas",
            "",
            (
                "deployments.replicas: Deployment has no field `replicas`"
                "\n    did you mean `deployments.spec.replicas`?"
            ),
        ),
        (
            "pods.kind.more",
            "",
            "pods.kind.more: `pods.kind` is of the type string, which has no fields",
        ),
        (
            "pods",
            "apps/v1",
            "pods: apps/v1 has no resource `pods`\n    it is in v1",
        ),
        (
            "pods",
            "apps/v2",
            "pods: apps/v2 has no resource `pods`\n    it is in v1",
        ),
        (
            "nothinglikeit",
            "app/v1",
            "nothinglikeit: there is no group version app/v1\n    did you mean `apps/v1`?",
        ),
    ],
)
def test_a_wrong_name_is_told_with_what_is_near(
    kubeapi: Api, path: str, api_version: str, message: str
):
    with pytest.raises(ClientgenError) as raised:
        found(kubeapi, path, api_version)
    assert str(raised.value) == message


def test_types_of_the_user_have_the_names_and_limits_of_their_markers(crontabs: Api):
    target = found(crontabs, "ct.spec")
    assert target.resource.kind == "CronTab"
    assert target.type is not None
    fields = {each.name: each for each in target.type.fields}
    assert fields["cronSpec"].attribute == "cron_spec"
    assert fields["cronSpec"].required
    assert fields["cronSpec"].facts.limits == (r"Matches `^(\S+\s+){4}\S+$`.",)
    assert fields["history"].facts.default == "3"
    assert fields["history"].facts.limits == ("From 0 to 10.",)
    assert fields["overlap"].shape.values == ("Allow", "Forbid", "Replace")
    assert fields["image"].facts.limits == ("At least 1 character.",)
    # The types of another package.
    target = found(crontabs, "crontabs.spec.env.valueFrom.secretKeyRef.key")
    assert target.python == "cron_tab.spec.env[0].value_from.secret_key_ref.key"
    assert found(crontabs, "pods").resource.package == "kubeapi"


@pytest.mark.parametrize(
    ("kind", "views"),
    [
        ("po", ["VIEWS:      from views.core.v1.views import PodKey, PodPlacement"]),
        ("Odd", ["VIEWS:      from views.shop.v1.views import Container, View, ViewSpec"]),
        ("gadgets", ["VIEWS:      from views.hard.v1.views import GadgetMode"]),
        ("Lamp", ["VIEWS:      from views.house.v1.views import LampLight"]),
        ("deploy", []),
        ("pods.spec", []),
    ],
)
def test_the_views_of_a_kind_are_named(run_folders: RunFolders, kind: str, views: list[str]):
    case = GOLDEN / "views"
    api = installed(["views"], [generated(case, run_folders), case, ROOT / "generated"], "test")
    told = lines(api, found(api, kind), 90, recursive=False)
    assert [line for line in told if line.startswith("VIEWS:")] == views
