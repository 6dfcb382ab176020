"""Tests against the API server that CLIENTGEN_TEST_KUBECONFIG names; skipped without it.

Tests are coroutine functions. Each runs twice: as it is, and as its synchronous twin, which
`clientgen.generator.unasync` derives as it derives the runtime. They work in namespaces of their
own, called `clientgen-test-...`, which are removed at the end. Any cluster and any context with the
rights of `cluster-admin` will do, with controllers and without.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset

sys.path.insert(0, str(Path(__file__).resolve().parent))

from clusterkit.scratch import Scratch
from clusterkit.twins import twin_of
from clusterkit.widgets import define_widgets, remove_widgets
from support.kubectl import KUBECTL, Kubectl

# No call may take longer, whatever goes wrong.
DEADLINE = 30.0


@pytest.fixture(scope="session")
def kubeconfig() -> str:
    """The kubeconfig of the cluster to test against."""
    path = os.environ.get("CLIENTGEN_TEST_KUBECONFIG")
    if not path:
        pytest.skip("CLIENTGEN_TEST_KUBECONFIG names no cluster to test against")
    return path


@pytest.fixture(autouse=True, params=["asyncio", "threads"])
def flavour(request: pytest.FixtureRequest, kubeconfig: str) -> str:
    """Which twin runs."""
    return str(request.param)


@pytest.fixture(scope="session")
def scratch(kubeconfig: str) -> Iterator[Scratch]:
    """Makes names and namespaces, and cleans up."""
    with Clientset.from_config(kubeconfig, timeout=DEADLINE) as admin:
        made = Scratch(admin)
        yield made
        made.clean_up()


@pytest.fixture
def namespace(scratch: Scratch) -> Iterator[str]:
    """A namespace for this test alone."""
    name = scratch.make()
    yield name
    scratch.drop(name)


@pytest.fixture(scope="session")
def widgets(scratch: Scratch) -> Iterator[None]:
    """Has the custom resource `Widget` defined and served."""
    define_widgets(scratch.admin)
    yield
    remove_widgets(scratch.admin)


@pytest.fixture(scope="session")
def has_controllers(scratch: Scratch) -> bool:
    """Whether a controller manager is at work."""
    return scratch.has_controllers()


@pytest.fixture
def controllers(has_controllers: bool) -> None:
    """Has controllers at work."""
    if not has_controllers:
        pytest.skip("no controllers are at work in this cluster")


@pytest.fixture
def no_controllers(has_controllers: bool) -> None:
    """Has nobody at work who would overwrite the statuses that a test writes."""
    if has_controllers:
        pytest.skip("controllers overwrite the statuses that this test writes")


@pytest.fixture
def kubectl(kubeconfig: str, namespace: str, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    """kubectl in the test's namespace; what it learned of the server is kept between tests."""
    if not KUBECTL:
        pytest.skip("kubectl is not installed")
    folder = tmp_path_factory.getbasetemp() / "kubectl"
    folder.mkdir(exist_ok=True)
    made = Kubectl(kubeconfig, folder, namespace)
    made.environment["KUBECTL_APPLYSET"] = "true"
    return made


@pytest.fixture
def kube(kubeconfig: str, flavour: str) -> AsyncClientset | Clientset:
    """The clientset; whoever runs the test opens and closes it."""
    made = AsyncClientset if flavour == "asyncio" else Clientset
    return made.from_config(kubeconfig, timeout=DEADLINE)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run the coroutine function on a loop of its own, or its twin."""
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None
    wanted = inspect.signature(test).parameters
    arguments: dict[str, Any] = {name: pyfuncitem.funcargs[name] for name in wanted}
    if pyfuncitem.funcargs["flavour"] == "asyncio":
        asyncio.run(_run(test, arguments))
    else:
        with arguments.get("kube", nullcontext()):
            getattr(twin_of(pyfuncitem.path), test.__name__)(**arguments)
    return True


async def _run(test: Callable[..., Coroutine[Any, Any, None]], arguments: dict[str, Any]) -> None:
    async with arguments.get("kube", nullcontext()):
        await test(**arguments)
