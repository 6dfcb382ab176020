"""The `+k8s:` tags of declarative validation as keywords of schemas, and as rules in CEL.

A tag that says something of one value becomes a keyword of its schema where there is one, and a
rule otherwise. A tag that compares fields becomes a rule of the object that holds them, whose
error names the field.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clientgen._problems import Problems
from clientgen.generator.crds.annotation_schemas import Schema
from clientgen.generator.crds.constraints import Constraint, Places, apply
from clientgen.generator.crds.limit_checks import check_limits
from clientgen.generator.crds.opaque_types import without_validations
from clientgen.generator.crds.tag_expressions import KEYS
from clientgen.generator.crds.tag_field_rules import FIELD_RULES
from clientgen.generator.crds.tag_parts import (
    has_item,
    item_name,
    no_mode,
    of_item,
    of_keys,
    of_mode,
)
from clientgen.generator.crds.tag_statements import Rule, Statement, statement
from clientgen.generator.crds.tag_unions import Union, at_most_one, counts
from clientgen.generator.kubebuilder.declarative_tags import Tag
from clientgen.generator.kubebuilder.kubebuilder_markers import KubebuilderMarker, Said
from clientgen.generator.kubebuilder.marker_values import MarkerValueError

_RULES: Final = "x-kubernetes-validations"
# Tags that are about a field of an object: whether it is set, and what other fields are.
_OF_FIELDS: Final = frozenset(
    [
        "dependentForbidden",
        "dependentRequired",
        "forbidden",
        "ifMode",
        "immutable",
        "modeDiscriminator",
        "optional",
        "required",
        "unionDiscriminator",
        "unionMember",
        "update",
        "zeroOrOneOfMember",
    ]
)
_MEMBERS: Final = frozenset(["unionMember", "zeroOrOneOfMember"])


def said(markers: Iterable[KubebuilderMarker]) -> list[Said]:
    """The tags among some markers."""
    found = [Said(marker.value, marker) for marker in markers if isinstance(marker.value, Tag)]
    return [_enforced(each) for each in found]


def _enforced(each: Said) -> Said:
    """`+k8s:beta=` is about the servers of built-in kinds: what it holds is enforced."""
    while each.tag.name == "beta" and each.tag.inner:
        each = Said(each.tag.inner, each.marker)
    return each


def is_of_fields(each: Said) -> bool:
    """Return whether a tag compares a field with others, or tells whether it may be set."""
    return each.tag.name in _OF_FIELDS


@dataclass(frozen=True, slots=True)
class TagWriter:
    """Puts tags into a schema, in place; what is wrong goes to `problems`.

    `path` is that of the schema in the whole that `places` speaks of. `name` is that of the value,
    for messages.
    """

    schema: Schema
    places: Places
    problems: Problems
    path: tuple[str, ...] = ()
    name: str = "self"

    def inner(self, *path: str) -> TagWriter:
        """A writer of a part of the schema."""
        schema = self.schema
        for part in path:
            schema = schema[part]
        return TagWriter(schema, self.places, self.problems, (*self.path, *path), path[-1])

    def of_value(self, tags: Iterable[Said]) -> None:
        """Write what tags say of the value itself, of its parts, and of the fields in it."""
        fields: list[tuple[str, Said]] = []
        members: list[tuple[str, Said]] = []
        for each in tags:
            with _Reporting(self.problems, each):
                self._value(each, fields, members)
        self.of_fields(fields)
        self._write_members(members)

    def _value(
        self, each: Said, fields: list[tuple[str, Said]], members: list[tuple[str, Said]]
    ) -> None:
        tag = each.tag
        inner = _enforced(Said(tag.inner, each.marker)) if tag.inner else each
        if tag.name == "eachVal":
            self._values().of_one(inner)
        elif tag.name == "subfield":
            name = self._field(str(tag.position))
            if is_of_fields(inner):
                fields.append((name, inner))
            else:
                self.inner("properties", name).of_one(inner)
        elif tag.name == "eachKey":
            self._add(of_keys(inner.tag, self.schema), each)
        elif tag.name == "item" and inner.tag.name in _MEMBERS:
            members.append((item_name(tag), each))
        elif tag.name == "item":
            self._add(of_item(tag, inner.tag, self.schema), each)
        elif tag.name == "opaqueType":
            without_validations(self.schema)
        elif tag.name == "unique":
            self._unique(each)
        else:
            self.of_one(each)

    def of_one(self, each: Said) -> None:
        """Write one tag that is not about fields, into this schema."""
        if each.tag.name in ("eachVal", "subfield", "eachKey", "item", "opaqueType", "unique"):
            fields: list[tuple[str, Said]] = []
            members: list[tuple[str, Said]] = []
            self._value(each, fields, members)
            self.of_fields(fields)
            self._write_members(members)
        elif each.tag.name in ("listType", "listMapKey"):
            keyword = {"listType": "x-kubernetes-list-type", "listMapKey": KEYS}[each.tag.name]
            self._constrain(keyword, each.tag.value, each)
        else:
            self._state(statement(each.tag, self.schema), each)

    def _state(self, what: Statement, each: Said) -> None:
        for keyword, value in what.keywords.items():
            self._constrain(keyword, value, each)
        for keyword, value in what.limits.items():
            self.schema[keyword] = min(value, self.schema.get(keyword, value))
        if not what.keywords and each.tag.name != "enum":  # the type has the values already
            self._add(what.rule(), each)

    def _constrain(self, keyword: str, value: Any, each: Said) -> None:
        constraint = Constraint(keyword, value, each.marker.where, f"`{each.tag.written}`")
        for path, where in apply(self.schema, [constraint], self.problems).items():
            self.places[(*self.path, *path)] = where
        if self.path:
            check_limits(self.schema, each.marker.where, self.problems)

    def _unique(self, each: Said) -> None:
        what = statement(each.tag, self.schema)
        if self.schema.get("x-kubernetes-list-type", "atomic") != "atomic":
            hint = "write `+k8s:listType=atomic`, or leave out `+k8s:unique`"
            raise MarkerValueError("lists of type set and map are unique already", hint)
        self.schema.pop(KEYS, None)  # servers take keys of lists of type map only
        self._add(what.rule(), each)

    def _add(self, rule: Rule, each: Said) -> None:
        rules: list[Schema] = self.schema.setdefault(_RULES, [])
        self.places[(*self.path, _RULES, str(len(rules)))] = each.marker.where
        rules.append(rule.entry())

    def _values(self) -> TagWriter:
        for keyword in ("items", "additionalProperties"):
            if isinstance(self.schema.get(keyword), dict):
                return self.inner(keyword)
        raise MarkerValueError("the value is neither a list nor a map", "write the inner tag alone")

    def _field(self, name: str) -> str:
        properties: dict[str, Schema] = self.schema.get("properties", {})
        if name in properties:
            return name
        what = f"the value has no field `{name}`" if properties else "the value has no fields"
        raise MarkerValueError(what, f"its fields are {', '.join(properties) or 'none'}")

    # -------------------------------------------------------------------------------- fields

    def of_fields(self, tags: Sequence[tuple[str, Said]]) -> None:
        """Write what tags say of fields of this object."""
        for name, each in tags:
            make = FIELD_RULES.get(each.tag.name)
            if make is not None:
                with _Reporting(self.problems, each):
                    for rule in make(name, each.tag, self.schema):
                        self._add_to_field(rule, name, each)
        self._write_unions(tags)
        self._write_modes(tags)

    def _add_to_field(self, rule: Rule, name: str, each: Said) -> None:
        if rule.at:
            self._add(rule, each)
        else:
            self.inner("properties", name)._add(rule, each)

    def _write_unions(self, tags: Sequence[tuple[str, Said]]) -> None:
        unions: dict[str, Union] = {}
        optional: dict[str, list[tuple[str, Said]]] = {}
        for name, each in tags:
            called = each.tag.text("union")
            if each.tag.name == "unionMember":
                unions.setdefault(called, Union()).members.append((name, each))
            elif each.tag.name == "unionDiscriminator":
                with _Reporting(self.problems, each):
                    unions.setdefault(called, Union()).set_discriminator(name, each)
            elif each.tag.name == "zeroOrOneOfMember":
                optional.setdefault(called, []).append((name, each))
        for union in unions.values():
            with _Reporting(self.problems, union.said):
                for rule, said_by in union.rules(self.schema):
                    self._add(rule, said_by)
        for members in optional.values():
            with _Reporting(self.problems, members[0][1]):
                self._add(at_most_one([n for n, _ in members], self.schema), members[0][1])

    def _write_members(self, members: Sequence[tuple[str, Said]]) -> None:
        """Write unions of items of this list."""
        groups: dict[tuple[str, str], list[tuple[str, Said]]] = {}
        for name, each in members:
            inner = each.tag.inner or each.tag
            groups.setdefault((inner.name, inner.text("union")), []).append((name, each))
        for (kind, _), group in groups.items():
            with _Reporting(self.problems, group[0][1]):
                here = [has_item(each.tag, self.schema) for _, each in group]
                names = [f"{self.name}[{name}]" for name, _ in group]
                for rule in counts(here, names, at_least_one=kind == "unionMember"):
                    self._add(rule, group[0][1])

    def _write_modes(self, tags: Sequence[tuple[str, Said]]) -> None:
        discriminators: dict[str, str] = {}
        cases: dict[tuple[str, str], list[Said]] = {}
        for name, each in tags:
            modality = each.tag.text("modality")
            if each.tag.name == "modeDiscriminator":
                with _Reporting(self.problems, each):
                    if discriminators.setdefault(modality, name) != name:
                        raise MarkerValueError("another field is the discriminator", "name one")
            elif each.tag.name == "ifMode":
                cases.setdefault((name, modality), []).append(each)
        for (name, modality), group in cases.items():
            for each in group:
                with _Reporting(self.problems, each):
                    for rule in of_mode(name, discriminators.get(modality), each.tag, self.schema):
                        self._add(rule, each)
            if modality in discriminators:
                with _Reporting(self.problems, group[0]):
                    others = no_mode(name, discriminators[modality], group, self.schema)
                    self._add(others, group[0])


class _Reporting:
    """Reports a `MarkerValueError` at the marker that caused it."""

    def __init__(self, problems: Problems, each: Said) -> None:
        self._problems = problems
        self._each = each

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> bool:
        if not isinstance(error, MarkerValueError):
            return False
        marker = self._each.marker
        self._problems.add(marker.where, f"`+{marker.written}`: {error.what}", error.hint)
        return True
