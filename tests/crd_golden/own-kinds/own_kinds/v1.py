"""Kinds with a spec that is required, that is optional, and that is not there."""

from typing import Annotated

from msgspec import Meta

from clientgen.runtime.models import CustomResource, Model, auto


class _Stable(CustomResource, group="stable.example.com", version="v1"):
    """The kinds of stable.example.com/v1."""


class CronTabSpec(Model):
    """What to run and when."""

    # +kubebuilder:validation:Pattern=`^\S+( \S+){4}$`
    schedule: str
    replicas: Annotated[int, Meta(ge=0, le=10)] = 1


class PauseSpec(Model):
    """Until when."""

    hours: int = 1


# +genclient
# +kubebuilder:resource:path=crontabs,shortName=ct
class CronTab(_Stable):
    """Every object has a spec."""

    spec: CronTabSpec


# +genclient
class Pause(_Stable):
    """An object without a spec is like one with an empty spec."""

    spec: PauseSpec = auto(PauseSpec)


# +genclient
class Trial(_Stable, kind="DryRun"):
    """The class says that it may be absent."""

    spec: CronTabSpec | None = None


# +genclient
class Draft(_Stable):
    """The marker says that it may be absent, although Python requires it."""

    # +optional
    spec: CronTabSpec


# +genclient
class Holiday(_Stable):
    """There is none."""

    days: list[str]
