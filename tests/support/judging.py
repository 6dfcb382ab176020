"""Holds facts to the in-memory server, at several kinds that have the field.

A verdict is empty if the fact holds. It begins with "wrong" if the server does otherwise; else it
says why no sample could be made that shows it.
"""

# JSON by hand has no types to speak of.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeAlias

from support.bounded_values import Sized, sized
from support.facts import Fact
from support.server_defaults import definitions
from support.trials import MISSING, Answer, Changes, Place, Steps, get, places, shown, values

Verdict: TypeAlias = str
HELD: Verdict = ""
MAX_PLACES = 8
MAX_FAILURES = 10
MAX_KINDS = 2
MAX_VALUES = 4
MAX_CONTEXTS = 12
TEMPLATED = (
    "CronJob",
    "DaemonSet",
    "Deployment",
    "Job",
    "PodTemplate",
    "ReplicaSet",
    "ReplicationController",
)
# What some kinds do not look at: they replace it, or leave it to controllers, or to the pods.
LENIENT = {
    "StatefulSet": ("hostname", "subdomain", "nodeName"),
    "ServiceCIDR": ("reason", "message"),
    **dict.fromkeys(TEMPLATED, ("nodeName",)),
}


def bounds(fact: Fact) -> Verdict:
    """Judge that the least and the most are taken, and what is beyond them is refused."""
    assert fact.bounds is not None
    least, most, unit = fact.bounds
    verdicts = list[Verdict]()
    if least is not None and (least > 0 or not unit):
        verdicts.append(_at_kinds(fact, lambda place: _bound(place, fact, least, least - 1)))
    if most is not None:
        verdicts.append(_at_kinds(fact, lambda place: _bound(place, fact, most, most + 1)))
    return next(filter(None, verdicts), HELD)


def immutable(fact: Fact) -> Verdict:
    """Judge that no update changes the field, though a new object could have the new value."""
    return _at_kinds(fact, lambda place: _unchanged(place, fact), only_set=True)


def needed(fact: Fact) -> Verdict:
    """Judge that the field is refused without what it needs."""
    ((name, allowed),) = fact.needed
    return _at_kinds(fact, lambda place: _condition(place, fact, name, allowed, needed=True))


def excluded(fact: Fact) -> Verdict:
    """Judge that the field is refused with each of the fields that it excludes."""
    verdicts = [_excludes(fact, name, forbidden) for name, forbidden in fact.excluded]
    return next(filter(None, verdicts), HELD)


def _excludes(fact: Fact, name: str, forbidden: list[str]) -> Verdict:
    return _at_kinds(fact, lambda place: _condition(place, fact, name, forbidden, needed=False))


def _at_kinds(fact: Fact, judge: Callable[[Place], Verdict], *, only_set: bool = False) -> Verdict:
    why, held, failures = "no object has it", set[str](), 0
    for place in _tried(fact, only_set=only_set):
        if place.kind in held or len(held) == MAX_KINDS or failures == MAX_FAILURES:
            continue
        verdict = judge(place)
        if verdict.startswith("wrong"):
            return f"{verdict} ({place.kind} {place.sample.name})"
        if verdict == HELD:
            held.add(place.kind)
        else:
            why, failures = verdict, failures + 1
    return HELD if held else why


def _tried(fact: Fact, *, only_set: bool) -> Iterator[Place]:
    """Yield places of the field: where it is set before where it could be set."""
    found = [
        place
        for place in places().get(fact.definition, ())
        if fact.field not in LENIENT.get(place.kind, ())
    ]
    yield from islice((place for place in found if fact.field in place.object), MAX_PLACES)
    if not only_set:
        yield from islice((place for place in found if fact.field not in place.object), MAX_PLACES)


# --------------------------------------------------------------------------------------- bounds


def _bound(place: Place, fact: Fact, inside: int, outside: int) -> Verdict:
    assert fact.bounds is not None
    why, steps = "", (*place.steps, fact.field)
    known = [*_nearby(place, fact), *values(fact.definition, fact.field)]
    makers = [*sized(_property(fact, fact.field), fact.bounds[2], known)]
    for context in islice(_contexts(place, fact), MAX_CONTEXTS):
        for make in makers:
            if make(inside) is None or make(outside) is None:
                continue
            first = place.sample.created({**context, steps: make(inside)})
            if not first.taken:
                why = why or str(first)
            elif get(first.body, steps) is MISSING and inside:
                why = "it is not kept"
            else:
                return _beyond(place, {**context}, steps, make, outside)
    return why


def _beyond(place: Place, context: Changes, steps: Steps, make: Sized, outside: int) -> Verdict:
    answer = place.sample.created({**context, steps: make(outside)})
    if answer.taken and not outside and get(answer.body, steps) != make(outside):
        if isinstance(make(outside), list | dict):
            return HELD  # an empty list is as good as none
        answer = place.sample.created({**context, steps: make(-1)})
    return f"wrong: takes {shown(steps)} of {outside}" if answer.taken else HELD


def _nearby(place: Place, fact: Fact) -> list[Any]:
    """Return the values that the field has in the same sample."""
    others = (p for p in places()[fact.definition] if p.sample is place.sample)
    return [p.object[fact.field] for p in others if fact.field in p.object]


