"""Manifests of custom resources: what is read, where it stands and what is said of it."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.definitions import custom_definition, custom_version

from clientgen._problems import ClientgenError, Problem, Problems
from clientgen._yaml.composer import _loader
from clientgen.generator.sources.crd import Manifest, crd_rules, gather, line_of, located, parse
from clientgen.generator.sources.crd.crd_documents import read_documents
from clientgen.generator.sources.crd.crd_rules import check_definition
from clientgen.generator.sources.crd.positions import below, field_parts

GOLDEN = Path(__file__).parents[1] / "golden"
MARK = "# CustomResourceDefinition\n"


def definition(kind: str = "Web", **changes: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"spec": {"type": "object"}}}
    version = custom_version(schema=schema)
    return custom_definition("example.com", kind, version, **{"scope": "Cluster", **changes})


def manifest(text: str | bytes, shown: str = "crd.yaml", *, named: bool = True) -> Manifest:
    data = text if isinstance(text, bytes) else text.encode()
    return Manifest(shown, shown, data, named=named)


def values(text: str | bytes) -> list[Any]:
    problems = Problems()
    data = text if isinstance(text, bytes) else text.encode()
    documents = [document.value for document in read_documents(data, "f.yaml", problems)]
    assert list(problems) == []
    return documents


def said(text: str | bytes) -> list[str]:
    problems = Problems()
    data = text if isinstance(text, bytes) else text.encode()
    for document in read_documents(data, "f.yaml", problems):
        problems.extend(document.doubts)
    return [f"{problem.where}: {problem.what}" for problem in problems]


# ---- documents --------------------------------------------------------------------------------


TOO_DEEP = "is nested more than 250 levels deep, more than any document may be"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True),
        ("ON", True),
        ("n", False),
        ("'yes'", "yes"),
        ("2020-01-01", "2020-01-01"),
        ("12:30:45", "12:30:45"),
        ("0o17", 15),
        ("0x1F", 31),
        ("1_000", 1000),
        ("1.0", 1),
        ("1.5e3", 1500),
        ("~", None),
        ("!!str 5", "5"),
        ("!custom 5", "5"),
        ("=", "="),
        ("<<", "<<"),
    ],
)
def test_scalars_are_what_an_api_server_takes_them_for(text: str, value: object) -> None:
    (parsed,) = values(text)
    assert (parsed, type(parsed)) == (value, type(value))


def test_documents_anchors_and_merges() -> None:
    text = "a: &a {x: 1, y: 2}\nb: {<<: *a, x: 3}\nc: [*a, *a]\n---\n---\n- 1\n...\n"
    values_read = values(text.replace("y:", "'y':"))
    assert values_read == [
        {"a": {"x": 1, "y": 2}, "b": {"x": 3, "y": 2}, "c": [{"x": 1, "y": 2}] * 2},
        None,
        [1],
    ]


def test_a_byte_order_mark_and_windows_lines_do_no_harm() -> None:
    assert values("\ufeffa: 1\r\nb: [x,\r\n  y2]\r\n".encode()) == [{"a": 1, "b": ["x", "y2"]}]
    assert values(b'\xef\xbb\xbf{"a": 1}') == [{"a": 1}]


def test_json_documents_one_after_another() -> None:
    text = '{"a": "\\ud83d\\ude00"}\n\t{"b":\t[1.5, null]}\n'
    assert values(text) == [{"a": "\U0001f600"}, {"b": [1.5, None]}]
    assert values('{"a": 1}\n---\n{"b": 2}\n') == [{"a": 1}, {"b": 2}]


def test_the_result_does_not_depend_on_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    files = sorted(path for case in GOLDEN.glob("*crd-*") for path in case.rglob("*.y*ml"))
    assert len(files) > 15

    def everything() -> list[tuple[Any, list[str]]]:
        results: list[tuple[Any, list[str]]] = []
        for path in files:
            problems = Problems()
            documents = list(read_documents(path.read_bytes(), path.name, problems))
            results.append((documents, list(map(str, problems))))
        return results

    fast = everything()
    _loader.cache_clear()
    monkeypatch.delattr(yaml, "CSafeLoader")
    assert everything() == fast
    _loader.cache_clear()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: 1\nb: 2\na: 3\n", "f.yaml:3:1: has the key 'a' twice in one object"),
        ('{"a": 1,\n\t"a": 2}', "f.yaml:2:2: has the key 'a' twice in one object"),
        ('{}\n{"a": {"b": 1,\n"b": 2}}', "f.yaml:3:1: has the key 'b' twice in one object"),
        ("no: 1\n", "f.yaml:1:1: has the key `no`, which API servers read as the key 'false'"),
        ("007: 1\n", "f.yaml:1:1: has the key `007`, which API servers read as the key '7'"),
        ("? [a]\n: 1\n", "f.yaml:1:3: has a list or an object as a key"),
        ("<<: 5\n", "f.yaml:1:5: merges (`<<`) what is no object"),
        (
            "a:\n\t- b\n",
            "f.yaml:2:1: is not YAML: found character '\\t' that cannot start any token",
        ),
        ("[" * 5000 + "]" * 5000, f"f.yaml:1:251: {TOO_DEEP}"),
        ('{"a": ' + "[" * 200_000, f"f.yaml:1:256: {TOO_DEEP}"),
        (
            "".join(f"{' ' * n}a:\n" for n in range(1200)),
            f"f.yaml:251:251: {TOO_DEEP}",
        ),
        ('{"a": 1} x', "f.yaml:1:10: is not JSON: Expecting value"),
        (b"a: \xff", "f.yaml:1:4: is not UTF-8 text"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "bytes",
)
def test_unreadable_manifests_are_reported_with_their_place(
    text: str | bytes, problem: str
) -> None:
    assert said(text) == [problem]


@pytest.mark.parametrize("key", ["1", "true", "null_", "'null'", "-5", "1.5"])
def test_keys_that_are_read_as_written_are_fine(key: str) -> None:
    assert said(f"{key}: 1\n") == []


def test_aliases_of_aliases_do_not_explode() -> None:
    levels = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    text = "\n".join(["a0: &a0 [x]", *levels])
    assert said(text) == ["f.yaml: becomes too large when its aliases are expanded"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\n{{ if .x }}\n", 2),
        ("a: {{ .x }}\n", 1),
        ("a:\n- {{ .x }}\n", 2),
        ("a: 1\n{{- range .x }}\nb: 2\n{{- end }}\n", 2),
    ],
)
def test_templates_of_charts_are_told_from_broken_yaml(text: str, line: int) -> None:
    (problem,) = said(text)
    assert problem.startswith(f"f.yaml:{line}: is a Helm template, not a manifest")


def test_texts_of_schemas_may_speak_of_templates() -> None:
    crd = definition()
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["description"] = "Use {{ .Name }} here."
    schema["properties"]["spec"]["description"] = "{{ .Values }}"
    assert parse([manifest(json.dumps(crd))]).operations
    assert parse([manifest(yaml.safe_dump(crd))]).operations


# ---- lines ------------------------------------------------------------------------------------


def test_lines_of_values() -> None:
    text = "a: &a\n  b:\n  - c: 1\n    d: 2\n---\nx: {y/z: [1,\n 2]}\n<<: {q: 1}\n"
    assert [line_of(text, 0, path) for path in ([], ["a"], ["a", "b"], ["a", "b", 0, "d"])] == [
        1, 1, 2, 4,
    ]  # fmt: skip
    assert line_of(text, 0, ["a", "b", 7, "nothing"]) == 2
    assert [line_of(text, 1, path) for path in (["x", "y/z", "1"], ["q"], ["x", "no"])] == [7, 8, 6]
    assert line_of('{"a": 1}\n{\n\t"b": 2}\n', 1, ["b"]) == 3
    assert line_of("a: [", 0, ["a"]) == 1


def test_places_become_lines_wherever_they_are_told() -> None:
    inputs = [manifest("a:\n  b/c: 1\n", "d/x.yaml"), manifest("---\na: 1\n---\nb: 1\n", "x.yaml")]
    problems = [
        Problem("d/x.yaml[0]#/a/b~1c", "is like x.yaml[1]#/b, which is no good", "See x.yaml[1]."),
        Problem("other.yaml[0]#/a", "stays"),
    ]
    assert located(problems, inputs) == (
        Problem("d/x.yaml:2 #/a/b~1c", "is like x.yaml:4 #/b, which is no good", "See x.yaml:4."),
        Problem("other.yaml[0]#/a", "stays"),
    )


def test_fields_of_the_server_become_pointers() -> None:
    schema = {"properties": {"a.b": {"properties": {"c]d": {}, "c": {}}}}}
    crd = {"spec": {"versions": [{"schema": {"openAPIV3Schema": schema}}]}}
    start: list[str | int] = ["spec", "versions", 0, "schema", "openAPIV3Schema", "properties"]
    field = "spec.validation.openAPIV3Schema.properties[a.b].properties[c]d].type"
    assert field_parts(field, crd) == [*start, "a.b", "properties", "c]d", "type"]
    assert field_parts("spec.versions[0].schema.openAPIV3Schema.properties[no].x", crd) == [
        *start, "no", "x",
    ]  # fmt: skip
    assert below("f[0]", "a/b", 1) == "f[0]#/a~1b/1"
    assert below("f[0]#/items/3", "spec") == "f[0]#/items/3/spec"


# ---- files ------------------------------------------------------------------------------------


def test_files_are_named_from_the_root_and_read_once(tmp_path: Path) -> None:
    for name in ("b/z.yaml", "b/a.yml", "b/c/d.json", "b/e.txt", "b/none.yaml", "a.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(MARK if name != "b/none.yaml" else "a: 1")
    inputs = gather(
        [tmp_path / "b", tmp_path / "a.yaml", tmp_path / "b" / "c" / ".." / "z.yaml"], tmp_path
    )
    assert [(each.name, each.named) for each in inputs] == [
        ("a.yaml", True),
        ("b/a.yml", False),
        ("b/c/d.json", False),
        ("b/z.yaml", True),
    ]
    assert inputs[0].shown == str(tmp_path / "a.yaml")


def test_names_do_not_tell_where_this_machine_keeps_things(tmp_path: Path) -> None:
    (tmp_path / "elsewhere" / "crds").mkdir(parents=True)
    (tmp_path / "elsewhere/crds/a.yaml").write_text(MARK)
    (manifest,) = gather([tmp_path / "elsewhere"], tmp_path / "project" / "deep")
    assert manifest.name == "elsewhere/crds/a.yaml"


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "huge.yaml").open("wb") as file:
        file.truncate(65 * 2**20)
    with pytest.raises(ClientgenError, match=r"huge\.yaml: has 65 MiB; at most 64 are read"):
        gather([tmp_path / "huge.yaml"], tmp_path)


# ---- definitions ------------------------------------------------------------------------------


def test_the_order_of_files_and_keys_does_not_matter() -> None:
    texts = [json.dumps(definition(kind)) for kind in ("Web", "App", "Zoo", "New")]
    inputs = [manifest(text, f"{n}.json") for n, text in enumerate(texts)]
    expected = parse(inputs).definitions
    for seed in range(4):
        random.Random(seed).shuffle(inputs)
        definitions = parse(inputs).definitions
        assert dict(sorted(definitions.items())) == dict(sorted(expected.items()))


def test_two_definitions_of_a_kind_are_a_problem() -> None:
    other = definition("Net", names={"plural": "nets", "kind": "Web"})
    inputs = [manifest(json.dumps(definition()), "a.json"), manifest(json.dumps(other), "b.json")]
    with pytest.raises(ClientgenError) as caught:
        parse(inputs)
    assert [(p.where, p.what) for p in caught.value.problems] == [
        ("b.json[0]", "has the kind 'Web' in example.com, and so does a.json[0]")
    ]


def test_other_documents_are_passed_over_and_remembered() -> None:
    text = (
        MARK
        + "kind: Service\nmetadata: {name: web}\non: 1\n---\n[1]\n---\n"
        + json.dumps(definition())
    )
    assert parse([manifest(text, named=False)]).ignored == (
        ("Service web of crd.yaml", "not a CustomResourceDefinition"),
        ("a document of crd.yaml", "not a CustomResourceDefinition"),
    )


def test_nulls_and_unknown_fields_are_nothing() -> None:
    crd = definition()
    crd["status"] = {"storedVersions": [], "conditions": None}
    crd["metadata"]["creationTimestamp"] = None
    crd["spec"].update(conversion=None, preserveUnknownFields=None, unheardOf={"x": 1})
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema.update({"required": None, "x-odd": True, "description": None})
    assert check_definition(crd, "f") == []
    spec = parse([manifest(json.dumps(crd))])
    assert "x-odd" not in spec.definitions["com.example.v1.Web"].schema.words


def test_every_level_of_a_schema_may_be_wrong() -> None:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(99):
        schema = {"type": "object", "properties": {"a": schema}}
    crd = definition()
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema
    assert check_definition(crd, "f") == []
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = {
        "type": "object",
        "properties": {"a": schema},
    }
    (problem,) = check_definition(crd, "f")
    assert problem.what == "is nested more than 100 levels deep"


def test_rules_that_this_server_cannot_judge_are_left_to_others() -> None:
    crd = definition()
    spec = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"] = {"name": {"type": "string"}}
    rule = "{self.name: 1}.transformMap(name, count, count) == {'a': 1}"
    spec["x-kubernetes-validations"] = [{"rule": rule}]
    assert check_definition(crd, "f") == []
    spec["x-kubernetes-validations"] = [{"rule": "self.nothing == ''"}]
    (problem,) = check_definition(crd, "f")
    assert problem.where.endswith("/properties/spec/x-kubernetes-validations/0/rule")
    assert "undefined field 'nothing'" in problem.what
    assert "\n" not in problem.what


_WITHOUT = """
import sys
for name in ("re2", "cel_expr_python", "google.protobuf"):
    sys.modules[name] = None
