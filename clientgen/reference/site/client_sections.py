"""The sections of a kind's page on its client: verbs, selectable fields, listers and informers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clientgen.reference.site.examples import caches, selecting
from clientgen.reference.site.file_names import anchors
from clientgen.reference.site.html import Html, element, inline, prose
from clientgen.reference.site.page import code, line_of, to_root

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clientgen.reference.records import Client, Method
    from clientgen.reference.site.examples import Examples
    from clientgen.reference.site.file_names import Paths


def verb_anchors(client: Client) -> dict[str, str]:
    """The anchor of each method of a client."""
    return anchors("v", (each.name for each in client.methods))


def client_sections(client: Client, examples: Examples, paths: Paths, path: str) -> Iterator[Html]:
    """Yield the sections on the page `path`."""
    yield element("h2", "Verbs", id="verbs")
    yield element("p", *_access(client))
    names = verb_anchors(client)
    for method in client.methods:
        yield _method(client, method, names[method.name], (examples, paths, to_root(path)))
    yield from _selectable(client)
    yield from _caches(client)


def _access(client: Client) -> list[str]:
    call = f"k.{client.version_accessor}.{client.accessor}"
    if not client.resource.namespaced:
        return [element("code", f"{call}()"), " is the client. ", *_flavours()]
    everywhere = [each.name for each in client.methods if each.everywhere]
    parts: list[str] = [
        element("code", f'{call}("default")'),
        " is the client for one namespace. ",
    ]
    if everywhere:
        parts += [
            element("code", f"{call}()"),
            f" works in all namespaces: {', '.join(everywhere)}. ",
        ]
    return [*parts, *_flavours()]


def _flavours() -> list[str]:
    return [
        element("code", "k"),
        " is a ",
        element("code", "Clientset"),
        " or an ",
        element("code", "AsyncClientset"),
        ". Names and values in the examples are placeholders.",
    ]


def _method(
    client: Client, method: Method, anchor: str, tools: tuple[Examples, Paths, str]
) -> Html:
    examples, paths, root = tools
    name = method.name
    return element(
        "section",
        element("h3", element("a", name, href=f"#{anchor}")),
        prose(method.text),
        code(line_of(method.sync, paths, root), label=f"Signature of {name}"),
        code(line_of(method.asynchronous, paths, root), label=f"Signature of {name}, asyncio"),
        *_options(method),
        *_examples(client, method, examples),
        id=anchor,
    )


def _examples(client: Client, method: Method, examples: Examples) -> list[Html]:
    """Examples in both flavours; what the arguments of the user's own methods are, is not known."""
    if method.own:
        return []
    sync, twin = examples.of(client, method)
    return [
        element("p", "Example:"),
        code(sync, label=f"Example of {method.name}"),
        element("p", "With asyncio:"),
        code(twin, label=f"Example of {method.name}, asyncio"),
    ]


def _options(method: Method) -> Iterator[Html]:
    if not method.options:
        return
    rows: list[Html] = []
    for name, text in method.options:
        rows += [element("dt", element("code", name)), element("dd", inline(text))]
    yield element("details", element("summary", "Options"), element("dl", *rows))


def _selectable(client: Client) -> Iterator[Html]:
    if not client.selectable:
        return
    yield element("h2", "Selectable fields", id="selectable-fields")
    yield element("p", "The server selects objects by these fields.")
    head = element("tr", *(element("th", each, scope="col") for each in ("Field", "Python")))
    rows = [
        element("tr", element("td", element("code", path)), element("td", element("code", name)))
        for path, name in client.selectable
    ]
    yield element("table", element("thead", head), element("tbody", *rows))
    yield code(selecting(client, client.resource.package), label="Example of a field selector")


def _caches(client: Client) -> Iterator[Html]:
    if not client.informer:
        return
    yield element("h2", "Lister and informer", id="informer")
    factory = f"factory.{client.version_accessor}.{client.accessor}()"
    parts = [element("code", factory), " is a ", element("code", client.informer)]
    if client.lister:
        parts += [", and its ", element("code", "lister"), " a ", element("code", client.lister)]
    yield element(
        "p",
        *parts,
        ". The informer keeps the objects in a cache and calls handlers. "
        "The lister reads the cache.",
    )
    sync, twin = caches(client)
    yield code(sync, label="Example of an informer")
    yield element("p", "With asyncio:")
    yield code(twin, label="Example of an informer, asyncio")
