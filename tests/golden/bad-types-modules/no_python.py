"""Not Python."""

from clientgen.runtime.model import Model


class Broken(Model)
    name: str
