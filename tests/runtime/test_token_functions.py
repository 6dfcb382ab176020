"""Tokens from functions, and kubeconfigs that are no files, over TLS; derived for threads."""

from __future__ import annotations

import base64
import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubeapi import AsyncClientset

from clientgen.runtime._async._primitives import spawn
from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.config import AuthConfig, load_config
from clientgen.runtime.errors import ConfigError, RequestTimeout, Unauthorized
from clientgen.testing import LocalServer

SECRET = "hunter2-do-not-show"


def jwt(seconds: float | str) -> str:
    """A token that expires in some seconds."""
    expires = time.time() + seconds if isinstance(seconds, float) else seconds
    payload = base64.urlsafe_b64encode(json.dumps({"exp": expires}).encode()).decode().rstrip("=")
    return f"e30.{payload}.c2ln"


class Script:
    """A token function that gives the values of a script; the last one again and again."""

    def __init__(self, *values: Any) -> None:
        self.values, self.calls = list(values), 0

    def next(self) -> Any:
        value = self.values[min(self.calls, len(self.values) - 1)]
        self.calls += 1
        if isinstance(value, Exception):
            raise value
        return value

    async def wait(self) -> Any:
        return self.next()


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with LocalServer(tls=True, token="good") as server:
        yield server


def text_of(server: LocalServer) -> str:
    return Path(server.kubeconfig).read_text()


async def pods(k: AsyncClientset) -> int:
    return len((await k.core_v1.pods().list()).items)


@pytest.mark.parametrize("kind", ["next", "wait"])
async def test_a_function_is_called_when_it_is_needed(server: LocalServer, kind: str) -> None:
    script = Script("stale", " good\n")
    function = getattr(script, kind)
    async with AsyncClientset.from_config(server.kubeconfig, token=function) as k:
        assert script.calls == 0
        assert await pods(k) == 0
        assert script.calls == 2, "the server refused the first token"
        assert await pods(k) == 0
        assert script.calls == 2
        assert "good" not in repr(k.rest.config)


async def test_a_refused_token_is_renewed_once(server: LocalServer) -> None:
    script = Script("bad")
    async with AsyncClientset.from_config(server.kubeconfig, token=script.next) as k:
        with pytest.raises(Unauthorized):
            await pods(k)
    assert script.calls == 2


@pytest.mark.parametrize(
    ("token", "calls"),
    [
        (jwt(3600.0), 1),
        (jwt(9.0), 3),  # it expires within the ten seconds before the expiry
        *((jwt(exp), 1) for exp in ("x", "1e999", "NaN")),
        ("a.b.c", 1),
        ("a.W10.c", 1),
    ],
    ids=["an hour", "nine seconds", "text", "infinity", "NaN", "no JSON", "no object"],
)
async def test_a_token_is_used_until_it_expires(token: str, calls: int) -> None:
    script = Script(token)
    with LocalServer(tls=True, token=token) as server:
        async with AsyncClientset.from_config(
            server.kubeconfig, token=script.next, timeout=20
        ) as k:
            for _ in range(3):
                await pods(k)
    assert script.calls == calls


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "must return a string, not None"),
        (SECRET.encode(), "must return a string, not a value of type bytes"),
        (" \n", "returned an empty token"),
        (
            f"{SECRET}\nX: y",
            "returned a token with a space or a character that HTTP headers do not",
        ),
        ("\ud800", "returned a token with a space or a character that HTTP headers do not"),
        (OSError(SECRET), "raised OSError"),
        (TimeoutError(SECRET), "raised TimeoutError"),
    ],
)
@pytest.mark.parametrize("kind", ["next", "wait"])
async def test_a_function_that_fails_is_one_clear_error(
    server: LocalServer, value: Any, message: str, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    script = Script(value, "good")
    function = getattr(script, kind)
    async with AsyncClientset.from_config(server.kubeconfig, token=function) as k:
        with pytest.raises(ConfigError) as caught:
            await pods(k)
        assert str(caught.value).startswith(f"the token function Script.{kind} {message}")
        assert SECRET not in str(caught.value)
        assert SECRET not in caplog.text
        assert await pods(k) == 0, "the next request calls it again"


async def test_a_function_that_hangs_ends_with_the_deadline(server: LocalServer) -> None:
    entered, leave = threading.Event(), threading.Event()
    running: list[int] = []

    def hang() -> str:
        running.append(threading.get_ident())
        entered.set()
        leave.wait(60)
        return "good"

    async with AsyncClientset.from_config(server.kubeconfig, token=hang) as k:
        try:
            for _ in range(2):
                with pytest.raises(RequestTimeout, match=r"token function .*hang has not returned"):
                    await k.core_v1.pods().list(timeout=0.05)
        finally:
            leave.set()
        assert await pods(k) == 0
    assert len(running) == 1, "two calls at once"


@pytest.mark.parametrize("kind", ["next", "wait"])
async def test_many_requests_of_two_clients_share_a_call(server: LocalServer, kind: str) -> None:
    script = Script("good")
    config = load_config(server.kubeconfig, token=getattr(script, kind))
    async with AsyncClientset(AsyncRest(config)) as one, AsyncClientset(AsyncRest(config)) as two:
        done: list[int] = []

        async def read(k: AsyncClientset) -> None:
            done.append(await pods(k))

        tasks = [spawn(lambda k=k: read(k), "reads") for k in (one, two) * 8]
        for task in tasks:
            await task.join()
    assert (len(done), script.calls) == (16, 1)


async def test_a_token_replaces_the_users_credentials(server: LocalServer, tmp_path: Path) -> None:
    content = yaml.safe_load(text_of(server))
    content["users"][0]["user"] = {"tokenFile": "none", "exec": {"command": "none"}}
    async with AsyncClientset.from_config(content, token="good") as k:
        assert await pods(k) == 0
    for wrong in ("", "a b"):
        with pytest.raises(ConfigError, match=r"^token"):
            AsyncClientset.from_config(content, token=wrong)
    with pytest.raises(ConfigError, match="token is a function and token_file is set"):
        AuthConfig(token=lambda: "good", token_file=str(tmp_path / "token"))


@pytest.mark.parametrize("form", [str, str.encode, yaml.safe_load])
async def test_a_kubeconfig_may_be_no_file(
    server: LocalServer, form: Callable[[str], Any], tmp_path: Path
) -> None:
    content = form(text_of(server))
    given: dict[str, Any] = (
        {"kubeconfig": content} if isinstance(content, dict) else {"text": content}
    )
    async with AsyncClientset.from_config(**given) as k:
        assert await pods(k) == 0
    async with AsyncRest.from_config(**given, base=tmp_path) as rest:
        assert rest.namespace == "default"
