"""Validates the schema of a version in a CustomResourceDefinition.

In the order of the server's own checks: what may stand at the root, the structure, defaults, what
OpenAPI features are supported, list and map types, and last the rules, which are only looked at
where everything below them is right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, forbidden_value, invalid_value, not_supported
from clientgen._json import is_array, is_object, listed, part

from .container_rules import containers, each_rule, texts
from .embedded import check_type_meta
from .pruning import prune
from .schema_validation import Checker, check
from .structurality import check_structure, is_readable
from .structure import META_FIELDS, Structure, copied

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .cel import CostBudget

_TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
_UNSUPPORTED: Final = (
    "id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref",
)  # fmt: skip
_NOT_AT_ROOT: Final = (
    "anyOf", "allOf", "oneOf", "not", "default", "enum", "additionalProperties", "maxProperties",
    "minProperties", "x-kubernetes-list-map-keys", "x-kubernetes-list-type",
    "x-kubernetes-map-type", "additionalItems", "patternProperties", "definitions", "dependencies",
    "$ref",
)  # fmt: skip
# These are there only if they say something.
_NOT_TRUE_AT_ROOT: Final = (
    "id", "nullable", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string",
)  # fmt: skip
_ONLY_AT_ROOT: Final = (
    "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum "
    "MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items "
    "Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at "
    "the root of the schema if the status subresource is enabled"
)
_SCHEMA: Final = ".openAPIV3Schema"


def check_schema(validation: Mapping[str, Any] | None, path: str, *, status: bool) -> list[Cause]:
    """Check a version's `schema`; `status` if the status is a subresource."""
    raw: dict[str, Any] | None = (validation or {}).get("openAPIV3Schema")
    if raw is None:
        return []
    path = f"{path}{_SCHEMA}"
    causes = list(_root(raw, path)) if status else []
    if raw.get("nullable"):
        causes.append(forbidden_value(f"{path}.nullable", "nullable cannot be true at the root"))
    readable = sound = is_readable(raw)
    if sound:
        wrong = check_structure(raw, path) or list(_Defaults().check(raw, path, whole=True))
        causes += wrong
        sound = not wrong
    walk = _Walk(at_root=True, rules=sound)
    schema_causes, rule_causes = walk.check(raw, path)
    causes += schema_causes + rule_causes
    if not causes and not readable:
        causes.append(invalid_value(path, "", "no structural schema can be made of it"))
    return causes


def _root(raw: Mapping[str, Any], path: str) -> Iterator[Cause]:
    if raw.get("type", "object") != "object":
        why = (
            'only "object" is allowed as the type at the root of the schema '
            "if the status subresource is enabled"
        )
        yield invalid_value(f"{path}.type", raw["type"], why)
    elif any(raw.get(name) is not None for name in _NOT_AT_ROOT) or any(
        raw.get(name) for name in _NOT_TRUE_AT_ROOT
    ):
        yield invalid_value(path, raw, _ONLY_AT_ROOT)


# ----------------------------------------------------------------------------------- defaults


class _Defaults:
    """Checks the defaults of a schema; all together may cost what an object may."""

    def __init__(self) -> None:
        self._spent: CostBudget | None = None

    def check(self, raw: Mapping[str, Any], path: str, *, whole: bool = False) -> Iterator[Cause]:
        """Check the default of a schema, and those within it."""
        if raw.get("default") is not None:
            yield from self._check_one(raw, f"{path}.default", whole=whole)
        if is_object(raw.get("items")):
            yield from self.check(raw["items"], f"{path}.items")
        for name, member_schema in part(raw, "properties").items():
            yield from self.check(member_schema, f"{path}.properties[{name}]")

    def _check_one(self, raw: Mapping[str, Any], path: str, *, whole: bool) -> Iterator[Cause]:
        default = raw["default"]
        structure = Structure.of_kind(raw) if whole else Structure(raw)
        if prune(copied(default), structure):
            yield invalid_value(path, default, "must not have unknown fields")
        causes: list[Cause] = []
        if structure.embedded and is_object(default):
            causes = check_type_meta(default, path)
        yield from causes or check(Checker(raw), default, path) or self._rules(structure, raw, path)

    def _rules(self, structure: Structure, raw: Mapping[str, Any], path: str) -> list[Cause]:
        from .cel import CostBudget, RuleTree

        tree, default = RuleTree.of(structure), raw["default"]
        if tree is None:
            return []
        spent = self._spent = self._spent or CostBudget()
        causes = tree.validate(default, default, path, spent=spent)
        return causes or tree.validate(default, None, path, spent=spent)


# ------------------------------------------------------------------------------- the whole tree


