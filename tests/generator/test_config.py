from __future__ import annotations

from pathlib import Path

import pytest
from support.config_files import complaints, config, only

from clientgen.generator.configuration import Flags, PackageConfig, load
from clientgen.generator.expansions import Expansion
from clientgen.generator.genclient_markers import MarkerLine

ONE = 'spec = "specs/kube.json"\noutput = "generated"\npackage = "kubeapi"\n'


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_flags_alone_are_enough():
    flags = Flags((Path("a.json"), Path("b.json")), Path("out"), "kubeapi")
    assert only(flags) == PackageConfig("kubeapi", Path("out"), (Path("a.json"), Path("b.json")))
    assert only(flags).target == Path("out/kubeapi")


def test_clientgen_toml_has_its_keys_at_the_top():
    config(ONE)
    package = only()
    assert package.package == "kubeapi"
    assert package.specs == (Path("specs/kube.json"),)
    assert package.target == Path("generated/kubeapi")


def test_pyproject_toml_has_them_in_its_own_table():
    config("[tool.clientgen]\n" + ONE, "pyproject.toml")
    assert only().package == "kubeapi"


def test_the_file_is_found_upwards_and_paths_are_relative_to_it(monkeypatch: pytest.MonkeyPatch):
    config("[tool.clientgen]\n" + ONE, "pyproject.toml")
    config("[project]\nname = 'inner'\n", "inner/pyproject.toml")
    Path("inner/deep").mkdir()
    monkeypatch.chdir("inner/deep")
    package = only()
    assert package.specs == (Path("../../specs/kube.json"),)
    assert package.output == Path("../../generated")
    assert package.root == Path("../..")


def test_a_file_may_be_named():
    config(ONE, "conf/other.toml")
    package = only(Flags(config=Path("conf/other.toml")))
    assert package.output == Path("conf/generated")


def test_a_flag_wins_over_the_file():
    config(ONE + '[markers]\n"v1/Pod" = ["+genclient:readonly"]\n')
    package = only(Flags(specs=(Path("x.json"),), output=Path("elsewhere")))
    assert (package.specs, package.output) == ((Path("x.json"),), Path("elsewhere"))
    assert package.markers == {"v1/Pod": ("+genclient:readonly",)}


def test_another_package_by_flags_takes_nothing_from_the_file():
    config(ONE + '[markers]\n"v1/Pod" = ["+genclient:readonly"]\n')
    package = only(Flags((Path("x.json"),), Path("out"), "other"))
    assert package == PackageConfig("other", Path("out"), (Path("x.json"),))


def test_a_file_without_a_name_takes_the_one_of_the_flag():
    config('spec = "x.json"\noutput = "."\n')
    assert only(Flags(package="mine")).package == "mine"


def test_several_packages_come_sorted_and_one_can_be_picked():
    config(
        '[packages.zoo]\nspec = ["zoo.json"]\noutput = "."\n'
        '[packages.ant]\nspec = ["ant.json"]\noutput = "."\n'
    )
    assert [package.package for package in load(Flags())] == ["ant", "zoo"]
    assert only(Flags(package="zoo")).specs == (Path("zoo.json"),)


def test_markers_know_their_place_and_core_is_spelled_without_its_name():
    config(
        "[tool.clientgen]\n" + ONE + "[tool.clientgen.markers]\n"
        '"core/v1/Pod" = ["+genclient:noStatus", "+genclient:skipVerbs=delete"]\n'
        '"apps/v1/Deployment" = "+genclient:readonly"\n',
        "pyproject.toml",
    )
    package = only()
    assert sorted(package.markers) == ["apps/v1/Deployment", "v1/Pod"]
    assert package.marker_lines("v1/Pod") == [
        MarkerLine("+genclient:noStatus", 'pyproject.toml: tool.clientgen.markers."v1/Pod"[0]'),
        MarkerLine(
            "+genclient:skipVerbs=delete", 'pyproject.toml: tool.clientgen.markers."v1/Pod"[1]'
        ),
    ]
    assert package.marker_lines("v1/Node") == []


def test_expansions_name_a_class_each():
    config(ONE + '[expansions]\n"v1/Pod" = "myops.pods:PodExpansion"\n')
    assert only().expansions == {"v1/Pod": Expansion("myops.pods:PodExpansion")}


