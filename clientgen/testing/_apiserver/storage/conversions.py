"""Objects of custom resources that a webhook converts between the versions of their definition.

The result of a webhook is kept with the stored object, and so is the call as long as it runs. So
all reads of the object and all watches share one call.
"""

from __future__ import annotations

from copy import deepcopy
from hashlib import sha256
from itertools import count
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from msgspec import json

from ..conversion_reviews import (
    Conversion,
    answered_objects,
    conversion_review,
    restored,
    review_version,
)
from ..webhook_calls import Attempt, Unanswered, WebhookCall, target_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clientgen._apiextensions import CustomVersion, Definition
    from clientgen.runtime._clock import Clock

    from ..kinds.custom_strategy import CustomStrategy
    from .store import Record

_CONVERSION_TIMEOUT_SECONDS: Final = 30.0
"""Real servers wait without end."""
_QUERY: Final = "timeout=30s"


class Conversions:
    """Asks the webhooks of definitions.

    Args:
        clock: by which calls are given up.
        attempt: returns the attempt of the request that is being answered, None behind requests.
    """

    def __init__(self, clock: Clock, attempt: Callable[[], Attempt | None]) -> None:
        self._clock = clock
        self._attempt = attempt
        self._numbers = count()

    # ----------------------------------------------------------------------------- writes

    def converted(
        self, definition: Definition, value: dict[str, Any], target: CustomVersion
    ) -> dict[str, Any]:
        """Return an object of a request in another version of its definition.

        Outside of requests, where nothing can wait, only its apiVersion changes.

        Raises:
            Unanswered: the webhook has not answered yet.
            Failure: 500, it has failed.
        """
        attempt = self._attempt()
        version = target.api_version
        if attempt is None or value.get("apiVersion") == version:
            return {**value, "apiVersion": version}
        review = review_version(definition.webhook)
        uid = attempt.uid(b"convert", version.encode(), json.encode(value))

        def make() -> WebhookCall:
            return self._call(definition, conversion_review(review, [value], version, uid))

        call = attempt.call(uid, make)
        if call.outcome is None:
            raise Unanswered([call])
        source = _shown_kind(value)
        [made] = answered_objects(call, review, uid, source, 1)
        return restored(made, value, source, version)

    def _call(self, definition: Definition, body: bytes) -> WebhookCall:
        target = target_of(definition.webhook["clientConfig"])
        return WebhookCall(
            target,
            body,
            _CONVERSION_TIMEOUT_SECONDS,
            self._clock.monotonic() + _CONVERSION_TIMEOUT_SECONDS,
            _QUERY,
        )

    # ------------------------------------------------------------------------------ reads

    def pending(self, records: Sequence[Record], strategy: CustomStrategy) -> list[WebhookCall]:
        """Return the calls that have to end before these objects can be shown.

        Raises:
            Failure: 500, the webhook cannot be asked.
        """
        calls: dict[int, WebhookCall] = {}
        missing: list[Record] = []
        for record in records:
            known = self._known(record, strategy.form)
            if known is None:
                missing.append(record)
            elif known.call.outcome is None:
                calls[id(known.call)] = known.call
        if missing:
            call = self._ask(missing, strategy)
            calls[id(call)] = call
        return list(calls.values())

    def _known(self, record: Record, form: str) -> Conversion | None:
        known = (record.conversions or {}).get(form)
        if known is None or known.value is not None:
            return known
        known.call.give_up(self._clock.monotonic())
        return None if known.call.is_spent else known

    def _ask(self, records: Sequence[Record], strategy: CustomStrategy) -> WebhookCall:
        """Ask for several objects at once."""
        definition, version = strategy.definition, strategy.version.api_version
        review = review_version(definition.webhook)
        values = [_stored(record, strategy) for record in records]
        seed = sha256(f"{next(self._numbers)} {records[0].uid}".encode()).digest()
        uid = str(UUID(bytes=seed[:16], version=4))
        call = self._call(definition, conversion_review(review, values, version, uid))
        for index, record in enumerate(records):
            if record.conversions is None:
                record.conversions = {}
            record.conversions[strategy.form] = Conversion(call, uid, index, len(records))
        return call

    def shown(self, record: Record, strategy: CustomStrategy) -> dict[str, Any]:
        """Return a stored object in the version of a strategy.

        Raises:
            Unanswered: the webhook has not answered yet.
            Failure: 500, it has failed; the next reader asks it again.
        """
        known = self._known(record, strategy.form)
        if known is None and self._attempt() is None:
            value = _stored(record, strategy)
            return {**value, "apiVersion": strategy.version.api_version}
        if known is None or known.call.outcome is None:
            raise Unanswered(self.pending([record], strategy))
        if known.value is None:
            try:
                known.value = self._made(record, strategy, known)
            except Exception:
                known.call.is_spent = True
                raise
        value = deepcopy(known.value)
        value["metadata"]["resourceVersion"] = str(record.version)
        return value

    def _made(self, record: Record, strategy: CustomStrategy, known: Conversion) -> dict[str, Any]:
        original = _stored(record, strategy)
        source = _shown_kind(original)
        review = review_version(strategy.definition.webhook)
        made = answered_objects(known.call, review, known.uid, source, known.number)
        version = strategy.version
        value = restored(made[known.index], original, source, version.api_version)
        version.prune(value)
        version.default(value)
        return value


def _stored(record: Record, strategy: CustomStrategy) -> dict[str, Any]:
    """Return an object as it is stored, the way webhooks see it."""
    source = strategy.source_of(record.form)
    head = {"kind": strategy.resource.kind, "apiVersion": source.api_version}
    value: dict[str, Any] = {**head, **record.value()}
    source.prune(value)
    source.default(value)
    value["metadata"].pop("resourceVersion", None)
    return value


def _shown_kind(value: dict[str, Any]) -> str:
    return f"{value.get('apiVersion')}, Kind={value.get('kind')}"
