"""scripts/update-kubernetes: the tree holds what it derives, and names one release."""

import json
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
from kubernetes_release import __main__ as program
from kubernetes_release.changes import changes, mentions, unknown_definitions, verb_differences
from kubernetes_release.declared import declared_table
from kubernetes_release.deprecations import deprecations_table
from kubernetes_release.discovery import discovery_table, served_verbs
from kubernetes_release.documents import facts, read_documents, release_of, write_documents
from kubernetes_release.go_types import fields_table
from kubernetes_release.wire_numbers import wire_table

from clientgen._shipped import KUBERNETES
from clientgen.testing._apiserver.documents import Documents
from clientgen.testing._apiserver.served_spec import load, read

ROOT = Path(__file__).parents[1]
SPECS = ROOT / "specs" / "kubernetes"


def test_every_place_that_names_the_release_names_the_same_one():
    documents, _ = read_documents(SPECS / "v3")
    named = {release_of(each) for each in (load().document, *documents.values())}
    distribution = tomllib.loads((ROOT / "clientgen.toml").read_text())["distribution"]
    assert named == {KUBERNETES}
    assert distribution["version"].rpartition(".")[0] == KUBERNETES
    for name in program.MENTIONING:
        assert KUBERNETES in (ROOT / name).read_text("utf-8"), name


def test_the_tables_that_the_script_writes_are_where_it_expects_them():
    written = (program.DECLARED, program.DEPRECATIONS, program.DISCOVERY, program.FIELDS)
    for path in (*written, program.WIRE, *program.BY_HAND):
        assert path.is_file()
    assert (ROOT / program.COPIES.replace(".", "/")).with_suffix(".py").is_file()


# ----------------------------------------------------------------------------------- documents


def test_facts_are_what_is_left_without_the_texts():
    document = {
        "definitions": {
            "Thing": {
                "description": "Prose.",
                "externalDocs": {"url": "https://example.com"},
                "properties": {"description": {"type": "string", "description": "Prose."}},
            }
        },
        "paths": {
            "/": {"get": {"description": "Prose.", "responses": {"200": {"description": "OK"}}}}
        },
    }
    assert facts(document) == {
        "definitions": {"Thing": {"properties": {"description": {"type": "string"}}}},
        "paths": {"/": {"get": {"responses": {"200": {"description": "OK"}}}}},
    }


@pytest.mark.parametrize(
    ("version", "release"),
    [("1.36", "1.36"), ("v1.30.2", "1.30"), ("release-1.35", "1.35"), ("unversioned", "")],
)
def test_the_release_is_read_off_the_document(version, release):
    assert release_of({"info": {"version": version}}) == release


@pytest.mark.parametrize("name", ["apis__apps__v1_openapi.json", "apis/apps/v1.json"])
def test_the_v3_documents_of_others_are_brought_into_the_layout_of_specs(tmp_path, name):
    document = {"openapi": "3.0.0", "info": {"version": "1.35"}}
    file = tmp_path / "given" / name
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(document))
    folder = tmp_path / "specs"
    (folder / "v3").mkdir(parents=True)
    (folder / "v3" / "apis__gone__v1.json").write_text("{}")
    write_documents(folder, {"swagger": "2.0"}, *read_documents(tmp_path / "given"))
    assert sorted(each.name for each in (folder / "v3").iterdir()) == [
        "apis__apps__v1.json",
        "index.json",
    ]
    documents, urls = read_documents(folder / "v3")
    assert documents == {"apis/apps/v1": document}
    assert urls["apis/apps/v1"].startswith("/openapi/v3/apis/apps/v1?hash=")


@pytest.mark.slow
def test_writing_what_specs_holds_changes_nothing(tmp_path):
    documents, urls = read_documents(SPECS / "v3")
    (tmp_path / "v3").mkdir()
    v2 = json.loads((SPECS / "swagger.json").read_bytes())
    write_documents(tmp_path, facts(v2), {path: facts(d) for path, d in documents.items()}, urls)
    written = [path.relative_to(tmp_path) for path in tmp_path.rglob("*.json")]
    assert len(written) == len(list(SPECS.rglob("*.json")))
    for path in written:
        assert (tmp_path / path).read_bytes() == (SPECS / path).read_bytes(), path


# -------------------------------------------------------------------------------------- tables


def test_the_declared_defaults_are_those_of_the_v3_documents():
    documents, _ = read_documents(SPECS / "v3")
    assert declared_table(documents) == json.loads(program.DECLARED.read_bytes())


