"""Rules of `+k8s:unionMember` and its relatives: which of some fields or items may be set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from clientgen.generator.crds.annotation_schemas import Schema
from clientgen.generator.crds.tag_expressions import is_set, is_value
from clientgen.generator.crds.tag_statements import Rule, literal
from clientgen.generator.kubebuilder.kubebuilder_markers import Said
from clientgen.generator.kubebuilder.marker_values import MarkerValueError


@dataclass(slots=True)
class Union:
    """The fields of an object of which exactly one is set."""

    members: list[tuple[str, Said]] = field(default_factory=list[tuple[str, Said]])
    discriminator: tuple[str, Said] | None = None

    def set_discriminator(self, name: str, each: Said) -> None:
        """Name the field whose value tells which member is set."""
        if self.discriminator:
            what = f"`{self.discriminator[0]}` is the discriminator of the union already"
            raise MarkerValueError(what, 'name the unions: `(union: "name")`')
        self.discriminator = (name, each)

    @property
    def said(self) -> Said:
        """A tag of the union, for messages."""
        first = self.members[0] if self.members else self.discriminator
        assert first is not None
        return first[1]

    def rules(self, schema: Schema) -> Iterator[tuple[Rule, Said]]:
        """The rules of the object with this schema, each with the tag that it is of."""
        if not self.members:
            raise MarkerValueError("the union has no members", "add `+k8s:unionMember` to fields")
        if self.discriminator:
            yield from self._tagged(self.discriminator[0], schema)
            return
        names = [name for name, _ in self.members]
        here = [is_set(name, schema) for name in names]
        for rule in counts(here, names, at_least_one=True):
            yield rule, self.members[0][1]

    def _tagged(self, by: str, schema: Schema) -> Iterator[tuple[Rule, Said]]:
        known: dict[str, str] = {}
        for name, each in self.members:
            value = each.tag.text("memberName", name[:1].upper() + name[1:])
            first = known.setdefault(value, name)
            if first != name:
                what = f"`{first}` and `{name}` have the same name in the union, {literal(value)}"
                raise MarkerValueError(what, "give one a `memberName`")
            chosen = is_value(by, value, schema)
            here = is_set(name, schema)
            shown = f"`{by}` is {literal(value)}"
            yield Rule(f"!{here} || {chosen}", f"may only be specified when {shown}", at=name), each
            yield Rule(f"!({chosen}) || {here}", f"must be specified when {shown}", at=name), each


def at_most_one(names: Sequence[str], schema: Schema) -> Rule:
    """The rule that at most one of some fields is set."""
    (rule,) = counts([is_set(name, schema) for name in names], names, at_least_one=False)
    return rule


def counts(here: Sequence[str], names: Sequence[str], *, at_least_one: bool) -> Iterator[Rule]:
    """Rules that count how many conditions are true."""
    if len(here) < 2:  # noqa: PLR2004 - a union of one
        raise MarkerValueError("the union has one member", "add a second, or leave it out")
    count = f"[{', '.join(here)}].filter(is_set, is_set).size()"
    listed = ", ".join(f"`{name}`" for name in names)
    if at_least_one:
        yield Rule(f"{count} >= 1", f"must specify one of: {listed}")
        yield Rule(f"{count} <= 1", f"must specify exactly one of: {listed}")
    else:
        yield Rule(f"{count} <= 1", f"must specify at most one of: {listed}")
