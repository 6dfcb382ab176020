"""Strings and objects that hide secrets."""

from __future__ import annotations

from typing import NoReturn, SupportsIndex

__all__ = ["Hidden", "Unpicklable"]


class Unpicklable:
    """A base for objects with credentials: pickle and copy refuse them.

    Another process makes its own, from the same configuration files.
    """

    __slots__ = ()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Refuse.

        Raises:
            TypeError: always.
        """
        raise TypeError(
            f"a {type(self).__name__} holds credentials: it cannot be pickled or copied; "
            "create a new one where it is needed"
        )


class Hidden(Unpicklable, str):
    """A text that is shown as `***` by whatever prints the object that holds it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"
