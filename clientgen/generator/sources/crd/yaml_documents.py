"""The documents of a YAML text, read as kubectl reads them, with all that is wrong with their keys.

Errors have the words of PyYAML's own parser, so that messages do not depend on libyaml.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from clientgen._problems import Problem
from clientgen._yaml.composer import PLAIN, compose, place
from clientgen._yaml.loader import BadText, Reader
from clientgen._yaml.yaml_scalars import key_text, plain_value
from clientgen.generator.sources.crd.helm import helm_problem


@dataclass(frozen=True, slots=True)
class Document:
    """One document: its number in the file, from 0, and its value in terms of JSON.

    `doubts` are keys that are repeated or not read as written. They count only if the document
    does. `templated` says that Helm would change the document.
    """

    index: int
    value: Any
    doubts: tuple[Problem, ...] = ()
    templated: bool = False


def yaml_documents(text: str, shown: str) -> Iterator[Document]:
    """The documents of a YAML text.

    Raises:
        yaml.YAMLError: from the first one on that is none.
        RecursionError: there is no end to its nesting.
        BadText: aliases of aliases make it grow beyond measure.
    """
    for index, node in enumerate(compose(text)):
        reader = _WarningReader(text, shown)
        value = reader.value(node)
        yield Document(index, value, tuple(dict.fromkeys(reader.doubts)), reader.templated)


class _WarningReader(Reader):
    """Records what is wrong, and reads on."""

    def __init__(self, text: str, shown: str, first: int = 1) -> None:
        super().__init__(overriding=True)
        self.doubts: list[Problem] = []
        self.templated = False
        self._text = text
        self._shown = shown
        self._first = first

    def scalar(self, node: yaml.ScalarNode) -> str | float | bool | None:
        try:
            return super().scalar(node)
        except BadText as error:
            self._doubt(node, f"has a value that is none: {str(error).partition(': ')[2]}")
            return None

    def key(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            self._object_as_key(node)
            return ""
        read = key_text(plain_value(node.value)) if node.tag == PLAIN else node.value
        if read != node.value:
            called = "null" if read is None else f"the key {read!r}"
            what = f"has the key `{node.value}`, which API servers read as {called}"
            self._doubt(node, what, f'Quote it: "{node.value}".')
        return str(node.value)

    def _object_as_key(self, node: yaml.Node) -> None:
        templated = helm_problem(self._text, self._shown)
        if templated:
            self.templated = True
            self.doubts.append(templated)
        else:
            self._doubt(node, "has a list or an object as a key", "Keys are strings.")

    def repeated(self, node: yaml.Node, key: str) -> None:
        what = f"has the key {key!r} twice in one object"
        self._doubt(node, what, "An API server keeps one of them; remove the other.")

    def merges_none(self, node: yaml.Node) -> None:
        self._doubt(node, "merges (`<<`) what is no object")

    def _doubt(self, node: yaml.Node, what: str, hint: str = "") -> None:
        mark = node.start_mark
        where = f"{self._shown}:{mark.line + self._first}:{mark.column + 1}"
        self.doubts.append(Problem(where, what, hint))


def repeated_keys(text: str, shown: str, first: int) -> list[Problem]:
    """The doubts of a JSON text, whose first line is this one of the file; none if YAML differs."""
    reader = _WarningReader(text, shown, first)
    try:
        for node in compose(text.replace("\t", " ")):
            reader.value(node)
    except (yaml.YAMLError, BadText):
        return []
    return reader.doubts


def not_yaml(text: str, shown: str, error: yaml.YAMLError) -> Problem:
    """Return the problem in the words of PyYAML's parser: libyaml has other words and columns."""
    try:
        for _node in compose(text, pure=True):
            pass
    except yaml.YAMLError as other:
        error = other
    except RecursionError:
        pass  # PyYAML's stack ends sooner
    at = place(error)
    if at and isinstance(error, yaml.MarkedYAMLError):
        line, column = at
        what = str(error.problem)
    else:
        position: int = getattr(error, "position", 0)
        line = text.count("\n", 0, position) + 1
        column = position - text.rfind("\n", 0, position)
        what = str(getattr(error, "reason", error))
    hint = "Indent with spaces." if "'\\t'" in what else ""
    problem = Problem(f"{shown}:{line}:{column}", f"is not YAML: {what}", hint)
    return helm_problem(text, shown, line) or problem
