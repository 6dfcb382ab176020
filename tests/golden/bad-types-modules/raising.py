"""Raises when it is imported."""

from clientgen.runtime.models import Model


def size() -> int:
    return {"small": 1}["large"]


class Sized(Model):
    size: int = size()
