"""HTTP endpoints answered by threads: test_endpoints.py, derived."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.flavours import derived_tests
from support.http_calls import call

from clientgen.runtime._net.endpoint_messages import EndpointAnswer, EndpointRequest
from clientgen.runtime._sync.endpoints import Endpoints

globals().update(derived_tests(Path(__file__).with_name("test_endpoints.py")))


def test_a_thread_cannot_exit_the_program(caplog: pytest.LogCaptureFixture) -> None:
    def leave(request: EndpointRequest) -> EndpointAnswer:
        raise SystemExit(3)

    with Endpoints("leaving", "127.0.0.1:0", leave) as endpoints:
        assert call(endpoints.address, "GET", "/").status == 500
    assert "leaving: GET / failed" in caplog.text
