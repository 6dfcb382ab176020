"""Read YAML that may hold secrets.

The texts of PyYAML's errors quote the file, so of those only the place and the kind are passed on.
"""

from __future__ import annotations

import re
from typing import Any

from ..errors import ConfigError

__all__ = ["read_yaml"]


def read_yaml(content: bytes, where: str) -> object:
    """The first document; None when there is none.

    Raises:
        ConfigError: when it is not YAML, or not such YAML as stands for plain values.
    """
    # Late: reading YAML is needed once and not at all inside a cluster.
    import yaml

    base: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    # A name or a token that looks like a date is meant as a string, as it is to Go's YAML.
    resolvers = {
        first: [each for each in each_of if each[0] != "tag:yaml.org,2002:timestamp"]
        for first, each_of in base.yaml_implicit_resolvers.items()
    }
    loader_class: Any = type("_Loader", (base,), {"yaml_implicit_resolvers": resolvers})
    try:
        loader = loader_class(content)
        try:
            # Like client-go, only the first document counts.
            return loader.get_data() if loader.check_data() else None
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        place = _place(getattr(error, "problem_mark", None))
        what = re.sub(r"['\"].{2,}['\"]", "...", str(getattr(error, "problem", None) or "")).strip()
        raise ConfigError(f"{where}: {place}is not YAML{what and f': {what}'}") from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        # What PyYAML lets through: a tag whose value does not fit, nesting without end.
        raise ConfigError(f"{where}: is not YAML that a kubeconfig can be made of") from None


def _place(mark: Any) -> str:
    return f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
