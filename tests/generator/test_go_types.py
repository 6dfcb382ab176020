from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from clientgen._problems import ClientgenError, Problems
from clientgen.cli.program import program
from clientgen.generator.genclient import MarkerLine
from clientgen.generator.go_source import read_go
from clientgen.generator.go_types import gather, parse
from clientgen.generator.sources.spec import Input

GROUP = "// +groupName=x.io\npackage v1\n"
FOLDER = "api/v1"


def read(files: Mapping[str, str]) -> Mapping[str, list[MarkerLine]]:
    return parse(Input(name, name, text.encode()) for name, text in files.items())


def markers(text: str, head: str = GROUP) -> dict[str, list[str]]:
    """The markers of each type of a file, in a package of v1 of x.io."""
    by_kind = read({f"{FOLDER}/types.go": head + text})
    return {key.removeprefix("x.io/v1/"): [m.text for m in lines] for key, lines in by_kind.items()}


def complaints(files: Mapping[str, str]) -> list[str]:
    with pytest.raises(ClientgenError) as caught:
        read(files)
    return sorted(str(problem) for problem in caught.value.problems)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("// +genclient\ntype A struct {}\n", {"A": ["+genclient"]}),
        ("//+genclient\n//   +resourceName=as\ntype A struct {}",
         {"A": ["+genclient", "+resourceName=as"]}),
        ("/*\nA is.\n+genclient\n*/\ntype A struct {}\n", {"A": ["+genclient"]}),
        ("/* +genclient */\n// A is.\ntype A struct {}\n", {"A": ["+genclient"]}),
        ("type A struct {}\n", {}),
        ("// A is.\n// +optional\n// +kubebuilder:object:root=true\ntype A struct {}\n", {}),
        # gengo trims blanks, but no tabs: that is how documentation shows code.
        ("//\t+genclient\ntype A struct {}\n", {}),
        ("// +genclient\ntype A[T any] struct {}\n", {"A": ["+genclient"]}),
        ("// +genclient\ntype A v1.A\n", {"A": ["+genclient"]}),
        ("// +genclient\ntype A = B\n", {"A": ["+genclient"]}),
        ("// +genclient\r\ntype A struct {}\r\n", {"A": ["+genclient"]}),
    ],
)  # fmt: skip
def test_markers_are_lines_of_the_comment_above_a_struct(
    text: str, expected: dict[str, list[str]]
) -> None:
    assert markers(text) == expected


def test_the_second_closest_block_counts_and_comes_first() -> None:
    text = (
        "// +genclient\n// +genclient:noStatus\n\n// A is.\n// +resourceName=as\ntype A struct {}\n"
        "\n// +genclient\n\ntype B struct {}\n"
    )
    assert markers(text) == {
        "A": ["+genclient", "+genclient:noStatus", "+resourceName=as"],
        "B": ["+genclient"],
    }


@pytest.mark.parametrize(
    "text",
    [
        "// +genclient\n\n\ntype A struct {}\n",
        "// +genclient\n\n// One.\n\n// Two.\ntype A struct {}\n",
        "// +genclient\nvar x = 1\n// A is.\ntype A struct {}\n",
        "var x = 1 // x\n// +genclient\n\n// a\n\ntype A struct {}\n",
        "type A struct {}\n// +genclient\n",
        "// +genclient\ntype (\n\tA struct {}\n)\n",
    ],
)
def test_a_marker_that_no_type_takes_is_a_problem(text: str) -> None:
    [complaint] = complaints({f"{FOLDER}/types.go": GROUP + text})
    line = (GROUP + text).split("\n").index("// +genclient") + 1
    assert complaint.startswith(
        f"{FOLDER}/types.go:{line}: `+genclient` does not belong to a type\n"
    )


def test_a_trailing_comment_is_not_a_comment_above() -> None:
    text = "type B struct {\n} // +genclient\ntype A struct {}\n"
    assert markers(text) == {}


