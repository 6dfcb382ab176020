"""How many examples hypothesis tries: a number for each test, scaled by the profile."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

# What a profile says for tests without a number, relative to this, scales the others.
ORDINARY = 100


def try_examples(count: int, **others: Any) -> settings:
    """Settings for this many examples in the profile `ci`: fewer in `quick`, more in `deep`."""
    scaled = count * settings().max_examples // ORDINARY
    return settings(max_examples=max(1, scaled), **others)
