"""Ports of the host that containers have, to find those that clash."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class PortPlaces:
    """The places of one port and protocol: ports and addresses of the host, and who has them."""

    def __init__(self) -> None:
        self._fields: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))

    def add(self, number: int, address: str, field: str) -> None:
        """Note who has a place; a port of 0 or an empty address is none in particular."""
        self._fields[number][address].append(field)

    def clashes(self, number: int, address: str) -> Iterator[tuple[str, str]]:
        """Yield the fields with ports that clash with this one, and the kind of each clash."""
        same = self._fields.get(number, {})
        yield from (("duplicate", field) for field in same.get(address, ()))
        if not number:
            yield from self._overlapping(all_but=address)
            return
        others = [""] if address else [each for each in same if each]
        for other in others:
            yield from (("dangerously ambiguous", field) for field in same.get(other, ()))
        for fields in self._fields[0].values() if 0 in self._fields else ():
            yield from (("overlapping", field) for field in fields)

    def _overlapping(self, all_but: str) -> Iterator[tuple[str, str]]:
        for number, addresses in self._fields.items():
            for address, fields in addresses.items():
                if number or address != all_but:
                    yield from (("overlapping", field) for field in fields)
