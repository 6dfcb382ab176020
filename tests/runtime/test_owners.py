"""Owner references."""

from __future__ import annotations

from typing import Any

import pytest
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import ConfigMap, Node, Service
from kubeapi.meta.v1 import ObjectMeta, OwnerReference
from support.packages import PodToService

from clientgen.runtime.controllers import (
    controller_of,
    has_owner,
    owned_by,
    remove_owner,
    set_owner,
)
from clientgen.runtime.models import PartialObjectMetadata, Unstructured

WEB = Deployment(metadata=ObjectMeta(name="web", namespace="shop", uid="1"))
NODE = Node(metadata=ObjectMeta(name="n1", uid="2"))


def service(namespace: str = "shop", *owners: OwnerReference) -> Service:
    metadata = ObjectMeta(name="web", namespace=namespace, owner_references=[*owners])
    return Service(metadata=metadata)


def test_a_reference_says_what_the_class_is() -> None:
    assert owned_by(WEB) == OwnerReference(
        api_version="apps/v1",
        kind="Deployment",
        name="web",
        uid="1",
        controller=True,
        block_owner_deletion=True,
    )
    assert owned_by(WEB, controller=False).controller is None
    assert owned_by(Unstructured.of(WEB)) == owned_by(WEB)
    record = PodToService(metadata=ObjectMeta(name="a", uid="3"), spec=None)  # type: ignore[arg-type]
    assert owned_by(record).api_version == "servicelookup.example.com/v1alpha1"


@pytest.mark.parametrize("metadata", [ObjectMeta(name="web"), ObjectMeta(uid="1"), ObjectMeta()])
def test_an_owner_is_an_object_of_the_server(metadata: ObjectMeta) -> None:
    with pytest.raises(ValueError, match="read from the server first"):
        owned_by(Deployment(metadata=metadata))


@pytest.mark.parametrize("owner", [None, "web", Deployment, WEB.metadata, PartialObjectMetadata()])
def test_what_is_no_object_owns_nothing(owner: Any) -> None:
    with pytest.raises(TypeError, match="an owner must have apiVersion, kind and metadata, not "):
        owned_by(owner)


def test_an_object_is_owned_once_and_keeps_other_owners() -> None:
    other = owned_by(NODE, controller=False)
    stale = owned_by(Deployment(metadata=ObjectMeta(name="web", namespace="shop", uid="0")))
    obj = service("shop", stale, other)

    set_owner(obj, WEB)
    set_owner(obj, WEB)

    assert obj.metadata.owner_references == [other, owned_by(WEB)]


def test_a_dict_is_owned_too() -> None:
    obj = Unstructured({"kind": "Service", "metadata": {"name": "web", "namespace": "shop"}})
    set_owner(obj, WEB)
    assert obj["metadata"]["ownerReferences"][0]["uid"] == "1"


def test_no_owner_is_in_another_namespace() -> None:
    with pytest.raises(ValueError, match="is in the namespace 'bank', but its owner, the Dep"):
        set_owner(service("bank"), WEB)
    with pytest.raises(ValueError, match="the Service 'web' has no namespace, but its owner"):
        set_owner(service(""), WEB)
    for namespace in ("shop", ""):
        set_owner(service(namespace), NODE)


def test_there_is_one_controller() -> None:
    obj = service("shop", owned_by(NODE))
    with pytest.raises(ValueError, match="is already controlled by the Node 'n1'"):
        set_owner(obj, WEB)
    set_owner(obj, WEB, controller=False)
    config = ConfigMap(metadata=ObjectMeta(name="a", namespace="shop", uid="9"))
    set_owner(obj, config, controller=False)
    assert [each.name for each in obj.metadata.owner_references] == ["n1", "web", "a"]


def test_metadata_of_an_object_owns_as_the_object_does() -> None:
    metadata = ObjectMeta(name="web", namespace="shop", uid="1")
    owner = PartialObjectMetadata(api_version="apps/v1", kind="Deployment", metadata=metadata)
    assert owned_by(owner) == owned_by(WEB)


def test_owners_are_found_and_removed() -> None:
    obj = service()
    set_owner(obj, WEB, block_owner_deletion=False)
    set_owner(obj, NODE, controller=False)
    reference = controller_of(obj)
    assert reference is not None
    assert (reference.uid, reference.block_owner_deletion) == ("1", None)
    assert has_owner(obj, WEB)
    assert has_owner(obj, NODE)
    # An owner of the same name that was created later is another owner, but a stale reference to
    # the earlier one is of no use to anybody.
    later = Deployment(metadata=ObjectMeta(name="web", namespace="shop", uid="9"))
    assert not has_owner(obj, later)
    assert remove_owner(obj, later)
    assert not remove_owner(obj, WEB)
    assert controller_of(obj) is None
    assert obj.metadata.owner_references == [owned_by(NODE, controller=False)]
