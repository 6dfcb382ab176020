"""What both flavours note and report in the same way."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from clientgen.runtime import meta_namespace_key
from clientgen.runtime.errors import AlreadyExists, ClientError, Conflict, NotFound

logger = logging.getLogger("servicelookup")


def keys_to(
    add: Callable[[str], object],
) -> tuple[Callable[[Any, bool], None], Callable[[Any, Any], None], Callable[[Any], None]]:
    """Handlers for an informer that put the keys of what changes into a queue.

    Nothing else is kept: whoever takes a key looks at what is true then. So it does not matter
    how many changes there were, or whether one was missed.
    """

    def on_add(obj: Any, is_initial: bool) -> None:  # noqa: ARG001
        add(meta_namespace_key(obj))

    def on_update(old: Any, new: Any) -> None:  # noqa: ARG001
        add(meta_namespace_key(new))

    def on_delete(obj: Any) -> None:
        add(meta_namespace_key(obj))

    return on_add, on_update, on_delete


def report(queue: str, key: str, error: Exception) -> None:
    """Log why a key will be tried again, as loudly as it deserves."""
    if isinstance(error, AlreadyExists | Conflict | NotFound):  # the cache was behind: it happens
        logger.debug("%s %s: %s", queue, key, error)
    elif isinstance(error, ClientError):
        logger.warning("%s %s: %s", queue, key, error)
    else:
        logger.error("%s %s failed", queue, key, exc_info=error)
