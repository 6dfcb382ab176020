"""The field numbers of Kubernetes' protobuf messages: the table `wire.json`.

They stand in `generated.proto` files. The OpenAPI document has everything else: names and types.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["wire_table"]

MESSAGE = re.compile(r"^message (\w+) \{(.*?)^\}", re.DOTALL | re.MULTILINE)
FIELD = re.compile(r"(?:optional|repeated)\s+([\w.]+)\s+(\w+)\s*=\s*(\d+);")
MAP = re.compile(r"(map)<[^>]*>\s+(\w+)\s*=\s*(\d+);")

Fields = list[tuple[int, str, str]]
"""Number, name and type of each field."""


def messages(folder: Path) -> dict[str, Fields]:
    """The fields of each message, by the name that its definition has in the spec."""
    numbers: dict[str, Fields] = {}
    for path in sorted(folder.rglob("generated.proto")):
        text = re.sub(r"//.*", "", path.read_text("utf-8"))
        package = re.search(r"^package ([\w.]+);", text, re.MULTILINE)
        assert package, path
        for name, body in MESSAGE.findall(text):
            numbers[definition(package[1], name)] = sorted(
                (int(number), field, definition(*(package[1], *kind.rsplit(".", 1))[-2:]))
                for kind, field, number in FIELD.findall(body) + MAP.findall(body)
            )
    return numbers


def definition(package: str, message: str) -> str:
    """`.k8s.io.api.core.v1`, `Pod`: `io.k8s.api.core.v1.Pod`."""
    return f"io.k8s.{package.lstrip('.').removeprefix('k8s.io.').replace('_', '-')}.{message}"


def plain(name: str) -> str:
    """What a name in JSON and its name in protobuf have in common."""
    return re.sub(r"\W", "", name).lower()


def listed(fields: Fields, names: dict[str, str]) -> str:
    """`metadata spec 4:status`: fields are numbered from 1 on unless it is said."""
    words: list[str] = []
    last = 0
    for number, name, kind in fields:
        word = names.get(plain(name)) or f"+{kind}"
        words.append(word if number == last + 1 else f"{number}:{word}")
        last = number
    return " ".join(words)


def wire_table(folder: Path, definitions: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """By package and message. `+TYPE` is a message whose fields JSON has among those around it."""
    by_message = messages(folder)
    table: dict[str, dict[str, str]] = {}

    def add(name: str, properties: dict[str, Any]) -> None:
        package, _, message = name.rpartition(".")
        names = {plain(each): each for each in properties}
        table.setdefault(package, {})[message] = text = listed(by_message[name], names)
        for inlined in re.findall(r"\+(\S+)", text):
            add(inlined, properties)

    for name, each in definitions.items():
        if by_message.get(name) and "properties" in each:
            add(name, each["properties"])
    return table
