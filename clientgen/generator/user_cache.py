"""Facts that are remembered on this machine between runs. Each can be lost without harm."""

from __future__ import annotations

import hashlib
import os
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from clientgen._cache_folder import user_cache

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["is_known_sound", "recall", "remember", "remember_sound", "user_cache"]

_SOUND = "sound"


def remember(kind: str, subject: str, fact: str) -> None:
    """Remember a fact about a subject, if the cache can be written."""
    with suppress(OSError, RuntimeError):
        place = _place(kind, subject)
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh = place.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        fresh.write_text(fact, "utf-8")
        fresh.replace(place)


def recall(kind: str, subject: str) -> str | None:
    """The fact that was kept; None if there is none."""
    try:
        return _place(kind, subject).read_text("utf-8")
    except (OSError, RuntimeError, UnicodeDecodeError):
        return None


def is_known_sound(checks: str, data: bytes) -> bool:
    """Return whether these very bytes passed every check before: see `remember_sound`."""
    return recall(_SOUND, _verdict(checks, data)) is not None


def remember_sound(checks: str, data: bytes) -> None:
    """Note that these bytes passed.

    Args:
        checks: names the checks and their edition, which is raised whenever one is added.
        data: what was checked.
    """
    remember(_SOUND, _verdict(checks, data), "")


def _verdict(checks: str, data: bytes) -> str:
    return f"{checks} {hashlib.sha256(data).hexdigest()}"


def _place(kind: str, subject: str) -> Path:
    return user_cache() / kind / hashlib.sha256(subject.encode()).hexdigest()
