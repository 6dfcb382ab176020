"""An example of each call of a client, in both flavours.

The code is whole: it names what it imports. Values that users have to choose are `"example"`, or
the first value that is allowed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import is_array, is_object
from clientgen.generator.literals import quoted
from clientgen.reference.names import variable
from clientgen.reference.site.example_bodies import body_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clientgen.reference.package_reader import Api
    from clientgen.reference.records import Client, Field, Method, Shape, Type

_WIDTH: Final = 84
_MAX_DEPTH: Final = 6
_MANY: Final = 2
_SCALARS: Final[Mapping[str, str]] = {
    "string": '"example"',
    "integer": "1",
    "number": "1.0",
    "boolean": "True",
    "IntOrString": "80",
    "Object": "{}",
}
# Values that need an import: the class, the module, and the expression.
_MADE: Final[Mapping[str, tuple[str, str, str]]] = {
    "Quantity": ("Quantity", "clientgen.runtime.models", 'Quantity("1")'),
    "Time": ("datetime", "datetime", "datetime.now().astimezone()"),
    "MicroTime": ("datetime", "datetime", "datetime.now().astimezone()"),
    "Raw": ("Raw", "clientgen.runtime.models", 'Raw(b"{}")'),
}
# The streams of pods: what the call gives is used in a block or as a value.
_BLOCKS: Final[Mapping[str, tuple[str, str, bool]]] = {
    "follow_logs": ("lines", "line", True),
    "tail": ("lines", "line", True),
    "exec_stream": ("process", "stream, data", True),
    "attach": ("process", "stream, data", True),
    "port_forward": ("port", "", False),
}
_ARGUMENTS: Final[Mapping[str, str]] = {
    "patch": '{"metadata": {"labels": {"team": "web"}}}',
    "port": "8080",
    "command": '["ls", "/"]',
}
_PATHS: Final[Mapping[str, tuple[str, str]]] = {
    "copy_to": ('"report.txt"', '"/tmp/report.txt"'),
    "copy_from": ('"/tmp/report.txt"', '"report.txt"'),
}


@dataclass(slots=True)
class _Imports:
    """The imports of an example."""

    names: dict[str, set[str]] = field(default_factory=dict[str, set[str]])

    def use(self, module: str, name: str) -> str:
        """Import a name; return it."""
        self.names.setdefault(module, set()).add(name)
        return name

    def lines(self) -> list[str]:
        """The import statements."""
        lines: list[str] = []
        for module, names in sorted(self.names.items()):
            line = f"from {module} import {', '.join(sorted(names))}"
            if len(line) > _WIDTH:
                listed = "".join(f"    {name},\n" for name in sorted(names))
                line = f"from {module} import (\n{listed})"
            lines.append(line)
        return lines


@dataclass(frozen=True, slots=True)
class _Call:
    """A call of a class: its name, and its keyword arguments."""

    name: str
    arguments: tuple[tuple[str, _Value], ...] = ()
    opening: str = "("
    closing: str = ")"

    def lines(self, indent: str, width: int) -> str:
        """The source, on one line if it fits."""
        flat = f"{self.name}{self.opening}{', '.join(self._flat())}{self.closing}"
        if len(flat) <= width or not self.arguments:
            return flat
        inner = f"{indent}    "
        parts = [
            f"{inner}{name}{'=' if name else ''}{_source(value, inner, _WIDTH - len(inner))},\n"
            for name, value in self.arguments
        ]
        return f"{self.name}{self.opening}\n{''.join(parts)}{indent}{self.closing}"

    def _flat(self) -> list[str]:
        return [
            f"{name}{'=' if name else ''}{_source(value, '', 10_000)}"
            for name, value in self.arguments
        ]


_Value = _Call | str


def _source(value: _Value, indent: str, width: int) -> str:
    return value if isinstance(value, str) else value.lines(indent, width)


class Examples:
    """Writes examples for the clients of a package."""

    def __init__(self, api: Api) -> None:
        """Write for the types of an API."""
        self._api = api

    def of(self, client: Client, method: Method) -> tuple[str, str]:
        """The example of a method for threads, and that for asyncio."""
        return (
            _Example(self._api, client, method, is_async=False).source(),
            _Example(self._api, client, method, is_async=True).source(),
        )


class _Example:
    """One example in one flavour."""

    def __init__(self, api: Api, client: Client, method: Method, *, is_async: bool) -> None:
        self._api = api
        self._client = client
        self._method = method
        self._async = "async " if is_async else ""
        self._await = "await " if is_async else ""
        self._awaited = self._await if method.awaited else ""
        self._imports = _Imports()
        self._setup: list[str] = []
        self._object = variable(client.resource.kind)

    def source(self) -> str:
        """The whole code."""
        result = self._lines(self._called())
        lines = [*self._setup, *result]
        client, accessor = self._called_client(), self._client.accessor
        if any(len(line) > _WIDTH for part in lines for line in part.split("\n")):
            shorter = [line.replace(f"{client}.", f"{accessor}.") for line in lines]
            lines = [f"{accessor} = {client}", *shorter]
        return "\n".join([*self._imports.lines(), *lines])

    def _called(self) -> str:
        """The call without `await`."""
        client, name = self._called_client(), self._method.name
        arguments = [self._argument(each, annotation) for each, annotation in self._needed()]
        if name == "proxy" and self._client.resource.kind != "Node":
            arguments.append("8080")
        if name == "wait":
            deleted = self._imports.use("clientgen.runtime.conditions", "deleted")
            arguments = [quoted(self._name()), f"until={deleted}", "timeout=60"]
        if name == "tail":
            arguments.append('label_selector="app=web"')
        flat = f"{client}.{name}({', '.join(arguments)})"
        if len(self._object) + len(flat) <= _WIDTH or len(arguments) < _MANY:
            return flat
        lines = "".join(f"    {argument},\n" for argument in arguments)
        return f"{client}.{name}(\n{lines})"

    def _needed(self) -> list[tuple[str, str]]:
        given = iter(_PATHS.get(self._method.name, ()))
        return [
            (next(given), "") if each in {"source", "target"} else (each, annotation)
            for each, annotation in self._method.arguments
        ]

    def _argument(self, name: str, annotation: str) -> str:
        if name == "body":
            return self._body()
        if name == "change":
            return self._change()
        if name == "view":
            return self._view()
        if name.startswith('"'):
            return name
        if name == "name":
            return quoted(self._name())
        return _ARGUMENTS.get(name) or _SCALARS.get(annotation) or '"example"'

    def _change(self) -> str:
        """A function that edits what every object has."""
        own = self._client.resource.type
        type_ = self._api.type(own) if own else None
        annotation = f": {self._imports.use(type_.import_from, type_.id.name)}" if type_ else ""
        head = f"\n\ndef add_label({self._object}{annotation}) -> None:"
        self._setup.append(f'{head}\n    {self._object}.metadata.labels["team"] = "web"\n\n')
        return "add_label"

    def _view(self) -> str:
        """A view of the metadata, which every object has."""
        own = self._client.resource.type
        type_ = self._api.type(own) if own else None
        if type_ is None:
            return '"example"'
        base = self._imports.use("clientgen.runtime.views", "View")
        model = self._imports.use(type_.import_from, type_.id.name)
        self._setup.append(f"\n\nclass {model}Name({base}[{model}]):")
        self._setup.append('    """The metadata only."""\n\n')
        return f"{model}Name"

    def _name(self) -> str:
        """The name of the object."""
        resource = self._client.resource
        body = body_of(resource.group_version.group, resource.kind) or {}
        return str(body.get("metadata", {}).get("name", "example"))

    def _body(self) -> str:
        """The body: an object that is made, or one that was read before."""
        method, read = self._method, {each.name for each in self._client.methods}
        is_own = method.body is not None and method.body == self._client.resource.type
        if method.name.startswith("update") and is_own and "get" in read:
            client = self._called_client()
            name = quoted(self._name())
            self._setup.append(f"{self._object} = {self._await}{client}.get({name})")
            self._setup.append(f'{self._object}.metadata.labels["team"] = "web"')
            return self._object
        type_ = self._api.type(method.body) if method.body else None
        if type_ is None:
            return '{"metadata": {"name": "example"}}'
        name = self._object if is_own else variable(type_.name)
        resource = self._client.resource
        known = body_of(resource.group_version.group, resource.kind) if is_own else None
        made = self._written(type_, known) if known else self._made(type_, top=True, depth=0)
        self._setup.append(f"{name} = {made.lines('', _WIDTH - len(name) - 3)}")
        return name

    def _written(self, type_: Type, manifest: Mapping[str, Any]) -> _Call:
        """A call that makes an object from a manifest; fields that the type lacks are left out."""
        self._imports.use(type_.import_from, type_.id.name)
        if type_.field("metadata") is not None and type_.kind:
            manifest = {"metadata": {"name": "example"}, **manifest}
        arguments = [
            (each.attribute, self._written_value(each.shape, manifest[each.name]))
            for each in type_.fields
            if each.name in manifest and manifest[each.name] != {}
        ]
        return _Call(type_.id.name, tuple(arguments))

    def _written_value(self, shape: Shape, value: object) -> _Value:
        type_ = self._api.type(shape.type) if shape.type else None
        if is_array(value):
            parts = tuple(("", self._written_value(shape, each)) for each in value)
            return _Call("", parts, "[", "]")
        if is_object(value) and type_ is not None:
            return self._written(type_, value)
        if is_object(value) and _is_raw(shape):
            self._imports.use("clientgen.runtime.models", "Raw")
            return f"Raw({json.dumps(value).encode()!r})"
        if is_object(value):
            members = (f"{quoted(key)}: {quoted(str(each))}" for key, each in value.items())
            return f"{{{', '.join(members)}}}"
        if isinstance(value, str) and shape.word == "MicroTime":
            return self._scalar(shape, shape.word)
        return quoted(value) if isinstance(value, str) else repr(value)

    def _called_client(self) -> str:
        namespace = '"default"' if self._client.resource.namespaced else ""
        return f"k.{self._client.version_accessor}.{self._client.accessor}({namespace})"

    def _made(self, type_: Type, *, top: bool, depth: int) -> _Call:
        """Return a call that creates an object with its required fields."""
        self._imports.use(type_.import_from, type_.id.name)
        arguments = [
            (each.attribute, self._value(each, top=top, depth=depth))
            for each in type_.fields
            if self._is_given(each, top=top, depth=depth)
        ]
        return _Call(type_.id.name, tuple(arguments))

    def _is_given(self, each: Field, *, top: bool, depth: int) -> bool:
        if each.required:
            return depth < _MAX_DEPTH
        if not top:
            return False
        if each.name == "metadata" and each.shape.type is not None:
            return True
        inner = self._api.type(each.shape.type) if each.name == "spec" and each.shape.type else None
        return inner is not None and any(one.required for one in inner.fields)

    def _value(self, each: Field, *, top: bool, depth: int) -> _Value:
        if top and each.name == "metadata" and each.shape.type is not None:
            type_ = self._api.type(each.shape.type)
            if type_ is not None:
                self._imports.use(type_.import_from, type_.id.name)
                return _Call(type_.id.name, (("name", '"example"'),))
        return self._of_shape(each.shape, each.shape.word, depth)

    def _of_shape(self, shape: Shape, word: str, depth: int) -> _Value:
        if word.startswith("[]"):
            return _Call("", (("", self._of_shape(shape, word[2:], depth)),), "[", "]")
        if word.startswith("map[string]"):
            inner = self._of_shape(shape, word.removeprefix("map[string]"), depth)
            return f'{{"key": {_source(inner, "", 10_000)}}}'
        type_ = self._api.type(shape.type) if shape.type and depth < _MAX_DEPTH else None
        return self._made(type_, top=False, depth=depth + 1) if type_ else self._scalar(shape, word)

    def _scalar(self, shape: Shape, word: str) -> str:
        if shape.values and word in {"string", "integer"}:
            return quoted(shape.values[0]) if word == "string" else shape.values[0]
        if _is_raw(shape):
            word = "Raw"
        if word in _MADE:
            name, module, expression = _MADE[word]
            self._imports.use(module, name)
            return expression
        is_bytes = any("bytes" in piece.text for piece in shape.python)
        return 'b"example"' if is_bytes else _SCALARS.get(word, "{}")

    def _lines(self, call: str) -> Sequence[str]:
        """Return the lines of the call, and of the use of its result."""
        name = self._method.name
        returns = self._method.returns.removesuffix(" | DefaultT")  # the examples give no default
        shown = f"    print({self._object}.metadata.name)"
        if name in _BLOCKS:
            lines = self._block(call)
        elif name == "proxy":
            lines = [f'response = {self._await}{call}.get("/")', "print(response.status)"]
        elif returns.startswith("Iterator["):
            lines = [f"{self._async}for {self._object} in {call}:", shown]
        elif returns.startswith("Watch["):
            shown = "    print(event.type, event.object.metadata.name)"
            lines = [f"{self._async}for event in {call}:", shown]
        elif returns.startswith("Subresource["):
            lines = [f"{name} = {self._await}{call}.get()", f"print({name})"]
        elif name == "wait" or returns.endswith("| Status") or returns in {"Status", "None"}:
            lines = [f"{self._awaited}{call}"]
        elif name == "view":
            lines = [f"view = {call}", f"for {self._object} in {self._await}view.list():", shown]
        elif name == "list":
            lines = [f"for {self._object} in {self._awaited}{call}:", shown]
        else:
            result = self._result(returns)
            lines = [f"{result} = {self._awaited}{call}", f"print({self._shown(result, returns)})"]
        return lines

    def _block(self, call: str) -> list[str]:
        result, item, iterated = _BLOCKS[self._method.name]
        head = f"{self._async}with {call} as {result}:"
        if not iterated:
            return [head, f'    print(f"http://127.0.0.1:{{{result}}}/")']
        return [head, f"    {self._async}for {item} in {result}:", f"        print({item})"]

    def _result(self, returns: str) -> str:
        own = self._client.resource.type
        if own is not None and returns == own.name:
            return self._object
        return {"str": "text", "ExecResult": "done", "CopyResult": "copied"}.get(returns, "result")

    def _shown(self, result: str, returns: str) -> str:
        own = self._client.resource.type
        if own is not None and returns == own.name:
            type_ = self._api.type(own)
            if type_ is not None and type_.field("metadata") is not None:
                return f"{result}.metadata.name"
        return f"{result}.text" if returns == "ExecResult" else result


def _is_raw(shape: Shape) -> bool:
    return shape.word == "Object" and any("Raw" in piece.text for piece in shape.python)


def caches(client: Client) -> tuple[str, str]:
    """How an informer of the resource is used, for threads and for asyncio."""
    factory = f"factory.{client.version_accessor}.{client.accessor}()"
    lines = [
        "with k.informers() as factory:",
        f"    lister = {factory}.lister",
        "    factory.start()",
        "    factory.wait_for_sync(timeout=60)",
        "    for each in lister.list():",
        "        print(each.metadata.name)",
    ]
    sync = "\n".join(lines)
    twin = sync.replace("with k.", "async with k.").replace(
        "    factory.wait", "    await factory.wait"
    )
    return sync, twin


def selecting(client: Client, package: str) -> str:
    """How objects are selected by a field."""
    others = [name for path, name in client.selectable if not path.startswith("metadata.")]
    name = others[0] if others else client.selectable[0][1]
    call = f"k.{client.version_accessor}.{client.accessor}()"
    head = f'from {package} import fields\nselector = {name} == "example"'
    return f"{head}\nprint({call}.list(field_selector=selector))"
