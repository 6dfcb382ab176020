"""Types of example.com/v1 with unions."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from clientgen.runtime.models import CustomResource, Literal, Model, Time, constant, field


# +kubebuilder:validation:XValidation:rule="self.url.startsWith('http')",message="no web address"
# +kubebuilder:validation:XValidation:rule="self.url == oldSelf.url",message="it stays"
class Http(Model):
    """A web address."""

    type: Literal["Http"] = constant("Http")
    """What it is."""
    url: Annotated[str, Meta(max_length=200)]
    timeout: int | None = None
    started: Time | None = None


class Tcp(Model):
    """A port."""

    type: Literal["Tcp"] = constant("Tcp")
    port: Annotated[int, Meta(ge=1, le=65535)]
    hosts: list[str] = field(default_factory=list)
    timeout: int | None = None


class Silence(Model):
    type: Literal["Silence"] = constant("Silence")


Target: TypeAlias = Http | Tcp | Silence


class FromSecret(Model):
    secret_name: str
    key: str
    optional: bool | None = None


class FromText(Model):
    text: str
    optional: bool | None = None


class ProbeSpec(Model):
    target: Target
    """What is probed."""
    then: list[Tcp | Silence] = field(default_factory=list)
    password: FromSecret | FromText | None = None
    by_name: dict[str, FromSecret | FromText] = field(default_factory=dict)


# +genclient
class Probe(CustomResource, group="example.com", version="v1"):
    """A probe."""

    spec: ProbeSpec
