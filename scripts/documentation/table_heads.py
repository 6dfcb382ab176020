"""Heads of tables: a cell without a text is no head, and a head without a text is left out.

Tables in Markdown have a head, even if it is empty. Screen readers announce it for each cell.
"""

from __future__ import annotations

import re
from pathlib import Path

EMPTY_HEAD = re.compile(r"<thead>\s*<tr>\s*(?:<th[^>]*></th>\s*)+</tr>\s*</thead>\s*")
EMPTY_CELL = re.compile(r"<th([^>]*)></th>")


def mend_heads(site: Path) -> None:
    """Mend the heads of all tables of a built site."""
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        mended = mended_heads(text)
        if mended != text:
            page.write_text(mended, "utf-8")


def mended_heads(text: str) -> str:
    """Return a page without empty heads."""
    return EMPTY_CELL.sub(r"<td\1></td>", EMPTY_HEAD.sub("", text))
