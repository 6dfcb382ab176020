"""Reads the fields of kubeconfig entries, and collects their problems.

Reading never raises an error. An invalid field is reported as a problem and read as absent, so that
all problems are reported together. Messages quote names and types. They quote a value only if the
value cannot be secret.
"""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .kubeconfig_files import Entry, kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping


def why_unreadable(path: str | Path) -> str:
    """Return the reason why a file cannot be read; empty if it can be read."""
    try:
        with Path(path).open("rb"):
            return ""
    except OSError as error:
        return f"cannot read {path}: {error.strerror}"
    except ValueError:
        return "is not a path"


class Fields:
    """The fields of a mapping. `problems` collects their problems."""

    def __init__(
        self, where: str, values: Mapping[str, Any], directory: Path | None, problems: list[str]
    ) -> None:
        self.where = where
        self._values = values
        self._directory = directory
        self._problems = problems

    @classmethod
    def of(cls, entry: Entry, problems: list[str]) -> Fields:
        """Return the fields of an entry. Paths are relative to the file of the entry."""
        return cls(entry.where, entry.value, entry.file.folder, problems)

    def add_problem(self, message: str) -> None:
        """Add a problem: what is wrong, and what to do."""
        self._problems.append(f"{self.where}: {message}")

    def has(self, key: str) -> bool:
        """Return whether the field exists and is not empty."""
        return self._values.get(key) not in (None, "", [], {})

    def text(self, key: str) -> str:
        """Return a string; empty if it is absent."""
        value = self._values.get(key)
        if value is None or isinstance(value, str):
            return value or ""
        self.add_problem(f"{key} must be a string, not {kind_of(value)}; put it in quotes")
        return ""

    def flag(self, key: str) -> bool:
        """Return a boolean; False if it is absent."""
        value = self._values.get(key)
        if value is None or isinstance(value, bool):
            return bool(value)
        self.add_problem(f"{key} must be true or false without quotes, not {kind_of(value)}")
        return False

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings; empty if it is absent."""
        return self._strings(self._values.get(key), key)

    def text_lists(self, key: str) -> dict[str, tuple[str, ...]]:
        """Return a mapping to lists of strings; empty if it is absent."""
        values = self._mapping(self._values.get(key), key) or {}
        return {name: self._strings(items, f"{key}.{name}") for name, items in values.items()}

    def nested(self, key: str) -> Fields | None:
        """Return the fields of a mapping; None if it is absent."""
        values = self._mapping(self._values.get(key), key)
        if values is None:
            return None
        return Fields(f"{self.where}: {key}", values, self._directory, self._problems)

    def each(self, key: str) -> list[Fields]:
        """Return the fields of each mapping in a list."""
        items: list[Fields] = []
        for position, item in enumerate(self._list(self._values.get(key), key)):
            values = self._mapping(item, f"{key}[{position}]") or {}
            where = f"{self.where}: {key}[{position}]"
            items.append(Fields(where, values, self._directory, self._problems))
        return items

    def json(self, key: str) -> str:
        """Return a value of any type as JSON; empty if it is absent."""
        value = self._values.get(key)
        if value is None:
            return ""
        import json  # imported late: few entries have values of any type

        try:
            return json.dumps(value)
        except (TypeError, ValueError, RecursionError):  # only in a dict from code
            self.add_problem(f"{key} contains a value that JSON does not have")
            return ""

    def path(self, key: str) -> str:
        """Return the absolute path of a file. Paths are relative to the kubeconfig's directory."""
        text = self.text(key)
        return self.absolute_path(key, text) if text else ""

    def readable_path(self, key: str) -> str:
        """Return the absolute path of a file. A problem is added if it cannot be read."""
        path = self.path(key)
        problem = why_unreadable(path) if path else ""
        if problem:
            self.add_problem(f"{key}: {problem}")
        return path

    def absolute_path(self, key: str, path: str) -> str:
        """Return the absolute path for a path in the kubeconfig.

        A problem is added for a relative path in a kubeconfig that has no folder.
        """
        if self._directory is not None:
            return str(self._directory / path)
        if Path(path).is_absolute():
            return path
        self.add_problem(f"{key} is a relative path; pass the folder of such paths as base=")
        return ""

    @property
    def has_folder(self) -> bool:
        """Whether relative paths have a folder. Kubeconfigs that are no files may have none."""
        return self._directory is not None

    def pem(self, key: str) -> bytes:
        """Return PEM data that is encoded as base64; empty if it is absent."""
        text = "".join(self.text(key).split())
        try:
            data = base64.b64decode(text.encode(), validate=True)
        except (binascii.Error, ValueError):
            file_key = key.removesuffix("-data")
            self.add_problem(f"{key} is not base64; use {file_key} for the path of a file")
            return b""
        if data and b"-----BEGIN" not in data:
            self.add_problem(
                f"{key} is base64 of something that is not PEM; encode the PEM file once"
            )
            return b""
        return data

    def _mapping(self, value: object, key: str) -> dict[str, Any] | None:
        if value is None or isinstance(value, dict):
            mapping = cast("dict[object, Any] | None", value)
            return (
                None if mapping is None else {str(name): value for name, value in mapping.items()}
            )
        self.add_problem(f"{key} must be a mapping, not {kind_of(value)}")
        return None

    def _list(self, value: object, key: str) -> list[object]:
        if value is None or isinstance(value, list):
            return cast("list[object]", value or [])
        self.add_problem(f"{key} must be a list, not {kind_of(value)}")
        return []

    def _strings(self, value: object, key: str) -> tuple[str, ...]:
        items = self._list(value, key)
        for position, item in enumerate(items):
            if not isinstance(item, str):
                message = f"{key}[{position}] must be a string, not {kind_of(item)}"
                self.add_problem(f"{message}; put it in quotes")
        return tuple(item for item in items if isinstance(item, str))
