"""docs/how-to: every recipe runs by itself, against a cluster of its own, and prints what it says.

A recipe gets `k` and nothing else. Recipes that print nothing, and controllers, which do not end by
themselves, have a check below.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import logging
import re
import signal
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from click.testing import CliRunner
from kubeapi.apps.v1 import Deployment
from kubeapi.coordination.v1 import Lease
from kubeapi.core.v1 import ConfigMap
from kubeapi.events.v1 import Event
from support.how_to_worlds import PAINTER, SET_UP, World, world_of
from support.recipes import FOLDER, INDEX, PAGES, Block, Recipe, recipes

from clientgen.cli.program import program
from clientgen.runtime.conditions import condition, deleted, exists
from clientgen.runtime.errors import Forbidden
from clientgen.runtime.sync import Context, Manager, Sharding
from clientgen.testing import FakeCluster, LocalServer

RECIPES = {str(each): each for each in recipes()}
Names = dict[str, Any]


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_does_what_it_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = RECIPES[name]
    with world_of(recipe, tmp_path, monkeypatch) as world:
        names: Names = {"__name__": "recipe", "k": world.k}
        printed = ""
        for block in recipe.blocks:
            if block.language == "python":
                assert not printed, f"{recipe.page.name} does not show that it prints {printed}"
                printed = run(recipe, block, world, names)
            elif block.language == "text":
                assert_matches(block.text, printed)
                printed = ""
            else:
                printed = run_commands(block.text)
        assert not printed, f"{recipe.page.name} does not show that it prints {printed}"
        if name in CHECKS:
            CHECKS[name](world, names)


def run(recipe: Recipe, block: Block, world: World, names: Names) -> str:
    """Run a block. Returns what it printed."""
    text = block.text
    for shown, used in world.replace.items():
        text = text.replace(shown, used)
    code = compile("\n" * block.line + text, str(recipe.page), "exec", dont_inherit=True)
    before = set(names)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        if "manager.run()  # until" in text or text.rstrip().endswith("manager.run()"):
            run_manager(code, names, lambda: SCENARIOS[str(recipe)](world, names, out))
        elif "except KeyboardInterrupt" in text:
            run_until_ctrl_c(code, names, lambda: SCENARIOS[str(recipe)](world, names, out))
        else:
            exec(code, names)
        for each in [key for key in names if key not in before and key.startswith("test_")]:
            call_with_fixtures(names[each])
    return out.getvalue()


def run_manager(code: Any, names: Names, scenario: Callable[[], None]) -> None:
    """Run a block that ends when its manager is stopped: after the scenario."""
    failures: list[BaseException] = []

    def work() -> None:
        try:
            exec(code, names)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        until(lambda: "manager" in names or failures)
        if not failures:
            scenario()
    finally:
        if "manager" in names:
            names["manager"].stop()
        thread.join()
    if failures:
        raise failures[0]


def run_until_ctrl_c(code: Any, names: Names, scenario: Callable[[], None]) -> None:
    """Run a block that ends with Ctrl-C: after the scenario."""
    main = threading.get_ident()
    ended = threading.Event()

    def work() -> None:
        try:
            scenario()
        finally:
            # CPython loses a signal that arrives just before the thread blocks on a lock: it is
            # noted, but it does not wake the thread. So Ctrl-C is pressed again.
            signal.pthread_kill(main, signal.SIGINT)
            while not ended.wait(5):
                signal.pthread_kill(main, signal.SIGINT)

    # A shell starts `pytest &` with SIGINT ignored; then Ctrl-C would end nothing.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=work)
    thread.start()
    try:
        exec(code, names)
    finally:
        ended.set()
        thread.join()
        signal.signal(signal.SIGINT, before)


def call_with_fixtures(test: Callable[..., None]) -> None:
    """Call a test as pytest does."""
    with contextlib.ExitStack() as stack:
        cluster = FakeCluster()
        fixtures: dict[str, Callable[[], object]] = {
            "fake_cluster": lambda: cluster,
            "kubeconfig": lambda: stack.enter_context(LocalServer(cluster)).kubeconfig,
        }
        test(**{name: fixtures[name]() for name in inspect.signature(test).parameters})


def run_commands(text: str) -> str:
    """Run lines of a shell that call clientgen. Returns what they printed."""
    out = ""
    for line in text.splitlines():
        name, *words = line.split()
        assert name == "clientgen"
        result = CliRunner().invoke(program, words, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        out += result.output
    return out


def assert_matches(shown: str, printed: str) -> None:
    """Compare lines. `...` stands for any text, and in a line of its own for any lines."""
    pattern = "".join(
        r"(.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n"
        for line in shown.splitlines()
        if line
    )
    lines = [f"{line.rstrip()}\n" for line in printed.splitlines() if line.strip()]
    assert re.fullmatch(pattern, "".join(lines)), f"it prints:\n{printed}"


def until(is_true: Callable[[], object]) -> None:
    """Wait for another thread."""
    deadline = time.monotonic() + 120
    while not is_true():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.001)


# ---- recipes that do more than they print ----------------------------------------------------


def check_limit(_: World, names: Names) -> None:
    assert names["k"].rest.timeout == 10


def check_proxy(world: World, _: Names) -> None:
    assert world.proxy
    assert world.proxy.asked


def check_pods_are_replaced(world: World, _: Names) -> None:
    verbs = [(each.verb, each.resource, each.subresource) for each in world.cluster.writes[-2:]]
    assert verbs == [("delete", "pods", ""), ("create", "pods", "eviction")]


def check_webhooks(world: World, names: Names) -> None:
    webhooks = names["webhooks"]
    world.cluster.service("shop/operator", webhooks)
    world.cluster.add(*webhooks.configurations("operator", service="shop/operator"))
    maps = world.k.core_v1.config_maps("shop")
    colours = maps.create({"metadata": {"name": "colours"}, "data": {"sky": "blue"}})
    assert colours.metadata.labels == {"owner": "kubernetes-admin"}
    with pytest.raises(Forbidden, match="there is nothing in it"):
        maps.create({"metadata": {"name": "empty"}})


CHECKS: dict[str, Callable[[World, Names], None]] = {
    "connect: limit how long a call may take": check_limit,
    "connect: reach the cluster through a proxy": check_proxy,
    "controllers: refuse or complete objects before they are stored": check_webhooks,
    "pods: delete a pod at once, or evict it": check_pods_are_replaced,
}


# ---- what happens while a controller runs ----------------------------------------------------

Scenario = Callable[[World, Names, io.StringIO], None]


def wait_for_team(world: World, _: Names, out: io.StringIO) -> None:
    def is_done(web: Deployment) -> bool:
        return web.metadata.annotations.get("example.com/team") == "unknown"

    world.k.wait(Deployment, "web", namespace="shop", until=is_done, timeout=60)
    until(out.getvalue)


def delete_what_is_owned(world: World, _: Names, __: io.StringIO) -> None:
    maps = world.k.core_v1.config_maps("shop")
    first = maps.wait("web-images", until=exists, timeout=60)
    assert first.data == {"web": "web:1"}
    maps.delete("web-images")
    second = maps.wait("web-images", until=lambda each: each.metadata.uid != first.metadata.uid)
    world.k.apps_v1.deployments("shop").delete("web")
    world.k.wait(second, until=deleted, timeout=60)


def wait_for_condition(world: World, names: Names, __: io.StringIO) -> None:
    tabs = world.k.dynamic.resource("crontabs")
    tab = tabs.wait("nightly", namespace="shop", until=condition("Ready"), timeout=60)
    assert tab["status"]["conditions"][0]["reason"] == "Scheduled"
    assert tab["spec"] == {"schedule": "0 3 * * *"}


def delete_bucket(world: World, _: Names, __: io.StringIO) -> None:
    def is_held(settings: ConfigMap) -> bool:
        return settings.metadata.finalizers == ["example.com/bucket"]

    maps = world.k.core_v1.config_maps("shop")
    maps.patch("settings", {"data": {"bucket": "photos"}})
    maps.wait("settings", until=is_held, timeout=60)
    maps.delete("settings")
    maps.wait("settings", until=deleted, timeout=60)


def pass_five_minutes(world: World, _: Names, out: io.StringIO) -> None:
    until(out.getvalue)

    def is_called_again() -> bool:
        world.cluster.clock.step(300)
        return out.getvalue().count("\n") > 1

    until(is_called_again)


def change_price(_: World, names: Names, out: io.StringIO) -> None:
    until(lambda: "is 3" in out.getvalue())
    names["prices"]["settings"] = 4
    names["orders"].put("settings")
    until(lambda: "is 4" in out.getvalue())


def delete_the_probed(world: World, _: Names, out: io.StringIO) -> None:
    until(lambda: "begin settings" in out.getvalue())
    world.k.core_v1.config_maps("shop").delete("settings")
    until(lambda: "end settings" in out.getvalue())


def change_before_the_interval_ends(world: World, names: Names, out: io.StringIO) -> None:
    class Counted(dict[Any, float]):
        lookups = 0

        def get(self, key: Any, default: Any = None) -> Any:
            self.lookups += 1
            return super().get(key, default)

    clock = world.cluster.clock
    until(out.getvalue)
    clock.step(200)
    names["next_check"] = checks = Counted(names["next_check"])
    deployments = world.k.apps_v1.deployments("shop")
    deployments.patch("web", {"metadata": {"labels": {"seen": "yes"}}})
    until(lambda: checks.lookups)
    before = clock.monotonic()

    def is_checked_again() -> bool:
        clock.step(10)
        return out.getvalue().count("\n") > 1

    until(is_checked_again)
    assert clock.monotonic() - before < 200  # and not 300 after the change


def read_two_lines(_: World, __: Names, out: io.StringIO) -> None:
    until(lambda: out.getvalue().count("\n") == 2)


def change_all(world: World, _: Names, out: io.StringIO) -> None:
    until(out.getvalue)
    world.k.manifests(PAINTER, namespace="shop").apply()
    deployments = world.k.apps_v1.deployments("shop")
    deployments.patch("web", {"metadata": {"labels": {"seen": "yes"}}})
    # The controller hears of changes in order: what is not selected would come before this.
    canary = PAINTER.replace("{name: painter}", "{name: canary, labels: {app: web}}")
    world.k.manifests(canary.replace("painter", "canary"), namespace="shop").apply()
    until(lambda: out.getvalue().endswith("canary\n"))
    assert out.getvalue() == "shop/web\nshop/canary\n"
    out.truncate(out.getvalue().index("shop/canary"))  # the page has no such Deployment
    out.seek(0, io.SEEK_END)
    deployments.patch("web", {"spec": {"minReadySeconds": 1}})
    until(lambda: out.getvalue().count("\n") == 2)


def change_mounted(world: World, _: Names, out: io.StringIO) -> None:
    until(out.getvalue)
    seen = out.getvalue().count("\n")
    world.k.core_v1.config_maps("shop").patch("settings", {"data": {"colour": "red"}})
    until(lambda: out.getvalue().count("\n") > max(seen, 1))


def set_ports(world: World, _: Names, out: io.StringIO) -> None:
    until(out.getvalue)
    deployments = world.k.apps_v1.deployments("shop")
    with logged() as records:
        deployments.patch("web", {"metadata": {"annotations": {"example.com/port": "none"}}})
        until(lambda: records)
        world.cluster.clock.step(2000)  # longer than any pause between tries
        deployments.patch("web", {"metadata": {"annotations": {"example.com/port": "8080"}}})
        until(lambda: out.getvalue().endswith("port 8080\n"))
    assert len([each for each in records if "'none' is not a port" in each]) == 1


def name_owner_late(world: World, _: Names, out: io.StringIO) -> None:
    def has_given_up() -> bool:
        world.cluster.clock.step(1)
        return "attempt 3" in out.getvalue()

    until(has_given_up)
    world.cluster.clock.step(2000)  # longer than any pause between tries
    deployments = world.k.apps_v1.deployments("shop")
    deployments.patch("web", {"metadata": {"annotations": {"example.com/owner": "shop"}}})
    until(lambda: out.getvalue().endswith("has an owner\n"))


def change_often(world: World, names: Names, out: io.StringIO) -> None:
    until(out.getvalue)
    deployments = world.k.apps_v1.deployments("shop")
    for number in range(1, 21):
        deployments.patch("web", {"metadata": {"labels": {"seen": f"{number}-times"}}})
    lister = names["manager"].lister(Deployment)
    until(lambda: lister.get("shop", "web").metadata.labels["seen"] == "20-times")
    (source,) = names["controller"]._sources
    until(lambda: not source.registration.backlog)  # the changes are in the queue
    world.cluster.clock.step(10)
    until(lambda: out.getvalue().count("\n") > 1)


@contextlib.contextmanager
def logged() -> Generator[list[str], None, None]:
    """The errors that are logged."""
    records: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(self.format(record))

    handler = Collector(logging.ERROR)
    logging.getLogger().addHandler(handler)
    try:
        yield records
    finally:
        logging.getLogger().removeHandler(handler)


def wait_for_lease(world: World, _: Names, out: io.StringIO) -> None:
    until(out.getvalue)
    assert world.k.get(Lease, "teams", namespace="shop").spec.holder_identity


def join_another_replica(world: World, names: Names, out: io.StringIO) -> None:
    until(out.getvalue)
    k, clock, first = world.k, world.cluster.clock, names["sharding"]
    seen: list[str] = []

    def reconcile(context: Context[Deployment]) -> None:
        seen.append(context.name)

    def is_divided() -> bool:
        clock.step(1)
        return len(first.members) == len(second.members) == 2 and second.wait_until_settled(0)

    with Sharding(k, "teams", "shop", clock=clock) as second:
        manager = Manager(k, sharding=second)
        manager.controller("teams", reconcile).for_(Deployment)
        thread = threading.Thread(target=manager.run)
        thread.start()
        try:
            until(is_divided)
            teams = {f"team-{number}" for number in range(20)}
            for name in teams:
                body = PAINTER.replace("{name: painter}", f"{{name: {name}}}")
                k.manifests(body, namespace="shop").apply()

            def of_first() -> set[str]:
                return teams & {*out.getvalue().split()}

            until(lambda: of_first() | {*seen} >= teams)
            assert of_first()
            assert teams - of_first() == teams & {*seen} != set()
        finally:
            manager.stop()
            thread.join()


def wait_for_event(world: World, _: Names, __: io.StringIO) -> None:
    def is_about_web(event: Event) -> bool:
        return (event.reason, event.regarding.name) == ("NoTeam", "web")

    until(lambda: any(map(is_about_web, world.k.events_v1.events("shop").list())))


def look_at_endpoints(_: World, names: Names, __: io.StringIO) -> None:
    manager = names["manager"]

    def answer(url: str) -> bytes:
        try:
            return bytes(urlopen(url).read())
        except OSError:  # not yet
            return b""

    until(lambda: answer(f"{manager.health_url}/readyz") == b"ok")
    assert answer(f"{manager.health_url}/healthz/watches") == b"ok"
    until(lambda: b"controller_runtime_reconcile_total" in answer(manager.metrics_url))


SCENARIOS: dict[str, Scenario] = {
    "controllers: add health checks and metrics": look_at_endpoints,
    "controllers: clean up when an object is deleted": delete_bucket,
    "controllers: divide a controller's objects among replicas": join_another_replica,
    "controllers: do something at a fixed interval, whatever happens in between": (
        change_before_the_interval_ends
    ),
    "controllers: give up after some attempts": name_owner_late,
    "controllers: let one of several replicas work": wait_for_lease,
    "controllers: look at an object again after some time": pass_five_minutes,
    "controllers: look at an object when another object changes": change_mounted,
    "controllers: make objects that belong to another object": delete_what_is_owned,
    "controllers: react to some objects or some changes only": change_all,
    "controllers: reconcile an object less often": change_often,
    "controllers: react to something outside of the cluster": change_price,
    "controllers: record an event": wait_for_event,
    "controllers: report a status with conditions": wait_for_condition,
    "controllers: run something beside each object": delete_the_probed,
    "controllers: stop trying again": set_ports,
    "controllers: write a controller": wait_for_team,
    "pods: follow the logs of all pods of a deployment": read_two_lines,
}


# ---- the pages -------------------------------------------------------------------------------


def test_every_recipe_prints_something_or_is_checked() -> None:
    for name, recipe in RECIPES.items():
        is_shown = any(each.language == "text" for each in recipe.blocks)
        # The recipes for tests assert by themselves.
        is_test = re.search(r"\n +(assert|with pytest.raises)\b", recipe.blocks[0].text)
        assert is_shown or is_test or name in CHECKS or name in SCENARIOS, name


def test_what_is_prepared_is_for_recipes_that_exist() -> None:
    names = {each.page.stem for each in RECIPES.values()} | set(RECIPES)
    assert not {*SET_UP, *CHECKS, *SCENARIOS} - names


def test_the_index_lists_every_question_in_order() -> None:
    index = INDEX.read_text("utf-8")
    listed = re.findall(r"^- \[(.*)\]\(([\w-]+\.md)#", index, re.MULTILINE)
    pages = dict.fromkeys(page for _, page in listed)
    in_order = sorted(RECIPES.values(), key=lambda each: list(pages).index(each.page.name))
    assert listed == [(each.question, each.page.name) for each in in_order]
    assert {FOLDER / page for page in pages} == set(PAGES)
