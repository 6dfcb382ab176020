"""Shapes of the methods of clients: their heads, docstrings and bodies.

Each shape is Python with gaps in braces. Names of the runtime are imported where they are used; the
synchronous flavour is derived. The gaps of heads and bodies are:

    {method}     the name of the method
    {model}      the class that it returns or works on
    {input}      the class of its body
    {manifest}   the manifest of that class, for annotations
    {patches}    the kinds of patches that the API server takes
    {part}       the keyword argument that names the subresource, if there is one
    {subresource_string}    the subresource as a string

A docstring is a sentence; further sentences are on a line of their own. Its gaps are:

    {kind}          the kind of the client: Pod
    {subresource}   the subresource: status
    {object}        "the Pod" or, of a subresource, "the status of the Pod"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MethodShape:
    """The source of a method, with gaps."""

    head: str
    docstring: str
    body: str
    docstring_of_subresource: str = ""
    """Another docstring for methods of a subresource, where it needs one."""


METHOD_SHAPES: Mapping[str, MethodShape] = {
    "list": MethodShape(
        "async def {method}(self, **options: Unpack[ListOptions]) -> {model}:",
        "List the objects that match the options. With `limit`, return a single page.",
        "return await self._list({model}, options)",
    ),
    "each": MethodShape(
        "def {method}(self, **options: Unpack[EachOptions]) -> AsyncIterator[{model}]:",
        "Iterate over the objects that match the options, reading a page at a time.",
        "return self._each({input}, options)",
    ),
    "watch": MethodShape(
        "def {method}(self, **options: Unpack[WatchOptions]) -> AsyncWatch[{model}]:",
        "Yield an event for every change to the objects that match the options, until stopped.",
        "return self._watch({model}, options)",
    ),
    "get": MethodShape(
        "async def {method}"
        "(self, name: str, *, default: DefaultT | UnsetType = UNSET, **options: Unpack[GetOptions])"
        " -> {model} | DefaultT:",
        "Get {object} called `name`.\n"
        "If there is none, returns `default`, or raises `NotFound` without `default`.",
        "return await self._get({model}, name, options, default{part})",
    ),
    "create": MethodShape(
        "async def {method}"
        "(self, body: {input} | {manifest} | Unstructured, **options: Unpack[WriteOptions])"
        " -> {model}:",
        "Create the {kind}.",
        "return await self._create({model}, body, options)",
    ),
    "create_named": MethodShape(
        "async def {method}"
        "(self, name: str, body: {input} | {manifest} | Unstructured,"
        " **options: Unpack[WriteOptions]) -> {model}:",
        "Create the {subresource} of the {kind} called `name`.",
        "return await self._create_named({model}, name, body, options{part}, kind={input})",
    ),
    "update": MethodShape(
        "async def {method}"
        "(self, body: {input} | {manifest} | Unstructured, **options: Unpack[WriteOptions])"
        " -> {model}:",
        "Replace {object} with `body`.",
        "return await self._update({model}, body, options{part})",
        docstring_of_subresource="Replace {object} with that of `body`.",
    ),
    "update_named": MethodShape(
        "async def {method}"
        "(self, name: str, body: {input} | {manifest} | Unstructured,"
        " **options: Unpack[WriteOptions]) -> {model}:",
        "Replace {object} called `name` with `body`.",
        "return await self._update_named({model}, name, body, options{part})",
    ),
    "patch": MethodShape(
        "async def {method}"
        "(self, name: str, patch: {manifest} | {patches}, **options: Unpack[PatchOptions])"
        " -> {model}:",
        "Patch {object} called `name`. A dict is a merge patch.",
        "return await self._patch({model}, name, patch, options{part})",
    ),
    "edit": MethodShape(
        "async def {method}"
        "(self, name: str, change: Callable[[{model}], object], **options: Unpack[EditOptions])"
        " -> {model}:",
        "Get the object, let `change` modify it, and send the difference. Retries on conflict.",
        "return await self._edit({model}, name, change, options)",
    ),
    "apply": MethodShape(
        "async def {method}"
        "(self, body: {input} | {manifest} | Unstructured, **options: Unpack[ApplyOptions])"
        " -> {model}:",
        "Server-side apply: create or update {object}.\n"
        "The field manager owns the fields that are set in `body`.",
        "return await self._apply({model}, body, options{part})",
        docstring_of_subresource="Server-side apply: update {object}.\n"
        "The field manager owns the fields that are set in `body`.",
    ),
    "apply_named": MethodShape(
        "async def {method}"
        "(self, name: str, body: {input} | {manifest} | Unstructured,"
        " **options: Unpack[ApplyOptions]) -> {model}:",
        "Server-side apply: update {object}.\n"
        "The field manager owns the fields that are set in `body`.",
        "return await self._apply_named({model}, name, body, options{part})",
    ),
    "delete": MethodShape(
        "async def {method}"
        "(self, name: str, **options: Unpack[DeleteOptions]) -> {model} | Status:",
        "Delete the {kind} called `name`.\n"
        "Returns the {kind} if its deletion is pending, otherwise usually a Status.",
        "return await self._delete({model}, name, options)",
    ),
    "delete_collection": MethodShape(
        "async def {method}(self, **options: Unpack[DeleteCollectionOptions]) -> {model} | Status:",
        "Delete every object that matches the options.",
        "return await self._delete_collection({model}, options)",
    ),
    "evict": MethodShape(
        "async def {method}"
        "(self, name: str, body: {input} | {manifest} | Unstructured | None = None,"
        " **options: Unpack[WriteOptions]) -> {model}:",
        "Evict the {kind} called `name`, if disruption budgets allow it.",
        "body = body or {input}(metadata=ObjectMeta(name=name))\n"
        "return await self._create_named({model}, name, body, options{part}, kind={input})",
    ),
    "logs": MethodShape(
        "async def {method}(self, name: str, **options: Unpack[LogOptions]) -> str:",
        "Read the log of a container of the {kind} called `name`.",
        "return await self._logs(name, options)",
    ),
    "follow_logs": MethodShape(
        "def {method}(self, name: str, **options: Unpack[LogOptions]) -> AsyncLines:",
        "Follow the log of a container of the {kind} called `name`, line by line.",
        "return self._follow_logs(name, options)",
    ),
    "tail": MethodShape(
        "def {method}(self, **options: Unpack[TailOptions]) -> AsyncLogTail:",
        "Follow the logs of all {kind} objects that match the options, line by line.",
        "return self._tail(options)",
    ),
    "exec": MethodShape(
        "async def {method}"
        "(self, name: str, command: Sequence[str], **options: Unpack[ExecOptions]) -> ExecResult:",
        "Run a command in a container of the {kind} called `name`, to its end.",
        "return await self._exec(name, command, options)",
    ),
    "exec_stream": MethodShape(
        "def {method}"
        "(self, name: str, command: Sequence[str], **options: Unpack[ExecStreamOptions])"
        " -> AsyncExecStream:",
        "Run a command in a container of the {kind} called `name`; read and write as it runs.",
        "return self._exec_stream(name, command, options)",
    ),
    "copy_to": MethodShape(
        "async def {method}"
        "(self, name: str, source: str | PathLike[str], target: str,"
        " **options: Unpack[CopyOptions]) -> CopyResult:",
        "Copy a file or directory of this machine into a container of the {kind} called `name`.\n"
        "`target` is the path of the copy; if it ends with a slash, the source keeps its name.",
        "return await self._copy_to(name, source, target, options)",
    ),
    "copy_from": MethodShape(
        "async def {method}"
        "(self, name: str, source: str, target: str | PathLike[str],"
        " **options: Unpack[CopyOptions]) -> CopyResult:",
        "Copy a file or directory from a container of the {kind} called `name` to this machine.\n"
        "`target` is the path of the copy; if it ends with a slash, the source keeps its name.",
        "return await self._copy_from(name, source, target, options)",
    ),
    "attach": MethodShape(
        "def {method}(self, name: str, **options: Unpack[ExecStreamOptions]) -> AsyncExecStream:",
        "Attach to the main process of a container of the {kind} called `name`.\n"
        "Its `exit_code` is 0 however the process ends: the status of the {kind} tells how it did.",
        "return self._attach(name, options)",
    ),
    "port_forward": MethodShape(
        "def {method}(self, name: str, port: int, *, local_port: int = 0) -> AsyncPortForward:",
        "Have a local port lead to a port of the {kind} called `name`, until the block ends.\n"
        "A `local_port` of 0 is any free one.",
        "return self._port_forward(name, port, local_port)",
    ),
    "proxy": MethodShape(
        "def {method}"
        "(self, name: str, port: int | str | None = None, *, scheme: str | None = None)"
        " -> AsyncProxy:",
        "Send HTTP requests to the {kind} called `name`, by way of the API server.\n"
        "`port` is a number, or the name of a port of a Service. `scheme` is `http` or `https`.",
        "return self._proxy(name, port, scheme)",
    ),
    "subresource": MethodShape(
        "def {method}(self, name: str) -> AsyncSubresource[{model}, {manifest}]:",
        "Get, update, patch, apply or edit the {subresource} of the {kind} called `name`.",
        "return self._subresource({model}, name, {subresource_string})",
    ),
}
