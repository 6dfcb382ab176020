"""Kinds that contradict what is said of them."""
# +groupName=bad.example.com
# +versionName=v1

from __future__ import annotations

from clientgen.runtime.models import CustomResource, ListMeta, Model, auto


# +genclient
class Elsewhere(CustomResource, group="other.example.com", version="v2"):
    """Says another group and version than the module."""


# +genclient
class Shouted(CustomResource, group="Bad_Example", version="V1"):
    """Names that no server takes."""


# +genclient
class Cron_Tab(CustomResource, group="bad.example.com", version="v1"):
    """A name that no kind has."""


# +genclient
class _Base(CustomResource, group="bad.example.com", version="v1"):
    """Is no kind."""


# +genclient
class Tab(_Base, kind="CronTab"):
    """Is a CronTab too."""


# +genclient
# +resourceName=others
class OtherTab(_Base, kind="CronTab"):
    """Is one as well."""


class Part(Model):
    """Has the name of a kind."""


# +genclient
class Whole(_Base, kind="Part"):
    """Has the name of a class for its kind."""


# +genclient
class Ill(_Base):
    """Has other metadata."""

    metadata: ListMeta = auto(ListMeta)  # type: ignore[assignment]
