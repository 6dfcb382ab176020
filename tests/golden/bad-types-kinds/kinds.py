"""Kinds that lack what a kind has, or contradict what is said of them."""
# +groupName=bad.example.com
# +versionName=v1

from __future__ import annotations

from clientgen.runtime.models import ListMeta, ModelList, ObjectMeta
from clientgen.runtime.models import Literal, Model, auto, constant, field


# +genclient
class Bare(Model):
    """Has nothing."""

    size: int = 0


# +genclient
class WrongTypes(Model):
    """Has all of it, and nothing as it must be."""

    api_version: int = field(default=1, name="apiVersion")
    kind: str = "WrongTypes"
    metadata: ListMeta = auto(ListMeta)


# +genclient
class Renamed(Model):
    """Says another name."""

    api_version: Literal["bad.example.com/v1"] = constant("bad.example.com/v1", name="apiVersion")
    kind: Literal["Named"] = constant("Named")
    metadata: ObjectMeta = auto(ObjectMeta)


# +genclient
class Elsewhere(Model):
    """Says another group and version than the module."""

    api_version: Literal["other.example.com/v2"] = constant(
        "other.example.com/v2", name="apiVersion"
    )
    kind: Literal["Elsewhere"] = constant("Elsewhere")
    metadata: ObjectMeta = auto(ObjectMeta)


# +genclient
class Differs(Model):
    """The annotation says one thing, the value another."""

    api_version: Literal["bad.example.com/v1"] = constant("bad.example.com/v2", name="apiVersion")
    kind: Literal["Differs"] = constant("Differs")
    metadata: ObjectMeta = auto(ObjectMeta)


# +genclient
# +genclient:nonNamespaced
# +genclient:onlyVerbs=get,updateStatus
# +genclient:method=Grow,verb=update,subresource=size
# +resourceName=these
# +kubebuilder:resource:path=those,scope=Namespaced
class Contradicted(Model):
    """Markers against each other."""

    api_version: Literal["bad.example.com/v1"] = constant("bad.example.com/v1", name="apiVersion")
    kind: Literal["Contradicted"] = constant("Contradicted")
    metadata: ObjectMeta = auto(ObjectMeta)


# +genclient
class Twice(Model):
    """Is in the other module too."""

    api_version: Literal["bad.example.com/v1"] = constant("bad.example.com/v1", name="apiVersion")
    kind: Literal["Twice"] = constant("Twice")
    metadata: ObjectMeta = auto(ObjectMeta)


class TwiceList(Model):
    """Is called like a list."""


# +genclient
# +resourceName=twices
class Plural(Model):
    """Has the plural of another."""

    api_version: Literal["bad.example.com/v1"] = constant("bad.example.com/v1", name="apiVersion")
    kind: Literal["Plural"] = constant("Plural")
    metadata: ObjectMeta = auto(ObjectMeta)


class PluralList(ModelList[Plural]):
    """Does not say what it is."""

    kind: Literal["Plurals"] = constant("Plurals")


class Outer(Model):
    """Has a kind inside."""

    # +genclient
    class Inner(Model):
        """A kind."""

        api_version: Literal["bad.example.com/v1"] = constant(
            "bad.example.com/v1", name="apiVersion"
        )
        kind: Literal["Inner"] = constant("Inner")
        metadata: ObjectMeta = auto(ObjectMeta)


# +genclient
# +kubebuilder:resource:path=Cron_Tabs
class Cron_Tab(Model):
    """Names that no server takes."""

    api_version: Literal["Bad_Example/V1"] = constant("Bad_Example/V1", name="apiVersion")
    kind: Literal["Cron_Tab"] = constant("Cron_Tab")
    metadata: ObjectMeta = auto(ObjectMeta)


# +genclient
# +kubebuilder:resource:path=Pots/lids
class Pot(Model):
    """Has a plural that no URL has."""

    api_version: Literal["bad.example.com/v1"] = constant("bad.example.com/v1", name="apiVersion")
    kind: Literal["Pot"] = constant("Pot")
    metadata: ObjectMeta = auto(ObjectMeta)


class Lid(Model):
    """Of one."""


class Lid(Model):
    """Takes the place of the other, as far as Python is concerned."""
