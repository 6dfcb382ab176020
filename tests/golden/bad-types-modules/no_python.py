"""Not Python."""

from clientgen.runtime.models import Model


class Broken(Model)
    name: str
