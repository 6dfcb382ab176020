"""Derive the synchronous flavour of a module from the asyncio one.

Everything that waits is written once, for asyncio. `to_sync` turns such a source into its twin by
exchanging words. Layout stays. It also exchanges words in strings and comments, so `__all__`,
docstrings and messages tell the truth in both flavours. The generator uses it for generated
packages; run as a program, this module does the same for `clientgen/runtime`:

    python -m clientgen.generator.unasync            write clientgen/runtime/_sync
    python -m clientgen.generator.unasync --check    only compare; exit code 1 if they differ

Where exchanging words is not enough, there are twins: `_primitives` and `transport` are written by
hand for each flavour, with the same names.
"""

from __future__ import annotations

import argparse
import io
import re
import sys
import token
import tokenize
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from clientgen.generator.literals import MARK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# The replacements: a pattern for a whole identifier, and the new one. The first match wins.
RULES: tuple[tuple[str, str], ...] = (
    (r"Async([A-Z]\w*)", r"\1"),
    (r"async_(\w+)", r"\1"),
    (r"StopAsyncIteration", "StopIteration"),
    (r"aclose", "close"),
    (r"__aenter__", "__enter__"),
    (r"__aexit__", "__exit__"),
    (r"__aiter__", "__iter__"),
    (r"__anext__", "__next__"),
    (r"_async", "_sync"),
    (r"aio", "sync"),
)

# Keywords that vanish with the blank after them. In strings only where they are code, since
# descriptions may say "async" and "await" in plain English.
_DROPPED = frozenset({"async", "await"})
_DROPPED_WORD = re.compile(r"\b(?:async|await)\b")
_DROPPED_IN_TEXT = re.compile(r"\b(?:async (?=(?:def|for|with)\b)|await (?=[a-z_]\w*[.(]))")

_RULES = tuple((re.compile(pattern), replacement) for pattern, replacement in RULES)
# Part of an identifier, so that a marked word is another word, and one that nobody writes.
_KEPT = f"_{MARK}"
_WORD = re.compile(r"[A-Za-z_]\w*")
_MIDDLE = getattr(token, "FSTRING_MIDDLE", -1)
_TEXT = frozenset({token.STRING, token.COMMENT, _MIDDLE})

# Lists of names, which are sorted and have to stay so when the names change.
_IMPORT = re.compile(r"^( *from \S+ import )(?:\(([\w\s,]*)\)|([\w ,]+))$", re.MULTILINE)
_EXPORTS = re.compile(r'^(__all__ = \[)([\w\s,"]*)(\])$', re.MULTILINE)


def to_sync(source: str) -> str:
    """Give the synchronous twin of an asyncio module.

    The result may need formatting: lines get shorter.
    """
    if _is_plain(source):
        return _sort_names(_exchanged_text(source), source)
    starts = _line_starts(source)
    pieces: list[str] = []
    done = 0
    for tok in tokenize.generate_tokens(io.StringIO(source).readline):
        if tok.type != token.NAME and tok.type not in _TEXT:
            continue
        begin = starts[tok.start[0] - 1] + tok.start[1]
        end = starts[tok.end[0] - 1] + tok.end[1]
        if tok.string in _DROPPED and tok.type == token.NAME:
            pieces.append(source[done:begin])
            done = end + 1
        elif (new := _exchanged(source[begin:end], tok.type)) != source[begin:end]:
            pieces += (source[done:begin], new)
            done = end
    return _sort_names("".join((*pieces, source[done:])), source)


def _is_plain(source: str) -> bool:
    """Return whether each `async` and `await` can be dropped by text alone, as in most modules."""
    return len(_DROPPED_WORD.findall(source)) == len(_DROPPED_IN_TEXT.findall(source))


def protect(text: str) -> str:
    """Mark the words of others, a kind called AsyncJob say, so that they are not exchanged."""
    return _WORD.sub(lambda found: _protected(found[0]), text)


def sync_name(name: str) -> str:
    """Return the name in the synchronous twin."""
    return release(_word(name))


