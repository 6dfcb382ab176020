"""Kinds that are selected or not, with clients or without; types named by their modules."""

# +groupName=docks.example.com
from __future__ import annotations

from clientgen.runtime.models import ModelList, ObjectMeta
from clientgen.runtime.models import Literal, Model, auto, constant

from .parts import Mooring


# +genclient
# +genclient:method=Moor,verb=update,subresource=status,input=docks.parts.Mooring,result=docks.v1.Crane
# +kubebuilder:subresource:status
class Ship(Model):
    """A ship."""

    api_version: Literal["docks.example.com/v1"] = constant(
        "docks.example.com/v1", name="apiVersion"
    )
    kind: Literal["Ship"] = constant("Ship")
    metadata: ObjectMeta = auto(ObjectMeta)
    mooring: Mooring = auto(Mooring)
    status: Mooring = auto(Mooring)


# Left out, though a method answers with it.
# +genclient
class Crane(Model):
    """A crane."""

    api_version: Literal["docks.example.com/v1"] = constant(
        "docks.example.com/v1", name="apiVersion"
    )
    kind: Literal["Crane"] = constant("Crane")
    metadata: ObjectMeta = auto(ObjectMeta)


class CraneList(ModelList[Crane]):
    """Goes with it."""

    api_version: Literal["docks.example.com/v1"] = constant(
        "docks.example.com/v1", name="apiVersion"
    )
    kind: Literal["CraneList"] = constant("CraneList")


# Without a client, and left out.
class CraneReport(Model):
    """What a crane did."""

    api_version: Literal["docks.example.com/v1"] = constant(
        "docks.example.com/v1", name="apiVersion"
    )
    kind: Literal["CraneReport"] = constant("CraneReport")
    metadata: ObjectMeta = auto(ObjectMeta)


# Without a client: it is read from manifests.
class Log(Model):
    """What happened."""

    api_version: Literal["docks.example.com/v1"] = constant(
        "docks.example.com/v1", name="apiVersion"
    )
    kind: Literal["Log"] = constant("Log")
    metadata: ObjectMeta = auto(ObjectMeta)


class LogList(ModelList[Log]):
    """Many of them."""

    api_version: Literal["docks.example.com/v1"] = constant(
        "docks.example.com/v1", name="apiVersion"
    )
    kind: Literal["LogList"] = constant("LogList")