GO = {
    "api/shop/v1/register.go": 'package v1\n\nconst GroupName = "shop.k8s.io"\n',
    "api/shop/v1/types.go": """package v1

type Cart struct {
\tmetav1.TypeMeta `json:",inline"`
\tmetav1.ObjectMeta `json:"metadata,omitempty"`
\tSpec CartSpec `json:"spec,omitzero"`
}

type CartSpec struct {
\tBase `json:",inline" protobuf:"bytes,1,opt,name=base"`
\t// A comment.
\tName string `json:"name" protobuf:"bytes,2,opt,name=name"`
\tSize *int32 `json:"size,omitempty"`
\tRef *Base `json:"ref,omitempty"`
\tRefs []Base `json:"refs"`
\tNote string `json:"note,omitempty"`
}

type Base struct {
\tOwner *Base `json:"owner"`
\tLate bool `json:"late"`
}
""",
    "api/shop/v1/generated.proto": """syntax = "proto2";
package k8s.io.api.shop.v1;
message CartSpec {
  optional Base base = 1;
  optional string name = 2;
  // A comment.
  optional int32 size = 4;
}
message Base {
  optional bool late = 1;
}
""",
    "api/shop/v1/zz_generated.prerelease-lifecycle.go": """package v1

func (in *Cart) APILifecycleDeprecated() (major, minor int) {
\treturn 1, 36
}

func (in *Cart) APILifecycleReplacement() schema.GroupVersionKind {
\treturn schema.GroupVersionKind{Group: "shop.k8s.io", Version: "v2", Kind: "Cart"}
}

func (in *Cart) APILifecycleRemoved() (major, minor int) {
\treturn 1, 39
}
""",
}
REF = {"$ref": "#/definitions/io.k8s.api.shop.v1.Base"}
DEFINITIONS = {
    "io.k8s.api.shop.v1.Cart": {"properties": {"metadata": REF, "spec": REF}},
    "io.k8s.api.shop.v1.CartSpec": {
        "properties": {
            "owner": REF,
            "late": {"type": "boolean"},
            "name": {"type": "string"},
            "size": {"type": "integer"},
            "ref": REF,
            "refs": {"type": "array", "items": REF},
            "note": {"type": "string"},
        },
        "required": ["name", "note"],
    },
}


@pytest.fixture
def sources(tmp_path):
    for name, text in GO.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_fields_are_marked_as_their_go_types_are_written(sources):
    assert fields_table(sources, DEFINITIONS) == {
        "io.k8s.api.shop.v1": {
            "Cart": "metadata!",
            "CartSpec": "owner*! late! size* refs! note?",
        }
    }


def test_field_numbers_are_those_of_the_protobuf_messages(sources):
    table = wire_table(sources, {name: DEFINITIONS[name] for name in list(DEFINITIONS)[1:]})
    assert table == {
        "io.k8s.api.shop.v1": {
            "CartSpec": "+io.k8s.api.shop.v1.Base name 4:size",
            "Base": "late",
        }
    }


def test_deprecations_are_those_of_kinds_that_the_release_serves(sources):
    served = {("shop.k8s.io/v1", "Cart")}
    entry = [36, 39, "shop.k8s.io/v2 Cart"]
    assert deprecations_table(sources, served, 36) == {"shop.k8s.io/v1 Cart": entry}
    assert deprecations_table(sources, served, 35) == {}
    assert deprecations_table(sources, set(), 36) == {}


def test_discovery_of_our_own_server_gives_the_table_that_it_stands_on(tmp_path):
    server = Documents(load(), SimpleNamespace(revision=1, custom_strategies=lambda: iter(())))

    def save(path):
        name = path.strip("/").replace("/", "__")
        text = server.answer("GET", path, {}, {}).body
        (tmp_path / f"{name}.json").write_bytes(text)
        return json.loads(text)

    save("/api/v1")
    for group in save("/apis")["groups"]:
        for version in group["versions"]:
            save(f"/apis/{version['groupVersion']}")
    assert discovery_table(tmp_path) == json.loads(program.DISCOVERY.read_bytes())
    assert not list(verb_differences(load(), served_verbs(tmp_path)))


# ------------------------------------------------------------------------------------- changes


def test_removed_and_added_names_are_listed_with_their_lines():
    document = json.loads((SPECS / "swagger.json").read_bytes())
    document["paths"] = {
        path.replace("/leases", "/rentals"): each for path, each in document["paths"].items()
    }
    pods = document["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"]
    del pods["delete"]
    del document["definitions"]["io.k8s.api.core.v1.PodSpec"]["properties"]["hostname"]
    listed = list(changes(load(), read(document), ROOT))
    gone = next(line for line in listed if line.startswith("gone: leases.coordination.k8s.io"))
    assert "clientgen/testing/_apiserver/" in gone
    assert any(line.startswith("new: rentals.coordination.k8s.io (Lease; v1)") for line in listed)
    verbs = "create deletecollection get list patch update watch"
    assert any(line.startswith("verbs of v1 pods: ") and f"-> {verbs}:" in line for line in listed)
    assert any(line.startswith("fields gone in core.v1.PodSpec: hostname") for line in listed)
    assert not list(changes(load(), load(), ROOT))


def test_the_code_names_only_definitions_that_the_document_has():
    assert not list(unknown_definitions(load().document, ROOT))
    without = {"definitions": {}}
    assert any("unknown definition core.v1." in each for each in unknown_definitions(without, ROOT))


def test_a_place_is_a_file_and_a_line():
    (place,) = mentions(ROOT, ["^DECLARED: Final"], ["scripts"])
    file, line = place.split(":")
    assert file == "scripts/kubernetes_release/__main__.py"
    assert int(line)
