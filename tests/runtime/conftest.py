"""What the tests of the runtime share."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.server import Certificates, ScriptedServer

from clientgen.runtime._config.cluster_config import AuthConfig, ClusterConfig, TlsConfig


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
    end = time.monotonic() + 60
    while left := set(threading.enumerate()) - before:
        assert time.monotonic() < end, left
        time.sleep(0.002)
