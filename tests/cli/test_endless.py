"""Documents that mean very much, or never end: generated in time, or a problem with its place."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from support.endless import Version, chain, deep, diamonds, document, ref, taking_over

from clientgen.generator import package_builder
from clientgen.generator.kubebuilder.marker_values import MarkerValueError, read_value
from clientgen.generator.package_manifest import Manifest
from clientgen.generator.resolve import schema_size, schemas

Run = Callable[..., Result]
versions = pytest.mark.parametrize("version", ["2", "3"])
SCHEMAS = {"2": "definitions", "3": "components/schemas"}


@pytest.fixture(autouse=True)
def unformatted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is generated, as it is rendered: formatting is no part of these tests."""

    def as_it_is(tree: Mapping[str, str]) -> dict[str, str]:
        return dict(tree)

    monkeypatch.setattr(package_builder, "format_tree", as_it_is)


def generate(run: Run, text: str, flag: str = "--spec", file: str = "x.json") -> Result:
    Path(file).write_text(text)
    return run("generate", flag, file, "--output", "out", "--package", "p")


def problem(run: Run, text: str, flag: str = "--spec", file: str = "x.json") -> str:
    """The one problem that a document has; nothing is written."""
    result = generate(run, text, flag, file)
    assert result.exit_code == 1, result.output
    *lines, last = result.stderr.splitlines()
    assert last == "1 problem"
    assert not Path("out").exists()
    return "\n".join(lines)


def written_models() -> str:
    """The models of a group version, which may be in several modules."""
    return "".join(path.read_text() for path in Path("out/p/example/v1").glob("models*.py"))


@versions
@pytest.mark.parametrize("key", ["allOf", "properties", "items"])
def test_diamonds_take_no_longer_than_their_definitions(run: Run, key: str, version: Version):
    result = generate(run, diamonds(60, key, version))
    assert result.exit_code == 0, result.stderr
    models = written_models()
    assert models.count("\nclass ") == 1 + 1 + 2 * 61
    if key == "allOf":
        top = models.split("\nclass A0(")[1].split("\nclass ")[0]
        assert top.count(" | None = None") == 1 + 2 * 59 + 2


@pytest.mark.parametrize("key", ["anyOf", "oneOf"])
def test_diamonds_of_alternatives_are_any_value(run: Run, key: str):
    assert generate(run, diamonds(60, key, "3")).exit_code == 0
    assert "x: Raw" in Path("out/p/example/v1/models.py").read_text()


@versions
@pytest.mark.parametrize("key", ["allOf", "properties"])
def test_a_chain_of_thousands_of_definitions_is_generated(run: Run, key: str, version: Version):
    result = generate(run, chain(2500, key, version))
    assert result.exit_code == 0, result.stderr
    assert written_models().count("\nclass ") == 2 + 2501


@versions
@pytest.mark.parametrize("key", ["items", "reference", "values"])
def test_a_chain_that_leads_nowhere_in_time_is_a_problem(run: Run, key: str, version: Version):
    place = f"x.json#/{SCHEMAS[version]}/com.example.v1.Start/properties/x"
    message = problem(run, chain(500, key, version))
    assert message.startswith(place)
    assert message.endswith("is nested more than 150 levels deep\n    Use fewer levels.")


@versions
@pytest.mark.parametrize("key", ["items", "values"])
def test_a_type_has_a_bounded_number_of_brackets(run: Run, key: str, version: Version):
    def start(levels: int) -> str:
        spec = {"type": "object", "properties": {"x": deep(levels, key)}}
        return document({"Start": spec}, version)

    place = f"x.json#/{SCHEMAS[version]}/com.example.v1.Start/properties/x"
    assert problem(run, start(31)) == (
        f"{place}: is 31 nested lists or maps; the limit is 30\n    Use fewer levels."
    )
    assert generate(run, start(30)).exit_code == 0
    compile(Path("out/p/example/v1/models.py").read_text(), "models.py", "exec")


@versions
@pytest.mark.parametrize("key", ["properties", "items", "values", "allOf"])
def test_a_document_has_a_bounded_depth(run: Run, key: str, version: Version):
    spec = {"type": "object", "properties": {"x": deep(400, key)}}
    message = problem(run, document({"Start": spec}, version))
    assert message.startswith(f"x.json#/{SCHEMAS[version]}/com.example.v1.Start/properties/x/")
    assert message.endswith(
        "/…: is nested more than 250 levels deep, more than any document may be\n"
        "    Give what is inside a name of its own, or leave it out."
    )


def test_objects_in_each_other_become_classes_as_deep_as_a_document_goes(run: Run):
    spec = {"type": "object", "properties": {"x": deep(115, "properties")}}
    assert generate(run, document({"Start": spec}, "3")).exit_code == 0
    assert Path("out/p/example/v1/models.py").read_text().count("\nclass ") == 2 + 115


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ('{"swagger": "2.0", "a": ' + "[" * 100_000 + "]" * 100_000 + "}", 274),
        ('{"[[": ' * 100_000 + "1" + "}" * 100_000, 1751),
        ("[" * 100_000, 251),
    ],
)
def test_json_without_end_is_a_problem_with_its_place(run: Run, text: str, column: int):
    assert problem(run, text).startswith(f"x.json:1:{column}: is nested more than 250 levels")


