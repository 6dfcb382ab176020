"""The auth-provider `oidc`: an identity provider over TLS renews the token; derived for threads."""

from __future__ import annotations

import base64
import json
import logging
import ssl
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
import trustme
import yaml
from kubeapi import AsyncClientset

from clientgen.runtime.errors import ConfigError
from clientgen.testing import LocalServer

SECRET = "hunter2-do-not-show"


def jwt(seconds: float) -> str:
    payload = base64.urlsafe_b64encode(json.dumps({"exp": time.time() + seconds}).encode())
    return f"e30.{payload.decode().rstrip('=')}.c2ln"


class Provider:
    """An identity provider, which answers as `replies` says."""

    def __init__(self, new_token: str) -> None:
        self.authority = trustme.CA()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.authority.issue_cert("127.0.0.1").configure_cert(context)
        self.requests: list[tuple[str, str | None, dict[str, list[str]]]] = []
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.answer(self, "GET")

            def do_POST(self) -> None:
                provider.answer(self, "POST")

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                del format, args

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        self.url = f"https://127.0.0.1:{self.http.server_port}"
        self.replies: dict[str, tuple[int, Any]] = {
            "GET": (200, {"token_endpoint": f"{self.url}/token"}),
            "POST": (200, {"id_token": new_token, "refresh_token": "refresh-2"}),
        }
        self.needs_body = False
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,))
        self.thread.start()

    def answer(self, handler: BaseHTTPRequestHandler, method: str) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0))).decode()
        self.requests.append((method, handler.headers.get("Authorization"), parse_qs(body)))
        status, reply = self.replies[method]
        if method == "POST" and self.needs_body and handler.headers.get("Authorization"):
            status, reply = 401, {"error": SECRET}
        content = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(content)))
        handler.send_header("Location", f"{self.url}/elsewhere")
        handler.end_headers()
        handler.wfile.write(content)

    def close(self) -> None:
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


class World:
    """An API server that takes the new token, a provider, and a kubeconfig with an old token."""

    def __init__(self, folder: Path) -> None:
        self.new = jwt(3600)
        self.provider = Provider(self.new)
        self.server = LocalServer(tls=True, token=self.new)
        self.path = folder / "config"
        self.folder = folder

    def write(self, **changes: Any) -> dict[str, Any]:
        content = yaml.safe_load(Path(self.server.kubeconfig).read_text())
        (self.folder / "idp.crt").write_bytes(self.provider.authority.cert_pem.bytes())
        config = {
            "idp-issuer-url": f"{self.provider.url}/",
            "client-id": "me:1",
            "client-secret": SECRET,
            "id-token": jwt(-60),
            "refresh-token": "refresh-1",
            "idp-certificate-authority": "idp.crt",
            "unknown": "kept",
        }
        config = {key: value for key, value in (config | changes).items() if value is not None}
        content["users"][0]["user"] = {"auth-provider": {"name": "oidc", "config": config}}
        self.path.write_text(yaml.safe_dump(content))
        return config

    def read(self) -> dict[str, Any]:
        [user] = yaml.safe_load(self.path.read_text())["users"]
        config: dict[str, Any] = user["user"]["auth-provider"]["config"]
        return config


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    try:
        with world.server:
            yield world
    finally:
        world.provider.close()


@pytest.mark.parametrize("needs_body", [False, True])
async def test_a_token_is_renewed_and_written_back(world: World, needs_body: bool) -> None:
    world.provider.needs_body = needs_body
    before = world.write()
    async with AsyncClientset.from_config(world.path) as k:
        for _ in range(2):
            assert not (await k.core_v1.pods().list()).items
        assert SECRET not in repr(k.rest.config)
    assert world.read() == before | {"id-token": world.new, "refresh-token": "refresh-2"}
    method, authorization, form = world.provider.requests[-1]
    assert (method, form["refresh_token"]) == ("POST", ["refresh-1"])
    if needs_body:
        assert (form["client_id"], form["client_secret"]) == (["me:1"], [SECRET])
    else:
        pair = base64.b64decode(str(authorization).removeprefix("Basic "))
        assert pair == f"me%3A1:{SECRET}".encode()
    assert len(world.provider.requests) == 2 + needs_body
    async with AsyncClientset.from_config(world.path) as k:
        await k.core_v1.pods().list()
    assert len(world.provider.requests) == 2 + needs_body, "the written token is still valid"


async def test_a_token_that_the_server_rejects_is_renewed(world: World) -> None:
    world.write(**{"id-token": jwt(7200)})
    async with AsyncClientset.from_config(world.path) as k:
        await k.core_v1.pods().list()
    assert world.read()["id-token"] == world.new


async def test_tokens_that_cannot_be_written_are_used(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.write()
    async with AsyncClientset.from_config(world.path) as k:
        world.path.write_text("users: []\n")
        with caplog.at_level(logging.WARNING):
            await k.core_v1.pods().list()
    assert "the new tokens were not saved" in caplog.text
    assert world.new not in caplog.text
    assert world.path.read_text() == "users: []\n"


FAILURES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"refresh-token": None}, {}, "expired, and there is no refresh-token"),
    ({}, {"POST": (400, {"error": SECRET})}, "the provider answered 400"),
    ({}, {"GET": (302, {})}, "the provider answered 302"),
    ({}, {"POST": (307, {})}, "the provider answered 307"),
    ({}, {"GET": (200, SECRET.encode())}, "did not answer with a JSON object"),
    ({}, {"GET": (200, b"[" * 99999)}, "did not answer with a JSON object"),
    ({}, {"GET": (200, b" " * (2 << 20))}, "did not answer with a JSON object"),
    ({}, {"GET": (200, {})}, "names no token_endpoint"),
    ({}, {"GET": (200, {"token_endpoint": "http://x"})}, "provider is not https"),
    ({}, {"GET": (200, {"token_endpoint": "file:///etc/passwd"})}, "provider is not https"),
    ({}, {"POST": (200, {})}, "returned no id_token"),
    ({}, {"POST": (200, {"id_token": f"{SECRET} x"})}, "returned no id_token"),
    ({"idp-certificate-authority": None}, {}, "the provider cannot be reached: SSLCert"),
]


@pytest.mark.parametrize(("changes", "replies", "message"), FAILURES)
async def test_a_failed_renewal_is_one_clear_error(
    world: World, changes: dict[str, Any], replies: dict[str, Any], message: str
) -> None:
    world.provider.replies |= replies
    before = world.write(**changes)
    async with AsyncClientset.from_config(world.path) as k:
        with pytest.raises(ConfigError, match=rf"auth-provider oidc: .*{message}") as caught:
            await k.core_v1.pods().list()
    assert SECRET not in str(caught.value)
    assert world.read() == before


def test_missing_fields_are_told(world: World) -> None:
    world.write(**{"client-id": None})
    with pytest.raises(ConfigError, match="auth-provider: config: client-id is missing"):
        AsyncClientset.from_config(world.path)
