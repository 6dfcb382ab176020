"""Files with texts for definitions whose API comes without, merged into what a document says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from clientgen._openapi.descriptions import ENDING, Descriptions, Texts, read_texts
from clientgen._openapi.schema import Schema
from clientgen._problems import ClientgenError, Problems
from clientgen.generator.python_names import attribute
from clientgen.generator.sources.files import links_to_nowhere, read_file
from clientgen.generator.sources.spec import Definition, Input, Spec

_PATH = re.compile(r"(?<=`)[a-z]\w*(?:\.[a-z]\w*)*(?=`)", re.ASCII)
_NAME_TEXTS = "Name a file with texts, or a folder with such files."


def gather(paths: Iterable[Path], root: Path) -> tuple[Input, ...]:
    """Read the files, and the files in each folder.

    Raises:
        ClientgenError: with everything that cannot be read.
    """
    problems, inputs = Problems(), list[Input]()
    for path in paths:
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        links_to_nowhere(files, {ENDING}, problems)
        for file in files:
            if file == path or (file.suffix == ENDING and file.is_file()):
                try:
                    inputs.append(_read(file, root))
                except ClientgenError as error:
                    problems.extend(error.problems)
    problems.raise_if_any()
    return tuple(inputs)


def _read(file: Path, root: Path) -> Input:
    shown = str(file.relative_to(root)) if file.is_relative_to(root) else str(file)
    return Input(f"descriptions/{file.name}", shown, read_file(file, shown, _NAME_TEXTS))


def parse(inputs: Sequence[Input]) -> Descriptions:
    """Understand the files.

    Raises:
        ClientgenError: with everything in them that is no text.
    """
    problems, texts = Problems(), dict[str, Texts]()
    for one in inputs:
        texts |= read_texts(Path(one.name).stem, one.shown, one.data, problems)
    problems.raise_if_any()
    return Descriptions(texts)


def described(spec: Spec, descriptions: Descriptions) -> Spec:
    """Return the spec with a text for each definition and property that has none.

    Names of properties in backticks become those of Python, as the texts become docstrings.
    """
    properties = chain.from_iterable(
        one.schema.properties for one in spec.definitions.values() if one.schema.has_properties
    )
    spelled = {name: attribute(name) for name in properties}
    spell = partial(_in_python, spelled=spelled)
    definitions = {
        name: _described(definition, descriptions, spell)
        for name, definition in spec.definitions.items()
    }
    return replace(spec, definitions=definitions)


def _described(
    definition: Definition, descriptions: Descriptions, spell: Callable[[str], str]
) -> Definition:
    raw = definition.schema.raw
    described_raw = descriptions.described(definition.name, raw, spell)
    is_same = described_raw is raw
    return definition if is_same else replace(definition, schema=Schema(described_raw))


def _in_python(text: str, spelled: Mapping[str, str]) -> str:
    """Return a text with Python's names of properties and of paths of them: `spec.node_name`."""

    def path(match: re.Match[str]) -> str:
        names = match[0].split(".")
        return (
            ".".join(map(spelled.__getitem__, names)) if spelled.keys() >= set(names) else match[0]
        )

    return _PATH.sub(path, text)
