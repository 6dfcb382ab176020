"""Controllers with one bug each, and their twins without it."""

from . import dependent_bugs, early_bugs, held_out_bugs, later_bugs, middle_bugs
from .case import CASES, Case

__all__ = [
    "CASES",
    "Case",
    "dependent_bugs",
    "early_bugs",
    "held_out_bugs",
    "later_bugs",
    "middle_bugs",
]