import json
from clientgen.generator.sources.crd.crd_rules import check_definition
print(json.dumps([str(p) for p in check_definition(json.load(sys.stdin), "f")]))
"""


def test_without_the_extra_patterns_and_rules_are_taken_as_they_are() -> None:
    crd = definition()
    spec = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"] = {
        "pattern": {"type": "string", "pattern": "(", "default": "x", "format": "ipv4"},
        "format": {"type": "string", "x-kubernetes-validations": [{"rule": "nonsense("}]},
        "wrong": {"type": "array"},
    }
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT],
        input=json.dumps(crd),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    (problem,) = json.loads(done.stdout)
    assert problem.startswith("f#/spec/versions/0/schema/openAPIV3Schema/properties/spec")
    assert problem.endswith("/properties/wrong/items: Required value: must be specified")


def test_loading_the_source_loads_no_server() -> None:
    program = "import sys, clientgen.generator.pipeline; print('clientgen.testing' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "False\n"


def test_a_sound_definition_is_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []
    causes = crd_rules._causes

    def counting(crd: dict[str, Any]) -> Any:
        looked_at.append(crd["metadata"]["name"])
        return causes(crd)

    monkeypatch.setattr(crd_rules, "_causes", counting)
    good, bad = definition("Good"), definition("Bad", scope="Global")
    for _ in range(2):
        parse([manifest(json.dumps(good))])
        with pytest.raises(ClientgenError, match="Unsupported value"):
            parse([manifest(json.dumps(bad))])
    assert looked_at == ["goods.example.com", "bads.example.com", "bads.example.com"]
