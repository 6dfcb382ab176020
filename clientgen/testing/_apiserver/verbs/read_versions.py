"""Resource versions of reads and watches, which wait for versions to come."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from clientgen._apimachinery.failures import Cause, Failure, unclassified

from ..responses.answers import Deferred

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..responses.answers import Answer
    from ..storage.store import Store

_MAX_DIGITS: Final = 20
"""The digits of a version; Python would not even read thousands of them."""
FUTURE_TIMEOUT_SECONDS: Final = 3.0
"""The seconds that a read waits for a version that does not exist yet."""


def version_number(text: str) -> int:
    """The version a read names; 0 when it names none.

    Raises:
        Failure: 500, as from a real server, although it is the fault of the client.
    """
    if not text:
        return 0
    start = f'resourceVersion: Invalid value: "{text}": strconv.ParseUint: parsing "{text}": '
    if re.fullmatch("[0-9]+", text) is None:
        raise unclassified(f"{start}invalid syntax")
    digits = text.lstrip("0") or "0"
    if len(digits) > _MAX_DIGITS or int(digits) >= 2**64:
        raise unclassified(f"{start}value out of range")
    return int(digits)


def too_large_version(version: int, current: int) -> Failure:
    """504: the server has not come to that version in time."""
    return Failure(
        504,
        "Timeout",
        f"Timeout: Too large resource version: {version}, current: {current}",
        causes=[Cause("ResourceVersionTooLarge", "Too large resource version")],
        retry_after=1,
    )


def when_version(
    store: Store,
    version: int,
    then: Callable[[], Answer],
    otherwise: Callable[[Failure], Answer] | None = None,
) -> Answer:
    """Call `then` as soon as the store is at a version.

    If that takes too long, `otherwise` is called, or the failure raised.
    """
    if store.version >= version:
        return then()
    deadline = store.clock.monotonic() + FUTURE_TIMEOUT_SECONDS

    def resume() -> Answer:
        if store.version >= version:
            return then()
        if store.clock.monotonic() >= deadline:
            failure = too_large_version(version, store.version)
            if otherwise is None:
                raise failure
            return otherwise(failure)
        return Deferred(deadline, resume, store.on_advance)

    return Deferred(deadline, resume, store.on_advance)
