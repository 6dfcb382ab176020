"""Lines of values in manifests, found only for messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import yaml

from clientgen._problems import Problem
from clientgen._yaml import composer
from clientgen.generator.sources.crd.crd_documents import json_texts
from clientgen.generator.sources.spec import Input


def line_of(text: str, document_index: int, path: Sequence[str | int]) -> int:
    """Return the line of a value, from 1. If the value is missing, its parent counts.

    Args:
        text: the text of the file.
        document_index: the number of the document, from 0.
        path: keys and indices, as of a JSON pointer.
    """
    root, first = _root(text, document_index)
    return first if root is None else first - 1 + composer.line_of(root, path)


def located(problems: Iterable[Problem], inputs: Iterable[Input]) -> tuple[Problem, ...]:
    """Return the problems with `file:line #/pointer` for every place in a manifest.

    Args:
        problems: what was found, with places like `crds/web.yaml[0]#/spec/scope`.
        inputs: the manifests.
    """
    texts = {manifest.shown: manifest.data for manifest in inputs}
    if not texts:
        return tuple(problems)
    longest_first = sorted(texts, key=len, reverse=True)
    names = "|".join(map(re.escape, longest_first))
    place = re.compile(
        rf"(?P<file>{names})\[(?P<index>\d+)\](?P<pointer>#[^,;`]*?(?=$|[,;`]| and | is ))?"
    )

    def spelled(match: re.Match[str]) -> str:
        text = texts[match["file"]].decode("utf-8-sig", "replace")
        pointer = match["pointer"] or ""
        line = line_of(text, int(match["index"]), _parts(pointer))
        return f"{match['file']}:{line}{pointer and ' '}{pointer}"

    def located_text(text: str) -> str:
        return place.sub(spelled, text)

    return tuple(
        Problem(located_text(p.where), located_text(p.what), located_text(p.hint)) for p in problems
    )


def _parts(pointer: str) -> list[str]:
    parts = pointer.removeprefix("#").split("/")[1:]
    return [part.replace("~1", "/").replace("~0", "~") for part in parts]


@lru_cache(maxsize=8)
def _root(text: str, document_index: int) -> tuple[yaml.Node | None, int]:
    """The document as it was composed, and the line its own first line is counted from."""
    try:
        texts = list(json_texts(text))
        if texts:
            line, one = texts[document_index]
            return next(composer.compose(one.replace("\t", " ")), None), line
        for index, node in enumerate(composer.compose(text)):
            if index == document_index:
                return node, 1
    except (yaml.YAMLError, RecursionError, IndexError):
        pass
    return None, 1
