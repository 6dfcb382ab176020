"""How pods behave when they are played, and the rules that say so.

Without a rule, a pod behaves as its spec says by itself, so that a manifest that fails on a node
fails here: see `own_behaviour`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part, parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Exit:
    """The end of a container.

    Attributes:
        code: the exit code.
        reason: the reason in its status.
        message: the message in its status.
        after: how many seconds it runs before.
        times: how many times it ends like this; None means always.
        container: which container; empty for the first one if the code is not 0, else for all.
    """

    code: int = 0
    reason: str = "Completed"
    message: str = ""
    after: float = 0.0
    times: int | None = None
    container: str = ""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What becomes of a pod.

    Attributes:
        pending: the reason why it is not scheduled; empty if it is.
        pull_error: why its images cannot be pulled; empty if they can.
        message: a text for either of them.
        start: the seconds until it is ready; None for the setting.
        is_ready: whether it gets ready.
        exit: how its containers end; None for the rules of their restart policy.
        never_ends: its containers run until the pod is deleted, whatever its restart policy.
        container: which container cannot be pulled; empty for the first one.
    """

    pending: str = ""
    pull_error: str = ""
    message: str = ""
    start: float | None = None
    is_ready: bool = True
    exit: Exit | None = None
    never_ends: bool = False
    container: str = ""


NORMAL = Behaviour()


@dataclass(slots=True)
class PodRule:
    """Which pods behave in which way.

    Attributes:
        namespace: a pattern for namespaces.
        name: a pattern for names.
        selects: whether the labels of a pod are meant.
        image: a pattern for the image of one of its containers.
        command: a pattern for the words of the same container's command and arguments.
        behaviour: how these pods behave; None until somebody says so.
    """

    namespace: str
    name: str
    selects: Callable[[Mapping[str, str]], bool]
    image: str = "*"
    command: str = "*"
    behaviour: Behaviour | None = field(default=None)

    def fits(self, pod: Mapping[str, Any]) -> bool:
        """Return whether a pod is meant."""
        metadata = pod["metadata"]
        return (
            fnmatchcase(metadata.get("namespace", ""), self.namespace)
            and fnmatchcase(metadata["name"], self.name)
            and self.selects(part(metadata, "labels"))
            and (not self._is_of_containers or self._container_in(pod) is not None)
        )

    def behaviour_in(self, pod: Mapping[str, Any]) -> Behaviour | None:
        """Return the behaviour. Without a container of its own, it is about the matched one."""
        behaviour = self.behaviour
        name = self._container_in(pod) if self._is_of_containers else None
        if behaviour is None or name is None:
            return behaviour
        ending = behaviour.exit
        if ending is not None and ending.code and not ending.container:
            ending = replace(ending, container=name)
        return replace(behaviour, exit=ending, container=behaviour.container or name)

    @property
    def _is_of_containers(self) -> bool:
        return (self.image, self.command) != ("*", "*")

    def _container_in(self, pod: Mapping[str, Any]) -> str | None:
        return next(
            (
                each["name"]
                for each in _containers(pod)
                if fnmatchcase(each.get("image", ""), self.image)
                and fnmatchcase(" ".join(_command_words(each)), self.command)
            ),
            None,
        )


def behaviour_of(pod: Mapping[str, Any], rules: Iterable[PodRule]) -> Behaviour:
    """Return what the latest rule for a pod says; without one, what its spec says by itself."""
    found: Behaviour | None = None
    for rule in rules:
        if rule.behaviour is not None and rule.fits(pod):
            found = rule.behaviour_in(pod)
    return own_behaviour(pod) if found is None else found


# Names that no name server knows (RFC 6761, 6.4), so that no node can pull from there either.
_NO_REGISTRY: Final = re.compile(r"[^/]*\.invalid(?::\d+)?/")
_SHELLS: Final = frozenset({"sh", "ash", "bash", "dash"})
_LINE: Final = re.compile(r"-[eilux]*c")
"""The options of a shell before the line that it runs, such as `-ec`."""
_EXIT: Final = re.compile(r"exit ([0-9]{1,3})")
_SLEEP: Final = re.compile(r"sleep ([0-9]{1,6})")
_TEXT: Final = re.compile(
    r"""'[^']*'|"(?:\\.|[^"\\])*"|\$\([^()]*\)|\$\{[^{}]*\}|(?P<comment>(?<![^\s;])\#[^\n]*)""",
    re.DOTALL,
)
"""Text that a shell does not split: literals, values, comments."""
_STATEMENTS: Final = re.compile(r"[;\n]")
_COMMANDS: Final = re.compile(r";|&&|\|\|?")
_PLAIN: Final = re.compile(
    # After these words, a shell does not go on, or goes on elsewhere.
    r"(?!(?:! *)?(?:while|until|for|do|done|if|then|elif|else|fi|case|esac|select|function|coproc"
    r"|exec|exit|return|break|continue|trap|eval|sleep|tail +-[fF])(?!\S))"
    # No groups, documents, commands in the background or literals without an end.
    r"""(?:[^&|(){}<"'`\\]|>&|<(?!<))*"""
)
"""Commands that end at once, with any arguments."""


def own_behaviour(pod: Mapping[str, Any]) -> Behaviour:
    """Return how a pod behaves because of its images and commands.

    Images of a registry in the domain `.invalid` cannot be pulled. The command `false`, and a line
    for a shell of plain commands and `exit N` at the end, end a container with that code, after the
    seconds that a `sleep N` of the line takes. No other command is understood: it runs as all do.
    """
    for each in _containers(pod):
        image = str(each.get("image", ""))
        if match := _NO_REGISTRY.match(image):
            host = match[0].rstrip("/").partition(":")[0]
            why = f'failed to resolve reference "{image}": lookup {host}: no such host'
            return Behaviour(pull_error="ErrImagePull", message=why, container=each["name"])
    for each in _containers(pod):
        ended = _exit_of(_command_words(each))
        if ended is not None and ended[0]:
            code, after = ended
            return Behaviour(exit=Exit(code, "Error", after=after, container=each["name"]))
    return NORMAL


def _containers(pod: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for member in ("initContainers", "containers"):
        yield from parts(pod["spec"], member)


def _command_words(container: Mapping[str, Any]) -> list[str]:
    return [*(container.get("command") or ()), *(container.get("args") or ())]


def _exit_of(words: list[str]) -> tuple[int, float] | None:
    """Return the exit code of a command and the seconds before; None if it is not understood."""
    match [word.rpartition("/")[2] if index == 0 else word for index, word in enumerate(words)]:
        case ["false"]:
            return 1, 0.0
        case [shell, options, line, *_] if shell in _SHELLS and _LINE.fullmatch(options):
            return _exit_of_line(line)
        case _:
            return None


def _exit_of_line(line: str) -> tuple[int, float] | None:
    """Return the exit code of a shell's line and the seconds before; None if it is not plain."""
    line = _TEXT.sub(lambda found: "" if found["comment"] else "_", line)
    statements = [each.strip() for each in _STATEMENTS.split(line) if each.strip()]
    last = _EXIT.fullmatch(statements[-1]) if statements else None
    if last is None:
        return None
    seconds = 0
    for command in (each.strip() for each in _COMMANDS.split(";".join(statements[:-1]))):
        pause = _SLEEP.fullmatch(command)
        if pause is None and not _PLAIN.fullmatch(command):
            return None
        seconds += int(pause[1]) if pause else 0
    # As a shell: the exit code is a byte.
    return int(last[1]) % 256, float(seconds)
