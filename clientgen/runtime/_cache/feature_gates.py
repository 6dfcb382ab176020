"""Feature gates of clients, set by environment variables as in client-go.

`KUBE_FEATURE_WatchListClient=false` switches a feature off. (client-go: features/envvar.go.)
"""

from __future__ import annotations

import os
from typing import Final

_TRUE: Final = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "false", "FALSE", "False"})


def is_enabled(feature: str, *, default: bool) -> bool:
    """Return whether a feature is enabled.

    A value that Go does not read as a bool is logged, and the default applies.

    Args:
        feature: The name of the feature, such as `WatchListClient`.
        default: The result if the environment does not decide.
    """
    variable = f"KUBE_FEATURE_{feature}"
    value = os.environ.get(variable)
    if value is None:
        return default
    if value in _TRUE or value in _FALSE:
        return value in _TRUE
    import logging

    words = "%s must be true or false, not %r: it is taken as %s"
    logging.getLogger("clientgen.runtime.informers").error(
        words, variable, value[:100], str(default).lower()
    )
    return default
