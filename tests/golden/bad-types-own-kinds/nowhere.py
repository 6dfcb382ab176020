"""A kind that is of no group."""

from clientgen.runtime.models import CustomResource


# +genclient
class Lost(CustomResource, version="v1"):
    """Of a version, and no group."""
