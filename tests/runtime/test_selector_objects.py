"""LabelSelectors of specs as selectors: `list(label_selector=deployment.spec.selector)`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import LabelSelector, LabelSelectorRequirement, ObjectMeta

from clientgen.testing import FakeCluster, LocalServer

LABELS: dict[str, dict[str, str]] = {
    "web-a": {"app": "web", "tier": "a"},
    "web-b": {"app": "web", "tier": "b", "legacy": ""},
    "db": {"app": "db"},
}


@pytest.fixture
def server() -> Iterator[LocalServer]:
    objects = [
        ConfigMap(metadata=ObjectMeta(name=name, namespace="shop", labels=labels))
        for name, labels in LABELS.items()
    ]
    with LocalServer(FakeCluster(*objects)) as running:
        yield running


def of(*expressions: tuple[str, str, list[str]], **labels: str) -> LabelSelector:
    conditions = [LabelSelectorRequirement(key=k, operator=o, values=v) for k, o, v in expressions]
    return LabelSelector(match_labels=labels, match_expressions=conditions)


@pytest.mark.parametrize(
    ("selector", "selected"),
    [
        (of(), {"web-a", "web-b", "db"}),
        (of(app="web"), {"web-a", "web-b"}),
        (of(("tier", "In", ["b", "a"]), ("legacy", "DoesNotExist", []), app="web"), {"web-a"}),
        (of(("tier", "NotIn", ["a"])), {"web-b", "db"}),
        (of(("legacy", "Exists", [])), {"web-b"}),
    ],
)
async def test_every_call_takes_a_selector(
    server: LocalServer, selector: LabelSelector, selected: set[str]
) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        maps = k.core_v1.config_maps("shop")
        found = await maps.list(label_selector=selector)
        assert {each.metadata.name for each in found} == selected
        names = {each.metadata.name async for each in maps.each(label_selector=selector)}
        assert names == selected
        options: Any = {"label_selector": selector}
        async with k.informers(namespace="shop", **options) as factory:
            lister = factory.core_v1.config_maps().lister
            factory.start()
            assert await factory.wait_for_sync()
            assert {each.metadata.name for each in lister.list()} == selected
        if selected == set(LABELS):
            with pytest.raises(ValueError, match="label_selector must not be"):
                await maps.delete_collection(label_selector=selector)
        else:
            await maps.delete_collection(label_selector=selector)
            assert {each.metadata.name for each in await maps.list()} == set(LABELS) - selected


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (of(("tier", "Is", ["a"])), "'Is' is not an operator"),
        (of(("tier", "In", [])), "In of the label 'tier' needs values"),
        (of(("tier", "Exists", ["a"])), "Exists of the label 'tier' takes no values"),
        (of(("tier,app", "Exists", [])), "'tier,app' is not a valid label key"),
        (of(("tier", "In", ["a)"])), "not a valid value"),
        (of(app="web,db"), "not a valid value"),
    ],
)
async def test_a_wrong_selector_is_not_sent(
    server: LocalServer, selector: LabelSelector, message: str
) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        for call in (k.core_v1.config_maps().list, k.core_v1.config_maps("a").delete_collection):
            with pytest.raises(ValueError, match=message):
                await call(label_selector=selector)
        assert server.cluster.actions == []
