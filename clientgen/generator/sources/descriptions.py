"""Texts for definitions whose API comes without: YAML files, merged into what a document says.

A file is named after the definitions that it is about: `io.k8s.api.apps.v1.yaml` has the texts of
`io.k8s.api.apps.v1.Deployment` and its neighbours. What a document says itself is never replaced.
A version of a group that lacks a text takes that of another version, stable ones first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from clientgen._json import is_object
from clientgen._openapi.schema import Schema
from clientgen._problems import ClientgenError, Problems
from clientgen._yaml.loader import BadText, load_yaml
from clientgen.generator.python_names import attribute
from clientgen.generator.sources.files import links_to_nowhere, read_file
from clientgen.generator.sources.spec import Definition, Input, Spec

_ENDING = ".yaml"
# Every object of the API has these; a file need not say so each time.
_OF_OBJECTS = {
    "metadata": "Its name, namespace, labels and annotations, and what the server adds.",
    "spec": "The wanted state, as users write it.",
    "status": "The observed state, as controllers report it.",
}
_PATH = re.compile(r"(?<=`)[a-z]\w*(?:\.[a-z]\w*)*(?=`)", re.ASCII)
_NAME_TEXTS = "Name a file with texts, or a folder with such files."
_LAYOUT = "write `Name: {text: ..., fields: {property: ...}}`, each text a string"


@dataclass(frozen=True, slots=True)
class Texts:
    """The text of a definition, and those of its properties by name."""

    text: str = ""
    fields: Mapping[str, str] = field(default_factory=dict[str, str])


def gather(paths: Iterable[Path], root: Path) -> tuple[Input, ...]:
    """Read the files, and the files in each folder.

    Raises:
        ClientgenError: with everything that cannot be read.
    """
    problems, inputs = Problems(), list[Input]()
    for path in paths:
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        links_to_nowhere(files, {_ENDING}, problems)
        for file in files:
            if file == path or (file.suffix == _ENDING and file.is_file()):
                try:
                    inputs.append(_read(file, root))
                except ClientgenError as error:
                    problems.extend(error.problems)
    problems.raise_if_any()
    return tuple(inputs)


def _read(file: Path, root: Path) -> Input:
    shown = str(file.relative_to(root)) if file.is_relative_to(root) else str(file)
    return Input(f"descriptions/{file.name}", shown, read_file(file, shown, _NAME_TEXTS))


class Descriptions:
    """All texts, by the names of definitions."""

    def __init__(self, texts: Mapping[str, Texts]) -> None:
        self.texts = texts
        self._versions: dict[tuple[str, str], list[str]] = {}
        for name in sorted(texts, key=_stability):
            self._versions.setdefault(_group_and_name(name), []).append(name)

    def candidates(self, name: str) -> list[Texts]:
        """Return the texts that fit a definition: its own first, then those of other versions."""
        names = self._versions.get(_group_and_name(name), [])
        return [self.texts[each] for each in sorted(names, key=lambda each: each != name)]

    def of(self, name: str, property_name: str = "") -> str:
        """Return the text of a definition, or of one of its properties; empty if there is none."""
        return _first(self.candidates(name), property_name)


def parse(inputs: Sequence[Input]) -> Descriptions:
    """Understand the files.

    Raises:
        ClientgenError: with everything in them that is no text.
    """
    problems, texts = Problems(), dict[str, Texts]()
    for one in inputs:
        package = Path(one.name).stem
        for name, entry in _entries(one, problems).items():
            texts[f"{package}.{name}"] = _texts(entry, f"{one.shown}: {name}", problems)
    problems.raise_if_any()
    return Descriptions(texts)


def _entries(one: Input, problems: Problems) -> Mapping[str, Any]:
    try:
        document, twice = load_yaml(one.data)
    except BadText as error:
        problems.add(one.shown, str(error), _LAYOUT)
        return {}
    for sentence in twice:
        problems.add(one.shown, sentence, "keep one of the two")
    if document is not None and not is_object(document):
        problems.add(one.shown, "does not describe definitions by their names", _LAYOUT)
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


def described(spec: Spec, descriptions: Descriptions) -> Spec:
    """Return the spec with a text for each definition and property that has none.

    Names of properties in backticks become those of Python, as the texts become docstrings.
    """
    properties = chain.from_iterable(
        one.schema.properties for one in spec.definitions.values() if one.schema.has_properties
    )
    spelled = {name: attribute(name) for name in properties}
    definitions = {
        name: _described(definition, known, spelled)
        if (known := descriptions.candidates(name))
        else definition
        for name, definition in spec.definitions.items()
    }
    return replace(spec, definitions=definitions)


def _group_and_name(name: str) -> tuple[str, str]:
    package, _, own = name.rpartition(".")
    return package.rpartition(".")[0], own


def _stability(name: str) -> tuple[bool, bool, str]:
    version = name.rsplit(".", 2)[-2]
    return "alpha" in version, "beta" in version, name


def _first(known: Iterable[Texts], property_name: str) -> str:
    found = (one.fields.get(property_name, "") if property_name else one.text for one in known)
    return next(filter(None, found), "")


def _described(
    definition: Definition, known: Sequence[Texts], spelled: Mapping[str, str]
) -> Definition:
    raw = dict(_with_text(definition.schema.raw, _in_python(_first(known, ""), spelled)))
    properties = raw.get("properties")
    if is_object(properties):
        common = _OF_OBJECTS if properties.keys() >= {"apiVersion", "kind"} else {}
        described_properties = dict(properties)
        for name, schema in properties.items():
            text = _in_python(_first(known, name), spelled) or common.get(name, "")
            if is_object(schema):
                described_properties[name] = _with_text(schema, text)
        raw["properties"] = described_properties
    return replace(definition, schema=Schema(raw))


def _in_python(text: str, spelled: Mapping[str, str]) -> str:
    """Return a text with Python's names of properties and of paths of them: `spec.node_name`."""

    def path(match: re.Match[str]) -> str:
        names = match[0].split(".")
        return (
            ".".join(map(spelled.__getitem__, names)) if spelled.keys() >= set(names) else match[0]
        )

    return _PATH.sub(path, text)


def _with_text(schema: Mapping[str, Any], text: str) -> Mapping[str, Any]:
    return {**schema, "description": text} if text and not schema.get("description") else schema
