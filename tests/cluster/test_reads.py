"""get, list and each, as a real server answers them."""

from __future__ import annotations

import base64
import re
from functools import partial

import pytest
from clusterkit.objects import config_map, pod
from clusterkit.together import async_collect, async_together
from kubeapi import AsyncClientset
from kubeapi.core.v1.models import ConfigMap

from clientgen.runtime._http.request import HttpRequest, HttpResponse
from clientgen.runtime.errors import (
    BadRequest,
    Expired,
    Invalid,
    NotFound,
    RequestTimeout,
    Timeout,
)

pytestmark = pytest.mark.cluster

COLORS = ("blue", "green", "red")
FUTURE = "999999999999999"


async def fill(kube: AsyncClientset, namespace: str) -> list[str]:
    """Create seven labelled config maps; gives their names in the order of lists."""
    maps = kube.core_v1.config_maps(namespace)
    names = [f"map-{number}" for number in range(7)]
    for number, name in enumerate(names):
        await maps.create(config_map(name, labels={"test": "yes", "color": COLORS[number % 3]}))
    return names


def names_of(maps: list[ConfigMap]) -> list[str]:
    return [each.metadata.name for each in maps]


async def test_get_gives_the_object_that_was_created(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    created = await maps.create(config_map("one", {"key": "välue ☃"}, {"a": "b"}))
    read = await maps.get("one")
    assert read == created
    assert (read.api_version, read.kind) == ("v1", "ConfigMap")
    assert read.data == {"key": "välue ☃"}
    assert read.metadata.uid
    assert read.metadata.creation_timestamp is not None
    assert read.metadata.creation_timestamp.utcoffset() is not None
    assert (await maps.get("one", resource_version=created.metadata.resource_version)) == created


async def test_a_missing_object_is_not_found(kube: AsyncClientset, namespace: str) -> None:
    with pytest.raises(NotFound) as caught:
        await kube.core_v1.config_maps(namespace).get("nothing")
    error = caught.value
    assert (error.code, error.reason) == (404, "NotFound")
    assert error.details is not None
    assert (error.details.name, error.details.kind) == ("nothing", "configmaps")
    assert f"GET /api/v1/namespaces/{namespace}/configmaps/nothing" in str(error)


async def test_a_list_without_a_limit_is_the_whole_collection(
    kube: AsyncClientset, namespace: str
) -> None:
    """More than one page of 500, and large enough to come zipped."""
    maps = kube.core_v1.config_maps(namespace)
    names = [f"map-{number:04}" for number in range(520)]

    async def create_some(first: int) -> None:
        for name in names[first::8]:
            await maps.create(config_map(name, {"text": "x" * 50}, {"test": "yes"}))

    await async_together([partial(create_some, first) for first in range(8)])
    listed = await maps.list(label_selector="test=yes")
    assert names_of(listed.items) == names
    assert len(listed) == 520
    assert not listed.metadata.continue_
    assert listed.metadata.remaining_item_count is None
    assert all((each.api_version, each.kind) == ("v1", "ConfigMap") for each in listed)
    assert names_of(await async_collect(maps.each(label_selector="test=yes"))) == names


async def test_a_list_with_a_limit_is_one_page(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    names = await fill(kube, namespace)
    page = await maps.list(label_selector="test", limit=3)
    version = page.metadata.resource_version
    all_names = names_of(page.items)
    await maps.create(config_map("map-9", labels={"test": "yes"}))
    while page.metadata.continue_:
        token = page.metadata.continue_
        page = await maps.list(label_selector="test", limit=3, continue_=token)
        assert page.metadata.resource_version == version
        all_names += names_of(page.items)
    assert all_names == names  # of one state: what came later is not there


async def test_a_page_says_how_many_follow(kube: AsyncClientset, namespace: str) -> None:
    await fill(kube, namespace)
    page = await kube.core_v1.config_maps(namespace).list(limit=2)
    assert len(page) == 2
    assert (page.metadata.remaining_item_count or 0) >= 5


async def test_each_goes_through_all_pages_in_order(kube: AsyncClientset, namespace: str) -> None:
    names = await fill(kube, namespace)
    objects = kube.core_v1.config_maps(namespace).each(label_selector="test=yes", limit=2)
    assert names_of(await async_collect(objects)) == names


async def test_a_bad_selector_of_each_is_raised_by_the_first_step(
    kube: AsyncClientset, namespace: str
) -> None:
    objects = kube.core_v1.config_maps(namespace).each(label_selector="a in b")
    with pytest.raises(BadRequest):
        await async_collect(objects)


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("color=red", [2, 5]),
        ("color!=red,test=yes", [0, 1, 3, 4, 6]),
        ("color in (red, blue)", [0, 2, 3, 5, 6]),
        ("color notin (red, blue),test", [1, 4]),
        ("color=yellow", []),
    ],
)
async def test_label_selectors_select(
    kube: AsyncClientset, namespace: str, selector: str, expected: list[int]
) -> None:
    names = await fill(kube, namespace)
    matching = await kube.core_v1.config_maps(namespace).list(label_selector=selector)
    assert names_of(matching.items) == [names[number] for number in expected]


async def test_field_selectors_select(kube: AsyncClientset, namespace: str) -> None:
    names = await fill(kube, namespace)
    maps = kube.core_v1.config_maps(namespace)
    one = await maps.list(field_selector="metadata.name=map-3")
    assert names_of(one.items) == ["map-3"]
    others = await maps.list(field_selector="metadata.name!=map-3", label_selector="test")
    assert names_of(others.items) == [name for name in names if name != "map-3"]
    everywhere = await kube.core_v1.config_maps().list(
        field_selector=f"metadata.namespace={namespace},metadata.name=map-3"
    )
    assert [each.metadata.namespace for each in everywhere] == [namespace]
    pods = kube.core_v1.pods(namespace)
    await pods.create(pod("waits"))
    assert len(await pods.list(field_selector="status.phase=Pending")) == 1
    assert len(await pods.list(field_selector="status.phase=Running")) == 0


