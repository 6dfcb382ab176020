"""Recognises copies: schemas described in place that are a known type written out.

A CustomResourceDefinition cannot refer to other types, so whatever writes it copies them into it: a
pod template is 1,500 properties. A copy becomes the type it was made of, so that users meet the
classes they know. A wrong name is bad, and a lost field is worse. So a copy must equal the type,
property by property, and schemas that are too small to be recognised are left alone.

A copy of an older Kubernetes' type lacks what was added since. It is taken for the type as well
(unless the policy says otherwise), and what it lacks is reported: a server drops such fields. Some
writers leave out what is required, everywhere: then a copy is `partial`, and objects may lack it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from clientgen._gvk import GroupVersion
from clientgen._openapi.schema import Schema
from clientgen.generator import python_names
from clientgen.generator.ir import (
    META_V1,
    ListType,
    MapType,
    Model,
    ModelId,
    ModelType,
    TypeRef,
)
from clientgen.generator.resolve.type_comparison import (
    EMBEDDED,
    OBJECT_META,
    TELLING,
    Comparison,
    CopyKind,
    Missing,
    Shape,
    is_telling,
)

_CORE_V1 = GroupVersion("", "v1")
# A copy of a condition that requires nothing could lack all properties.
_CONDITION = ModelId(META_V1, "Condition")
_STABLE = re.compile(r"v\d+")
_WORD = re.compile(r"[A-Za-z]+")
# A name that more types go by than these says nothing: `conditions`, `items`, `rules`.
_MAX_TYPES_PER_NAME = 4
# The least properties for which the name of the property may decide between equal types.
_MIN_PROPERTIES_BY_NAME = 3
# A pair of parts is anybody's pair, unless there is much in them: a template is metadata and spec.
_MIN_DEEP_PROPERTIES = 15
# An older copy has most of the type's properties, and of each type within at least half.
_MIN_SHARE = 0.7
# Kubernetes 1.26 gave ResourceRequirements a field of its own, and volumes a type without it.
_OUTGROWN = {"VolumeResourceRequirements": "ResourceRequirements"}


@dataclass(frozen=True, slots=True)
class Match:
    """The type a schema is a copy of, and the properties of the type that the copy lacks.

    Objects of a `partial` copy may lack what the type requires.
    """

    model: ModelId
    missing: Missing = ()
    partial: bool = False


class KnownTypes:
    """Known types, by their properties."""

    def __init__(
        self,
        models: Iterable[Model],
        policy: str = "older",
        reference: Callable[[str], TypeRef | None] = lambda _reference: None,
    ) -> None:
        """Index types.

        Args:
            models: the types that copies may be of; of two with one id the first counts.
            policy: which copies count: "older", "equal" or "never".
            reference: the type of a definition by its name; a copy may refer to some.
        """
        self._policy = policy
        self._shapes: dict[ModelId, Shape] = {}
        self._comparison = Comparison(self._shapes, reference)
        self._by_names: dict[frozenset[str], list[Shape]] = {}
        self._by_property: dict[str, set[ModelId]] = {}
        self._used_as: Counter[tuple[str, ModelId]] = Counter()
        self._types_under: dict[str, set[str]] = {}
        for model in models if policy != "never" else ():
            if model.id not in self._shapes:
                self._add(model)

    def _add(self, model: Model) -> None:
        types = {field.name: field.type for field in model.fields}
        required = frozenset(field.name for field in model.fields if field.required)
        shape = self._shapes[model.id] = Shape(model.id, types, required)
        for name, type_ in types.items():
            for used in _spoken_of(type_):
                self._used_as[name, used] += 1
                self._types_under.setdefault(name, set()).add(used.name)
        if _is_of_one_kind(model.id):
            return
        self._by_names.setdefault(frozenset(types), []).append(shape)
        if model.id == OBJECT_META:
            self._by_names.setdefault(EMBEDDED, []).append(shape)
        for name in types:
            self._by_property.setdefault(name, set()).add(model.id)

    def recognise(self, schema: Schema, name: str) -> Match | None:
        """The type that an object described in place is a copy of.

        Args:
            schema: the object's schema.
            name: the property that holds it, or a list or map of it: of several types alike, it
                is the one that Kubernetes itself uses under that name.
        """
        if not schema.properties or not self._shapes:
            return None
        model = self._equal(schema, name)
        if model or self._policy != "older":
            return model
        older = self._like(schema, name, CopyKind.OLDER)
        return older or (self._like(schema, name, CopyKind.PARTIAL) if _is_wide(schema) else None)

    def forget(self) -> None:
        """Forget the results for schemas that are no longer needed."""
        self._comparison.forget()

    def _equal(self, schema: Schema, name: str) -> Match | None:
        alike = self._by_names.get(frozenset(schema.properties), ())
        fitting = [
            shape
            for shape in alike
            if self._comparison.lacks(schema, shape.model, CopyKind.EQUAL) == ()
        ]
        chosen = self._choose(fitting, schema, name)
        if chosen is None:
            return None
        return self._outgrown(chosen, schema, name, CopyKind.OLDER) or Match(chosen.model)

    def _outgrown(self, chosen: Shape, schema: Schema, name: str, copy: CopyKind) -> Match | None:
        """The type that had this shape before it grew, where that is what the name means."""
        grown = ModelId(chosen.model.group_version, _OUTGROWN.get(chosen.model.name, ""))
        if grown not in self._shapes or self._policy != "older":
            return None
        if self._used_as[name, grown] <= self._used_as[name, chosen.model]:
            return None
        missing = self._comparison.lacks(schema, grown, copy)
        return None if missing is None else Match(grown, missing, copy is CopyKind.PARTIAL)

    def _like(self, schema: Schema, name: str, copy: CopyKind) -> Match | None:
        """The type that an older or a partial copy is made of."""
        lacking: dict[ModelId, Missing] = {}
        for shape in self._larger(schema.properties):
            if copy is CopyKind.PARTIAL and shape.model == _CONDITION:
                continue
            missing = self._comparison.lacks(schema, shape.model, copy)
            if missing is not None:
                lacking[shape.model] = missing
        if not lacking:
            return None
        least = min(map(len, lacking.values()))
        closest = [self._shapes[model] for model, lacks in lacking.items() if len(lacks) == least]
        chosen = self._choose(closest, schema, name)
        if chosen is None:
            return None
        match = Match(chosen.model, lacking[chosen.model], copy is CopyKind.PARTIAL)
        return self._outgrown(chosen, schema, name, copy) or match

    def _larger(self, properties: Mapping[str, Schema]) -> Iterator[Shape]:
        """Types that have these properties, and few more."""
        having = [self._by_property.get(name, set[ModelId]()) for name in properties]
        fewest, *rest = sorted(having, key=len)
        for model in sorted(fewest.intersection(*rest)):
            shape = self._shapes[model]
            most = len(properties) >= max(TELLING, _MIN_SHARE * len(shape.types))
            if most or len(properties) == len(shape.types):
                yield shape

    def _choose(self, fitting: list[Shape], schema: Schema, name: str) -> Shape | None:
        """One of several that fit: the one the name means, or the only one there can be."""
        used = [shape for shape in fitting if self._used_as[name, shape.model]]
        if used and len(self._types_under[name]) <= _MAX_TYPES_PER_NAME:
            order = {s.model: (_rank(s), -self._used_as[name, s.model]) for s in used}
            best = [shape for shape in used if order[shape.model] == min(order.values())]
            # Deployments and DaemonSets have a `rollingUpdate` each: nothing speaks for either.
            if len({shape.model.name for shape in best}) == 1:
                return _first(best)
        if len(schema.properties) >= _MIN_PROPERTIES_BY_NAME:
            suggested = _suggested(fitting, set(python_names.words(name)))
            if suggested:
                return _first(suggested)
            candidates = [shape for shape in fitting if shape.model.group_version != META_V1]
            described = _suggested(candidates, _described(schema)) if candidates == fitting else []
            if len({shape.model.name for shape in described}) == 1:
                return _first(described)
        if not fitting:
            return None
        first = _first(fitting)
        wide = (
            len(schema.properties) >= _MIN_PROPERTIES_BY_NAME
            or first.model.group_version == META_V1
        )
        if not is_telling(schema, TELLING if wide else _MIN_DEEP_PROPERTIES):
            return None
        is_unambiguous = len({shape.model.name for shape in fitting}) == 1
        return first if is_unambiguous or first.model.group_version == META_V1 else None


def _is_of_one_kind(model: ModelId) -> bool:
    """Return whether a type is named after one kind but has a common shape, as NodeCondition."""
    return model.name.endswith("Condition") and model.group_version != META_V1


def _is_wide(schema: Schema) -> bool:
    """Return whether the properties alone say enough: what is required tells small shapes apart."""
    return len(schema.properties) >= _MIN_PROPERTIES_BY_NAME or is_telling(schema)


def _rank(shape: Shape) -> tuple[bool, bool, bool]:
    """Which of several types alike is taken: meta/v1 first, then core/v1, then what is stable."""
    home = shape.model.group_version
    stable = _STABLE.fullmatch(home.version) is not None
    return (home != META_V1, home != _CORE_V1, not stable)


def _first(shapes: Iterable[Shape]) -> Shape:
    return min(shapes, key=lambda shape: (_rank(shape), shape.model))


def _spoken_of(type_: TypeRef) -> Iterator[ModelId]:
    """The model a property holds: itself, in a list or in a map."""
    while isinstance(type_, ListType | MapType):
        type_ = type_.item if isinstance(type_, ListType) else type_.value
    if isinstance(type_, ModelType):
        yield type_.model


def _suggested(fitting: list[Shape], description_words: set[str]) -> list[Shape]:
    """Return the shapes whose own words are in the texts, as `secret` in `tokenSecretRef`."""
    words = [python_names.words(shape.model.name) for shape in fitting]
    shared = set(words[0]).intersection(*words) if words else set[str]()
    own = [[word for word in each if word not in shared] for each in words]
    return [
        shape
        for own_words, shape in zip(own, fitting, strict=True)
        if own_words
        and ("".join(own_words) in description_words or description_words.issuperset(own_words))
    ]


def _described(schema: Schema) -> set[str]:
    """The words of what is said of the properties, which copies take over: `the ConfigMap or`."""
    texts = (part.description for part in schema.properties.values())
    return {word.lower() for text in texts for word in _WORD.findall(text)}
