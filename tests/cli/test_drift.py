"""What `verify` says before it names files, and `generate` when names of modules change."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import Result
from support.definitions import custom_definition, custom_version
from support.endless import document

from clientgen.generator.drift.contents import Contents, Field, Type
from clientgen.generator.drift.drift_report import changes

Run = Callable[..., Result]
FLAGS = ("--output", "out", "--package", "shop")
START = {
    "type": "object",
    "properties": {
        "gone": {"type": "string"},
        "size": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "loose": {"type": "string"},
    },
}


def spec(run: Run, start: dict[str, Any], *more: str) -> None:
    """Write a document of one kind, `Foo`, whose paths have these methods as well."""
    contents = json.loads(document({"Start": start}, "2"))
    (item,) = contents["paths"].values()
    for method, action in (("put", "put"), ("patch", "patch")):
        if method in more:
            body = {"in": "body", "name": "body", "required": True}
            schema = item["get"]["responses"]["200"]["schema"]
            call = {"operationId": f"{method}Foo", "x-kubernetes-action": action}
            parameters = {"parameters": [{**body, "schema": schema}]}
            item[method] = {**item["get"], **call, **parameters}
    Path("spec.json").write_text(json.dumps(contents))


def verified(run: Run, *sources: str) -> tuple[list[str], list[str]]:
    """What is said to change, and the lines that follow."""
    result = run("verify", "--diff", *sources, *FLAGS)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[:2] == ["out/shop is not what would be generated:", "what changes:"]
    end = lines.index("changed:")
    return lines[2:end], lines[end:]


def test_verify_says_first_which_fields_and_verbs_change(run: Run):
    spec(run, START, "put")
    assert run("generate", "--spec", "spec.json", *FLAGS).exit_code == 0
    properties = {
        "size": {"type": "string"},
        "tags": START["properties"]["tags"],
        "loose": {"type": "string"},
        "new": {"type": "boolean"},
        "newer": {"$ref": "#/definitions/com.example.v1.Foo"},
    }
    spec(run, {"type": "object", "properties": properties, "required": ["loose"]}, "patch")
    lines, files = verified(run, "--spec", "spec.json")
    assert lines == [
        "  ~ example.com/v1 Foo: verbs apply, edit, patch added, verb update removed",
        (
            "  ~ example.com/v1 Start: fields new, newer added, field gone removed, "
            "field loose is `str` instead of `str | None`, "
            "field size is `str | None` instead of `int | None`"
        ),
    ]
    assert files[:2] == ["changed:", "  _manifest.json"]
    # Digests are no news.
    assert not any(re.search("[0-9a-f]{64}", line) for line in files)


def test_what_changes_for_users_comes_first_and_the_rest_is_asked_for(run: Run):
    spec(run, START, "put")
    assert "what changes" not in run("generate", "--spec", "spec.json", *FLAGS).stdout
    spec(run, {"type": "object", "properties": {"tags": START["properties"]["tags"]}}, "put")
    lines = run("verify", "--spec", "spec.json", *FLAGS).stdout.splitlines()
    changed = "  ~ example.com/v1 Start: fields gone, loose, size removed"
    assert lines[:3] == ["out/shop is not what would be generated:", "what changes:", changed]
    assert re.fullmatch(r"files: \d changed; --diff shows them", lines[3])
    assert len(lines) == 4
    generated = run("generate", "--spec", "spec.json", *FLAGS).stdout.splitlines()
    assert generated[:2] == ["what changes:", changed]
    assert re.fullmatch(r"out/shop: \d files written, \d+ as before", generated[-1])
    spec(run, START, "put")
    assert run("generate", "--spec", "spec.json", *FLAGS, "--quiet").stdout == ""


def test_what_changes_for_nobody_is_told(run: Run):
    spec(run, START)
    run("generate", "--spec", "spec.json", *FLAGS)
    models = Path("out/shop/example/v1/models.py")
    models.write_text(models.read_text().replace("class Start", "\n\nclass Start"))
    assert run("verify", "--spec", "spec.json", *FLAGS).stdout.splitlines() == [
        "out/shop is not what would be generated:",
        "no kind, field, verb or module changes",
        "files: 1 changed, which users do not see; --diff shows them",
    ]
    models.write_text(f"{models.read_text()}\nMORE = 1\n")
    assert run("verify", "--spec", "spec.json", *FLAGS).stdout.splitlines() == [
        "out/shop is not what would be generated:",
        "no kind, field, verb or module changes",
        "other code does: example/v1/models.py",
        "files: 1 changed; --diff shows them",
    ]


TYPES = '''"""Types of shop.example.com/v1."""

from __future__ import annotations

from clientgen.runtime.models import CustomResource, Model


class GizmoSpec(Model):
    """What to make."""

    colour: str
    size: int = 1


# +genclient
class Gizmo(CustomResource, group="shop.example.com", version="v1"):
    """A thing."""

    spec: GizmoSpec
'''


def test_changes_of_python_types_are_told(run: Run):
    Path("kinds.py").write_text(TYPES)
    of_types = ("--types", "kinds", *FLAGS)
    assert run("generate", *of_types).exit_code == 0
    changed = TYPES.replace("colour: str", "color: str\n    weight: int")
    changed = changed.replace("size: int = 1", 'size: str = ""')
    changed = changed.replace("# +genclient", "# +genclient\n# +genclient:nonNamespaced")
    Path("kinds.py").write_text(changed)
    told = [
        "what changes:",
        "  ~ shop.example.com/v1 Gizmo: scope is Cluster instead of Namespaced",
        (
            "  ~ shop.example.com/v1 GizmoSpec: fields color, weight added, field colour removed, "
            "field size is `str` instead of `int`"
        ),
    ]
    assert run("verify", *of_types).stdout.splitlines()[1:4] == told
    assert run("generate", *of_types).stdout.splitlines()[:3] == told
    # The package does not say which fields have to be given: their classes are not in it.
    Path("kinds.py").write_text(changed.replace('size: str = ""', "size: str"))
    assert run("verify", *of_types).stdout.splitlines() == [
        "out/shop is not what would be generated:",
        "no kind, field, verb or module changes",
        "other code does: kinds.py",
        "files: 1 changed; --diff shows them",
    ]


def test_another_scope_or_plural_is_told(run: Run):
    Path("crds").mkdir()
    definition = custom_definition("shop.example.com", "Cart", custom_version("v1", None))
    crd = Path("crds/cart.json")
    crd.write_text(json.dumps(definition))
    assert run("generate", "--crd", "crds", *FLAGS).exit_code == 0
    other = {"Namespaced": "Cluster", "Cluster": "Namespaced"}[definition["spec"]["scope"]]
    scope = {**definition["spec"], "scope": other}
    crd.write_text(json.dumps({**definition, "spec": scope}))
    lines, _ = verified(run, "--crd", "crds")
    was = definition["spec"]["scope"]
    assert lines == [f"  ~ shop.example.com/v1 Cart: scope is {other} instead of {was}"]

    names = {**definition["spec"]["names"], "plural": "wagons"}
    renamed = {**definition, "metadata": {"name": "wagons.shop.example.com"}}
    crd.write_text(json.dumps({**renamed, "spec": {**definition["spec"], "names": names}}))
    lines, _ = verified(run, "--crd", "crds")
    assert lines == ["  ~ shop.example.com/v1: client wagons added, client carts removed"]


def test_a_package_that_is_not_there_is_told(run: Run):
    crds(("shop.example.com", "Cart"))
    lines = run("verify", "--crd", "crds", *FLAGS).stdout.splitlines()
    assert lines[1] == "there is no package yet: everything in it is new"
    assert re.fullmatch(r"files: \d+ missing; --diff shows them", lines[2])
    assert len(lines) == 3
    assert run("generate", "--crd", "crds", *FLAGS).exit_code == 0
    Path("out/shop/_manifest.json").write_text("<<<<<<< HEAD")
    Path("out/shop/shop/v1/models.py").unlink()
    lines = run("verify", "--crd", "crds", *FLAGS).stdout.splitlines()
    assert lines[1].startswith("what changes for its users is not known: its manifest is missing")


def crds(*pairs: tuple[str, str], schema: dict[str, Any] | None = None) -> None:
    Path("crds").mkdir(exist_ok=True)
    for group, kind in pairs:
        text = json.dumps(custom_definition(group, kind, custom_version("v1", schema)))
        Path(f"crds/{kind}.{group}.json").write_text(text)


def test_verify_says_first_which_kinds_come_and_go(run: Run):
    crds(("shop.example.com", "Cart"), ("shop.example.com", "Till"))
    assert run("generate", "--crd", "crds", *FLAGS).exit_code == 0
    Path("crds/Till.shop.example.com.json").unlink()
    part = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(3)}}
    crds(
        ("shop.example.com", "Bill"),
        ("zoo.example.com", "Ape"),
        schema={"type": "object", "properties": {"spec": part}},
    )
    lines, _ = verified(run, "--crd", "crds")
    assert lines == [
        "  + kind shop.example.com/v1 Bill",
        "  - kind shop.example.com/v1 Till",
        "  + kind zoo.example.com/v1 Ape",
        "  + type shop.example.com/v1 BillSpec",
        "  + type zoo.example.com/v1 ApeSpec",
    ]


def test_verify_of_files_that_somebody_changed_says_what_is_lost(run: Run):
    spec(run, START)
    run("generate", "--spec", "spec.json", *FLAGS)
    models = Path("out/shop/example/v1/models.py")
    text = models.read_text()
    models.write_text(text.replace("    size: int | None = None\n", ""))
    assert verified(run, "--spec", "spec.json")[0] == ["  ~ example.com/v1 Start: field size added"]
    # What is no Python is told by its diff.
    models.write_text(f"{text}\n(")
    lines = run("verify", "--diff", "--spec", "spec.json", *FLAGS).stdout.splitlines()
    assert lines[lines.index("changed:") + 1] == "  example/v1/models.py"


def test_a_group_that_changes_its_name_is_told_with_the_way_to_keep_it(run: Run):
    crds(("config.k8ssandra.io", "Node"))
    assert run("generate", "--crd", "crds", *FLAGS).stderr == ""
    crds(("config.other.io", "Thing"))
    lines, _ = verified(run, "--crd", "crds")
    moved = "~ config.k8ssandra.io: its package `config` becomes `config_k8ssandra`"
    assert lines == ["  + kind config.other.io/v1 Thing", f"  {moved}"]

    result = run("generate", "--crd", "crds", *FLAGS, "--quiet")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        (
            "out/shop: the package of config.k8ssandra.io is now called `config_k8ssandra` "
            "instead of `config`: update your imports of it"
        ),
        "    to keep the old names, add this to the config:",
        "    [rename]",
        '    "config.k8ssandra.io" = "config"',
    ]
    assert Path("out/shop/config_k8ssandra/v1/models.py").is_file()
    assert run("generate", "--crd", "crds", *FLAGS).stderr == ""

    # What is said to keep the name does.
    line = result.stderr.splitlines()[-1].strip()
    Path("clientgen.toml").write_text(
        f'package = "shop"\ncrd = "crds"\noutput = "out"\n[rename]\n{line}\n'
    )
    assert run("generate").exit_code == 0
    assert Path("out/shop/config/v1/models.py").is_file()
    assert Path("out/shop/config_other/v1/models.py").is_file()
    assert not Path("out/shop/config_k8ssandra").exists()


def test_many_files_and_changes_are_counted(run: Run):
    crds(*((f"g{number}.example.com", f"Kind{number}") for number in range(41)))
    crds(("shop.example.com", "Cart"))
    only = ("--crd", "crds/Cart.shop.example.com.json")
    assert run("generate", *only, *FLAGS).exit_code == 0
    lines, files = verified(run, "--crd", "crds")
    assert len(lines) == 41
    assert lines[0] == "  + kind g0.example.com/v1 Kind0"
    assert lines[-1] == "  ... and 1 more"
    missing = files[files.index("missing:") + 1 :]
    assert all(line.startswith("  ") for line in missing[:21])
    assert re.fullmatch(r"  and \d{3} more", missing[20])


def test_long_lists_of_names_are_counted():
    def home(count: int, type_: str, required: bool = False) -> dict[str, Contents]:
        fields = {f"f{n}": Field(type_, required) for n in range(count)}
        types = {"Foo": Type(fields), **{f"T{n}": Type() for n in range(count)}}
        return {"v1": Contents(types, {})}

    assert changes({}, {}) == []
    assert changes(home(0, "int"), home(9, "int")) == [
        "~ core/v1 Foo: fields f0, f1, f2, f3, f4, f5, and 3 more added",
        "+ 9 types core/v1 T0, T1, T2, T3, T4, T5, and 3 more",
    ]
    assert changes(home(8, "int"), home(8, "int", required=True))[0].endswith(
        "field f5 has to be given now, and 2 other fields changed"
    )


def test_fields_of_views_that_come_and_go_are_told(run: Run):
    def views(**fields: list[str]) -> None:
        lines = ['package = "shop"', 'output = "out"', 'crd = "crds"']
        for name, paths in fields.items():
            lines += [f"[views.{name}]", 'of = "shop.example.com/v1/Cart"', f"fields = {paths}"]
        Path("clientgen.toml").write_text("\n".join(lines))

    crds(("shop.example.com", "Cart"), schema={"type": "object", "properties": {"spec": START}})
    views(Small=["spec.size", "spec.gone"])
    assert run("generate").exit_code == 0
    assert run("verify").exit_code == 0
    views(Small=["spec.size", "spec.loose"], Key=[])
    assert run("verify").stdout.splitlines()[1:4] == [
        "what changes:",
        "  ~ shop.example.com/v1 SmallSpec: field loose added, field gone removed",
        "  + type shop.example.com/v1 Key",
    ]
    views()
    gone = "  - 2 types shop.example.com/v1 Small, SmallSpec"
    assert gone in run("verify").stdout.splitlines()
