"""Fields no API can have."""

from __future__ import annotations

import datetime
import decimal
import enum
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

import msgspec

from clientgen.runtime.models import ObjectMeta
from clientgen.runtime.models import Literal, Model, Time, auto, constant, field

if TYPE_CHECKING:
    from collections import OrderedDict

T = TypeVar("T")


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Struct(msgspec.Struct):
    name: str


@dataclass
class Data:
    name: str


def broken() -> list[str]:
    return [][0]


# +genclient
class Fielded(Model):
    """One wrong field after the other, and some that are right."""

    api_version: Literal["bad.example.com/v1"] = constant("bad.example.com/v1", name="apiVersion")
    kind: Literal["Fielded"] = constant("Fielded")
    metadata: ObjectMeta = auto(ObjectMeta)
    counter: ClassVar[set[int]] = set()
    fine: dict[str, list[int | str] | None] = field(default_factory=dict)
    at: list[Time] = field(default_factory=list)
    words: set[str] = field(default_factory=set)
    pair: tuple[int, int] = (0, 0)
    number: complex = 0j
    free: Any = None
    anything: object = None
    bare: dict = field(default_factory=dict)
    listed: list = field(default_factory=list)
    deep: list[dict[str, frozenset[str]]] = field(default_factory=list)
    keyed: dict[int, str] = field(default_factory=dict)
    mapped: Mapping[str, str] = field(default_factory=dict)
    color: Color = Color.RED
    naive: datetime.datetime | None = None
    day: datetime.date | None = None
    length: datetime.timedelta | None = None
    money: decimal.Decimal | None = None
    id_: uuid.UUID | None = None
    mixed: int | list[str] = 0
    level: Literal[1, "two"] = 1
    struct: Struct | None = None
    data: Data | None = None
    generic: T | None = None
    absent: OrderedDict[str, str] | None = None
    misspelt: Strng = ""
    limited: Annotated[set[int], msgspec.Meta(max_length=3)] = field(default_factory=set)
    nothing: None = None
    failing: list[str] = field(default_factory=broken)
