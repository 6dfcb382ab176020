"""JSON values as Go prints them into a column of text."""

from __future__ import annotations

import json
from typing import Any, Final

_PLAIN_BELOW: Final = 1e21
_UNSAFE: Final = {ord(each): f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"}


def go_text(value: Any) -> str:
    """A value as text: objects and lists as JSON with sorted keys, numbers without a bare `.0`."""
    if value is None:
        return "<no value>"
    if isinstance(value, (dict, list)):
        return _escaped(
            json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        )
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < _PLAIN_BELOW:
        return str(int(value))
    return str(value)


def _escaped(text: str) -> str:
    """Go's JSON is safe inside HTML and JavaScript."""
    return text.translate(_UNSAFE)
