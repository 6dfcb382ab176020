"""Mistakes with managers and controllers, and what people are told."""

from __future__ import annotations

import asyncio
import logging
import math
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap

from clientgen.runtime.aio import AsyncController, AsyncFinalizer, AsyncManager
from clientgen.runtime.controllers import Request, Result
from clientgen.runtime.sync import Controller, Finalizer, Manager
from clientgen.testing import FakeCluster


@pytest.fixture
def k() -> Any:
    return FakeCluster().clientset(Clientset)


@pytest.fixture
def ak() -> Any:
    return FakeCluster().clientset(AsyncClientset)


async def waits(_: object) -> None:
    """A coroutine function."""


class Waits:
    async def __call__(self, _: object) -> None:
        """A coroutine function, too."""

    async def reconcile(self, _: object) -> None:
        """And this one."""


@pytest.mark.parametrize("wrong", [waits, partial(waits), Waits(), Waits().reconcile])
def test_threads_refuse_coroutine_functions(k: Any, wrong: Any) -> None:
    told = "reconcile must be an ordinary function here: write `def`"
    with pytest.raises(TypeError, match=told):
        Controller("web", wrong)
    with pytest.raises(TypeError, match=told):
        Manager(k).controller("web", wrong)
    with pytest.raises(TypeError, match="cleanup must be an ordinary function"):
        Finalizer(k, "example.com/x", wrong)


def test_threads_refuse_a_function_that_returns_a_coroutine(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def hides(request: Request) -> Any:
        controller.stop()
        return waits(request)

    controller = Controller("web", hides)
    controller.queue.add(Request("shop", "web"))
    controller.run()
    assert "reconcile must be an ordinary function here" in caplog.text


async def test_asyncio_tells_of_ordinary_functions(caplog: pytest.LogCaptureFixture) -> None:
    def ordinary(_: Request) -> None:
        controller.stop()

    wrong: Any = ordinary
    controller = AsyncController("web", wrong)
    controller.queue.add(Request("shop", "web"))
    await controller.run()
    assert "reconcile must be a coroutine function here: write `async def`" in caplog.text
    assert "'await' expression" not in caplog.text


async def test_asyncio_takes_functions_that_return_what_can_be_awaited() -> None:
    seen: list[Request] = []

    def indirect(request: Request) -> Any:
        async def work() -> None:
            seen.append(request)
            controller.stop()

        return asyncio.ensure_future(work())

    controller = AsyncController("web", indirect)
    controller.queue.add(Request("shop", "web"))
    await controller.run()
    assert seen == [Request("shop", "web")]


async def test_asyncio_tells_of_an_ordinary_cleanup(ak: Any) -> None:
    wrong: Any = lambda _: None  # noqa: E731
    finalizer: AsyncFinalizer[ConfigMap] = AsyncFinalizer(ak, "example.com/x", wrong)
    made = await ak.create(ConfigMap(metadata={"name": "a", "namespace": "default"}))
    kept = await finalizer.ensure(made)
    with pytest.raises(TypeError, match="cleanup must be a coroutine function"):
        await finalizer.release(kept)
    await ak.aclose()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (ConfigMap(), "not a ConfigMap; use ConfigMap"),
        ("configmaps", "not a str"),
        (None, "not None"),
        (logging, "not a module"),
    ],
)
def test_sources_are_classes_or_informers(k: Any, wrong: Any, told: str) -> None:
    controller = Manager(k).controller("web", lambda context: None)
    for name, call in (
        ("for_", lambda: controller.for_(wrong)),
        ("owns", lambda: controller.owns(wrong)),
        ("watches", lambda: controller.watches(wrong, lambda _: [])),
    ):
        with pytest.raises(TypeError, match=rf"{name}\(\) takes a model class.*{told}"):
            call()
    with pytest.raises(TypeError, match=told):
        Controller("web", lambda request: None).watches(wrong, lambda _: [])


def test_a_mapper_has_to_be_a_function(k: Any) -> None:
    wrong: Any = "spec.secretName"
    with pytest.raises(TypeError, match="mapper must be a function, not a str"):
        Manager(k).controller("web", lambda context: None).watches(ConfigMap, wrong)


async def test_a_controller_that_watches_nothing_says_so(caplog: pytest.LogCaptureFixture) -> None:
    controller = AsyncController("web", waits)
    controller.stop()
    await controller.run()
    assert "web: no sources, so the controller" in caplog.text


def test_managers_take_clientsets_of_their_flavour(k: Any, ak: Any) -> None:
    for wrong, told in (
        (ak, "import this from clientgen.runtime.aio"),
        (Clientset, "must be a clientset or its rest, not the class Clientset"),
        (k.rest, "the client must be a clientset, such as kubeapi.Clientset"),
        (None, "not None"),
    ):
        given: Any = wrong
        with pytest.raises(TypeError, match=told):
            Manager(given)
    with pytest.raises(TypeError, match=r"import this from clientgen\.runtime\.sync"):
        AsyncManager(k)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("30", "requeue_after must be a number of seconds, not a str"),
        (timedelta(seconds=30), "not a timedelta"),
        (True, "not a bool"),
        (None, "not None"),
        (-1, "must be 0 or more"),
        (math.nan, "must be 0 or more"),
        (math.inf, "and finite"),
    ],
)
def test_results_have_a_number_of_seconds(wrong: Any, told: str) -> None:
    with pytest.raises((TypeError, ValueError), match=told):
        Result(requeue_after=wrong)
    assert Result(requeue_after=30).requeue_after == 30
