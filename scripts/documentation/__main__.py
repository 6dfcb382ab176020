"""Stages the pages of the site, or mends and checks the built site: see scripts/site.

python -m documentation stage FOLDER
python -m documentation finish FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from documentation.built_site import problems, without_a_text
from documentation.navigation import navigation
from documentation.staging import Staging, stage_sources
from documentation.table_heads import mend_heads

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Do one of both; the exit code is 1 if there are problems."""
    task, folder = sys.argv[1:]
    if task == "stage":
        titles = {page: title for title, page in navigation(ROOT)}
        Staging(ROOT, Path(folder) / "pages", titles).write()
        stage_sources(ROOT, Path(folder) / "sources")
        return 0
    mend_heads(Path(folder))
    names = (ROOT / "tests/public_names.txt").read_text("utf-8").split()
    found = [*problems(Path(folder).resolve()), *without_a_text(Path(folder), names)]
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
