"""The config file: where it is found, and its tables read value by value with their places."""

from __future__ import annotations

import json
import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from clientgen._json import is_array, is_object
from clientgen._problems import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from clientgen._problems import Problems

_OWN_FILE = "clientgen.toml"
_PROJECT_FILE = "pyproject.toml"
_MAX_BITS = 64
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a value: a file and the keys that lead to it."""

    file: Path
    keys: tuple[str, ...] = ()

    def __truediv__(self, key: str) -> Place:
        return Place(self.file, (*self.keys, key))

    def __str__(self) -> str:
        bare = (key if _BARE_KEY.fullmatch(key) else json.dumps(key) for key in self.keys)
        return f"{self.file}: {'.'.join(bare)}" if self.keys else str(self.file)


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the file; a value of the wrong type is a problem and reads as if absent."""

    values: Mapping[str, object]
    place: Place
    problems: Problems

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def allow_only(self, allowed: Collection[str]) -> None:
        """Report every key that has no meaning here."""
        for key in self.values:
            if key not in allowed:
                hint = did_you_mean(key, allowed, f"known are {', '.join(allowed)}")
                self.problems.add(str(self.place / key), "there is no such key", hint)

    def text(self, key: str) -> str | None:
        """A string."""
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, str):
            return value if self._are_sound(key, (value,)) else None
        self._wrong(key, value, "a string")
        return None

    def count(self, key: str) -> int | None:
        """A whole number that is not negative."""
        value = self.values.get(key)
        if value is None or (type(value) is int and value >= 0):
            return value
        self._wrong(key, value, "a whole number, 0 or more")
        return None

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings; one string stands for a list of one."""
        value = self.values.get(key)
        if value is None:
            return ()
        if isinstance(value, str):
            value = [value]
        if is_array(value) and all(isinstance(item, str) for item in value):
            texts = tuple(cast("list[str]", value))
            return texts if self._are_sound(key, texts) else ()
        self._wrong(key, value, "a list of strings")
        return ()

    def table(self, key: str, expected: str = "a table") -> Table:
        """A table; an empty one if there is none. `expected` is what messages say may stand."""
        value = self.values.get(key, {})
        if is_object(value):
            return Table(value, self.place / key, self.problems)
        self._wrong(key, value, expected)
        return Table({}, self.place / key, self.problems)

    def tables(self, key: str) -> dict[str, Table]:
        """A table of tables."""
        outer = self.table(key)
        return {name: outer.table(name) for name in outer.values}

    def _are_sound(self, key: str, texts: tuple[str, ...]) -> bool:
        """Return whether no text has a NUL, which neither a path nor a name can hold."""
        if any("\0" in text for text in texts):
            self.problems.add(str(self.place / key), "must not hold a NUL character")
            return False
        return True

    def _wrong(self, key: str, value: object, expected: str) -> None:
        what = f"must be {expected}, not {_described(value)}"
        self.problems.add(str(self.place / key), what)


def _described(value: object) -> str:
    if is_object(value):
        return "a table"
    if is_array(value):
        return (
            "a list" if all(isinstance(item, str) for item in value) else "a list of other things"
        )
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return "a huge number"  # of so many digits that Python does not write them
    return f"a string: {value!r}" if isinstance(value, str) else f"{value!r}"


def find(start: Path, problems: Problems) -> Table | None:
    """The table of the nearest file that has one, from `start` upwards.

    clientgen.toml always counts, pyproject.toml only with `[tool.clientgen]`.
    """
    directory_of_start = start.absolute()
    for directory in (directory_of_start, *directory_of_start.parents):
        own, project = (_near(directory / name) for name in (_OWN_FILE, _PROJECT_FILE))
        tables = [table for path in (own, project) if (table := _table(path, problems))]
        if len(tables) > 1:
            what = f"the {_PROJECT_FILE} beside it also has a config"
            problems.add(str(own), what, f"keep one, or name one: --config {own}")
        if tables or problems:
            return tables[0] if tables else None
    return None


def read(path: Path, problems: Problems) -> Table | None:
    """The table of a file that was named."""
    if not path.is_file():
        problems.add(str(path), "there is no such config file")
        return None
    table = _table(path, problems)
    if table is None and not problems:
        problems.add(str(path), "it has no table `[tool.clientgen]`")
    return table


def _near(path: Path) -> Path:
    """The path from the working directory, for messages."""
    try:
        return Path(os.path.relpath(path))
    except ValueError:  # another drive
        return path


def _table(path: Path, problems: Problems) -> Table | None:
    # Unlike Path.is_file, this takes a directory that may not be searched for one without the file.
    if not os.path.isfile(path):  # noqa: PTH113
        return None
    values: object = _load(path, problems)
    keys = ("tool", "clientgen") if path.name == _PROJECT_FILE else ()
    for key in keys:
        values = values.get(key) if is_object(values) else None
    if values is None:
        return None
    if not is_object(values):
        problems.add(str(Place(path, keys)), f"must be a table, not {_described(values)}")
        return None
    return Table(values, Place(path, keys), problems)


def _load(path: Path, problems: Problems) -> dict[str, object] | None:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        problems.add(str(path), f"cannot be read: {error.strerror}")
    except UnicodeDecodeError:
        problems.add(str(path), "is not UTF-8")
    except tomllib.TOMLDecodeError as error:
        problems.add(str(path), f"is not TOML: {error}")
    except ValueError:  # the limit of int()
        problems.add(str(path), "holds a number of too many digits")
    except RecursionError:
        problems.add(str(path), "is not TOML that can be read: it is nested too deeply")
    return None
