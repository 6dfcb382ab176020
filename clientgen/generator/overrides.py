"""Compares markers with what the API offers. They may remove and rename verbs, and add none.

Go's client-gen has no spec to look at: it guesses scope, plural, verbs and status from the type.
Here the paths say what there is, and a marker that asks for more is a problem.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from clientgen._problems import Problem
from clientgen.generator.genclient import (
    READONLY_VERBS,
    STATUS_VERBS,
    SUPPORTED_VERBS,
    Genclient,
    GenclientMethod,
    Tag,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_VERB_TAGS = (Tag.NO_VERBS, Tag.READONLY, Tag.ONLY_VERBS, Tag.SKIP_VERBS)
_NONE: Mapping[str, frozenset[str]] = MappingProxyType({})


def select_verbs(
    genclient: Genclient,
    offered: frozenset[str],
    subresources: Mapping[str, frozenset[str]] = _NONE,
) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    """Return the verbs that markers leave, and problems for verbs that the API lacks.

    Args:
        genclient: What the markers of the type say.
        offered: Verbs of the API, by the names of `SUPPORTED_VERBS`; other names are passed over.
        subresources: The verbs of each subresource, for the methods that name one.

    Returns:
        The verbs in the order of `SUPPORTED_VERBS`, and the problems. Verbs do not depend on each
        other: deleteCollection stays without list (client-gen emits code that does not compile).
    """
    problems = [*_asked_in_vain(genclient, offered)]
    for method in genclient.methods:
        problems += _method_in_vain(method, offered, subresources)
    selected = offered.intersection(_wanted(genclient))
    return tuple(verb for verb in SUPPORTED_VERBS if verb in selected), tuple(problems)


def _wanted(genclient: Genclient) -> frozenset[str]:
    if genclient.no_verbs:
        return frozenset()
    wanted = frozenset(_asked(genclient) or SUPPORTED_VERBS).difference(genclient.skip_verbs)
    return wanted.difference(STATUS_VERBS) if genclient.no_status else wanted


def _asked(genclient: Genclient) -> frozenset[str]:
    """The verbs that are asked for by name; client-gen: readonly adds its three to onlyVerbs."""
    readonly = READONLY_VERBS if genclient.readonly else ()
    return frozenset((*genclient.only_verbs, *readonly))


def _asked_in_vain(genclient: Genclient, offered: frozenset[str]) -> Iterable[Problem]:
    verbs_by_tag = {Tag.ONLY_VERBS: genclient.only_verbs}
    if genclient.readonly:
        verbs_by_tag[Tag.READONLY] = READONLY_VERBS
    for tag, verbs in verbs_by_tag.items():
        for verb in verbs:
            if verb not in offered:
                what = f"`+{tag}` asks for `{verb}`, which the API does not support"
                yield Problem(genclient.where(tag), what, _offers("it supports", offered))


def _method_in_vain(
    method: GenclientMethod, offered: frozenset[str], subresources: Mapping[str, frozenset[str]]
) -> Iterable[Problem]:
    name = method.subresource
    if name is not None and name not in subresources:
        what = f"the method `{method.name}` asks for the subresource `{name}`, which does not exist"
        yield Problem(method.where, what, _listed("the API has", sorted(subresources)))
        return
    has = offered if name is None else subresources[name]
    if method.verb not in has:
        of = "the API" if name is None else f"the subresource `{name}`"
        what = f"the method `{method.name}` asks for `{method.verb}`, which {of} does not support"
        yield Problem(method.where, what, _offers("it supports", has))


def _offers(intro: str, verbs: frozenset[str]) -> str:
    return _listed(intro, [verb for verb in SUPPORTED_VERBS if verb in verbs])


def _listed(intro: str, names: list[str]) -> str:
    return f"{intro} {', '.join(names) or 'none'}"


def contradictions(
    genclient: Genclient, *, group: str, plural: str, namespaced: bool
) -> tuple[Problem, ...]:
    """Markers that say something else than the API about group, plural and scope.

    A marker that is absent says nothing: what client-gen takes for namespaced is cluster-scoped
    here when its paths are.
    """
    checks = (
        (Tag.NON_NAMESPACED, genclient.non_namespaced and namespaced, "the API is namespaced"),
        (
            Tag.RESOURCE_NAME,
            genclient.resource_name not in (None, plural),
            f"the API calls it `{plural}`",
        ),
        (
            Tag.GROUP_NAME,
            genclient.group_name not in (None, group),
            f"the API is in `{group}`" if group else "the API is in the core group",
        ),
    )
    return tuple(
        Problem(genclient.where(tag), f"`+{tag}` contradicts the spec: {fact}", "remove it")
        for tag, wrong, fact in checks
        if wrong
    )


def merge(first: Genclient, second: Genclient) -> Genclient:
    """Merge the markers of two sources. Where both are about the same, the first counts.

    The tags that choose verbs are one thing: a source that uses one of them decides. Methods are
    told apart by name.
    """
    chooser = first if any(tag in first.places for tag in _VERB_TAGS) else second
    methods = {method.name: method for method in (*second.methods, *first.methods)}
    dropped = () if chooser is second else _VERB_TAGS
    inherited = {tag: at for tag, at in second.places.items() if tag not in dropped}
    return replace(
        first,
        generate=first.generate or second.generate,
        non_namespaced=first.non_namespaced or second.non_namespaced,
        no_verbs=chooser.no_verbs,
        only_verbs=chooser.only_verbs,
        skip_verbs=chooser.skip_verbs,
        readonly=chooser.readonly,
        no_status=first.no_status or second.no_status,
        methods=tuple(methods.values()),
        resource_name=_either(first.resource_name, second.resource_name),
        group_name=_either(first.group_name, second.group_name),
        group_go_name=_either(first.group_go_name, second.group_go_name),
        disabled=first.disabled | second.disabled,
        places=MappingProxyType({**inherited, **first.places}),
    )


def _either(first: str | None, second: str | None) -> str | None:
    return second if first is None else first
