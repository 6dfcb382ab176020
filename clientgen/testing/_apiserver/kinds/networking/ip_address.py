"""IPAddress: an address that a Service holds."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, required
from clientgen._apimachinery.name_syntax import (
    ip_problems,
    path_segment_problems,
    subdomain_problems,
)

from ...tables.columns import AGE, NAME, NONE, Column, Printer, View
from ..metadata import MetadataChecks
from ..shared.common_checks import text
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator


def _parent(view: View) -> str:
    """Show the holder of the address: `services/default/kubernetes`."""
    parent = view.at("spec", "parentRef")
    if parent is None:
        return NONE
    names = [parent.get(key, "") for key in ("resource", "namespace", "name")]
    if parent.get("group"):
        names[0] += f".{parent['group']}"
    return "/".join([names[0].lower(), *filter(None, names[1:2]), names[2]])


_COLUMNS: Final = (
    NAME,
    Column("ParentRef", "What the address was given to.", _parent, doc="spec.parentRef"),
)


class IPAddressStrategy(Strategy):
    """The strategy for IPAddresses."""

    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    # The age has no column of its own: Kubernetes does not declare one.
    immutable_fields = ("spec.parentRef",)
    printer = Printer(_COLUMNS, beyond=(AGE.cell,))

    def name_problems(self, name: str) -> list[str]:
        """Allow IP addresses."""
        return ip_problems(name)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the name and the reference to the holder."""
        parent = obj["spec"].get("parentRef")
        if parent is None:
            yield required("spec.parentRef")
            return
        name = obj["metadata"].get("name") or ""
        if not ip_problems(name) and str(ip_address(name)) != name:
            why = f'must be in canonical form ("{ip_address(name)}")'
            yield invalid_value("metadata.name", name, why)
        group, space = parent.get("group"), parent.get("namespace")
        yield from text("spec.parentRef.group", group, subdomain_problems, needed=False)
        yield from text("spec.parentRef.resource", parent.get("resource"), path_segment_problems)
        yield from text("spec.parentRef.name", parent.get("name"), path_segment_problems)
        yield from text("spec.parentRef.namespace", space, path_segment_problems, needed=False)