def _contexts(place: Place, fact: Fact) -> Iterator[Changes]:
    """Yield changes beside a field, one of which may be needed to make it valid."""
    yield {}
    if len(place.steps) < 2:
        return
    siblings = definitions()[fact.definition]["properties"]
    for name in place.object:
        if name != fact.field:
            yield {(*place.steps, name): MISSING}
    for name, schema in siblings.items():
        if name != fact.field and (schema.get("enum") or name == "operator"):
            for value in islice(values(fact.definition, name), MAX_VALUES):
                yield {(*place.steps, name): value}


# ------------------------------------------------------------------------------------ immutable


def _unchanged(place: Place, fact: Fact) -> Verdict:
    steps = (*place.steps, fact.field)
    before = get(place.sample.stored, steps)
    if before is MISSING:
        return "it is not kept"
    why = "it has no other value that is valid"
    for other in _others(fact, before):
        answer = place.sample.updated({steps: other})
        if answer.taken and not same(get(answer.body, steps), before):
            return f"wrong: changes {shown(steps)} to {other!r}"
        if "immutable" in answer.message or place.sample.created({steps: other}).taken:
            why = HELD
    return why


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal; lists of texts are compared as sets."""
    if isinstance(one, list) and isinstance(other, list):
        texts = [each for each in (*one, *other) if isinstance(each, str)]
        if len(texts) == len(one) + len(other):
            return {*one} == {*other}
    return bool(one == other)


def _others(fact: Fact, value: Any) -> Iterator[Any]:
    """Yield other values of a field, some of which are likely to be valid."""
    known = [
        *values(fact.definition, fact.field)[:MAX_VALUES],
        *_property(fact, fact.field).get("enum", ()),
    ]
    yield from (each for each in known if not same(each, value))
    yield from _different(value)
    yield MISSING


def _different(value: Any) -> Iterator[Any]:
    """Yield values like another one, with one thing changed."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, str):
        yield f"{value}x"
        yield from (value.replace(a, b, 1) for a, b in ("ab", "12") if a in value)
    elif isinstance(value, list):
        yield from ([value[:-1]] if len(value) > 1 else [])
        yield from ([*value[:n], each, *value[n + 1 :]] for n, each in _each(enumerate(value)))
    elif isinstance(value, dict):
        yield from ({k: v for k, v in value.items() if k != key} for key in [*value][1:])
        yield from ({**value, key: each} for key, each in _each(value.items()))


def _each(items: Any) -> Iterator[tuple[Any, Any]]:
    for key, value in items:
        yield from ((key, each) for each in _different(value))


# ----------------------------------------------------------------------------------- conditions


def _condition(place: Place, fact: Fact, name: str, named: list[str], *, needed: bool) -> Verdict:
    steps = (*place.steps, fact.field)
    other = tuple(name.split(".")) if "." in name else (*place.steps, name)
    yes, no = _sides(place, fact, name, other, named)
    good, bad = (yes, no) if needed else (no, yes)
    why = "no object has it"
    known = [place.object[fact.field]] if fact.field in place.object else []
    for value in known or values(fact.definition, fact.field)[:MAX_VALUES]:
        for right in good:
            first = place.sample.created({steps: value, other: right})
            if not first.taken:
                why = str(first)
            elif get(first.body, steps) is MISSING:
                why = "it is not kept"
            else:
                return _refused(place, {steps: value}, other, bad)
    return why


def _refused(place: Place, change: Changes, other: Steps, bad: list[Any]) -> Verdict:
    (steps,) = change
    why = "there is no other value"
    for wrong in bad:
        answer = place.sample.created({**change, other: wrong})
        if not answer.taken:
            alone = place.sample.created({steps: MISSING, other: wrong})
            named = str(steps[-1]) in answer.message
            why = HELD if why == HELD or alone.taken or named else f"without it, too: {answer}"
        elif get(answer.body, steps) is MISSING:
            why = HELD
        elif wrong is MISSING or _kept(answer, other, wrong):
            how = "without" if wrong is MISSING else f"with {wrong!r} as"
            return f"wrong: takes {shown(steps)} {how} {shown(other)}"
    return why


def _kept(answer: Answer, steps: Steps, value: Any) -> bool:
    """Return whether a value is stored; the status that a write returns has no other spec."""
    return steps[0] == "spec" and get(answer.body, steps) == value


def _sides(
    place: Place, fact: Fact, name: str, other: Steps, named: list[str]
) -> tuple[list[Any], list[Any]]:
    """Return values of a field for which a condition holds, and some for which it does not."""
    there = get(place.sample.whole, other)
    known = [] if there is MISSING else [there]
    if "." not in name:
        known += values(fact.definition, name)[:MAX_VALUES]
    if named:
        enum = [] if "." in name else _property(fact, name).get("enum", [])
        return list(named), [x for x in (*known, *enum) if x not in named and x] or [MISSING]
    if "." not in name and _property(fact, name).get("type") == "boolean":
        return [True], [MISSING]
    return known, [MISSING]


def _property(fact: Fact, name: str) -> Any:
    return definitions()[fact.definition]["properties"][name]
