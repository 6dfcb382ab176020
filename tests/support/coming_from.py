"""The pages of docs/coming-from as programs: their blocks, and the calls in their tables.

A page is one program. Its parts are the blocks of Python, and the code spans in the last column of
every table whose last heading is `clientgen`, in the order of the page.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CELLS", "COMMANDS", "PAGES", "Part", "parts", "write_programs"]

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs/coming-from").glob("*.md"))
COMMANDS = ("clientgen ", "pytest ")
CELLS = re.compile(r"(?<!\\)\|")
SPAN = re.compile(r"(?<!`)(?:`([^`]+)`|``(?!`)(.+?)``)")
CHECKED = ROOT / "tests/typing/coming_from_pages.py"
HEADER = '''\
"""The calls on the pages of docs/coming-from, for type checkers. Written by tests."""

from typing import Any

# Lines show what a reader may write; nothing uses their values here.
# pyright: reportUnusedExpression=false, reportUnusedVariable=false, reportUnusedImport=false
# pyright: reportUnusedFunction=false, reportUnusedClass=false, reportUnusedCoroutine=true


def given() -> Any: ...
'''


@dataclass(frozen=True)
class Part:
    """A block of Python, or a call in a table."""

    page: str
    line: int
    """The line of the page before the part."""
    code: str
    is_call: bool

    @property
    def place(self) -> str:
        """Where it is, as an editor understands it."""
        return f"docs/coming-from/{self.page}.md:{self.line + 1}"


def parts(page: Path) -> Iterator[Part]:
    """The parts of a page, in order; commands for a shell are none."""
    block: list[str] = []
    fence, is_ours = "", False
    for number, line in enumerate(page.read_text("utf-8").splitlines()):
        if line.startswith("```"):
            if fence == "```python":
                yield Part(page.stem, number - len(block), "\n".join(block) + "\n", is_call=False)
            fence, block = "" if fence else line, []
        elif fence:
            block.append(line)
        elif line.startswith("|"):
            cells = [cell.strip() for cell in CELLS.split(line.strip().strip("|"))]
            is_ours = cells[-1] == "clientgen" or is_ours
            if is_ours:
                for code in spans(cells[-1]):
                    yield Part(page.stem, number, code, is_call=True)
        else:
            is_ours = False


def spans(cell: str) -> Iterator[str]:
    """The calls in a cell."""
    for once, twice in SPAN.findall(cell):
        code = (once or twice.strip()).replace("\\|", "|")
        if not code.startswith(COMMANDS):
            yield code


def write_programs() -> Path:
    """Write all pages as functions of one module, so that both checkers read them."""
    written = [HEADER]
    for page in PAGES:
        written.append(f"\n\nasync def {page.stem.replace('-', '_')}() -> None:")
        for part in parts(page):
            written += [f"    # {part.place}", textwrap.indent(checked(part).rstrip("\n"), "    ")]
        written.append("    return")
    text = "\n".join(written) + "\n"
    if not CHECKED.exists() or CHECKED.read_text("utf-8") != text:
        # Workers of xdist may write it at the same time.
        scratch = CHECKED.with_name(f".{CHECKED.name}.{os.getpid()}")
        scratch.write_text(text, "utf-8")
        scratch.replace(CHECKED)
    return CHECKED


def checked(part: Part) -> str:
    """The code of a part. Fields of classes have no values either, but are indented."""
    if part.is_call or "context: " not in part.code:
        return part.code
    return re.sub(r"^(context: \S+)", r"\1 = given()", part.code, flags=re.MULTILINE)


if __name__ == "__main__":
    write_programs()
