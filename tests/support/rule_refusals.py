"""Rules that cannot be translated, each with a part of what is told, and a kind without limits."""

from __future__ import annotations

import re
from collections.abc import Callable

from support.rule_table import Thing

from clientgen.runtime.models import CustomResource, Model, Quantity, field
from clientgen.runtime.webhooks import AdmissionRequest, Rule, rule

REFUSED: list[tuple[Rule[Thing], str]] = []


def told(why: str) -> Callable[[Rule[Thing]], Rule[Thing]]:
    def add(refused: Rule[Thing]) -> Rule[Thing]:
        REFUSED.append((refused, why))
        return refused

    return add


def recursive(number: int) -> bool:
    return number == 0 or recursive(number - 1)


@told("`thing.spec.history`: it may be None (test `is not None` before)")
@rule(Thing, message="no")
def unguarded(thing: Thing) -> bool:
    return thing.spec.history > 3  # type: ignore[operator] # pyright: ignore[reportOptionalOperand]


@told("it may overflow 64 bits")
@rule(Thing, message="no")
def overflow(thing: Thing) -> bool:
    return thing.spec.big + 1 > 0


@told("it raises an exception for 0")
@rule(Thing, message="no")
def zero_division(thing: Thing) -> bool:
    return 10 // thing.spec.zero > 1


@told("this operator cannot be translated")
@rule(Thing, message="no")
def true_division(thing: Thing) -> bool:
    return thing.spec.zero / 2 > 1


@told("it raises IndexError")
@rule(Thing, message="no")
def first(thing: Thing) -> bool:
    return thing.spec.tags[0] == "a"


@told("it raises KeyError")
@rule(Thing, message="no")
def key(thing: Thing) -> bool:
    return thing.spec.labels["a"] == "a"


@told("two values of an object may differ in CEL")
@rule(Thing, message="no")
def whole_objects(thing: Thing, old: Thing) -> bool:
    return thing.spec == old.spec


@told("`Quantity('1Gi')`: this call cannot be translated")
@rule(Thing, message="no")
def quantity(thing: Thing) -> bool:
    memory = thing.spec.memory
    return memory is None or memory < Quantity("1Gi")


@told("write the characters, as in [0-9], or pass re.ASCII")
@rule(Thing, message="no")
def digits(thing: Thing) -> bool:
    return bool(re.fullmatch(r"\d+", thing.spec.schedule))


@told("RE2 has no such construct: assert")
@rule(Thing, message="no")
def look_ahead(thing: Thing) -> bool:
    return bool(re.fullmatch(r"(?=a).*", thing.spec.schedule))


@told("it must be a constant that is not empty")
@rule(Thing, message="no")
def pattern_of_object(thing: Thing) -> bool:
    return bool(re.fullmatch(thing.spec.schedule, "a"))


@told("this statement cannot be translated (loops are all(...)")
@rule(Thing, message="no")
def loop(thing: Thing) -> bool:
    for tag in thing.spec.tags:  # noqa: SIM110 - as people write it
        if tag == "a":
            return False
    return True


@told("the function may end without `return`")  # noqa: RET503 - it is the mistake
@rule(Thing, message="no")
def no_end(thing: Thing) -> bool:  # type: ignore[return] # pyright: ignore[reportReturnType]
    if thing.spec.zero > 1:
        return False


@told("recursive calls itself")
@rule(Thing, message="no")
def recursion(thing: Thing) -> bool:
    return recursive(thing.spec.zero)


@told("an integer is compared with a bool")
@rule(Thing, message="no")
def int_and_bool(thing: Thing) -> bool:
    return thing.spec.zero == thing.spec.suspend


@told("large integers are not exact beside a float")
@rule(Thing, message="no")
def large_and_float(thing: Thing) -> bool:
    return thing.spec.big < thing.spec.ratio


@told("`lower` of a text cannot be translated")
@rule(Thing, message="no")
def lower(thing: Thing) -> bool:
    return thing.spec.schedule.lower() == "a"


@told("this call cannot be translated (rules may call len")
@rule(Thing, message="no")
def divided(thing: Thing) -> bool:
    return bool(divmod(thing.spec.zero, 3))


@told("an object has no method `to_dict` in rules")
@rule(Thing, message="no")
def method(thing: Thing) -> bool:
    return bool(thing.to_dict())  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue]


@told("the parameter `old` is not used")
@rule(Thing, message="no")
def old_unused(thing: Thing, old: Thing) -> bool:
    return thing.spec.zero == 0


@told("formats cannot be translated")
@rule(Thing, message=lambda thing: f"{thing.spec.zero:03}")
def formatted(thing: Thing) -> bool:
    return thing.spec.zero == 0


@told("policies do not know this of the request")
@rule(Thing, message="no")
def options(thing: Thing, request: AdmissionRequest[Thing]) -> bool:
    return bool(request.options)


@told("its CEL would be too long")
@rule(Thing, message="no")
def doubled(thing: Thing) -> bool:
    a = thing.spec.schedule + thing.spec.schedule
    b = a + a + a + a + a + a + a + a
    c = b + b + b + b + b + b + b + b
    d = c + c + c + c + c + c + c + c
    return d + d + d != ""


@told("objects cannot be chosen")
@rule(Thing, message="no")
def chosen(thing: Thing) -> bool:
    ports = thing.spec.ports if thing.spec.suspend else []
    return any(port.number == 1 for port in ports)


def _around() -> Rule[Thing]:
    limit = 3

    @rule(Thing, message="no")
    def inner(thing: Thing) -> bool:
        return thing.spec.zero < limit

    return inner


REFUSED.append((_around(), "inner uses variables of the function around it: limit"))


class WideSpec(Model):
    names: list[str] = field(default_factory=list)


class Wide(CustomResource, group="wide.example.com", version="v1"):
    """A kind whose lists have no limits."""

    spec: WideSpec


@rule(Wide, message="names must not be empty")
def named(wide: Wide) -> bool:
    return all(name != "" for name in wide.spec.names)
