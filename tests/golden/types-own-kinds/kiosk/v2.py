"""A version in which a kind did not change, and one derived from another."""

from __future__ import annotations

from kiosk import v1


# +genclient
# +resourceName=crontabs
# +kubebuilder:storageversion
class CronTab(v1.CronTab, version="v2"):
    """A job that runs on a schedule."""


# +genclient
class NightlyTab(CronTab):
    """A kind of its own, of the group version of its base class."""

    holidays: bool = False
