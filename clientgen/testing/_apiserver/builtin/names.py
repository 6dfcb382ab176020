"""Which names objects of a kind may have.

Most names are DNS subdomains; the exceptions stand in a table (Kubernetes documentation, "Object
Names and IDs", and the kinds' own pages).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clientgen._apimachinery.name_syntax import (
        Rule,
    )

__all__ = ["LONGEST", "RULES"]

RULES: Final[Mapping[tuple[str, str], Rule]] = {}
LONGEST: Final[Mapping[tuple[str, str], int]] = {("batch", "cronjobs"): 52}
