"""A document never becomes code, whatever it says: every text and word, every trick.

Stages are asked in this process; what comes out is held against the shapes that templates have, and
imported in another one that ends when anything runs.
"""

from __future__ import annotations

import ast
import builtins
import json
import keyword
import random
import re
from collections.abc import Callable, Iterator
from itertools import filterfalse
from pathlib import Path
from typing import Any

import pytest
from support.documents import document_v2, document_v3
from support.sentinel import import_guarded
from support.shapes import strange, texts_in
from support.tricks import PIECES, TEXTS

from clientgen._gvk import GroupVersion
from clientgen._problems import ClientgenError
from clientgen.generator import python_names
from clientgen.generator.api_words import DEFINITION, GROUP, KIND, PLURAL, SUBRESOURCE, VERSION
from clientgen.generator.plan import plan
from clientgen.generator.render import Renderer
from clientgen.generator.resolve import resolve
from clientgen.generator.resolve.schemas import can_be_field
from clientgen.generator.sources import openapi
from clientgen.generator.sources.spec import Input, Spec
from clientgen.runtime._models import meta_v1, model
from clientgen.runtime.aio import (
    AsyncClientsetBase,
    AsyncGroupVersionInformers,
    AsyncInformerFactory,
    AsyncResourceClient,
)
from clientgen.runtime.sync import ClientsetBase, InformerFactory

Json = dict[str, Any]
Document = Callable[..., Json]
EDITIONS = pytest.mark.parametrize("document", [document_v2, document_v3], ids=["v2", "v3"])


def read(document: Json) -> Spec:
    return openapi.parse([Input("spec.json", "spec.json", json.dumps(document).encode())])


def rendered(*specs: Spec) -> dict[str, str]:
    files, modules = plan(resolve(specs, ()), {})
    return dict(Renderer(modules).render(files))


def checked(texts: dict[str, str], folder: Path) -> None:
    """Nothing stands in the modules that templates do not write, and nothing runs."""
    for path, text in texts.items():
        assert not strange(text), path
        (folder / "hostile" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "hostile" / path).write_text(text)
    import_guarded(folder, "hostile")


# ---- texts -----------------------------------------------------------------------------------

WHOLE = [text for text in TEXTS if "\ud800" not in text]
PARTS = [piece for piece in PIECES if not any("\ud800" <= char <= "\udfff" for char in piece)]
PROPERTIES, TYPES = 95, 60
LIKE_CODE = re.compile(r"[()\[\]{}]|await").search


