"""Builds kustomizations with `kustomize build` or `kubectl kustomize`.

https://kubectl.docs.kubernetes.io/references/kustomize/
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, cast

from .._models.arguments import type_of
from .kustomization_files import FILE_NAMES, check_kustomization, is_kustomization
from .limited_process import LimitedProcess, ProcessFailed
from .manifest_text import MAX_TEXT_BYTES, ManifestError, ManifestText, decoded

if TYPE_CHECKING:
    from collections.abc import Iterator

_log = logging.getLogger("clientgen.manifests")

TIMEOUT_SECONDS: Final = 60.0
_PROGRAMS: Final = ("kustomize", "kubectl")
_VERSION_SECONDS: Final = 5.0
_VERSION_BYTES: Final = 1 << 12
_MAX_REASON_CHARACTERS: Final = 2_000
_PREFIX: Final = re.compile(r'(?:[Ee]rror: |E\d{4} [^\]]*\] "command failed" err=)')
# These are the defaults. Files outside of the root, Helm and plugins are never allowed.
_OPTIONS: Final = (
    "--load-restrictor=LoadRestrictionsRootOnly",
    "--enable-helm=false",
    "--enable-alpha-plugins=false",
)
# Programs need them to start; none of them holds a secret.
_PASSED: Final = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "LANG")
_NETWORK: Final = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
# Should `check_kustomization` overlook a remote path, git and HTTP reach no other machine.
_NO_NETWORK: Final = {
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:1"),
    "GIT_ALLOW_PROTOCOL": "none",
}


class KustomizeRun:
    """One run of kustomize for a folder.

    Args:
        folder: the folder with the kustomization file.
        program: the path or name of kustomize or kubectl; by default `kustomize` on PATH, else
            `kubectl`.
        timeout: the seconds after which the program is killed.
        allow_remote: allow bases and files of other machines.

    Raises:
        ManifestError: there is no kustomization in the folder, or no such program.
        TypeError: the folder is not a Path.
        ValueError: the timeout is not positive.
    """

    def __init__(
        self,
        folder: Path,
        *,
        program: str | Path | None = None,
        timeout: float = TIMEOUT_SECONDS,
        allow_remote: bool = False,
    ) -> None:
        if not isinstance(cast("object", folder), Path):
            raise TypeError(f"folder must be a Path, not {type_of(folder)}")
        if not timeout > 0:
            raise ValueError(f"timeout must be a positive number of seconds, not {timeout!r}")
        if not is_kustomization(folder):
            names = ", ".join(FILE_NAMES)
            raise ManifestError(f"{folder}: the folder contains no kustomization ({names})")
        self._folder = folder
        self._program = _find_program(folder, program)
        self._timeout = timeout
        self._allow_remote = allow_remote
        self._process: LimitedProcess | None = None
        self._is_stopped = False

    def text(self) -> ManifestText:
        """Run the program, and return what it prints.

        Raises:
            ManifestError: the kustomization is wrong, or uses what is not allowed; or the program
                fails, takes too long, or prints too much. The message has the program's.
        """
        check_kustomization(self._folder, allow_remote=self._allow_remote)
        with TemporaryDirectory(prefix="kustomize-", ignore_cleanup_errors=True) as home:
            folder = str(self._folder.resolve())
            command = [self._program, _verb(self._program), *_OPTIONS, folder]
            _log.debug("%s: %s", self._folder, " ".join(command))
            try:
                self._process = LimitedProcess(command, self._environment(home), home)
                if self._is_stopped:
                    self._process.kill()
                output, messages = self._process.output(self._timeout, MAX_TEXT_BYTES)
            except ProcessFailed as failure:
                raise ManifestError(self._explain(failure, home)) from None
        for line in _lines(messages):
            _log.warning("%s: %s", self._folder, line)
        name = Path(self._program).name
        return decoded(output, f"{self._folder} ({name} {_verb(self._program)})")

    def stop(self) -> None:
        """Kill the program, from any thread."""
        self._is_stopped = True
        if self._process is not None:
            self._process.kill()

    def _environment(self, home: str) -> dict[str, str]:
        """Return the variables of the program: no secrets, and no configuration of the user."""
        env = {name: os.environ[name] for name in _PASSED if name in os.environ}
        env |= dict.fromkeys(("HOME", "TMPDIR", "TEMP", "TMP"), home)
        env |= {"KUBERC": "off", "GIT_TERMINAL_PROMPT": "0"}
        if not self._allow_remote:
            return env | _NO_NETWORK
        given = (name for each in _NETWORK for name in (each, each.lower()))
        return env | {name: os.environ[name] for name in given if name in os.environ}

    def _explain(self, failure: ProcessFailed, home: str) -> str:
        what = f"{self._folder}: `{self._program} {_verb(self._program)}` {failure}"
        if failure.code is None:
            return what
        version = "" if self._is_stopped else self._version(home)
        return f"{what}{version}: {_reason(failure.messages)}"

    def _version(self, home: str) -> str:
        """Return the version of the program, in parentheses; nothing if it does not tell."""
        is_kubectl = _verb(self._program) == "kustomize"
        command = [self._program, "version", *(["--client"] if is_kubectl else [])]
        try:
            process = LimitedProcess(command, self._environment(home), home)
            output, _ = process.output(_VERSION_SECONDS, _VERSION_BYTES)
        except ProcessFailed:
            return ""
        return f" ({', '.join(_lines(output))})" if output else ""


def _find_program(folder: Path, given: str | Path | None) -> str:
    for name in (given,) if given is not None else _PROGRAMS:
        found = shutil.which(name)
        if found is not None:
            return os.path.abspath(found)  # noqa: PTH100 - links are kept: their names tell the verb
    if given is not None:
        raise ManifestError(f"{folder}: there is no executable {str(given)!r} to run kustomize")
    raise ManifestError(
        f"{folder}: the folder is a kustomization, but neither kustomize nor kubectl is on PATH."
        " Install one of them, name it (`kustomize(folder, program=...)`), or pass what"
        " `kubectl kustomize` printed elsewhere"
    )


def _verb(program: str) -> str:
    return "kustomize" if Path(program).name.startswith("kubectl") else "build"


def _reason(messages: bytes) -> str:
    """Return the message of an error, without the prefixes of kubectl and kustomize."""
    if b"goroutine " in messages:  # Go has crashed; the first line says why
        messages = messages.strip().partition(b"\n")[0]
    reason = _PREFIX.sub("", " ".join(_lines(messages))).strip()
    with suppress(ValueError):  # the log of kubectl quotes it
        reason = json.loads(reason) if reason.startswith('"') else reason
    if len(reason) > _MAX_REASON_CHARACTERS:  # kustomize tells the cause at the end
        reason = f"…{reason[-_MAX_REASON_CHARACTERS:]}"
    return reason or "it gave no reason"


def _lines(text: bytes) -> Iterator[str]:
    """Yield the lines of messages, without control characters."""
    for line in text.decode(errors="replace").splitlines():
        shown = "".join(each if each.isprintable() else " " for each in line).strip()
        if shown:
            yield shown
