"""Reads YAML that may contain secrets.

PyYAML's error messages quote the file. The messages of this module contain only the position and
the type of the error.
"""

from __future__ import annotations

import re

from ..errors import ConfigError


def read_yaml(content: bytes, where: str) -> object:
    """Return the value of the first document; None if there is no document.

    Raises:
        ConfigError: the content is not YAML, or contains more than plain values.
    """
    # Imported late: YAML is read once, and never in a pod.
    import yaml

    from clientgen._yaml.composer import compose, place
    from clientgen._yaml.loader import BadText, Reader

    try:
        # As in client-go, only the first document is read.
        root = next(compose(content), None)
        return None if root is None else Reader().value(root)
    except yaml.YAMLError as error:
        at = place(error)
        shown = f"line {at[0]}, column {at[1]}: " if at else ""
        problem = str(getattr(error, "problem", None) or "")
        reason = re.sub(r"['\"].{2,}['\"]", "...", problem).strip()
        detail = f": {reason}" if reason else ""
        raise ConfigError(f"{where}: {shown}the file is not YAML{detail}") from None
    except (BadText, RecursionError):
        # For example a tag whose value does not fit, a list as a key, or very deep nesting.
        raise ConfigError(f"{where}: the YAML is not valid in a kubeconfig") from None
