"""Strings and objects that hide secrets."""

from __future__ import annotations

from typing import NoReturn, SupportsIndex


class Unpicklable:
    """A base class of objects with credentials. They cannot be pickled or copied.

    Another process reads the credentials from the same configuration files.
    """

    __slots__ = ()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Refuse to pickle or copy the object.

        Raises:
            TypeError: always.
        """
        raise TypeError(
            f"a {type(self).__name__} holds credentials: it cannot be pickled or copied; "
            "create a new one where it is needed"
        )


class Hidden(Unpicklable, str):
    """A secret string. Its repr is `***`, also inside the repr of other objects."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"