@versions
def test_a_schema_cannot_take_over_itself_by_what_it_is_made_of(run: Run, version: Version):
    inner = {"type": "object", "allOf": [{"properties": {"a": {}}}, ref("B", version)]}
    circle = {
        "Start": {"type": "object", "properties": {"a": ref("A", version)}},
        "A": {"type": "object", "allOf": [inner]},
        "B": {"allOf": [{"allOf": [{"allOf": [ref("A", version), {"type": "object"}]}]}]},
    }
    names = [f"com.example.v1.{name}" for name in "ABA"]
    assert problem(run, document(circle, version)) == (
        f"x.json#/{SCHEMAS[version]}/com.example.v1.A/allOf: "
        f"allOf leads back to itself: {' -> '.join(names)}\n"
        "    A schema cannot contain itself; break the circle."
    )


@versions
def test_a_property_cannot_take_over_what_it_is_a_part_of(run: Run, version: Version):
    inner = {"type": "object", "properties": {"x": {}}, "allOf": [ref("Start", version)]}
    start = {"type": "object", "properties": {"a": inner}}
    assert problem(run, document({"Start": start}, version)) == (
        f"x.json#/{SCHEMAS[version]}/com.example.v1.Start/properties/a/properties/a: "
        "contains itself: its `allOf` includes a schema that contains it\n"
        "    Give the object a name and refer to it (`$ref`)."
    )


def test_inherited_properties_are_bounded(run: Run, monkeypatch: pytest.MonkeyPatch):
    # Reaching the limits takes seconds; a tenth of them is enough to see that they hold.
    assert schema_size._MAX_COPIES <= 10_000
    assert schemas._MAX_TAKEN_OVER <= 250_000
    monkeypatch.setattr(schema_size, "_MAX_COPIES", 1_000)
    monkeypatch.setattr(schemas, "_MAX_TAKEN_OVER", 25_000)
    version: Version = "3"  # both versions have the same limits
    assert "with others so often that 1000 classes more would be made" in problem(
        run, taking_over(40, version)
    )
    wide = {f"p{number}": {"type": "string"} for number in range(2000)}
    many: dict[str, Any] = {f"V{n}": {"allOf": [ref("W", version)]} for n in range(20)}
    many["Start"] = many["W"] = {"type": "object", "properties": wide}
    assert "takes over more properties by `allOf`" in problem(run, document(many, version))


@pytest.mark.parametrize("depth", [1100, 10_000, 100_000])
@pytest.mark.parametrize("file", ["crd.yaml", "crd.json"])
def test_a_manifest_without_end_is_a_problem_with_its_place(run: Run, depth: int, file: str):
    text = '{"a": ' * depth + "1" + "}" * depth
    name = '"kind": "CustomResourceDefinition"'
    whole = f'{{{name},\n"a": {text}}}' if file == "crd.json" else f"{name}\na: {text}"
    shown = problem(run, whole, "--crd", file)
    before = 5 if file == "crd.json" else 3
    assert shown.startswith(f"{file}:2:{before + 1 + 249 * 6}: is nested more than 250 levels deep")


def test_a_value_in_a_definition_is_not_deeper_than_its_schema_could_be(run: Run):
    value: Any = 1
    for _ in range(260):
        value = [value]
    spec = {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "default": value}
    message = problem(run, json.dumps(definition({"spec": spec})), "--crd")
    assert "/…: is nested more than 250 levels deep" in message


def test_aliases_that_explode_are_a_problem(run: Run):
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for before, name in zip("abcdefghijkl", "bcdefghijklm", strict=True):
        lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]")
    lines.append("kind: CustomResourceDefinition")
    assert problem(run, "\n".join(lines), "--crd", "x.yaml") == (
        "x.yaml: becomes too large when its aliases are expanded\n"
        "    Write the values without aliases."
    )


def definition(properties: dict[str, Any]) -> dict[str, Any]:
    schema = {"openAPIV3Schema": {"type": "object", "properties": properties}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    names = {"plural": "foos", "singular": "foo", "kind": "Foo", "listKind": "FooList"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "foos.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": names,
            "versions": [version],
        },
    }


def nested(sign: str, end: str) -> Iterator[str]:
    for depth in (500, 20_000):
        yield sign * depth + end * depth


@pytest.mark.parametrize("text", [*nested("{", "}"), *nested("{a: ", "}"), *nested("{{}, ", "}")])
def test_a_marker_without_end_is_told(text: str):
    with pytest.raises(MarkerValueError, match="nested too deeply"):
        read_value(text, "any")
    with pytest.raises(MarkerValueError, match="is not JSON"):
        read_value("[" * 100_000 + "]" * 100_000, "json")


def test_a_configuration_without_end_is_a_problem(run: Run):
    Path("clientgen.toml").write_text(f"spec = {'[' * 20_000}{']' * 20_000}")
    result = run("generate")
    assert result.exit_code == 1
    assert "clientgen.toml: is not TOML that can be read: it is nested too deeply" in result.stderr


def test_a_manifest_of_a_package_without_end_is_none():
    assert Manifest.parse(b"[" * 100_000) is None


def test_the_command_line_has_the_stack_that_these_bounds_are_for():
    assert sys.getrecursionlimit() >= 1000
