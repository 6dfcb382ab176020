"""The recipes of docs/how-to: questions with snippets, and what the snippets print."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs/how-to"
INDEX = FOLDER / "index.md"
PAGES = sorted(set(FOLDER.glob("*.md")) - {INDEX})
_HEADING = re.compile(r"^## (.*)\n", re.MULTILINE)
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# What every page says that its snippets need.
PROLOGUE = "from kubeapi import Clientset\n\nk = Clientset.from_config()\n"


@dataclass
class Block:
    """A block of code: its language, its text, and the number of its first line."""

    language: str
    text: str
    line: int


@dataclass
class Recipe:
    """A question and its blocks. Each block of Python may be followed by what it prints."""

    page: Path
    question: str
    blocks: list[Block]

    def __str__(self) -> str:
        words = self.question.removeprefix("How do I ").rstrip("?").lower()
        return f"{self.page.stem}: {words}"


def recipes() -> list[Recipe]:
    """The recipes of all pages."""
    return [recipe for page in PAGES for recipe in recipes_of(page)]


def recipes_of(page: Path) -> list[Recipe]:
    """The recipes of a page, in order."""
    text = page.read_text("utf-8")
    headings = list(_HEADING.finditer(_without_code(text)))
    ends = [each.start() for each in headings[1:]] + [len(text)]
    return [
        Recipe(page, heading[1], _blocks(text, heading.end(), end))
        for heading, end in zip(headings, ends, strict=True)
    ]


def _without_code(text: str) -> str:
    """The text with blanks in the place of blocks: a comment in them is no heading."""
    return _FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def _blocks(text: str, start: int, end: int) -> list[Block]:
    return [
        Block(match[1], match[2], text.count("\n", 0, match.start(2)))
        for match in _FENCE.finditer(text, start, end)
    ]


def write_modules(folder: Path) -> list[str]:
    """Write each recipe as a module, for type checkers. Returns the paths.

    A line of a module is the same line of the page.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[str] = []
    for recipe in recipes():
        lines = PROLOGUE.splitlines()
        for block in recipe.blocks:
            if block.language == "python":
                lines += [""] * (block.line - len(lines))
                lines += block.text.splitlines()
        path = folder / f"{re.sub(r'[^a-z]+', '_', str(recipe)).strip('_')}.py"
        path.write_text("\n".join(lines) + "\n", "utf-8")
        paths.append(str(path))
    return paths
