"""The hash that `kubectl create --append-hash` puts into names.

kubectl: pkg/util/hash/hash.go.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_LENGTH: Final = 10
# Without vowels and digits that look like them, a hash is no word.
_LETTERS: Final = str.maketrans("013ae", "ghkmt")
# encoding/json of Go writes these escaped, so that JSON can be part of HTML and JavaScript.
_ESCAPES: Final = str.maketrans({each: f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"})


def go_json(value: Mapping[str, Any], *, sort_keys: bool = False) -> str:
    """Return JSON as Go writes it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=sort_keys)
    return text.translate(_ESCAPES)


def name_hash(value: Mapping[str, Any]) -> str:
    """Return the hash of an object: its kind, name, type and data."""
    digest = hashlib.sha256(go_json(value, sort_keys=True).encode())
    return digest.hexdigest()[:_LENGTH].translate(_LETTERS)
