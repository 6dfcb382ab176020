"""`clientgen generate` without its last stage: what it costs before black."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from clientgen.cli.entry import main
from clientgen.generator import package_builder

if TYPE_CHECKING:
    from collections.abc import Mapping


def _leave(files: Mapping[str, str]) -> dict[str, str]:
    return dict(files)


if __name__ == "__main__":
    setattr(package_builder, "format_tree", _leave)  # noqa: B010 - it replaces what building imported
    sys.exit(main())
