"""A model that is named by its package."""

from clientgen.runtime.models import Model


class Thing(Model):
    """A thing."""

    name: str = ""
