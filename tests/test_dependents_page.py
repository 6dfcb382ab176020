"""docs/guides/dependents.md: its snippets are lines of examples/shop, or run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/guides/dependents.md"
EXAMPLE = ROOT / "examples/shop/shop_operator.py"
OF_EXAMPLE = "# shop_operator.py\n"


def snippets() -> list[str]:
    """The Python blocks of the page."""
    return re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_the_page_shows_lines_of_the_example_in_their_order() -> None:
    source = EXAMPLE.read_text("utf-8").splitlines()
    shown = [block for block in snippets() if block.startswith(OF_EXAMPLE)]
    assert len(shown) == 5
    for block in shown:
        place = 0
        for line in filter(None, block.removeprefix(OF_EXAMPLE).splitlines()):
            assert line in source[place:], f"{EXAMPLE.name} has no line {line!r} there"
            place = source.index(line, place) + 1


def test_the_other_snippets_run() -> None:
    names: dict[str, Any] = {"__name__": "page"}
    run = [block for block in snippets() if not block.startswith(OF_EXAMPLE)]
    assert len(run) == 2
    for block in run:
        exec(compile(block, str(PAGE), "exec", dont_inherit=True), names)