class Tricks:
    """An endless row of texts that try to be code, the same in each run."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.count = 0

    def text(self) -> str:
        self.count += 1
        whole = self._random.choice(WHOLE)
        if self._random.random() < 0.3:
            return whole
        return "".join((*self._random.choices(PARTS, k=self._random.randint(1, 4)), whole))[:200]

    def schema(self) -> Json:
        text = self.text
        texts = {"description": text(), "default": text(), "format": text(), "pattern": text()}
        rules = {"x-kubernetes-validations": [{"rule": text(), "message": text()}]}
        match self._random.randrange(3):
            case 0:
                item = {"type": "string", "pattern": text(), "enum": [text(), text(), "a"]}
                return {"type": "array", "items": item, **texts, **rules}
            case 1:
                keys = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [text()]}
                item = {"type": "object", "properties": {text(): {"type": "string"}}}
                return {"type": "array", "items": item, **texts, **keys}
            case _:
                return {"type": "string", **texts, **rules, "enum": [text(), text(), "a"]}

    def object(self) -> Json:
        properties = {f"{self.text()}{n % 7}": self.schema() for n in range(PROPERTIES)}
        return {"type": "object", "description": self.text(), "properties": properties}


@pytest.mark.slow
@EDITIONS
def test_no_text_becomes_code(document: Document, tmp_path: Path):
    """Descriptions, names, values, defaults, patterns, formats, rules: tens of thousands."""
    tricks = Tricks(1 if document is document_v2 else 2)
    types = {f"com.example.shop.v1.Type{n}": tricks.object() for n in range(TYPES)}
    texts = rendered(read(document(definitions=types)))

    assert tricks.count > 40_000
    there = {text for path in texts if "/models" in path for text in texts_in(texts[path])}
    for schema_of_type in types.values():
        for name, schema in schema_of_type["properties"].items():
            if can_be_field(name):
                assert name in there or name.isalnum()
                # Values that type checkers take for code are left out of types.
                assert set(filterfalse(LIKE_CODE, schema.get("enum", ()))) <= there
    checked(texts, tmp_path)


# ---- words -----------------------------------------------------------------------------------

RULES = {
    "group": GROUP,
    "version": VERSION,
    "kind": KIND,
    "plural": PLURAL,
    "subresource": SUBRESOURCE,
    "name": DEFINITION,
}
SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/{}")
WORD = {"group": "shop.example.com", "version": "v1beta1", "kind": "Crate", "plural": "crates"}
WORD |= {"subresource": "status", "name": "com.example.shop.v1.Crate"}
OF_WORDS = pytest.mark.parametrize("part", RULES)


@OF_WORDS
def test_api_words_accept_no_unsafe_characters(part: str):
    """At each place of a word that is right, and for each sign there is below U+3000."""
    word, rule = WORD[part], RULES[part]
    assert rule.fits(word)
    for sign in map(chr, range(0x3000)):
        for at in (0, 1, len(word) // 2, len(word)):
            tried = word[:at] + sign + word[at:]
            assert not rule.fits(tried) or sign in SAFE, tried
    for text in (*TEXTS, *PIECES):
        for tried in (text, word + text, text + word):
            assert not rule.fits(tried) or SAFE.issuperset(tried)


@EDITIONS
@OF_WORDS
def test_a_word_that_no_server_has_is_a_problem(part: str, document: Document):
    """Each with a document of its own, so that none hides another."""
    tried = {text for text in WHOLE if not RULES[part].fits(text)}
    tried |= {f"{WORD[part]}{text}" for text in WHOLE} | {
        "__init__",
        "\u03a9",
        "a b",
        "..",
        "x/../y",
    }
    for word in sorted(tried - {"", WORD[part]}):
        if RULES[part].fits(word) or is_no_path(part, word):
            continue
        with pytest.raises(ClientgenError) as caught:
            rendered(read(document(**{part: word})))
        assert all(problem.where and problem.what for problem in caught.value.problems)


def is_no_path(part: str, word: str) -> bool:
    """What is no path of a resource is none of our business: it is passed over, and told."""
    return part in {"plural", "subresource", "version", "group"} and bool(set("/{}\n") & set(word))


SPECIAL = {
    *(*keyword.kwlist, *keyword.softkwlist, "Model", "ModelList", "AsyncRest", "Rest", "Resource"),
    *("models", "resources", "listers", "clients", "informers", "views"),
    *("async", "aio", "sync", "os"),
    *("scheme", "clientset", "meta", "core", "body", "options", "name", "namespace", "self"),
    *("con", "aux", "nul", "prn", "com1", "lpt9", "mro", "py", "test", "v1", "kubernetes", "open"),
    *("Async", "AsyncAsync", "AsyncClientset", "List", "Client", "AsyncClient", "Collection"),
}
NASTY = {
    *SPECIAL,
    *(name for name in dir(builtins) if name.islower() and not name.startswith("_")),
    *(name.strip("_") for name in dir(AsyncResourceClient)),
    *(name.strip("_") for name in dir(AsyncInformerFactory)),
    *(name.strip("_") for name in dir(AsyncGroupVersionInformers)),
}
CALLS = {"apply", "create", "delete", "each", "edit", "get", "list", "patch", "update", "watch"}
WORDS = {
    "group": SPECIAL,
    "version": SPECIAL,
    "kind": {*SPECIAL, *dir(builtins), *dir(model), *dir(meta_v1)},
}
WORDS["subresource"] = {name for name in NASTY if name.lower() not in CALLS}


@pytest.mark.slow
@pytest.mark.parametrize(
    "parts",
    [("group",), ("version",), ("kind", "plural", "subresource")],
    ids=" ".join,
)
def test_words_that_mean_something_in_python_are_only_names(parts: tuple[str, ...], tmp_path: Path):
    specs = list(spelled(*parts))

    assert len(specs) > 70
    checked(rendered(*specs), tmp_path)


def spelled(*parts: str) -> Iterator[Spec]:
    """A document for each word, at each of the places where a server could have it."""
    seen: dict[str, set[str]] = {part: set() for part in parts}
    for n, name in enumerate(sorted({name for part in parts for name in WORDS.get(part, NASTY)})):
        words: dict[str, str] = {}
        for part in parts:
            word = name if part == "kind" else name.lower().replace("_", "-")
            is_one = name in WORDS.get(part, NASTY) and RULES[part].fits(word)
            if is_one and word not in seen[part] and not word.endswith("List"):
                seen[part].add(word)
                words[part] = word
        if words:
            yield read(document_v2(**{"kind": f"Kind{n}", "plural": f"kind{n}s", **words}))


def test_a_subresource_that_is_called_like_a_verb_is_told():
    for call in sorted(CALLS):
        with pytest.raises(ClientgenError, match="would all be called"):
            rendered(read(document_v2(subresource=call)))


def test_group_versions_hide_nothing_of_clientsets(tmp_path: Path):
    """A package for each of them, all imported by one process."""
    packages: dict[str, str] = {"__init__.py": ""}
    for group, version in (
        *(("from", "config"), ("for", "resource"), ("group", "versions"), ("wait-for", "sync")),
        *(("stop", "soon"), ("stop-soon", "v1"), ("informers", "v1"), ("rest", "v1")),
        *(("delete", "collection"), ("get", "v1"), ("scheme", "v1")),
    ):
        texts = rendered(read(document_v2(group=group, version=version)))
        for path, base in (
            ("clientset.py", ClientsetBase),
            ("informer_factory.py", InformerFactory),
        ):
            body = ast.parse(texts[path]).body
            (made,) = [node for node in body if isinstance(node, ast.ClassDef)]
            names = [node.name for node in made.body if isinstance(node, ast.FunctionDef)]
            assert len(names) == len(set(names)), (group, version)
            ours = {name for name in names if not name.startswith("_")}
            assert ours.isdisjoint(dir(base)), (group, version)
        name = f"{group}_{version}".replace("-", "_")
        packages |= {f"{name}/{path}": text for path, text in texts.items()}
    checked(packages, tmp_path)


def test_no_name_of_a_base_can_be_that_of_a_group_version():
    """An accessor has an underscore between the group and the version."""
    for base in (AsyncClientsetBase, ClientsetBase, AsyncInformerFactory, InformerFactory):
        for name in dir(base):
            group, underscore, version = name.partition("_")
            if group and underscore and version:
                group_version = GroupVersion(f"{group}.example.com", version.replace("_", "-"))
                accessor = python_names.group_version_accessor(group, group_version)
                assert accessor != name


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("a", "b-c"), ("a-b", "c")),
        (("x-1y", "v1"), ("x1y", "v1")),
    ],
)
def test_two_group_versions_of_one_name_are_told(first: tuple[str, str], second: tuple[str, str]):
    specs = [
        read(document_v2(group=group, version=version, kind=f"Kind{n}", plural=f"kind{n}s"))
        for n, (group, version) in enumerate((first, second))
    ]
    with pytest.raises(ClientgenError, match=r"would all be called|both become"):
        rendered(*specs)


def test_the_guard_wakes_up(tmp_path: Path):
    """What the other tests rely on."""
    (tmp_path / "hostile").mkdir()
    for code in ("open('pwned', 'w')", "__import__('os').system('true')", "class open: ...; 1/0"):
        (tmp_path / "hostile" / "__init__.py").write_text(code)
        with pytest.raises(AssertionError):
            import_guarded(tmp_path, "hostile")
    assert strange("open('pwned', 'w')\n")
    assert strange("x = [y for y in ()]\n")
    assert strange("'a'.format(1)\n")
    assert not strange("'open'\n")