def test_expansions_name_a_class_for_each_part_of_a_kind():
    config(
        ONE
        + """[expansions.'v1/Pod']
client = 'myops:PodExpansion'
lister = 'myops:PodListerExpansion'
namespace_lister = 'myops:PodNamespaceListerExpansion'
[expansions.'v1/Node']
lister = 'myops:NodeListerExpansion'
"""
    )

    assert only().expansions == {
        "v1/Pod": Expansion(
            "myops:PodExpansion", "myops:PodListerExpansion", "myops:PodNamespaceListerExpansion"
        ),
        "v1/Node": Expansion(lister="myops:NodeListerExpansion"),
    }


def test_the_digest_changes_with_what_is_said_and_not_with_where():
    config(ONE)
    plain = only().digest()
    assert only(Flags(specs=(Path("x.json"),), output=Path("y"))).digest() == plain
    config(ONE + '[markers]\n"v1/Pod" = ["+genclient:readonly"]\n')
    assert only().digest() != plain


def test_a_missing_configuration_is_a_problem():
    assert complaints() == [
        (
            "there is nothing to generate: no config file was found\n"
            "    give --spec (or another source), --output and --package, or write a clientgen.toml"
        )
    ]


def test_flags_that_were_given_are_not_asked_for():
    (told,) = complaints(Flags(crds=(Path("crds"),), output=Path("src")))
    assert told.endswith("\n    give --package, or write a clientgen.toml")
    (told,) = complaints(Flags(crds=(Path("crds"),)))
    assert told.endswith("\n    give --output and --package, or write a clientgen.toml")


def test_an_unknown_key_is_a_problem():
    config(ONE + 'specs = "x"\nfrobnicate = 1\n')
    assert complaints() == [
        "clientgen.toml: specs: there is no such key\n    did you mean `spec`?",
        (
            "clientgen.toml: frobnicate: there is no such key\n"
            "    known are package, spec, crd, types, crd-output, max-desc-len, header-file, "
            "go-types, cluster, descriptions, uses, inlined, output, include, exclude, rename, "
            "distribution, markers, expansions, views, packages"
        ),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("spec = 1", "clientgen.toml: spec: must be a list of strings, not 1"),
        ("output = ['x']", "clientgen.toml: output: must be a string, not a list"),
        ("package = true", "clientgen.toml: package: must be a string, not True"),
        ("markers = 'x'", "clientgen.toml: markers: must be a table, not a string: 'x'"),
        ("packages = []", "clientgen.toml: packages: must be a table, not a list"),
        ("[packages]\nx = 1", "clientgen.toml: packages.x: must be a table, not 1"),
        (
            "[markers]\n'v1/Pod' = [1]",
            (
                'clientgen.toml: markers."v1/Pod": must be a list of strings, '
                "not a list of other things"
            ),
        ),
        (
            "[expansions]\n'v1/Pod' = 1",
            'clientgen.toml: expansions."v1/Pod": must be a string, not 1',
        ),
        (
            "[expansions]\n'v1/Pod' = { liste = 'pods:Pod' }",
            (
                'clientgen.toml: expansions."v1/Pod".liste: there is no such key\n'
                "    did you mean `lister`?"
            ),
        ),
        (
            "[expansions]\n'v1/Pod' = 'pods.Pod'",
            (
                'clientgen.toml: expansions."v1/Pod": `pods.Pod` does not name a class\n'
                "    write `module.path:ClassName`"
            ),
        ),
        (
            "[markers]\nPod = []",
            (
                "clientgen.toml: markers.Pod: it does not name a kind\n"
                "    write `group/version/Kind`, or `version/Kind` for the core group"
            ),
        ),
        (
            "[markers]\n'v1/Pod' = []\n'core/v1/Pod' = []",
            (
                'clientgen.toml: markers."core/v1/Pod": it refers to the same kind as `v1/Pod`\n'
                "    keep one of the two"
            ),
        ),
    ],
)
def test_a_value_that_makes_no_sense_is_a_problem_with_its_place(text: str, message: str):
    start = "" if text.startswith("package") else 'package = "kubeapi"\n'
    start = "" if "packages" in text else start
    config(start + text + "\n")
    assert complaints() == [message]


def test_everything_wrong_is_shown_at_once():
    config("spec = 1\noutput = 2\npackage = 'x'\n")
    assert len(complaints()) == 2


def test_missing_settings_name_the_key_and_the_flag():
    config("package = 'mine'\n")
    assert complaints() == [
        "clientgen.toml: the config sets no output directory\n    add `output`, or give --output",
        (
            "clientgen.toml: the config names no source\n"
            "    add `spec`, `crd`, `types` or `cluster`, "
            "or give --spec, --crd, --types or --cluster"
        ),
    ]
    config("spec = 'x'\n")
    assert complaints() == [
        'clientgen.toml: the config names no package\n    add `package = "..."`'
    ]