def _protected(word: str) -> str:
    exchanged = word in _DROPPED or _word(word) != word
    return f"{_KEPT}{word}" if exchanged else word


def release(text: str) -> str:
    """Take the marks off again, from the source and from what was derived."""
    return text.replace(_KEPT, "")


def _line_starts(source: str) -> list[int]:
    starts = [0]
    for line in io.StringIO(source):
        starts.append(starts[-1] + len(line))
    return starts


def _exchanged(text: str, kind: int) -> str:
    return _word(text) if kind == token.NAME else _exchanged_text(text)


def _exchanged_text(text: str) -> str:
    return _WORD.sub(lambda found: _word(found[0]), _DROPPED_IN_TEXT.sub("", text))


@cache
def _word(word: str) -> str:
    for pattern, replacement in _RULES:
        if found := pattern.fullmatch(word):
            return found.expand(replacement)
    return word


def _sort_names(derived: str, source: str) -> str:
    """Sort the lists of imported and exported names that the exchange has touched."""

    def imports(found: re.Match[str]) -> str:
        if found[0] in source:
            return found[0]
        names = _sorted(found[2] or found[3])
        if found[2] is None:
            return found[1] + ", ".join(names)
        indent = found[1].partition("from")[0]
        lines = "".join(f"\n{indent}    {name}," for name in names)
        return f"{found[1]}({lines}\n{indent})"

    def exports(found: re.Match[str]) -> str:
        if found[0] in source:
            return found[0]
        names = _sorted(found[2])
        if found[2].startswith("\n"):
            return found[1] + "".join(f"\n    {name}," for name in names) + "\n" + found[3]
        return found[1] + ", ".join(names) + found[3]

    return _EXPORTS.sub(exports, _IMPORT.sub(imports, derived))


def _sorted(names: str) -> list[str]:
    """Sort as isort does: CONSTANTS, then Classes, then functions; a name stays once."""
    unique = {" ".join(name.split()) for name in names.split(",") if name.strip()}
    return sorted(unique, key=lambda name: (_rank(name.strip('"')), name.strip('"')))


def _rank(name: str) -> int:
    word = name.partition(" ")[0]
    if len(word) > 1 and word.isupper():
        return 0
    return 1 if word[0].isupper() else 2


# ---- the runtime ------------------------------------------------------------------------------

_RUNTIME = Path(__file__).resolve().parents[1] / "runtime"
_TEMPLATES = Path(__file__).resolve().parents[2] / "templates"

# Every derived module by name, so that a forgotten one is noticed.
DERIVED: tuple[str, ...] = (
    "auth_reconcile.py",
    "certificate_secret.py",
    "certificates.py",
    "interactive.py",
    "local_proxy.py",
    "debug.py",
    "top.py",
    "client.py",
    "clientset.py",
    "controller.py",
    "controller_cluster.py",
    "controller_set.py",
    "controller_sources.py",
    "daemons.py",
    "dependent_declarations.py",
    "dependents.py",
    "describe.py",
    "described_object.py",
    "dynamic.py",
    "discovery.py",
    "command.py",
    "concurrent_calls.py",
    "copying.py",
    "events.py",
    "exec_stream.py",
    "port_forward.py",
    "proxy.py",
    "raw_stream.py",
    "external.py",
    "fair_queue.py",
    "finalizer.py",
    "fleet.py",
    "fleet_controller.py",
    "fleet_member.py",
    "fleet_runner.py",
    "fleet_sources.py",
    "hosted_controller.py",
    "informer.py",
    "informer_factory.py",
    "health_monitor.py",
    "leader_election.py",
    "lease_candidate.py",
    "lease_client.py",
    "line_stream.py",
    "log_tail.py",
    "live_namespaces.py",
    "managed_controller.py",
    "make_verbs.py",
    "manager.py",
    "manifest_set.py",
    "manifest_texts.py",
    "namespace_lists.py",
    "namespace_watch.py",
    "object_client.py",
    "outdated.py",
    "pager.py",
    "health_endpoints.py",
    "processor.py",
    "recorder.py",
    "reflector.py",
    "registration.py",
    "request_controller.py",
    "request_sources.py",
    "requests/__init__.py",
    "requests/connections.py",
    "requests/credentials_link.py",
    "requests/fenced_link.py",
    "requests/health_link.py",
    "requests/log_link.py",
    "requests/metrics_link.py",
    "requests/middleware_link.py",
    "requests/own_writes_link.py",
    "requests/permitted_pause.py",
    "requests/rate_limit_link.py",
    "requests/request_chain.py",
    "requests/request_link.py",
    "requests/retry_link.py",
    "requests/tracing_middleware.py",
    "requests/warnings_link.py",
    "rest.py",
    "server_calls.py",
    "transport_protocol.py",
    "secure_endpoints.py",
    "set_apply.py",
    "set_kinds.py",
    "set_prune.py",
    "set_requests.py",
    "set_verbs.py",
    "set_wait.py",
    "shard_check.py",
    "sharding.py",
    "standstill_alarm.py",
    "own_write_guard.py",
    "frame_stream.py",
    "governed_call.py",
    "recipes.py",
    "recipe_target.py",
    "service_forward.py",
    "verb_target.py",
    "wait.py",
    "wait_causes.py",
    "waiting_client.py",
    "watch.py",
    "webhook_server.py",
    "webhook_upkeep.py",
    "websocket.py",
    "workflow.py",
    "workload_pods.py",
    "workqueue.py",
)
BY_HAND: tuple[str, ...] = (
    "__init__.py",
    "_primitives.py",
    "http_endpoints.py",
    "local_listener.py",
    "transport.py",
)