def test_types_in_a_group_have_comments_of_their_own() -> None:
    text = (
        "type (\n\t// +genclient\n\n\t// A is.\n\tA struct {\n\t\tX int // +genclient\n\t}\n"
        "\t// +genclient:readonly\n\t// +genclient\n\tB struct{}\n\tC int\n)\n"
        "// +genclient\ntype D struct{}\n"
    )
    assert markers(text) == {
        "A": ["+genclient"],
        "B": ["+genclient:readonly", "+genclient"],
        "D": ["+genclient"],
    }


@pytest.mark.parametrize(
    "text",
    [
        "const a = `\n// +genclient\ntype A struct {}\n`\n",
        'const a = "// +genclient"\ntype A struct {}\n',
        "func f() {\n\t// +genclient\n\ttype A struct {}\n}\n",
        "/*\n// +genclientele\ntype A struct {\n*/\n",
        "type A struct {\n\t// +genclient\n\tB struct {}\n}\n",
        "var quote = '\"'\nvar a = `// +genclient`\nvar b = '\"'\n",
        "var quote = '\\''\nvar a = \"\\\"// +genclient\"\n",
    ],
)
def test_look_alikes_of_marked_types_are_ignored(text: str) -> None:
    assert markers(text) == {}


def test_only_structs_can_be_kinds() -> None:
    for declared in (
        "A string",
        "A []struct{}",
        "A = int32",
        "A interface{}",
        "A map[string]struct{}",
        "A *B",
    ):
        [complaint] = complaints({"api/v1/a.go": GROUP + f"// +genclient\ntype {declared}\n"})
        assert complaint.startswith(
            "api/v1/a.go:3: `+genclient` is above `type A`, which is not a struct\n"
        )


def test_every_line_has_its_place() -> None:
    lines_by_kind = read(
        {"api/v1/a.go": GROUP + "/*\n+genclient\n*/\n\n// +resourceName=as\ntype A struct{}"}
    )
    assert [line.where for line in lines_by_kind["x.io/v1/A"]] == ["api/v1/a.go:4", "api/v1/a.go:7"]


KIND = "// +genclient\ntype A struct {}\n"