async def test_options_the_server_does_not_understand_are_errors(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    with pytest.raises(BadRequest, match="unable to parse requirement"):
        await maps.list(label_selector="a in b")
    with pytest.raises(BadRequest, match=r"field label not supported|not a known field selector"):
        await maps.list(field_selector="data.key=value")
    with pytest.raises(BadRequest, match="continue"):
        await maps.list(limit=1, continue_="garbage")
    with pytest.raises(BadRequest, match="resource version"):
        await maps.list(resource_version="abc")
    with pytest.raises(Invalid) as caught:
        await maps.list(resource_version_match="Exact")
    assert [cause.field for cause in caught.value.causes] == ["resourceVersionMatch"]
    with pytest.raises(Invalid):
        await maps.list(resource_version="0", resource_version_match="Exact")
    with pytest.raises(Invalid) as caught:
        await maps.list(resource_version="1", resource_version_match="Never")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert caught.value.has_cause("FieldValueNotSupported")


async def test_a_list_can_show_an_exact_older_state(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("old", labels={"test": "yes"}))
    version = (await maps.list()).metadata.resource_version
    await maps.create(config_map("new", labels={"test": "yes"}))
    then = await maps.list(
        label_selector="test", resource_version=version, resource_version_match="Exact"
    )
    assert names_of(then.items) == ["old"]
    assert then.metadata.resource_version == version
    page = await maps.list(label_selector="test", resource_version=version, limit=500)
    assert names_of(page.items) == ["old"]  # with a limit, a bare version means exactly that one


async def test_a_list_can_ask_for_a_state_that_is_new_enough(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    created = await maps.create(config_map("new", labels={"test": "yes"}))
    listed = await maps.list(
        label_selector="test",
        resource_version=created.metadata.resource_version,
        resource_version_match="NotOlderThan",
    )
    assert names_of(listed.items) == ["new"]
    assert int(listed.metadata.resource_version) >= int(created.metadata.resource_version)
    cached = await maps.list(label_selector="test", resource_version="0", limit=1)
    assert not cached.metadata.continue_  # "0" is served from the cache, which knows no pages


async def test_an_exact_version_that_is_gone_is_expired(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await require_compaction(kube, namespace)
    with pytest.raises(Expired) as caught:
        await maps.list(resource_version="1", resource_version_match="Exact")
    assert caught.value.code == 410


async def require_compaction(kube: AsyncClientset, namespace: str) -> None:
    """Skip where the server still remembers its very first state."""
    try:
        await kube.core_v1.config_maps(namespace).list(
            resource_version="1", resource_version_match="Exact"
        )
    except Expired:
        return
    pytest.skip("this server is so young that it has forgotten nothing yet")


async def test_a_dead_continue_token_brings_one_to_go_on_with(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    names = await fill(kube, namespace)
    await require_compaction(kube, namespace)
    page = await maps.list(label_selector="test", limit=3)
    with pytest.raises(Expired) as caught:
        await maps.list(label_selector="test", limit=3, continue_=killed(page.metadata.continue_))
    assert caught.value.continue_
    rest = await maps.list(label_selector="test", limit=9, continue_=caught.value.continue_)
    assert names_of(rest.items) == names[3:]


async def test_reading_on_survives_a_token_that_dies_between_pages(
    kube: AsyncClientset, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    names = await fill(kube, namespace)
    await require_compaction(kube, namespace)
    send = kube.rest.send

    async def send_and_kill(request: HttpRequest, deadline: float | None = None) -> HttpResponse:
        response = await send(request, deadline)
        response.body = TOKEN.sub(lambda match: killed(match[0].decode()).encode(), response.body)
        return response

    monkeypatch.setattr(kube.rest, "send", send_and_kill)
    pages = maps.each(label_selector="test", limit=3)
    assert names_of(await async_collect(pages)) == names


TOKEN = re.compile(rb"eyJ2[\w-]+")


def killed(token: str) -> str:
    """A continue token as it is, but of the first version the server ever had."""
    opaque = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode()
    dead = re.sub(r'"rv":\d+', '"rv":1', opaque)
    return base64.urlsafe_b64encode(dead.encode()).decode().rstrip("=")


async def test_a_version_from_the_future_times_out(
    kubeconfig: str, kube: AsyncClientset, namespace: str
) -> None:
    async with AsyncClientset.from_config(kubeconfig, max_retries=0) as impatient:
        with pytest.raises(Timeout) as caught:
            await impatient.core_v1.config_maps(namespace).list(resource_version=FUTURE)
    assert caught.value.code == 504
    assert caught.value.has_cause("ResourceVersionTooLarge")
    assert caught.value.retry_after == 1


async def test_a_deadline_ends_a_call_the_server_sits_on(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    with pytest.raises(RequestTimeout):
        await maps.list(resource_version=FUTURE, timeout=0.3)
    with pytest.raises(TimeoutError):
        await maps.get("one", resource_version=FUTURE, timeout=0.3)
    assert not (await maps.list(label_selector="test")).items  # the client goes on working


async def test_lists_of_nothing_are_empty_lists(kube: AsyncClientset, namespace: str) -> None:
    secrets = await kube.core_v1.secrets(namespace).list(label_selector="no=such")
    assert (secrets.items, secrets.kind) == ([], "SecretList")
    assert secrets.metadata.resource_version
