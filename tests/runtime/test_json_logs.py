"""Log records as JSON, during reconciliations and besides."""

from __future__ import annotations

import asyncio
import json
import logging
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest

from clientgen.runtime.aio import AsyncController
from clientgen.runtime.controllers import JsonFormatter, Request
from clientgen.runtime.sync import Controller

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

logger = logging.getLogger("shops.pages")


@pytest.fixture
def lines() -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """Yield a function that returns what the logger has written."""
    stream = StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    loggers = [logger, logging.getLogger("clientgen.runtime.controllers")]
    for each in loggers:
        each.addHandler(handler)
        each.setLevel(logging.INFO)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    for each in loggers:
        each.removeHandler(handler)


@pytest.mark.parametrize("flavour", ["asyncio", "threads"])
def test_records_of_all_loggers_name_the_reconciliation(
    lines: Callable[[], list[dict[str, Any]]], flavour: str
) -> None:
    def work(request: Request) -> None:
        logger.info("%d pages", 2, extra={"of": request})
        raise OSError("no disk")

    if flavour == "asyncio":

        async def reconcile(request: Request) -> None:
            controller.stop()
            work(request)

        controller = AsyncController("shops", reconcile)
        controller.queue.add(Request("bank", "web"))
        asyncio.run(controller.run())
    else:

        def reconcile_in_thread(request: Request) -> None:
            blocking.stop()
            work(request)

        blocking = Controller("shops", reconcile_in_thread)
        blocking.queue.add(Request("bank", "web"))
        blocking.run()
    logger.info("after it")

    pages, failure, after = (
        line for line in lines() if line["logger"] == logger.name or "error" in line
    )
    assert {name: pages[name] for name in ("level", "msg", "controller", "object", "of")} == {
        "level": "info",
        "msg": "2 pages",
        "controller": "shops",
        "object": "bank/web",
        "of": ["bank", "web"],
    }
    assert failure["error"] == "OSError: no disk"
    assert failure["stacktrace"].startswith("Traceback")
    assert failure["reconcile_id"] == pages["reconcile_id"]
    assert after.keys() == {"ts", "level", "logger", "msg"}


def test_any_value_becomes_one_line() -> None:
    circle: dict[str, Any] = {}
    circle["itself"] = circle
    extra = {"value": circle, "path": {(1, 2): 3}, "ts": 0, "level": "x"}
    record = logging.makeLogRecord({"msg": "a\nb \ud800", "levelname": "INFO", **extra})

    line = JsonFormatter().format(record)

    assert "\n" not in line
    assert line.isascii()
    fields = json.loads(line)
    assert fields["msg"] == "a\nb \ud800"
    assert fields["value"] == str(circle)
    assert fields["level"] == "info"
    assert str(fields["ts"]).endswith("Z")


def test_the_prefix_of_a_context_logger_is_left_out(
    lines: Callable[[], list[dict[str, Any]]],
) -> None:
    from clientgen.runtime._controllers.outcomes import ContextLogger

    fields = {"controller": "shops", "object": "bank/web", "reconcile_id": "5c1e09ab"}
    ContextLogger(logger, fields).info("50%% of %s", "it")

    (line,) = lines()
    assert line["msg"] == "50% of it"
    assert line["object"] == "bank/web"