@pytest.mark.parametrize(
    ("folder", "files", "expected"),
    [
        ("api/v1", {"doc.go": "// +groupName=x.io\npackage v1"}, "x.io/v1/A"),
        ("api/v1", {"doc.go": "// +groupName=x.io\n\n// Package v1.\npackage v1"}, "x.io/v1/A"),
        ("api/v1", {"doc.go": "package v1\n\n// +groupName()=x.io\n"}, "x.io/v1/A"),
        ("api/v1", {"info.go": "/*\n+groupName=x.io\n*/\npackage v1"}, "x.io/v1/A"),
        ("apis/core/v1", {"doc.go": "// +groupName=\npackage v1"}, "v1/A"),
        ("api", {"doc.go": "// +groupName=x.io\n// +versionName=v3\npackage api"}, "x.io/v3/A"),
        ("api/v1", {"doc.go": "// +groupName=x.io\n// +versionName=v2\npackage v1"}, "x.io/v2/A"),
        (
            "api/v1",
            {"a.go": "// +groupName=x.io\npackage v1", "b.go": "// +groupName=x.io\npackage v1"},
            "x.io/v1/A",
        ),
        (
            "api/v1",
            {"r.go": "package v1\nvar SchemeGroupVersion = "
             'schema.GroupVersion{Group: "x.io", Version: "v1"}'},
            "x.io/v1/A",
        ),
        (
            "api",
            {"r.go": "package api\nvar (\n\t// It is.\n\tGroupVersion = schema.GroupVersion{\n"
             '\t\tGroup:   `x.io`,\n\t\tVersion: "v2",\n\t}\n)\n'},
            "x.io/v2/A",
        ),
        (
            "api/v1",
            {"r.go": "package v1\nvar SchemeGroupVersion = "
             "schema.GroupVersion{Group: GroupName, Version: runtime.X}",
             "names.go": 'package v1\n\nconst GroupName string = "x.io"\n'},
            "x.io/v1/A",
        ),
        (
            "api/v1",
            {"r.go": 'package v1\nconst (\n\ta, b = "p", "q"\n\tGroupName = "x.io"\n)\n'
             "var GroupVersion = schema.GroupVersion{Version: Version, Group: GroupName}"},
            "x.io/v1/A",
        ),
        # The marker wins over the variable.
        (
            "api/v1",
            {"r.go": "// +groupName=x.io\npackage v1\n"
             'var GroupVersion = schema.GroupVersion{Group: "y.io", Version: "v1"}'},
            "x.io/v1/A",
        ),
    ],
)  # fmt: skip
def test_group_and_version_are_said_for_the_package(
    folder: str, files: dict[str, str], expected: str
) -> None:
    sources = {f"{folder}/{name}": text for name, text in files.items()}
    lines_by_kind = read({**sources, f"{folder}/types.go": f"package v1\n\n{KIND}"})
    assert list(lines_by_kind) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "var GroupVersion = schema.GroupVersion{Group: other.GroupName, Version: Version}",
        'var GroupVersion = schema.GroupVersion{Group: "x" + suffix, Version: "v1"}',
        "var GroupVersion = schema.GroupVersion{Group: Unknown}",
        'const GroupName = "x" + y\nvar GroupVersion = schema.GroupVersion{Group: GroupName}',
        'func f() { GroupVersion = schema.GroupVersion{Group: "x.io"} }',
        'var Other = schema.GroupVersion{Group: "x.io", Version: "v1"}',
        "var GroupVersion = schema.GroupVersion{",
    ],
)
def test_a_group_that_cannot_be_read_must_be_said(text: str) -> None:
    sources = {"api/v1/register.go": f"package v1\n{text}\n", "api/v1/a.go": f"package v1\n{KIND}"}
    [complaint] = complaints(sources)
    assert complaint == (
        "api/v1/register.go: the API group of this package is not declared\n"
        "    Add `// +groupName=...` above `package` in its doc.go, or name that file too."
    )


def test_a_package_without_markers_needs_no_group() -> None:
    assert read({"api/util.go": "package util\n\n// A is.\ntype A struct {}\n"}) == {}


def test_switches_of_the_package_hold_for_each_kind() -> None:
    doc = (
        "// +k8s:deepcopy-gen=package\n// +k8s:informer-gen=false\n// +groupName=x.io\npackage v1\n"
    )
    lines_by_kind = read({"api/v1/doc.go": doc, "api/v1/types.go": f"package v1\n{KIND}"})
    assert lines_by_kind == {
        "x.io/v1/A": [
            MarkerLine("+genclient", "api/v1/types.go:2"),
            MarkerLine("+k8s:informer-gen=false", "api/v1/doc.go:2"),
        ]
    }


def test_everything_that_is_wrong_is_said_at_once() -> None:
    sources = {
        "api/v1/doc.go": "// +groupName=x.io\n// +groupname=x.io\npackage v1\n",
        "api/v1/a.go": f"// +groupName=y.io\npackage v1\n// +genclient:onlyVerb=get\n{KIND}",
        "api/v1/b.go": "package v1\n// +genclient:readonly=no\ntype B struct {}\n",
        "api/v1/c.go": "package v1\n/* \n",
        "api/v1/d.go": "type D struct {}\n",
        "api/v1/e.go": "",
        "api/types.go": f"// +groupName=x.io\npackage api\n\n{KIND}",
        "api/v2/doc.go": "// +groupName=X\n// +versionName=V2\npackage v2\n",
        "api/v2/a.go": f"package v2\n\n{KIND}",
        "other/v1/a.go": f"// +groupName=y.io\npackage v1\n\n{KIND}",
    }  # fmt: skip
    shown = [complaint.split("\n")[0] for complaint in complaints(sources)]
    assert shown == [
        "api/types.go: the API version of this package is not declared; its folder is `api`",
        "api/v1/a.go:3: `+genclient:onlyVerb` is not a known marker",
        "api/v1/b.go:2: `+genclient:readonly` takes no value, but has `no`",
        "api/v1/c.go:2: is not Go: the comment that begins here is not closed",
        "api/v1/d.go:1: is not Go: it has no package clause",
        "api/v1/doc.go:1: `+groupName` is given twice with different values",
        "api/v1/doc.go:2: `+groupname` is not a known marker",
        "api/v1/e.go:1: is not Go: it has no package clause",
        "api/v2/doc.go:1: `+groupName` cannot be `X`",
        "api/v2/doc.go:2: `V2` is not a version",
        "other/v1/a.go:4: y.io/v1/A has markers in two places",
    ]


