"""`python -m kubernetes_release.older`: keeps the document of an older release for its package."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .releases import write_older

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Write the facts of a document into specs/releases."""
    parser = argparse.ArgumentParser(
        prog="python -m kubernetes_release.older",
        description="Keep the document of an older release of Kubernetes in specs/releases.",
    )
    parser.add_argument("release", help="such as 1.35")
    parser.add_argument("swagger", type=Path, help="its api/openapi-spec/swagger.json")
    parser.add_argument(
        "--sources",
        type=Path,
        required=True,
        help="a folder with checkouts, at the release, of kubernetes/{api,apiextensions-apiserver}",
    )
    options = parser.parse_args(arguments)
    document = json.loads(options.swagger.read_bytes())
    size = write_older(options.release, document, options.sources)
    sys.stdout.write(f"specs/releases/{options.release}.json.xz: {size:,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
