"""Kinds of one's own, as type checkers must see them: checked by both, never run.

Lines that must not type-check carry an ignore; an ignore that is not needed is an error too.
"""

from __future__ import annotations

from typing import assert_type

from clientgen.runtime import Scheme
from clientgen.runtime.models import (
    CustomResource,
    Model,
    ModelList,
    ObjectMeta,
    auto,
    decode,
    deep_copy,
)


class TabSpec(Model):
    schedule: str


class TabStatus(Model):
    active: int = 0


class Tab(CustomResource, group="example.com", version="v1"):
    spec: TabSpec
    status: TabStatus = auto(TabStatus)


class _Shared(CustomResource, group="shared.example.com", version="v1"):
    paused: bool = False


class Renamed(_Shared, kind="Other", sensitive=("token",)):
    token: str = ""


class Newer(Tab, version="v2"):
    pass


# mypy looks at no keywords of a class whose metaclass has a `__new__`.
class Misspelt(CustomResource, grup="example.com"):  # pyright: ignore[reportGeneralTypeIssues, reportCallIssue]
    pass


def making() -> None:
    tab = Tab(metadata=ObjectMeta(name="a"), spec=TabSpec(schedule="daily"))
    assert_type(tab.api_version, str)
    assert_type(tab.kind, str)
    assert_type(tab.metadata, ObjectMeta)
    assert_type(tab.spec.schedule, str)
    assert_type(tab.status.active, int)
    Tab(metadata=ObjectMeta(name="a"))  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    Tab(spec=None)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Tab(TabSpec(schedule="daily"))  # type: ignore[call-arg, arg-type]  # pyright: ignore[reportCallIssue]
    Newer(metadata=tab.metadata)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    assert_type(Newer(spec=tab.spec).status, TabStatus)
    assert_type(Renamed(token="a").paused, bool)
    tab.spek = tab.spec  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]


def using(scheme: Scheme, tab: Tab, tabs: ModelList[Tab]) -> None:
    assert_type(deep_copy(tab), Tab)
    assert_type(decode(b"{}", Tab), Tab)
    assert_type(scheme.register(Tab), type[Tab])
    for each in tabs:
        assert_type(each, Tab)
