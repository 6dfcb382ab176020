"""The schemas of unions of models: all fields in one object, and rules that tell them apart.

A structural schema has one list of fields, so the fields of all models are in it. Rules in CEL say
which fields an object of each model must have, and may have. Errors are at the field, with the
texts of Kubernetes' declarative validation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clientgen.generator.crds.annotation_schemas import Schema, UnsupportedTypeError
from clientgen.generator.crds.tag_expressions import access
from clientgen.generator.crds.tag_statements import REQUIRED, Rule, literal
from clientgen.generator.crds.tag_unions import counts
from clientgen.generator.kubebuilder.marker_values import MarkerValueError
from clientgen.runtime._models.unions import Choice

_RULES: Final = "x-kubernetes-validations"
_MERGED: Final = frozenset(["type", "properties", "required", "description", _RULES])


@dataclass(frozen=True, slots=True)
class _Member:
    """One model of a union, and when an object is of it."""

    name: str
    schema: Schema
    condition: str
    shown: str
    key: str

    @property
    def properties(self) -> dict[str, Schema]:
        properties: dict[str, Schema] = self.schema.get("properties", {})
        return properties

    @property
    def required(self) -> list[str]:
        required: list[str] = self.schema.get("required", [])
        return required


def union_schema(choice: Choice, schemas: Sequence[Schema]) -> Schema:
    """Return the schema of a union.

    Args:
        choice: how its models are told apart.
        schemas: those of its models, in the order of the choice.

    Raises:
        UnsupportedTypeError: the schemas cannot be merged.
    """
    try:
        members = [
            _member(choice.tag, key, model.__name__, schema)
            for (key, model), schema in zip(choice.models.items(), schemas, strict=True)
        ]
        made: Schema = {"type": "object", "properties": _properties(choice.tag, members)}
        required = _required(choice.tag, members)
        if required:
            made["required"] = required
        made[_RULES] = [*_rules(choice.tag, members), *_own_rules(choice.tag, members)]
    except MarkerValueError as error:
        raise UnsupportedTypeError(error.what, error.hint) from None
    return made


def _member(tag: str, key: str, name: str, schema: Schema) -> _Member:
    others = sorted(schema.keys() - _MERGED)
    if others:
        what = f"`{name}` in a union cannot have `{others[0]}`"
        raise UnsupportedTypeError(what, "say it of a field, or in a rule")
    if tag:
        return _Member(
            name, schema, f"{access(tag)} == {literal(key)}", f"`{tag}` is {literal(key)}", key
        )
    return _Member(name, schema, f"has({access(key)})", f"`{key}` is specified", key)


def _properties(tag: str, members: Sequence[_Member]) -> dict[str, Schema]:
    properties: dict[str, Schema] = {}
    owners: dict[str, str] = {}
    for member in members:
        for name, schema in member.properties.items():
            first = properties.setdefault(name, schema)
            owner = owners.setdefault(name, member.name)
            if name != tag and _bare(first) != _bare(schema):
                what = f"`{name}` of `{owner}` and `{member.name}` has two schemas"
                raise UnsupportedTypeError(
                    what, "give both the same type and limits, or rename one"
                )
            _check_default(name, schema, member, members)
    if tag:
        text = {key: value for key, value in properties[tag].items() if key == "description"}
        choices = [member.key for member in members]
        properties[tag] = {**text, "type": "string", "enum": choices}
    return properties


def _bare(schema: Schema) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "description"}


def _check_default(name: str, schema: Schema, member: _Member, members: Sequence[_Member]) -> None:
    other = next((each.name for each in members if name not in each.properties), None)
    if other and "default" in schema:
        shown = literal(schema["default"])
        what = f"`{member.name}.{name}` has the default {shown}, which servers put into `{other}`"
        raise UnsupportedTypeError(what, "write `| None = None`")


def _required(tag: str, members: Sequence[_Member]) -> list[str]:
    first, *others = members
    shared = set(first.required).intersection(*(member.required for member in others))
    return sorted({*shared, tag} - {""})


def _rules(tag: str, members: Sequence[_Member]) -> Iterator[Schema]:
    if not tag:
        here = [member.condition for member in members]
        for rule in counts(here, [member.key for member in members], at_least_one=True):
            yield rule.entry()
    shared = _required(tag, members)
    for member in members:
        for name in member.required:
            if name not in shared and (tag or name != member.key):
                text = f"!({member.condition}) || has({access(name)})"
                message = f"must be specified when {member.shown}"
                yield Rule(text, message, reason=REQUIRED, at=name).entry()
    for name in dict.fromkeys(name for member in members for name in member.properties):
        owners = [member for member in members if name in member.properties]
        if len(owners) < len(members) and (tag or name != owners[0].key):
            allowed = " || ".join(owner.condition for owner in owners)
            shown = " or ".join(owner.shown for owner in owners)
            text = f"!has({access(name)}) || {allowed}"
            yield Rule(text, f"may only be specified when {shown}", at=name).entry()


def _own_rules(tag: str, members: Sequence[_Member]) -> Iterator[Schema]:
    """The rules of each model, for its objects only."""
    shared = {*_required(tag, members), *(member.key for member in members if not tag)}
    for member in members:
        for rule in member.schema.get(_RULES, ()):
            # Rules of the union tell which fields are missing.
            needed = [name for name in member.required if name not in shared]
            condition = " && ".join([member.condition, *(f"has({access(n)})" for n in needed)])
            if "oldSelf" in rule["rule"]:
                condition += f" && {member.condition.replace('self.', 'oldSelf.', 1)}"
            yield {**rule, "rule": f"!({condition}) || ({rule['rule']})"}
