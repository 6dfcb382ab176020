"""Webhooks in threads: test_webhooks.py, derived."""

from __future__ import annotations

from pathlib import Path

from support.flavours import derived_tests
from support.reviews import PATH, Thing, response_of, review, thing

from clientgen.runtime.sync import Webhooks
from clientgen.runtime.webhooks import AdmissionRequest

globals().update(derived_tests(Path(__file__).with_name("test_webhooks.py")))


def test_a_coroutine_function_would_not_run() -> None:
    async def check(request: AdmissionRequest[Thing]) -> None: ...

    function: object = check
    webhooks = Webhooks().validate(Thing, function)  # type: ignore[arg-type]
    response = response_of(webhooks.answer(f"/validate-{PATH}", review(thing())))
    assert response["status"]["message"] == "check failed with TypeError; its log says why"
