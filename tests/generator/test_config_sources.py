from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support import config_files
from support.config_files import complaints, config

from clientgen.cli.generate import generate
from clientgen.generator.config_tables import CONTENT_KEYS
from clientgen.generator.configuration import (
    ClusterSource,
    Distribution,
    Flags,
    PackageConfig,
    load,
    load_sources,
)

START = 'output = "out"\npackage = "shop"\n'


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def only(text: str = "", flags: Flags | None = None) -> PackageConfig:
    if text:
        config(START + text)
    return config_files.only(flags)


def test_every_source_of_the_file():
    config(
        START
        + """
spec = ["a.json", "v3/"]
crd = ["crds", "more.yaml"]
types = ["myops.v1"]
go-types = "../operator/api"
uses = ["kubeapi", "acme.api"]
inlined = "never"

[cluster]
context = "x"
kubeconfig = "kube.conf"
""",
        "conf/clientgen.toml",
    )
    package = only(flags=Flags(config=Path("conf/clientgen.toml")))
    assert package.specs == (Path("conf/a.json"), Path("conf/v3"))
    assert package.crds == (Path("conf/crds"), Path("conf/more.yaml"))
    assert package.types == ("myops.v1",)
    assert package.go_types == (Path("conf/../operator/api"),)
    assert package.uses == ("kubeapi", "acme.api")
    assert package.inlined == "never"
    assert package.cluster == ClusterSource("x", Path("conf/kube.conf"))


@pytest.mark.parametrize("source", ["spec='a'", "crd='a'", "types='a'", "cluster=true"])
def test_each_source_is_enough(source: str):
    assert only(source).has_source


@pytest.mark.parametrize("source", ["go-types='a'", "cluster=false", "uses='a'", "spec=[]"])
def test_a_package_needs_a_source_of_its_own(source: str):
    config(START + source)
    assert complaints() == [
        (
            "clientgen.toml: the config names no source\n"
            "    add `spec`, `crd`, `types` or `cluster`, "
            "or give --spec, --crd, --types or --cluster"
        )
    ]


def test_flags_say_the_same_and_win_key_by_key():
    flags = Flags(
        crds=(Path("b.yaml"),),
        cluster=True,
        context="y",
        uses=("kubeapi",),
        exclude=("apps",),
        distribution="shop-client==2.0",
    )
    package = only("spec='a.json'\ncrd='a.yaml'\ninclude='core'\nexclude='batch'", flags)
    assert (package.specs, package.crds) == ((Path("a.json"),), (Path("b.yaml"),))
    assert package.cluster == ClusterSource("y")
    assert package.uses == ("kubeapi",)
    assert [pattern.text for pattern in package.selection.include] == ["core"]
    assert [pattern.text for pattern in package.selection.exclude] == ["apps"]
    assert package.distribution == Distribution("shop-client", "2.0", unnamed=("kubeapi",))


def test_wrong_flags_are_reported_like_wrong_keys():
    config(START + "spec='a.json'")
    assert complaints(Flags(include=("v1/Pod",), types=("a-b",), distribution="x==?")) == [
        (
            "flags: types[0]: `a-b` is not the name of a module\n"
            "    write it as in an import statement: `package.module`"
        ),
        (
            "flags: include[0]: `v1/Pod` does not select anything\n"
            "    the core group is called `core`: `core/v1/Pod`"
        ),
        (
            "flags: distribution: `?` cannot be the version of a distribution\n"
            "    write it like `1.2.0` or `1.2.0rc1`"
        ),
    ]


def test_a_context_without_a_cluster_is_a_problem():
    config(START + "spec='a.json'")
    assert complaints(Flags(context="x", kubeconfig=Path("y"))) == [
        "flags: --context selects a cluster, but no cluster is read\n    add --cluster",
        "flags: --kubeconfig selects a cluster, but no cluster is read\n    add --cluster",
    ]


def test_a_context_by_flag_wins_over_the_one_of_the_file():
    package = only("cluster = { context = 'x', kubeconfig = 'f' }", Flags(context="y"))
    assert package.cluster == ClusterSource("y", Path("f"))


def test_renames_are_of_classes_and_of_groups():
    renames = only("""
crd = "a"
[rename]
"example.com/v1/Thing" = "Item"
"core/v1/Pod" = "Capsule"
"networking.istio.io" = "istio"
"core" = "kernel"
""").renames
    assert {key: name.text for key, name in renames.classes.items()} == {
        "example.com/v1/Thing": "Item",
        "v1/Pod": "Capsule",
    }
    assert {key: name.text for key, name in renames.groups.items()} == {
        "networking.istio.io": "istio",
        "": "kernel",
    }


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("'a-b'", Distribution("a-b", "0.1.0")),
        ("'a-b==1.2'", Distribution("a-b", "1.2")),
        ("'a-b == 1!1.2.post1'", Distribution("a-b", "1!1.2.post1")),
        ("{name='a', description='d'}", Distribution("a", description="d")),
        ("{name='a', readme='r.md'}", Distribution("a", readme="r.md")),
        ("{name='a', dependencies='b>1'}", Distribution("a", dependencies=("b>1",))),
    ],
)
def test_a_distribution_is_a_line_or_a_table(written: str, wanted: Distribution):
    assert only(f"crd='a'\ndistribution = {written}").distribution == wanted


