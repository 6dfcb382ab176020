"""The API server's verdict on an object of a Python class, without a server.

The generator creates the definition of the class. The rules of the test server check the object.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from clientgen import _apiextensions
from clientgen._apimachinery.failures import Failure
from clientgen._problems import ClientgenError, Problems
from clientgen.runtime._clock import SYSTEM_CLOCK
from clientgen.runtime.models import StatusCause, to_dict
from clientgen.testing._apiserver.served_spec import load
from clientgen.testing._apiserver.storage.conversions import Conversions
from clientgen.testing._apiserver.storage.registry import Registry

if TYPE_CHECKING:
    from clientgen._apimachinery.failures import Cause
    from clientgen.runtime.models import Model
    from clientgen.testing._apiserver.kinds.custom_strategy import CustomStrategy

_KEPT: Final = (
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "managedFields",
    "namespace",
)
"""The fields of the metadata that an update keeps if the new object does not have them."""


def check(
    obj: Model, old: Model | None = None, *, subresource: Literal["", "status"] = ""
) -> list[StatusCause]:
    """Return the reasons why the API server would refuse an object of your own kind.

    The CustomResourceDefinition of the class (`clientgen crd`) has the rules: types, limits,
    defaults, list types, and rules in CEL. Rules on changes (`oldSelf`) need `old`. Unknown fields
    are dropped before the check, as on the server.

    Args:
        obj: an object of a class for which `clientgen crd` writes a definition.
        old: the object before the update; None for a create.
        subresource: the subresource of the write. A write to `status` changes the status only.

    Returns:
        The causes in the Status of the server; empty if the server would store the object.

    Raises:
        TypeError: the class has no definition, or `old` is of another class.
        ImportError: the generator or CEL is not installed. They come with clientgen's extras
            `generator` and `testing`.
    """
    cls = _class_of(obj)
    if old is not None and _class_of(old) is not cls:
        raise TypeError(f"old is a {type(old).__name__}, not a {cls.__name__}")
    strategy = _strategy(cls)
    try:
        return [_as_public(cause) for cause in _Check(strategy, subresource).causes(obj, old)]
    except Failure as failure:
        return list(map(_as_public, failure.causes)) or [StatusCause(message=failure.message)]


def _as_public(cause: Cause) -> StatusCause:
    return StatusCause(reason=cause.reason, message=cause.message, field=cause.field)


class _Check:
    """The checks of the server before it stores an object."""

    def __init__(self, strategy: CustomStrategy, subresource: str) -> None:
        self._strategy = strategy
        self._part = subresource
        self._schemas = load().schemas
        self._reader: Any = None  # checks of custom resources read no other objects

    def causes(self, obj: Model, old: Model | None) -> list[Cause]:
        new = self._read(obj)
        before = None if old is None else self._read(old)
        if before is None:
            self._strategy.before_create(new, self._reader)
        else:
            _carry_over(before["metadata"], new["metadata"])
            self._strategy.before_update(new, before, self._part, self._reader)
        causes = self._strategy.metadata_causes(new, before, self._part)
        return causes + self._strategy.causes(new, before, self._part, self._reader)

    def _read(self, obj: Model) -> dict[str, Any]:
        resource = self._strategy.resource
        value: dict[str, Any] = {"metadata": {}, **to_dict(obj)}
        value |= {"apiVersion": resource.api_version, "kind": resource.kind}
        value, _ = self._strategy.codec.clean(value, self._schemas)
        self._strategy.default(value)
        return value


def _carry_over(old: dict[str, Any], new: dict[str, Any]) -> None:
    for name in _KEPT:
        if name in old and not new.get(name):
            new[name] = old[name]


def _class_of(obj: object) -> type[Model]:
    """Return the class of an object as its module defines it, not a hidden variant."""
    for cls in type(obj).__mro__:
        module = sys.modules.get(cls.__module__)
        if getattr(module, cls.__name__, None) is cls:
            return cast("type[Model]", cls)
        if not {"__unset__", "__unknown__"} & vars(cls).keys():
            break
    raise TypeError(f"{type(obj).__name__} is not defined at the top of a module")


@cache
def _strategy(cls: type[Model]) -> CustomStrategy:
    """Return the rules of the test server for objects of a class.

    Raises:
        TypeError: the class has no definition.
    """
    from clientgen.testing._apiserver.kinds.custom_strategy import CustomStrategy

    definition = _definition(cls)
    registry = Registry(load(), Conversions(SYSTEM_CLOCK, lambda: None))  # no conversions happen
    registry.define(_apiextensions.read(definition, load().schemas))
    group, kind = definition["spec"]["group"], definition["spec"]["names"]["kind"]
    for version in definition["spec"]["versions"]:
        resource = registry.of_kind(group, version["name"], kind)
        if resource is not None:
            strategy = registry.strategy_of(resource)
            assert isinstance(strategy, CustomStrategy)
            return strategy
    raise TypeError(f"no version of {kind} is served")


def _definition(cls: type[Model]) -> dict[str, Any]:
    from clientgen.generator.crds.crd_manifest import manifests
    from clientgen.generator.crds.rule_places import rules_of
    from clientgen.generator.python_types.class_reader import read_module
    from clientgen.generator.python_types.declared_kinds import kinds

    problems = Problems()
    module = read_module(cls.__module__, Path(), problems, where=cls.__qualname__)
    found = kinds([module], problems) if module else ()
    rules = rules_of([sys.modules[cls.__module__]])
    made = manifests([kind for kind in found if kind.type.cls is cls], problems, rules)
    if problems:
        raise TypeError(str(ClientgenError(problems)))
    if not made:
        raise TypeError(
            f"{cls.__module__}.{cls.__name__} is not a kind: derive it from CustomResource"
        )
    definition: dict[str, Any] = dict(made[0].definition)
    _apiextensions.default_definition(definition)
    return definition