@dataclass(frozen=True, slots=True)
class _Walk:
    """The state of a walk through a schema, for the schemas below.

    Attributes:
        at_root: whether this is the whole schema.
        rules: whether rules are looked at.
        no_default: why there must be no default; None where there may be one.
        in_meta: whether this is within metadata, apiVersion or kind.
        uncorrelatable: the outermost schema in which old and new values do not belong together.
    """

    at_root: bool = False
    rules: bool = True
    no_default: str | None = None
    in_meta: bool = False
    uncorrelatable: str = ""

    def check(self, raw: Mapping[str, Any], path: str) -> tuple[list[Cause], list[Cause]]:
        """Check a schema and everything in it; return the causes of fields and of rules."""
        causes = [*self._features(raw, path)]
        of_rules: list[Cause] = []
        for walk, inner, where in self._parts(raw, path):
            more, more_of_rules = walk.check(inner, where)
            causes += more
            of_rules += more_of_rules
        causes += containers(raw, path)
        causes += (cause for rule in each_rule(raw, path) for cause in texts(raw, *rule))
        if raw.get("x-kubernetes-validations") and self.rules and not causes:
            from .cel import check_rules

            structure = Structure.of_kind(raw) if self.at_root else Structure(raw)
            of_rules += check_rules(structure, path, self.uncorrelatable)
        return causes, of_rules

    def _features(self, raw: Mapping[str, Any], path: str) -> Iterator[Cause]:
        kind = raw.get("type") or ""
        if kind and kind not in _TYPES:
            yield not_supported(f"{path}.type", kind, _TYPES)
        if raw.get("default") is not None and self.no_default is not None:
            yield forbidden_value(f"{path}.default", f"must not be set {self.no_default}".strip())
        for name in _UNSUPPORTED:
            value = raw.get(name)
            if value or (value is not None and name in ("additionalItems", "dependencies", "$ref")):
                yield forbidden_value(f"{path}.{name}", f"{name} is not supported")
        if kind == "null":
            why = "type cannot be set to null, use nullable as an alternative"
            yield forbidden_value(f"{path}.type", why)
        if is_array(raw.get("items")) and raw["items"]:
            yield forbidden_value(f"{path}.items", "items must be a schema object and not an array")
        if self.in_meta and raw.get("x-kubernetes-embedded-resource"):
            why = "must not be used inside of resource meta"
            yield forbidden_value(f"{path}.x-kubernetes-embedded-resource", why)
        if raw.get("uniqueItems"):
            why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
            yield forbidden_value(f"{path}.uniqueItems", why)

    def _parts(
        self, raw: Mapping[str, Any], path: str
    ) -> Iterator[tuple[_Walk, Mapping[str, Any], str]]:
        inner = self._inner
        additional = raw.get("additionalProperties")
        if is_object(additional):
            why = "inside additionalProperties applying to object metadata"
            walk = replace(inner, no_default=why) if self.in_meta else inner
            yield walk, additional, f"{path}.additionalProperties"
        for name, each in part(raw, "properties").items():
            yield self._member(raw, name), each, f"{path}.properties[{name}]"
        if raw.get("not") is not None:
            yield self._plain, raw["not"], f"{path}.not"
        for junctor in ("allOf", "oneOf", "anyOf"):
            for at, each in enumerate(listed(raw, junctor)):
                yield self._plain, each, f"{path}.{junctor}[{at}]"
        for name, each in part(raw, "definitions").items():
            yield self._plain, each, f"{path}.definitions[{name}]"
        yield from inner._item_schemas(raw, path)

    @property
    def _inner(self) -> _Walk:
        return replace(self, at_root=False) if self.at_root else self

    @property
    def _plain(self) -> _Walk:
        """The state within junctors."""
        return replace(self._inner, rules=False) if self.rules else self._inner

    def _member(self, raw: Mapping[str, Any], name: str) -> _Walk:
        walk = self._inner
        if name in META_FIELDS and (self.at_root or raw.get("x-kubernetes-embedded-resource")):
            walk = replace(walk, in_meta=True)
            if self.at_root:
                walk = replace(walk, no_default=f"in top-level {name}")
        return walk

    def _item_schemas(
        self, raw: Mapping[str, Any], path: str
    ) -> Iterator[tuple[_Walk, Mapping[str, Any], str]]:
        items = raw.get("items")
        if items is None:
            return
        walk = self
        if raw.get("x-kubernetes-list-type") != "map" and not self.uncorrelatable:
            walk = replace(self, uncorrelatable=path)
        if is_object(items):
            yield walk, items, f"{path}.items"
        elif is_array(items):
            for at, item_schema in enumerate(items):
                yield walk, item_schema, f"{path}.items[{at}]"