def test_packages_come_after_what_they_use():
    table = "crd='x'\noutput='.'\n"
    config(
        f"[packages.ant]\n{table}uses=['zoo', 'pip']\n[packages.bee]\n{table}"
        f"[packages.zoo]\n{table}uses=['cow']\n[packages.cow]\n{table}"
    )
    assert [package.package for package in load(Flags())] == ["bee", "cow", "zoo", "ant"]
    (ant,) = load(Flags(package="ant"))
    assert ant.package == "ant"


def test_packages_that_use_each_other_are_a_problem():
    table = "crd='x'\noutput='.'\n"
    config(
        f"[packages.b]\n{table}uses=['c']\n[packages.c]\n{table}uses=['a']\n"
        f"[packages.a]\n{table}uses=['b']\n"
    )
    assert complaints() == [
        (
            "clientgen.toml: packages.a.uses: "
            "packages use each other in a cycle: a -> b -> c -> a\n"
            "    remove one of them from `uses`"
        )
    ]
    config(START + "crd='x'\nuses='shop'")
    assert complaints() == [
        (
            "clientgen.toml: uses: packages use each other in a cycle: shop -> shop\n"
            "    remove one of them from `uses`"
        )
    ]


def test_two_distributions_in_one_folder_are_a_problem():
    table = "crd='x'\noutput='.'\n"
    config(f"[packages.a]\n{table}distribution='a'\n[packages.b]\n{table}distribution='b'\n")
    assert complaints() == [
        (
            "clientgen.toml: packages.b.distribution: `a` already has a pyproject.toml in .\n"
            "    give one of them another `output`"
        )
    ]


def test_modules_are_looked_for_beside_the_file_and_where_packages_are_written():
    config(
        "[packages.a]\ncrd='x'\noutput='lib/a'\n[packages.b]\ncrd='x'\noutput='lib/b'\n",
        "conf/clientgen.toml",
    )
    (a,) = load(Flags(package="a", config=Path("conf/clientgen.toml")))
    assert a.paths == tuple(map(Path, ("conf", "conf/src", "conf/lib/a", "conf/lib/b")))


@pytest.mark.parametrize(
    "change",
    [
        "types='a'",
        "uses='a'",
        "inlined='never'",
        "include='a'",
        "exclude='a'",
        "[rename]\na='b'",
        "[rename]\n'v1/A'='B'",
        "[views.A]\nof='v1/Pod'\nfields=[]",
    ],
)
def test_settings_of_the_contents_change_the_digest(change: str):
    assert only("crd='x'\n" + change).digest() != only("crd='x'\n").digest()


def test_paths_and_distribution_do_not_change_the_digest():
    text = "crd='x'\ninclude='apps'\n[rename]\na='b'\n"
    here = only("distribution='a'\n" + text)
    config("[packages.shop]\noutput='y'\n" + text.replace("[rename]", "[packages.shop.rename]"))
    there = only()
    assert (here.selection, here.output) != (there.selection, there.output)
    assert there.digest() == here.digest()


def test_sources_of_flags_need_no_package_and_no_output():
    (package,) = load_sources(Flags(crds=(Path("a"),), include=("b",)))
    assert (package.crds, package.selection.include[0].text) == ((Path("a"),), "b")
    config(START + "spec='a.json'")
    (package,) = load_sources(Flags())
    assert package.package == "shop"


# ---- docs/reference/configuration.md ------------------------------------------------------------

DOCS = Path(__file__).resolve().parents[2] / "docs" / "reference" / "configuration.md"
EXAMPLES = re.findall(r"```toml\n(.*?)```", DOCS.read_text(), re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_example_of_the_docs_is_a_configuration(number: int):
    config(EXAMPLES[number])
    assert load(Flags())


def test_the_docs_have_every_key_and_every_flag():
    text = DOCS.read_text()
    keys = {key for example in EXAMPLES for key in re.findall(r"^\[?([a-z-]+)", example, re.M)}
    assert {"package", "packages", *CONTENT_KEYS} <= keys
    flags = {word for option in generate.params for word in option.opts if word.startswith("--")}
    missing = {flag for flag in flags if flag not in text}
    assert missing == {"--quiet", "--verbose"}


def test_the_first_example_of_several_packages_is_in_the_order_of_use():
    config(next(example for example in EXAMPLES if "[packages.pools]" in example))
    assert [package.package for package in load(Flags())] == ["kubeapi", "pools"]


@pytest.mark.parametrize("name", ["list", "str", "models", "options", "spec"])
def test_a_class_is_not_renamed_to_what_modules_need(name: str):
    config(f'package = "x"\nspec = ["a"]\noutput = "o"\n[rename]\n"v1/Pod" = "{name}"\n')
    (message,) = complaints()
    assert f"generated modules use `{name}` for something else" in message


@pytest.mark.parametrize("name", ["a.import:B", "a:class", "a:Größe", "a:B\n", 'a:B"'])
def test_expansions_name_what_can_be_imported(name: str):
    quoted = json.dumps(name)
    config(f'package = "x"\nspec = ["a"]\noutput = "o"\n[expansions]\n"v1/Pod" = {quoted}\n')
    (told,) = complaints()
    assert "does not name a class" in told
