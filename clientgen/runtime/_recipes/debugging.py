"""Containers to debug Pods and Nodes with, by the rules of `kubectl debug`.

kubectl: pkg/cmd/debug/debug.go and profiles.go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast, get_args

from msgspec import Struct

from .._conditions.causes import PODS
from .._conditions.json_fields import Json, items, part, text
from .._models.deep_copy import deep_copy
from ..errors import OperationRefused, one_line
from .draining import NODES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

DebugProfile: TypeAlias = Literal[
    "general", "baseline", "restricted", "netadmin", "sysadmin", "legacy"
]
"""The rights of a debugging container, as `kubectl debug --profile`."""
KeptPart: TypeAlias = Literal["labels", "annotations", "liveness", "readiness", "startup"]
DEBUGGED: Final = {("v1", "Pod"): PODS, ("v1", "Node"): NODES}
DEBUGGED_MESSAGE: Final = "only a Pod or a Node is debugged"

_is_image: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./:@+-]*").fullmatch
_PROFILES: Final = get_args(DebugProfile)
_KEPT_PARTS: Final = get_args(KeptPart)
_PULL_POLICIES: Final = ("", "Always", "IfNotPresent", "Never")
_CONTAINER_LISTS: Final = ("containers", "initContainers", "ephemeralContainers")
_PROBES: Final = ("liveness", "readiness", "startup")
_HOST_ROOT: Final = "host-root"


class DebugContainer(Struct, frozen=True):
    """Where `debug` has put a container, to attach to it or to run commands in it.

    Attributes:
        namespace: The namespace of the Pod.
        pod: The name of the Pod.
        container: The name of the container; empty if a copy only has other images.
    """

    namespace: str
    pod: str
    container: str


class DebugOptions(Struct, kw_only=True):
    """The arguments of `debug`, as they are checked."""

    image: str = ""
    command: Sequence[str] = ()
    arguments_only: bool = False
    container: str = ""
    target_container: str = ""
    copy_to: str = ""
    set_image: Mapping[str, str] = {}
    share_processes: bool | None = None
    same_node: bool = False
    replace: bool = False
    keep: Collection[KeptPart] = ()
    keep_init_containers: bool = True
    env: Mapping[str, str] = {}
    image_pull_policy: str = ""
    stdin: bool = False
    tty: bool = False
    profile: DebugProfile = "general"

    def check(self, kind: str) -> None:
        """Check the options for a Pod or a Node.

        Raises:
            ValueError: Options are missing, not valid, or contradict each other.
        """
        for problem in (*self._problems(), *self._problems_of_style(kind)):
            raise ValueError(f"debug: {problem}")

    def _problems(self) -> Iterator[str]:
        if self.profile not in _PROFILES:
            yield f"profile must be one of {', '.join(_PROFILES)}, not {_shown(self.profile)}"
        for each in self.keep:
            if each not in _KEPT_PARTS:
                yield f"keep has parts of {', '.join(_KEPT_PARTS)}, not {_shown(each)}"
        if self.image_pull_policy not in _PULL_POLICIES:
            yield f"image_pull_policy must be one of {', '.join(_PULL_POLICIES[1:])}"
        for image in (self.image, *self.set_image.values()):
            if image and not _is_image(image):
                yield f"{_shown(image)} is not the name of an image"
        if isinstance(cast("object", self.command), str):
            yield "command takes a list of words, such as ['sh', '-c', 'ls']"
        if self.tty and not self.stdin:
            yield "tty=True needs stdin=True"

    def _problems_of_style(self, kind: str) -> Iterator[str]:
        if kind == "Node" and (self.copy_to or self.target_container):
            yield "copy_to and target_container are for Pods: a Node gets a new Pod"
        if self.copy_to:
            yield from self._problems_of_copy()
            return
        if not self.image:
            yield "image is missing"
        for name in ("set_image", "same_node", "replace", "keep"):
            if getattr(self, name):
                yield f"{name} needs copy_to"
        if self.share_processes is not None:
            yield "share_processes needs copy_to"

    def _problems_of_copy(self) -> Iterator[str]:
        if self.target_container:
            yield "target_container is for ephemeral containers; a copy has share_processes"
        if not (self.image or self.set_image or self.command):
            yield "a copy needs image, set_image or command"
        if self.command and not (self.container or self.image):
            yield "command needs the container that runs it, or the image of a new one"


def ephemeral_container(pod: Json, options: DebugOptions, suffix: str) -> Json:
    """Return the ephemeral container that debugs a Pod.

    Raises:
        OperationRefused: The Pod has a container with the name.
    """
    names = {text(each, "name") for each in _containers(part(pod, "spec"))}
    name = options.container or _new_name(names, suffix)
    if name in names:
        raise OperationRefused(
            f"Pod {text(pod, 'metadata', 'namespace')}/{text(pod, 'metadata', 'name')} has a"
            f" container {name} already; ephemeral containers stay until the Pod is gone"
        )
    container = _new_container(name, options)
    if options.target_container:
        container["targetContainerName"] = options.target_container
    _apply_to_container(options.profile, container, "ephemeral")
    return container


def node_pod(node: str, options: DebugOptions, suffix: str) -> Json:
    """Return the Pod that debugs a Node: in the namespaces of the host, if the profile says so."""
    container = _new_container(options.container or "debugger", options)
    spec: Json = {
        "containers": [container],
        "nodeName": node,
        "restartPolicy": "Never",
        "tolerations": [{"operator": "Exists"}],
    }
    if options.profile in {"general", "legacy", "sysadmin"}:
        spec["volumes"] = [{"name": _HOST_ROOT, "hostPath": {"path": "/"}}]
        container["volumeMounts"] = [{"name": _HOST_ROOT, "mountPath": "/host"}]
    if options.profile in {"general", "legacy", "sysadmin", "netadmin"}:
        spec |= {"hostNetwork": True, "hostPID": True, "hostIPC": True}
    _apply_to_container(options.profile, container, "node")
    metadata = {
        "name": f"node-debugger-{node}-{suffix}",
        "labels": {"app.kubernetes.io/managed-by": "kubectl-debug"},
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def pod_copy(pod: Json, options: DebugOptions, suffix: str) -> tuple[Json, str]:
    """Return a copy of a Pod to debug, and the name of its debug container.

    The name is empty if the copy only has other images.

    Raises:
        OperationRefused: The image of a new container is missing.
    """
    spec = deep_copy(part(pod, "spec"))
    spec.pop("ephemeralContainers", None)
    if not options.same_node:
        spec.pop("nodeName", None)
    if options.share_processes is not None:
        spec["shareProcessNamespace"] = options.share_processes
    for each in items(spec, "containers"):
        image = options.set_image.get(text(each, "name")) or options.set_image.get("*")
        if image:
            each["image"] = image
    container = _debug_container(spec, options, suffix)
    metadata = {"name": options.copy_to}
    for name in ("namespace", "labels", "annotations"):
        if name in part(pod, "metadata"):
            metadata[name] = pod["metadata"][name]
    copied = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    if container is None:
        return copied, ""
    _change_container(container, options)
    _strip(copied, options)
    _apply_to_container(options.profile, container, "copy")
    return copied, text(container, "name")


def _debug_container(spec: Json, options: DebugOptions, suffix: str) -> Json | None:
    """Return the container of a copy that is to change; None if only images change.

    Raises:
        OperationRefused: The image of a new container is missing.
    """
    by_name = {text(each, "name"): each for each in _containers(spec)}
    if options.container in by_name:
        return by_name[options.container]
    if not options.image:
        if options.set_image:
            return None
        raise OperationRefused(
            f"the Pod has no container {options.container}; a new one needs an image"
        )
    name = options.container or _new_name(by_name, suffix)
    made: Json = {"name": name, "terminationMessagePolicy": "File"}
    spec["containers"] = [*items(spec, "containers"), made]
    return made


def _change_container(container: Json, options: DebugOptions) -> None:
    if options.command:
        container.pop("args", None)
    container |= _process(options)
    for name in ("stdin", "tty"):
        if not getattr(options, name):
            container.pop(name, None)


def _new_container(name: str, options: DebugOptions) -> Json:
    return {"name": name, "terminationMessagePolicy": "File", **_process(options)}


def _process(options: DebugOptions) -> Json:
    """Return the fields of a container that the options set."""
    fields: Json = {
        "args" if options.arguments_only else "command": [*options.command],
        "env": [{"name": name, "value": value} for name, value in options.env.items()],
        "image": options.image,
        "imagePullPolicy": options.image_pull_policy,
        "stdin": options.stdin,
        "tty": options.tty,
    }
    return {name: value for name, value in fields.items() if value}


def _containers(spec: Json) -> Iterator[Json]:
    for name in _CONTAINER_LISTS:
        yield from items(spec, name)


def _new_name(taken: object, suffix: str) -> str:
    name = f"debugger-{suffix}"
    while name in cast("set[str]", taken):
        name += "x"
    return name


def _shown(value: object) -> str:
    return one_line(repr(value))


# ---- profiles -----------------------------------------------------------------------------------


def _strip(pod: Json, options: DebugOptions) -> None:
    """Remove what would make others take the copy for the Pod, or end it."""
    metadata, spec = pod["metadata"], pod["spec"]
    if options.profile == "legacy":
        metadata.pop("labels", None)
        return
    for name in ("labels", "annotations"):
        if name not in options.keep:
            metadata.pop(name, None)
    for each in items(spec, "containers"):
        for probe in _PROBES:
            if probe not in options.keep:
                each.pop(f"{probe}Probe", None)
    if not options.keep_init_containers:
        spec.pop("initContainers", None)
    spec.setdefault("shareProcessNamespace", True)


def _apply_to_container(profile: DebugProfile, container: Json, style: str) -> None:
    """Give a container the rights of a profile. `style` is `ephemeral`, `copy` or `node`."""
    if profile in {"baseline", "restricted"} or (profile, style) == ("general", "node"):
        container.pop("securityContext", None)
    change = _RIGHTS.get(profile)
    if change is not None and (profile, style) != ("general", "node"):
        context = dict(part(container, "securityContext"))
        change(context)
        container["securityContext"] = context


def _add_capabilities(*names: str) -> Callable[[Json], None]:
    def add(context: Json) -> None:
        capabilities = dict(part(context, "capabilities"))
        added: list[Any] = capabilities.get("add") or []
        context["capabilities"] = {**capabilities, "add": [*added, *names]}

    return add


def _set_privileged(context: Json) -> None:
    context["privileged"] = True


def _restrict(context: Json) -> None:
    context |= {
        "runAsNonRoot": True,
        "capabilities": {"drop": ["ALL"]},
        "allowPrivilegeEscalation": False,
        "seccompProfile": {"type": "RuntimeDefault"},
    }


_RIGHTS: Final[dict[str, Callable[[Json], None]]] = {
    "general": _add_capabilities("SYS_PTRACE"),
    "restricted": _restrict,
    "netadmin": _add_capabilities("NET_ADMIN", "NET_RAW"),
    "sysadmin": _set_privileged,
}