def test_a_package_the_file_does_not_have_needs_all_flags():
    config(ONE)
    assert complaints(Flags(package="kubeap")) == [
        (
            "flags: --package kubeap needs a source (--spec, --crd, --types or --cluster) "
            "and --output too\n    the config has kubeapi"
        )
    ]


def test_flags_for_several_packages_at_once_are_a_problem():
    config("[packages.a]\nspec='a'\noutput='.'\n[packages.b]\nspec='b'\noutput='.'\n")
    assert complaints(Flags(output=Path("x"))) == [
        "flags: --output means one package, but the config has a, b\n    select one with --package"
    ]


def test_keys_beside_the_tables_of_packages_are_a_problem():
    config("output = '.'\n[packages.a]\nspec='a'\noutput='.'\npackage='b'\n")
    assert complaints() == [
        (
            "clientgen.toml: output: it cannot be combined with `packages`\n"
            "    set it in the table of each package"
        ),
        (
            "clientgen.toml: packages.a.package: there is no such key\n"
            "    known are spec, crd, types, crd-output, max-desc-len, header-file, "
            "go-types, cluster, descriptions, "
            "uses, inlined, output, include, exclude, rename, distribution, markers, expansions, "
            "views"
        ),
    ]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (
            "kube-api",
            "a package is imported by its name: letters, digits and `_`, no digit first",
        ),
        (
            "acme.api",
            "a package is imported by its name: letters, digits and `_`, no digit first",
        ),
        (
            "",
            "a package is imported by its name: letters, digits and `_`, no digit first",
        ),
        (
            "../x",
            "a package is imported by its name: letters, digits and `_`, no digit first",
        ),
        ("class", "it is a Python keyword"),
        ("__init__", "names that begin and end with `__` are reserved for Python"),
        ("__pycache__", "names that begin and end with `__` are reserved for Python"),
        ("json", "a package of this name exists and would be hidden"),
        ("clientgen", "a package of this name exists and would be hidden"),
    ],
)
def test_a_name_that_cannot_be_imported_is_a_problem(name: str, why: str):
    assert complaints(Flags((Path("x"),), Path("y"), name)) == [
        f"flags: `{name}` cannot be the name of a package\n    {why}"
    ]


@pytest.mark.parametrize("key", ["spec", "crd", "go-types", "output", "package"])
@pytest.mark.parametrize("value", ['"a\\u0000b"', '["a", "\\u0000"]'])
def test_a_nul_is_a_problem(key: str, value: str):
    config("package = 'a'\n" * (key != "package") + f"{key} = {value}\n")
    what = "must not hold a NUL character"
    if key in ("output", "package") and value.startswith("["):
        what = "must be a string, not a list"
    assert f"clientgen.toml: {key}: {what}" in complaints()


@pytest.mark.parametrize("number", ["9" * 5000, "-" + "9" * 5000, f"0x{'f' * 5000}", "9" * 400])
@pytest.mark.parametrize("text", ["package = {}\n", "crd = [{}]\n", "[tool]\nx = {}\n"])
def test_a_number_of_many_digits_is_a_problem(text: str, number: str):
    config(text.format(number))
    assert all(len(each) < 300 for each in complaints())
    assert complaints()


def test_two_configs_side_by_side_are_a_problem():
    config(ONE)
    config("[tool.clientgen]\n", "pyproject.toml")
    assert complaints() == [
        (
            "clientgen.toml: the pyproject.toml beside it also has a config\n"
            "    keep one, or name one: --config clientgen.toml"
        )
    ]
    assert only(Flags(config=Path("clientgen.toml"))).package == "kubeapi"


def test_a_named_file_must_exist_and_have_the_table():
    assert complaints(Flags(config=Path("no.toml"))) == ["no.toml: there is no such config file"]
    config("[project]\nname = 'x'\n", "pyproject.toml")
    assert complaints(Flags(config=Path("pyproject.toml"))) == [
        "pyproject.toml: it has no table `[tool.clientgen]`"
    ]


def test_a_file_that_cannot_be_read_is_a_problem():
    config("spec = [\n")
    assert complaints() == ["clientgen.toml: is not TOML: Invalid value (at end of document)"]
    Path("clientgen.toml").write_bytes(b"\xff\xfe")
    assert complaints() == ["clientgen.toml: is not UTF-8"]
    config("[tool]\nclientgen = 1\n", "pyproject.toml")
    Path("clientgen.toml").unlink()
    assert complaints() == ["pyproject.toml: tool.clientgen: must be a table, not 1"]
