"""A kind with fields of many types, and rules that read them."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import Meta

from clientgen.runtime.models import CustomResource, Literal, Model, Quantity, Time, auto, field
from clientgen.runtime.webhooks import AdmissionRequest, rule

MAX = 5
NAMES = ("web", "db", 'quo"te\n')
WORD = re.compile(r"[a-z]+(-[a-z0-9]+)*")

Small = Annotated[int, Meta(ge=-100, le=100)]
Text = Annotated[str, Meta(max_length=20)]


class Port(Model):
    name: Text = ""
    number: Annotated[int, Meta(ge=1, le=65535)]
    protocol: Literal["TCP", "UDP"] | str = "TCP"
    namespace: Text | None = None


class Job(Model):
    command: Annotated[list[Text], Meta(max_length=4)]
    retries: Small = 3
    deadline: Small | None = None


class Mode(Model):
    strict: bool = False
    level: Small = 1
    label: Text = "none"


class Spec(Model):
    schedule: Text
    replicas: Small = 2
    zero: Small = 0
    ratio: float = 0.5
    history: Small | None = None
    suspend: bool = False
    owner: Text | None = None
    big: int = 0
    ports: Annotated[list[Port], Meta(max_length=4)] = field(default_factory=list)
    tags: Annotated[list[Text], Meta(max_length=4)] = field(default_factory=list)
    numbers: Annotated[list[Small], Meta(max_length=4)] | None = None
    labels: Annotated[dict[str, Text], Meta(max_length=4)] = field(default_factory=dict)
    job: Job | None = None
    mode: Mode = auto(Mode)
    in_: Text = field(default="", name="in")
    memory: Quantity | None = None
    start: Time | None = None


class Thing(CustomResource, group="rules.example.com", version="v1"):
    """A thing."""

    spec: Spec


def is_word(text: str) -> bool:
    """Is text a word?"""
    return WORD.fullmatch(text) is not None


def total(spec: Spec) -> int:
    extra = spec.history or 1
    if spec.suspend:
        return 0
    return spec.replicas * extra


@rule(Thing, message="one")
def compared(thing: Thing) -> bool:
    return 0 <= thing.spec.replicas < MAX != thing.spec.zero


@rule(Thing, message="two")
def nested_logic(thing: Thing) -> bool:
    return not (thing.spec.suspend and thing.spec.zero > 1) or thing.spec.schedule == "a"


@rule(Thing, message="three")
def optional_int(thing: Thing) -> bool:
    return thing.spec.history is None or thing.spec.history > thing.spec.zero


@rule(Thing, message="four")
def optional_equal(thing: Thing) -> bool:
    return thing.spec.history == 3 or thing.spec.owner != "web"


@rule(Thing, message="five")
def optional_texts(thing: Thing) -> bool:
    job = thing.spec.job
    if job is None:
        return thing.spec.owner is None
    return job.deadline == thing.spec.history


@rule(Thing, message="six")
def truth(thing: Thing) -> bool:
    return bool(thing.spec.owner and thing.spec.tags) or not thing.spec.history


@rule(Thing, message="seven")
def member(thing: Thing) -> bool:
    return thing.spec.schedule in NAMES or thing.spec.owner in ("a", "web")


@rule(Thing, message="eight")
def not_member(thing: Thing) -> bool:
    return thing.spec.zero not in {1, 2, 3} and "x" not in thing.spec.tags


@rule(Thing, message="nine")
def texts(thing: Thing) -> bool:
    spec = thing.spec
    return spec.schedule.startswith(("a", "b")) or spec.schedule.endswith("é") or "b" in spec.in_


@rule(Thing, message="ten")
def pattern(thing: Thing) -> bool:
    return re.fullmatch(r"[a-z]{1,3}(-\d?)?", thing.spec.schedule, re.ASCII) is not None


@rule(Thing, message="eleven")
def helpers(thing: Thing) -> bool:
    return is_word(thing.spec.schedule) and total(thing.spec) < 40


@rule(Thing, message="twelve")
def any_of_lists(thing: Thing) -> bool:
    return any(port.number == 80 and port.protocol == "TCP" for port in thing.spec.ports)


@rule(Thing, message="thirteen")
def all_of_lists(thing: Thing) -> bool:
    return all(port.name for port in thing.spec.ports if port.namespace is not None)


@rule(Thing, message="fourteen")
def counted(thing: Thing) -> bool:
    return sum(1 for tag in thing.spec.tags if len(tag) > 1) <= 1 < len(thing.spec.tags) + 2


@rule(Thing, message="fifteen")
def summed(thing: Thing) -> bool:
    return sum(port.number for port in thing.spec.ports) % 7 != 3


@rule(Thing, message="sixteen")
def dicts(thing: Thing) -> bool:
    return all(key != value and is_word(value) for key, value in thing.spec.labels.items())


@rule(Thing, message="seventeen")
def dict_get(thing: Thing) -> bool:
    return thing.spec.labels.get("a") == thing.spec.labels.get("b", "none")


@rule(Thing, message="eighteen")
def dict_member(thing: Thing) -> bool:
    return "a" in thing.spec.labels and thing.spec.labels["a"] != "b"


@rule(Thing, message="nineteen")
def divided(thing: Thing) -> bool:
    return thing.spec.zero // 7 + thing.spec.zero % 7 < 6 - thing.spec.replicas


@rule(Thing, message="twenty")
def extremes(thing: Thing) -> bool:
    return (
        max(thing.spec.zero, 3, thing.spec.replicas) - min(max(-9, thing.spec.big), 10)
        > abs(thing.spec.zero)
        or thing.spec.big < 0
    )


@rule(Thing, message="twenty-one")
def floats(thing: Thing) -> bool:
    return thing.spec.ratio * 2 <= thing.spec.replicas + 0.5 and thing.spec.ratio != 1


@rule(Thing, message="twenty-two")
def auto_objects(thing: Thing) -> bool:
    return thing.spec.mode.level == 1 or (thing.spec.mode.strict and thing.spec.mode.label != "a")


@rule(Thing, message="twenty-three")
def required_in_optional(thing: Thing) -> bool:
    job = thing.spec.job
    return job is not None and (len(job.command) == 1 or job.retries > 2)


@rule(Thing, message="twenty-four", reason="FieldValueForbidden", field_path=".spec.schedule")
def immutable(thing: Thing, old: Thing) -> bool:
    return thing.spec.schedule == old.spec.schedule and thing.spec.tags == old.spec.tags


@rule(Thing, message="twenty-five")
def changes(thing: Thing, old: Thing | None) -> bool:
    if old is None:
        return thing.spec.zero == 0
    return thing.spec.history == old.spec.history or old.spec.owner is None


@rule(Thing, message=lambda thing: f"{thing.spec.schedule}: {thing.spec.replicas} of {MAX} %")
def told(thing: Thing) -> bool:
    spec = thing.spec
    return (spec.owner or "web") == "web" if spec.suspend else spec.zero < 2


@rule(Thing, message="twenty-seven")
def optional_list(thing: Thing) -> bool:
    return thing.spec.numbers is None or any(number < 0 for number in thing.spec.numbers)


@rule(Thing, message="twenty-eight")
def nested_loops(thing: Thing) -> bool:
    return not any(
        one.name == tag for one in thing.spec.ports if one.number > 1 for tag in thing.spec.tags
    )


@rule(Thing, message="twenty-nine")
def split(thing: Thing) -> bool:
    return all(len(part) < 3 for part in thing.spec.schedule.split("-"))


@rule(Thing, message="thirty")
def listed(thing: Thing) -> bool:
    return "80" not in [str(port.number) for port in thing.spec.ports if port.name != "x"]


@rule(Thing, message="thirty-one")
def of_name(thing: Thing) -> bool:
    return not thing.metadata.name.startswith("kube") and "old" not in thing.metadata.name


@rule(Thing, message="thirty-two")
def unique(thing: Thing) -> bool:
    spec = thing.spec
    return len({port.name for port in spec.ports}) == len(spec.ports) and (
        spec.suspend or len(set(spec.tags)) == len(spec.tags)
    )


@rule(Thing, message="thirty-three")
def chosen_lists(thing: Thing) -> bool:
    tags = thing.spec.tags if thing.spec.suspend else []
    return "a" not in tags and len(tags) != 1


@rule(Thing, message="no memory")
def has_memory(thing: Thing) -> bool:
    return thing.spec.memory is not None or thing.spec.start is None


@rule(Thing, message="only admins may suspend")
def by_user(thing: Thing, request: AdmissionRequest[Thing]) -> bool:
    return not thing.spec.suspend or "admins" in request.user.groups


@rule(Thing, message="keep the label")
def by_labels(thing: Thing, old: Thing) -> bool:
    return thing.metadata.labels.get("team") == old.metadata.labels.get("team")


@rule(Thing, message="upper")
def by_case(thing: Thing) -> bool:
    return thing.spec.schedule.lower() == thing.spec.schedule
