"""Which resource serves a kind: of generated packages, of several of them, and of own classes."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import kubeapi
import pytest
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import Node, Pod, PodList, PodSpec
from kubeapi.policy.v1 import Eviction
from support.packages import PodToService, lookup, lookups

from clientgen._gvk import GroupVersionKind
from clientgen.runtime import Resource, Scheme
from clientgen.runtime.models import CustomResource, ModelList, decode, encode


class CronTab(CustomResource, group="stable.example.com", version="v1"):
    spec: str = ""


@pytest.fixture
def scheme() -> Scheme:
    made = Scheme()
    kubeapi.add_to_scheme(made)
    return made


def test_classes_kinds_and_texts_lead_to_the_resource(scheme):
    deployments = Resource("apps", "v1", "deployments", "Deployment", namespaced=True)
    assert scheme.resource(Deployment) == deployments
    assert scheme.resource(GroupVersionKind("apps", "v1", "Deployment")) == deployments
    assert scheme.resource("apps/v1/Deployment") == deployments
    assert scheme.resource(Pod).plural == "pods"
    assert not scheme.resource(Node).namespaced
    assert scheme.resource(Deployment) is scheme.resource(Deployment)


def test_what_a_server_sent_has_the_resource_of_its_class(scheme):
    """An object with fields its class does not know is of a hidden class."""
    pod = decode(b'{"apiVersion":"v1","kind":"Pod","newer":1}', Pod)
    assert type(pod) is not Pod
    assert scheme.resource(type(pod)) is scheme.resource(Pod)


def test_a_subclass_is_of_the_same_kind(scheme):
    class MyPod(Pod):
        pass

    assert scheme.resource(MyPod) is scheme.resource(Pod)


def test_resources_of_every_generated_client_are_registered(scheme):
    clients = [
        (version, name)
        for version in dir(kubeapi.Clientset)
        if "_v" in version
        for name in dir(getattr(kubeapi.Clientset(None), version))
        if not name.startswith("_")
    ]
    resources = [gvk for gvk in scheme.kinds() if _has_resource(scheme, gvk)]
    assert len(resources) == len(clients) > 80


def _has_resource(scheme: Scheme, gvk: GroupVersionKind) -> bool:
    try:
        return scheme.resource(gvk).gvk == gvk
    except LookupError:
        return False


def test_modules_are_imported_when_they_are_needed():
    code = """
import sys, kubeapi
from clientgen.runtime import Scheme
scheme = Scheme()
kubeapi.add_to_scheme(scheme)
assert [name for name in sys.modules if name.startswith("kubeapi.")] == ["kubeapi.scheme"]
assert scheme.resource("batch/v1/Job").plural == "jobs"
assert "kubeapi.batch.v1.resources" in sys.modules
assert "kubeapi.apps" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_several_packages_and_own_classes_share_a_scheme(scheme):
    lookups.add_to_scheme(scheme)
    lookups.add_to_scheme(scheme)
    assert scheme.resource(PodToService).plural == "podtoservices"
    assert scheme.resource(type(lookup("shop", "web"))) is scheme.resource(PodToService)
    assert scheme.resource(Pod).plural == "pods"


def test_own_classes_are_registered_with_their_plural(scheme):
    assert scheme.register(CronTab, plural="crontabs") is CronTab
    wanted = Resource("stable.example.com", "v1", "crontabs", "CronTab", namespaced=True)
    assert scheme.resource(CronTab) == wanted
    assert scheme.model("stable.example.com/v1/CronTab") is CronTab
    assert scheme.register(CronTab, plural="crontabs") is CronTab

    @scheme.register(plural="zones", namespaced=False)
    class Zone(CustomResource, group="stable.example.com", version="v1"):
        pass

    assert scheme.resource(Zone).collection_path() == "/apis/stable.example.com/v1/zones"


def test_a_kind_has_one_resource(scheme):
    scheme.register(CronTab, plural="crontabs")
    with pytest.raises(
        ValueError, match=r"v1/CronTab is already registered with the resource Resource\("
    ):
        scheme.register(CronTab, plural="crons")
    with pytest.raises(ValueError, match="plural cannot be 'cron/tabs'"):
        Scheme().register(CronTab, plural="cron/tabs")


def test_two_packages_that_contradict_each_other_are_reported(scheme):
    other = ModuleType("other_resources")
    other.__dict__["PODS"] = Resource("", "v1", "podz", "Pod")
    sys.modules["other_resources"] = other
    try:
        scheme.add_resources({"v1": "other_resources"}, __name__)
        with pytest.raises(ValueError, match="v1/Pod is already registered with"):
            scheme.resource(Pod)
    finally:
        del sys.modules["other_resources"]


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (CronTab, "the kind stable.example.com/v1/CronTab is not registered; add its package"),
        (CronTab, "or use `dynamic` of the clientset"),
        ("apps/v1/Deploymnet", "did you mean apps/v1/Deployment?"),
        (PodList, "v1/PodList is a list: use Pod"),
        (Eviction, "policy/v1/Eviction has no resource"),
    ],
)
def test_what_has_no_resource_says_what_to_do(scheme, kind, why):
    with pytest.raises(LookupError) as raised:
        scheme.resource(kind)
    assert why in str(raised.value)


def test_an_imported_package_with_the_kind_is_named():
    with pytest.raises(LookupError, match=r"`kubeapi\.add_to_scheme\(k\.scheme\)`"):
        Scheme().resource(Deployment)


def test_a_class_without_a_kind_and_what_is_no_class_are_type_errors(scheme):
    with pytest.raises(TypeError, match="PodSpec has no kind"):
        scheme.resource(PodSpec)
    with pytest.raises(TypeError, match="the kind must be a model class, such as Pod, not an int"):
        scheme.resource(3)


def test_lists_have_the_class_of_their_package_or_a_new_one(scheme):
    assert scheme.list_model(Pod) is PodList
    made = scheme.list_model(CronTab)
    assert issubclass(made, ModelList)
    assert scheme.list_model(CronTab) is made
    listed = decode(b'{"items": [{"metadata": {"name": "a"}}]}', made)
    assert [type(item) for item in listed] == [CronTab]
    assert b'"kind":"CronTabList"' in encode(listed)

    class MyPod(Pod):
        pass

    assert scheme.list_model(MyPod) is not PodList
