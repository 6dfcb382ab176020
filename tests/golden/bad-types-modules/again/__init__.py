"""Has what its module has, and defines nothing."""

from .real import Thing as Thing
