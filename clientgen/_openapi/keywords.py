"""The keywords that Kubernetes adds to the schemas of custom resources: a record for each.

These ask the records: the check that schemas are structural, the test server when it stores a
definition, the reader of definitions in manifests, the docstrings of fields, and the check of
objects that are written. A keyword without a record is unknown. Readers of definitions drop it, as
API servers do.

Facts: docs/internals/kubernetes-semantics.md, 6.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from clientgen._json import part

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ValueForm: TypeAlias = Literal["flag", "text", "texts", "rules"]
"""What a keyword's value is: true or false, a string, strings, or rules in CEL."""


class Missing(Enum):
    """Stands for the value of a field that an object does not have."""

    VALUE = "no value"


MISSING: Final = Missing.VALUE


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword.

    Attributes:
        name: the keyword as schemas write it.
        form: what its value is.
        in_junctors: what it has to be within `allOf`, `anyOf`, `oneOf` and `not`: a word of the
            server's message. Empty if it may be anything.
        sentence: returns the sentence for docstrings of fields; it gets the keyword's value. What
            docstrings say of lists and rules is in `generator/resolve/schema_sentences`.
        refusal: returns why an object is refused, or an empty text. It gets the keyword's value,
            the field's new value and its old one; `MISSING` stands for no value.
    """

    name: str
    form: ValueForm
    in_junctors: str = ""
    sentence: Callable[[Any], str] | None = None
    refusal: Callable[[Any, Any, Any], str] | None = None


_PREFIX: Final = "x-kubernetes-"
KEYWORDS: Final = {
    keyword.name: keyword
    for keyword in (
        Keyword(f"{_PREFIX}preserve-unknown-fields", "flag", "false"),
        Keyword(f"{_PREFIX}embedded-resource", "flag", "false"),
        Keyword(f"{_PREFIX}int-or-string", "flag", "false"),
        Keyword(f"{_PREFIX}list-map-keys", "texts", "empty"),
        Keyword(f"{_PREFIX}list-type", "text", "undefined"),
        Keyword(f"{_PREFIX}map-type", "text", "undefined"),
        Keyword(f"{_PREFIX}validations", "rules", "empty"),
    )
}
"""All keywords, by name."""

_SCHEMA_PROPS: Final = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"
_RULE: Final = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule"
_FORMS: Final[Mapping[ValueForm, Mapping[str, Any]]] = {
    "flag": {"type": "boolean"},
    "text": {"type": "string"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "rules": {"type": "array", "items": {"$ref": f"#/definitions/{_RULE}"}},
}


def sentences(raw: Mapping[str, Any]) -> list[str]:
    """What docstrings say of the keywords in a schema."""
    return [
        keyword.sentence(raw[keyword.name])
        for keyword in KEYWORDS.values()
        if keyword.sentence is not None and raw.get(keyword.name)
    ]


def refusals(raw: Mapping[str, Any]) -> list[Callable[[Any, Any], str]]:
    """What the keywords in a schema refuse: functions of the new and the old value."""
    return [
        _bound(keyword.refusal, raw[keyword.name])
        for keyword in KEYWORDS.values()
        if keyword.refusal is not None and raw.get(keyword.name)
    ]


def _bound(refusal: Callable[[Any, Any, Any], str], stated: Any) -> Callable[[Any, Any], str]:
    return lambda new, old: refusal(stated, new, old)


def with_keywords(document: dict[str, Any]) -> dict[str, Any]:
    """An OpenAPI v2 document in which the type of schemas has a member for every keyword.

    The test server stores only members of this type. Kubernetes' document has Kubernetes' keywords.
    """
    definitions = part(document, "definitions")
    props = part(definitions, _SCHEMA_PROPS)
    known = part(props, "properties")
    added = {name: _FORMS[each.form] for name, each in KEYWORDS.items() if name not in known}
    if not known or not added:
        return document
    props = {**props, "properties": {**known, **added}}
    return {**document, "definitions": {**definitions, _SCHEMA_PROPS: props}}