HEADER = "# Derived from {source} by `python -m clientgen.generator.unasync`. DO NOT EDIT.\n"


def derive(source: str, name: str) -> str:
    """Give the formatted text of a derived runtime module; `name` is that of its source."""
    from black import format_str  # only developers need it
    from black.mode import Mode, TargetVersion

    mode = Mode(line_length=100, target_versions={TargetVersion.PY311})
    return format_str(HEADER.format(source=name) + to_sync(source), mode=mode)


def unused_rules(sources: Iterable[str]) -> list[str]:
    """Name the rules that no identifier of the sources needs: a rule too many hides a mistake."""
    words = {word for source in sources for word in _WORD.findall(source)}
    return [
        rule for rule, _ in RULES if not any(re.fullmatch(rule, word) for word in sorted(words))
    ]


def _planned() -> dict[Path, str]:
    plan = {
        _RUNTIME / "_sync" / name: derive(
            (_RUNTIME / "_async" / name).read_text("utf-8"), f"_async/{name}"
        )
        for name in DERIVED
    }
    facade = _RUNTIME / "aio.py"
    plan[_RUNTIME / "sync.py"] = derive(facade.read_text("utf-8"), facade.name)
    return plan


def _complaints() -> Iterator[str]:
    known = {*DERIVED, *BY_HAND}
    for flavour in ("_async", "_sync"):
        folder = _RUNTIME / flavour
        present = {path.relative_to(folder).as_posix() for path in folder.rglob("*.py")}
        yield from (f"{flavour}/{name} is not listed in DERIVED" for name in present - known)
        yield from (f"{flavour}/{name} is missing" for name in known - present)
    sources = [*(_RUNTIME / "_async").rglob("*.py"), _RUNTIME / "aio.py", *_TEMPLATES.rglob("*.j2")]
    for rule in unused_rules(path.read_text("utf-8") for path in sources):
        yield f"no source uses the rule {rule!r}"


def main(arguments: list[str] | None = None) -> int:
    """Write or check the derived runtime modules; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m clientgen.generator.unasync")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check: bool = parser.parse_args(arguments).check
    problems: list[str] = []
    for path, text in _planned().items():
        if not check:
            path.write_text(text, "utf-8")
        elif not path.exists() or path.read_text("utf-8") != text:
            problems.append(f"{path.name} differs from what its source gives")
    for problem in sorted([*problems, *_complaints()]):
        print(problem, file=sys.stderr)  # noqa: T201 - a program for developers
    return 1 if problems or list(_complaints()) else 0


if __name__ == "__main__":
    sys.exit(main())
