"""Streams that are being opened when their client is closed. test_closing_threads.py is derived."""

from __future__ import annotations

import threading

import pytest
from kubeapi import AsyncClientset
from support.server import head

from clientgen.runtime._async._primitives import sleep, spawn
from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.errors import TransportError


@pytest.mark.parametrize("verb", ["watch", "follow"])
async def test_a_stream_that_opens_when_the_client_is_closed_ends(server, config_for, verb) -> None:
    answer, never = threading.Event(), threading.Event()
    server.reply(answer, head(chunked=True), never)
    rest = AsyncRest(config_for(server))
    pods = AsyncClientset(rest).core_v1.pods("default")

    async def read() -> None:
        try:
            if verb == "watch":
                async for _ in pods.watch(resource_version="1"):
                    pass
            else:
                async for _ in pods.follow_logs("a"):
                    pass
        except (TransportError, RuntimeError):  # it says that it was closed
            pass

    reading = spawn(read, "reading")
    while not server.requests:
        await sleep(0.001)
    await rest.aclose()
    answer.set()
    await reading.join()
