"""`k.wait`, by class and with objects; `test_wait_any_kind_threads` does the same on threads."""

from __future__ import annotations

from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import Namespace, Pod
from kubeapi.meta.v1 import ObjectMeta
from support.models import pod as raw_pod

from clientgen.runtime import errors
from clientgen.runtime._models.model_codec import from_dict
from clientgen.runtime._models.unstructured import Unstructured
from clientgen.runtime.conditions import deleted, exists, phase
from clientgen.testing import fake_clientset


def pod(name: str, uid: str = "first") -> Pod:
    made = from_dict(Pod, raw_pod(name))
    made.metadata.uid = uid
    return made


def clientset() -> Any:
    return fake_clientset(AsyncClientset, pod("a"), Namespace(metadata=ObjectMeta(name="shop")))


async def test_one_object_by_its_class():
    k = clientset()
    found = await k.wait(Pod, "a", until=phase("Running"))
    assert isinstance(found, Pod)
    assert await k.wait(Pod, "a", until=deleted, namespace="shop") is None
    assert (await k.wait(Namespace, "shop", until=exists)).metadata.name == "shop"


async def test_all_objects_of_a_class():
    k = clientset()
    assert [each.metadata.name for each in await k.wait(Pod, until=phase("Running"))] == ["a"]
    with pytest.raises(errors.WaitTimeout, match=r"every Pod in shop: .* no such object exists"):
        await k.wait(Pod, until=phase("Running"), namespace="shop", timeout=0)


async def test_an_object_says_where_it_is():
    k = clientset()
    assert isinstance(await k.wait(pod("a"), until=phase("Running")), Pod)
    found = await k.wait(Unstructured.of(pod("a")), until=phase("Running"))
    assert isinstance(found, Unstructured)


async def test_only_that_object_has_to_be_deleted():
    k = clientset()
    assert await k.wait(pod("a", "earlier"), until=deleted) is None
    with pytest.raises(errors.WaitTimeout):
        await k.wait(pod("a"), until=deleted, timeout=0)


@pytest.mark.parametrize("given", [(Pod, ""), (Pod, None), (Pod, "a", "b"), ("Pod", "a"), (3,)])
async def test_wrong_arguments_are_told(given: tuple[Any, ...]):
    with pytest.raises((TypeError, ValueError)):
        await clientset().wait(*given, until=deleted)
