"""Texts for definitions whose document has none, from YAML files.

A file is named after the definitions that it is about: `io.k8s.api.apps.v1.yaml` has the texts of
`io.k8s.api.apps.v1.Deployment` and its neighbours. What a document says itself is never replaced.
A version of a group that lacks a text takes that of another version, stable ones first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import is_object
from clientgen._yaml.loader import BadText, load_yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from clientgen._problems import Problems

ENDING: Final = ".yaml"
"""The ending of the files."""

# Every object of the API has these; a file need not say so each time.
_OF_OBJECTS: Final = {
    "apiVersion": "The group and version of its kind, such as `apps/v1`.",
    "kind": "The kind of the object.",
    "metadata": "Its name, namespace, labels and annotations, and what the server adds.",
    "spec": "The wanted state, as users write it.",
    "status": "The observed state, as controllers report it.",
}
_LAYOUT: Final = "write `Name: {text: ..., fields: {property: ...}}`, each text a string"


@dataclass(frozen=True, slots=True)
class Texts:
    """The text of a definition, and those of its properties by name."""

    text: str = ""
    fields: Mapping[str, str] = field(default_factory=dict[str, str])


class Descriptions:
    """All texts, by the names of definitions."""

    def __init__(self, texts: Mapping[str, Texts]) -> None:
        self.texts = texts
        self._versions: dict[tuple[str, str], list[str]] = {}
        for name in sorted(texts, key=_stability):
            self._versions.setdefault(_group_and_name(name), []).append(name)

    def of(self, name: str, property_name: str = "") -> str:
        """Return the text of a definition, or of one of its properties; empty if there is none."""
        return _first(self._candidates(name), property_name)

    def described(
        self, name: str, definition: Mapping[str, Any], spell: Callable[[str], str] = str
    ) -> Mapping[str, Any]:
        """Return a definition, with a text for itself and each property that has none.

        Args:
            name: the name of the definition.
            definition: its schema.
            spell: changes each text before it is used, such as the names in it.
        """
        known = self._candidates(name)
        if not known:
            return definition
        described = dict(_with_text(definition, spell(_first(known, ""))))
        properties = described.get("properties")
        if is_object(properties):
            common = _OF_OBJECTS if properties.keys() >= {"apiVersion", "kind"} else {}
            described["properties"] = {
                each: _with_text(schema, spell(_first(known, each)) or common.get(each, ""))
                for each, schema in properties.items()
            }
        return described

    def _candidates(self, name: str) -> Sequence[Texts]:
        """Return the texts that fit a definition: its own first, then those of other versions."""
        names = self._versions.get(_group_and_name(name), [])
        return [self.texts[each] for each in sorted(names, key=lambda each: each != name)]


def read_texts(package: str, shown: str, data: bytes, problems: Problems) -> dict[str, Texts]:
    """Return the texts of a file by the names of definitions. Report all that is no text.

    Args:
        package: the name of the file without its ending, such as `io.k8s.api.apps.v1`.
        shown: the name of the file in messages.
        data: the file's content.
        problems: gets the problems.
    """
    entries = _entries(shown, data, problems)
    return {
        f"{package}.{name}": _texts(entry, f"{shown}: {name}", problems)
        for name, entry in entries.items()
    }


def _entries(shown: str, data: bytes, problems: Problems) -> Mapping[str, Any]:
    try:
        document, repeated = load_yaml(data)
    except BadText as error:
        problems.add(shown, str(error), _LAYOUT)
        return {}
    for sentence in repeated:
        problems.add(shown, sentence, "keep one of the two")
    if document is not None and not is_object(document):
        problems.add(shown, "does not describe definitions by their names", _LAYOUT)
        return {}
    return document or {}


def _texts(entry: object, where: str, problems: Problems) -> Texts:
    if is_object(entry) and entry.keys() <= {"text", "fields"}:
        text, fields = entry.get("text", ""), entry.get("fields", {})
        if isinstance(text, str) and is_object(fields) and _are_strings(fields.values()):
            return Texts(text.strip(), {name: value.strip() for name, value in fields.items()})
    problems.add(where, "it is not a text with the texts of fields", _LAYOUT)
    return Texts()


def _are_strings(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _group_and_name(name: str) -> tuple[str, str]:
    package, _, own = name.rpartition(".")
    return package.rpartition(".")[0], own


def _stability(name: str) -> tuple[bool, bool, str]:
    version = name.rsplit(".", 2)[-2]
    return "alpha" in version, "beta" in version, name


def _first(known: Iterable[Texts], property_name: str) -> str:
    found = (one.fields.get(property_name, "") if property_name else one.text for one in known)
    return next(filter(None, found), "")


def _with_text(schema: Mapping[str, Any], text: str) -> Mapping[str, Any]:
    needs_text = text and is_object(schema) and not schema.get("description")
    return {**schema, "description": text} if needs_text else schema
