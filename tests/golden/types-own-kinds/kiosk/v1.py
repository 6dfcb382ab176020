"""Kinds whose class statement says the group, the version and the kind."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from clientgen.runtime.models import CustomResource, Literal, Model, ModelList, auto, constant, field


class CronTabSpec(Model):
    """What to run and when."""

    # +kubebuilder:validation:Pattern=`^\S+( \S+){4}$`
    schedule: str
    replicas: Annotated[int, Meta(ge=0, le=10)] = 1


class CronTabStatus(Model):
    """How it went."""

    replicas: int = 0


# +genclient
# +resourceName=crontabs
# +kubebuilder:subresource:status
class CronTab(CustomResource, group="stable.example.com", version="v1"):
    """A job that runs on a schedule."""

    spec: CronTabSpec
    status: CronTabStatus = auto(CronTabStatus)


class _Shop(CustomResource, group="shop.example.com", version="v1"):
    """Some kinds of a group version; no kind itself."""

    notes: list[str] = field(default_factory=list)


# The class and the kind have different names.
# +genclient
# +genclient:nonNamespaced
class Policy(_Shop, kind="RunPolicy"):
    """What may run in the cluster."""

    allowed: list[str]


class RunPolicyList(ModelList[Policy]):
    """Many of them."""

    api_version: Literal["shop.example.com/v1"] = constant("shop.example.com/v1", name="apiVersion")
    kind: Literal["RunPolicyList"] = constant("RunPolicyList")


# A kind that asks for no client has none. It may be without a spec.
class RunReport(_Shop):
    """What ran."""

    spec: CronTabSpec | None = None
