"""Read YAML that may hold secrets.

The texts of PyYAML's errors quote the file, so of those only the place and the kind are passed on.
"""

from __future__ import annotations

import re

from ..errors import ConfigError

__all__ = ["read_yaml"]


def read_yaml(content: bytes, where: str) -> object:
    """The first document; None when there is none.

    Raises:
        ConfigError: when it is not YAML, or not such YAML as stands for plain values.
    """
    # Late: reading YAML is needed once and not at all inside a cluster.
    import yaml

    from clientgen._yaml.composer import compose, place
    from clientgen._yaml.loader import BadText, Reader

    try:
        # Like client-go, only the first document counts.
        root = next(compose(content), None)
        return None if root is None else Reader().value(root)
    except yaml.YAMLError as error:
        at = place(error)
        shown = f"line {at[0]}, column {at[1]}: " if at else ""
        what = re.sub(r"['\"].{2,}['\"]", "...", str(getattr(error, "problem", None) or "")).strip()
        raise ConfigError(f"{where}: {shown}is not YAML{what and f': {what}'}") from None
    except (BadText, RecursionError):
        # A tag whose value does not fit, a list for a key, nesting without end.
        raise ConfigError(f"{where}: is not YAML that is valid in a kubeconfig") from None
