"""What the tests of the runtime share."""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.server import Certificates, ScriptedServer

from clientgen.runtime.config.cluster_config import AuthConfig, ClusterConfig, TlsConfig


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run coroutine functions, each on a loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in wanted}))
    return True


@pytest.fixture(scope="session")
def certificates() -> Certificates:
    return Certificates()


@pytest.fixture
def server(certificates: Certificates) -> Iterator[ScriptedServer]:
    made = ScriptedServer(certificates)
    yield made
    made.close()


@pytest.fixture
def plain_server() -> Iterator[ScriptedServer]:
    made = ScriptedServer(None)
    yield made
    made.close()


@pytest.fixture
def config_for(certificates: Certificates) -> Callable[..., ClusterConfig]:
    """Makes the configuration for a scripted server."""

    def make(server: ScriptedServer, /, **changes: Any) -> ClusterConfig:
        values: dict[str, Any] = {
            "server": server.url,
            "tls": TlsConfig(ca_data=certificates.ca_pem),
            "auth": AuthConfig(token="s3cret"),
        }
        return ClusterConfig(**{**values, **changes})

    return make


@pytest.fixture
def no_task_is_left() -> Iterator[None]:
    """Threads that a test has begun are over when it is."""
    before = set(threading.enumerate())
    yield
    end = time.monotonic() + 5.0
    while left := set(threading.enumerate()) - before:
        assert time.monotonic() < end, left
        time.sleep(0.002)
