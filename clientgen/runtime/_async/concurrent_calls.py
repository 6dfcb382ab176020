"""Runs the same call for many items, a few at a time."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from ._primitives import spawn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._primitives import Function

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_MAX_CONCURRENT_CALLS = 8


async def call_for_each(items: Iterable[K], call: Function[[K], V], name: str) -> dict[K, V]:
    """Call a function for each item, at most eight at a time. Returns the results by item.

    After the first error no further call begins; those under way end first.

    Args:
        items: the items, without duplicates.
        call: the function.
        name: the name of the tasks.

    Raises:
        Exception: the first error of a call.
    """
    order = list(items)
    pending = order[::-1]
    results: dict[K, V] = {}
    errors: list[BaseException] = []

    async def work() -> None:
        while pending and not errors:
            with suppress(IndexError):  # another worker may have taken the last item
                item = pending.pop()
                try:
                    results[item] = await call(item)
                except BaseException as error:  # noqa: BLE001 - raised below
                    errors.append(error)

    tasks = [spawn(work, name) for _ in order[:_MAX_CONCURRENT_CALLS]]
    try:
        for task in tasks:
            await task.join()
    finally:
        for task in tasks:
            if not task.done:
                task.cancel()
                await task.join()
    if errors:
        raise errors[0]
    return {item: results[item] for item in order}