def test_the_order_of_the_files_makes_no_difference() -> None:
    files = {
        "api/v1/doc.go": "// +groupName=x.io\npackage v1\n",
        "api/v1/a.go": f"package v1\n{KIND}",
        "api/v1/b.go": "package v1\n// +genclient\ntype B struct {}\n",
    }
    expected = read(files)
    for order in permutations(files):
        lines_by_kind = read({name: files[name] for name in order})
        assert list(lines_by_kind.items()) == list(expected.items())


@given(st.text(alphabet="/*\"`'\n {}()type+genclient struct;=[]", max_size=200))
def test_any_text_is_read(text: str) -> None:
    problems = Problems()
    go_file = read_go(f"package v1\n{text}".encode(), "a.go", problems)
    assert all(problem.where.startswith("a.go:") for problem in problems)
    lines = text.count("\n") + 2
    assert all(1 <= declared.line <= lines for declared in go_file.types)


def test_invalid_utf_8_is_reported_with_its_line() -> None:
    with pytest.raises(ClientgenError, match=r"api/v1/a.go:2: is not Go: these bytes"):
        parse([Input("api/v1/a.go", "api/v1/a.go", b"package v1\n// \xff\n")])


def test_folders_are_read_as_go_reads_them(tmp_path: Path) -> None:
    for name in (
        "api/v1/a.go",
        "api/v1/a_test.go",
        "api/v1/zz_generated.deepcopy.go",
        "api/v1/testdata/a.go",
        "api/v1/_old/a.go",
        "api/.git/a.go",
        "api/vendor/x/a.go",
        "api/README.md",
        "more/b.go",
    ):
        file = tmp_path / "operator" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("package v1\n")
    root, operator = tmp_path / "client", tmp_path / "operator"
    root.mkdir()
    paths = [operator / "more/b.go", operator / "api", root / "../operator/api/v1/a.go"]
    inputs = gather(paths, root)
    assert [one.name for one in inputs] == ["../operator/api/v1/a.go", "../operator/more/b.go"]
    assert inputs[1].shown == str(operator / "more/b.go")


def test_paths_that_cannot_be_read_are_told_together(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.txt").write_text("")
    paths = [tmp_path / "none", tmp_path / "empty", tmp_path / "a.txt"]
    with pytest.raises(ClientgenError) as caught:
        gather(paths, tmp_path)
    assert [str(problem).replace(f"{tmp_path}/", "") for problem in caught.value.problems] == [
        "none: there is no such file or folder",
        "empty: there are no Go sources in this folder",
        "a.txt: is not a Go source\n    name a .go file, or a folder of them",
    ]


def test_versions_that_are_served_no_more_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parents[1] / "golden" / "go-types")
    command = ["generate", "--output", str(tmp_path), "--verbose"]

    done = CliRunner().invoke(program, command, catch_exceptions=False)

    expected = (
        "left out: markers of stable.example.com/v1alpha1/CronTab: no source has this version"
    )
    assert done.stdout.splitlines()[0] == expected
