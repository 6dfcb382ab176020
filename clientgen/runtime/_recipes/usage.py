"""The CPU and memory that Pods and Nodes use, as `kubectl top` shows them.

kubectl: pkg/cmd/top, pkg/metricsutil.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from msgspec import Struct

from .._conditions.json_fields import Json, items, part, text
from .._models.quantity import Quantity
from .._models.table_text import align_columns, print_cell
from ..errors import DecodeError, OperationRefused, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

METRICS_GROUP: Final = "metrics.k8s.io"
SortBy: TypeAlias = Literal["cpu", "memory"]

_VERSIONS: Final = ("v1", "v1beta1")
_RESOURCES: Final = ("cpu", "memory")
_MIB: Final = 1 << 20
_LINE: Final = "________"
_NODE_HEADER: Final = ("NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)")
_HEADER: Final = ("NAME", "CPU(cores)", "MEMORY(bytes)")


class ContainerUsage(Struct, frozen=True):
    """What a container uses.

    Attributes:
        name: The name of the container.
        cpu: The CPU cores.
        memory: The bytes of memory.
    """

    name: str
    cpu: Quantity
    memory: Quantity


class PodUsage(Struct, frozen=True):
    """What a Pod uses.

    Attributes:
        namespace: The namespace.
        name: The name of the Pod.
        containers: What its containers use.
    """

    namespace: str
    name: str
    containers: Sequence[ContainerUsage]

    @property
    def cpu(self) -> Quantity:
        """The CPU cores of all containers."""
        return _total(each.cpu for each in self.containers)

    @property
    def memory(self) -> Quantity:
        """The bytes of memory of all containers."""
        return _total(each.memory for each in self.containers)


class NodeUsage(Struct, frozen=True):
    """What a Node uses.

    Attributes:
        name: The name of the Node.
        cpu: The CPU cores.
        memory: The bytes of memory.
        allocatable_cpu: The cores that Pods can use; None if the Node does not say so.
        allocatable_memory: The bytes that Pods can use; None if the Node does not say so.
    """

    name: str
    cpu: Quantity
    memory: Quantity
    allocatable_cpu: Quantity | None
    allocatable_memory: Quantity | None

    @property
    def cpu_percent(self) -> int | None:
        """The percentage of the allocatable cores, rounded down."""
        return _percent(self.cpu, self.allocatable_cpu)

    @property
    def memory_percent(self) -> int | None:
        """The percentage of the allocatable memory, rounded down."""
        return _percent(self.memory, self.allocatable_memory)


class PodUsages(tuple[PodUsage, ...]):
    """What Pods use: a tuple of `PodUsage`. `print` shows the table of `kubectl top pods`."""

    __slots__ = ()

    @property
    def cpu(self) -> Quantity:
        """The CPU cores of all Pods."""
        return _total(each.cpu for each in self)

    @property
    def memory(self) -> Quantity:
        """The bytes of memory of all Pods."""
        return _total(each.memory for each in self)

    def text(
        self, *, containers: bool = False, namespaces: bool | None = None, total: bool = False
    ) -> str:
        """Return the table of `kubectl top pods`; empty if there are no Pods.

        Args:
            containers: Show a line for each container.
            namespaces: Show the namespaces; by default if there are several.
            total: Show the sums below the table.
        """
        if not self:
            return ""
        if namespaces is None:
            namespaces = len({pod.namespace for pod in self}) > 1
        columns = ["NAMESPACE"] * namespaces + ["POD"] * containers
        lines: list[list[str]] = [[*columns, *_HEADER]]
        for pod in self:
            where = [pod.namespace] * namespaces
            if containers:
                rows = ([*where, pod.name, *_cells(each)] for each in pod.containers)
                lines.extend(rows)
            else:
                lines.append([*where, *_cells(pod)])
        if total:
            blank = [""] * (len(columns) + 1)
            lines += [[*blank, _LINE, _LINE], [*blank, *_amounts(self.cpu, self.memory)]]
        return _text(lines)

    def __str__(self) -> str:
        return self.text()


class NodeUsages(tuple[NodeUsage, ...]):  # noqa: SLOT001 - tuples take no slots with names
    """What Nodes use: a tuple of `NodeUsage`. `print` shows the table of `kubectl top nodes`.

    Attributes:
        unknown: The names of the Nodes that the metrics server knows nothing of.
    """

    unknown: Sequence[str] = ()

    def text(self) -> str:
        """Return the table of `kubectl top nodes`; empty if there are no Nodes."""
        lines: list[list[str]] = [[*_NODE_HEADER]]
        for each in self:
            cpu, memory = _amounts(each.cpu, each.memory)
            shares = map(_percent_text, (each.cpu_percent, each.memory_percent))
            lines.append([each.name, cpu, next(shares), memory, next(shares)])
        lines += [[name, *["<unknown>"] * 4] for name in self.unknown]
        return _text(lines) if len(lines) > 1 else ""

    def __str__(self) -> str:
        return self.text()


def metrics_version(group: Json | None) -> str:
    """Return the version of the metrics API that kubectl would use.

    Args:
        group: The APIGroup of the server; None if it has none.

    Raises:
        OperationRefused: The server has no metrics API.
    """
    served = {text(each, "version") for each in items(group, "versions")}
    for version in _VERSIONS:
        if version in served:
            return version
    raise OperationRefused("the cluster has no metrics API: it needs a metrics server")


def check_sort_by(sort_by: object) -> None:
    """Check an order.

    Raises:
        ValueError: It is not one.
    """
    if sort_by not in {None, "cpu", "memory"}:
        raise ValueError(f"sort_by must be 'cpu' or 'memory', not {one_line(repr(sort_by))}")


def pod_usages(metrics: Iterable[Json], sort_by: SortBy | None) -> PodUsages:
    """Return what Pods use, in the order of kubectl.

    Raises:
        DecodeError: An amount is not a quantity.
    """
    found: list[PodUsage] = []
    for each in metrics:
        containers = [
            ContainerUsage(text(one, "name"), *_usage(one)) for one in items(each, "containers")
        ]
        containers.sort(key=_order(sort_by, lambda one: one.name))
        namespace, name = text(each, "metadata", "namespace"), text(each, "metadata", "name")
        found.append(PodUsage(namespace, name, containers))
    found.sort(key=_order(sort_by, lambda pod: (pod.namespace, pod.name)))
    return PodUsages(found)


def node_usages(
    metrics: Iterable[Json], nodes: Iterable[Json], sort_by: SortBy | None, *, capacity: bool
) -> NodeUsages:
    """Return what Nodes use, in the order of kubectl.

    Args:
        metrics: The NodeMetrics.
        nodes: The Nodes.
        sort_by: The order, or None for the order of names.
        capacity: Whether percentages are of the capacity instead of what Pods can use.

    Raises:
        DecodeError: An amount is not a quantity.
    """
    kind = "capacity" if capacity else "allocatable"
    known = {text(node, "metadata", "name"): part(node, "status", kind) for node in nodes}
    found: list[NodeUsage] = []
    for each in metrics:
        name = text(each, "metadata", "name")
        limits = known.pop(name, {})
        cpu, memory = (_amount(limits[what]) if what in limits else None for what in _RESOURCES)
        found.append(NodeUsage(name, *_usage(each), cpu, memory))
    found.sort(key=_order(sort_by, lambda node: node.name))
    usages = NodeUsages(found)
    usages.unknown = sorted(known)
    return usages


def _order(
    sort_by: SortBy | None, name: Callable[[Any], str | tuple[str, str]]
) -> Callable[[Any], Any]:
    """Return the key that sorts by the largest amount, or by name."""
    if sort_by is None:
        return name
    return lambda each: (-getattr(each, sort_by).value, name(each))


def _usage(obj: Json) -> tuple[Quantity, Quantity]:
    usage = part(obj, "usage")
    cpu, memory = (_amount(usage.get(what, "0")) for what in _RESOURCES)
    return cpu, memory


def _amount(given: object) -> Quantity:
    try:
        return Quantity(cast("str", given))
    except (TypeError, ValueError) as error:
        raise DecodeError(f"the metrics of the server: {error}") from None


def _total(amounts: Iterable[Quantity]) -> Quantity:
    return sum(amounts, Quantity("0"))


def _percent(used: Quantity, available: Quantity | None) -> int | None:
    if available is None:
        return None
    # kubectl compares thousandths, rounded up.
    whole = ceil(available.value * 1000)
    return ceil(used.value * 1000) * 100 // whole if whole else 0


def _percent_text(percent: int | None) -> str:
    return "" if percent is None else f"{percent}%"


def _cells(usage: PodUsage | ContainerUsage) -> list[str]:
    return [usage.name, *_amounts(usage.cpu, usage.memory)]


def _amounts(cpu: Quantity, memory: Quantity) -> list[str]:
    """Show amounts: thousandths of cores, rounded up; and whole MiB."""
    return [f"{ceil(cpu.value * 1000)}m", f"{ceil(memory.value) // _MIB}Mi"]


def _text(lines: list[list[str]]) -> str:
    cells = [[print_cell(cell) for cell in line] for line in lines]
    return "".join(f"{line.rstrip()}\n" for line in align_columns(cells))
