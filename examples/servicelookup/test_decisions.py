"""What there should be, and the steps to it."""

from __future__ import annotations

from kubeapi.core.v1 import EndpointAddress, Endpoints, EndpointSubset, ObjectReference, Pod
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.models import deep_copy

from .api.servicelookup.v1alpha1 import PodToService, PodToServiceSpec
from .decisions import Backing, Create, Delete, Update, backings, step, wanted
from .demo import SHOP, pod


def known(name: str, uid: str) -> Pod:
    owner = pod(name)
    owner.metadata.uid = uid
    return owner


def naming(*targets: ObjectReference | None) -> Endpoints:
    addresses = [EndpointAddress(ip=f"10.0.0.{n}", target_ref=t) for n, t in enumerate(targets, 1)]
    return Endpoints(
        metadata=ObjectMeta(name="web", namespace=SHOP),
        subsets=[EndpointSubset(addresses=addresses)],
    )


def record_of(name: str, uid: str, service: str = "web") -> PodToService:
    record = wanted(known(name, uid), [Backing(f"{SHOP}/{name}", uid, service, "10.0.0.1")])
    assert record is not None
    return record


def test_endpoints_name_pods_of_their_own_namespace() -> None:
    named = naming(
        ObjectReference(kind="Pod", name="a", uid="1"),
        ObjectReference(kind="Pod", name="b", namespace=SHOP),
        ObjectReference(kind="Pod", name="c", namespace="elsewhere"),
        ObjectReference(kind="Node", name="d"),
        None,
    )
    named.subsets.append(
        EndpointSubset(
            not_ready_addresses=[
                EndpointAddress(ip="10.0.0.9", target_ref=ObjectReference(kind="Pod", name="e"))
            ]
        )
    )

    assert backings(named) == [
        Backing("shop/a", "1", "web", "10.0.0.1"),
        Backing("shop/b", "", "web", "10.0.0.2"),
    ]


def test_a_record_says_all_of_the_pod_and_is_owned_by_it() -> None:
    record = record_of("a", "1")

    assert record.spec == PodToServiceSpec(
        pod_name="a", pod_uid="1", pod_address="10.0.0.1", service_name="web"
    )
    [owner] = record.metadata.owner_references
    assert (owner.kind, owner.name, owner.uid, owner.controller) == ("Pod", "a", "1", True)


def test_the_first_service_wins_and_other_pods_with_the_name_are_ignored() -> None:
    me = known("a", "1")
    others = Backing("shop/a", "2", "a-first", "10.0.0.2")
    mine = [Backing("shop/a", uid, name, "10.0.0.1") for uid, name in (("", "web"), ("1", "api"))]

    record = wanted(me, [others, *mine])

    assert record is not None
    assert record.spec.service_name == "api"
    assert wanted(me, [others]) is None


def test_each_step_leads_to_what_there_should_be() -> None:
    one, moved, another = record_of("a", "1"), record_of("a", "1", "api"), record_of("a", "2")
    foreign = PodToService(metadata=ObjectMeta(name="a", namespace=SHOP), spec=one.spec)

    assert step(None, None) is None
    assert step(None, one) == Create(one)
    assert step(one, deep_copy(one)) is None
    assert step(one, None) == Delete(one)
    assert step(one, another) == Delete(one)
    assert (step(foreign, None), step(foreign, moved)) == (None, None)


def test_an_update_changes_a_copy() -> None:
    cached = record_of("a", "1")
    cached.metadata.resource_version = "7"
    cached.metadata.labels["theirs"] = "stays"
    before = deep_copy(cached)

    update = step(cached, record_of("a", "1", "api"))

    assert isinstance(update, Update)
    assert cached == before
    assert (update.changed.metadata, update.changed.spec.service_name) == (cached.metadata, "api")
