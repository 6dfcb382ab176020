# Derived from _async/interactive.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Commands in containers at the terminal of this program, as `kubectl exec -it`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .._conditions.causes import PODS
from .._recipes.rollouts import resource_of
from .._streams.stream_requests import attach_request, exec_request
from ..errors import ConnectionLost
from ._primitives import run_blocking
from .command import CommandInput
from .exec_stream import ExecStream
from .recipe_target import RecipeTarget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._models.unstructured import Object
    from .._net.terminal import LocalTerminal
    from .lease_client import Client

_POD = {("v1", "Pod"): PODS}


def interactive(
    k: Client,
    pod: type[Object] | Object,
    name: str | None = None,
    *,
    command: Sequence[str] | None = None,
    namespace: str | None = None,
    container: str = "",
    stdin: int = 0,
    stdout: int = 1,
    stderr: int = 2,
) -> int:
    """Run a command in a container at the terminal of this program, as `kubectl exec -it`.

        code = interactive(k, Pod, "web-0", command=["sh"], namespace="shop")

    All keys go to the command, also Ctrl-C, and the command learns the size of the terminal. The
    terminal is restored at the end: also after errors, lost connections and signals that end the
    program. If the input is no terminal, the command gets none, and the end of the input.

    In threads other than the main thread, no signals are seen: the command then keeps the first
    size.

    Args:
        k: The clientset, or its `rest`.
        pod: A Pod; or the class, followed by the name.
        name: The name, if `pod` is a class.
        command: The words of the command. By default, it attaches to the main process of the
            container, as `kubectl attach -it`.
        namespace: The namespace; by default the namespace of the object, or of the client.
        container: The name of the container; by default the default container of the Pod.
        stdin: The descriptor of the input.
        stdout: The descriptor of the output.
        stderr: The descriptor of the error output, if the input is no terminal.

    Returns:
        The exit code of the command; 0 after attaching, because nodes do not report it.

    Raises:
        ApiError: The command could not be run.
        ConnectionLost: The connection broke, or ended without the exit code.
        NotImplementedError: The system is not POSIX.
        OSError: The output cannot be written.
    """
    try:
        from .._net.terminal import LocalTerminal  # imported late: needs a POSIX system
    except ImportError:
        raise NotImplementedError("interactive needs a POSIX system") from None
    resource = resource_of(pod, "interactive", _POD, "only a Pod has containers")
    target = RecipeTarget("interactive", k, resource, pod, name, namespace=namespace)
    terminal = LocalTerminal(stdin, stdout, stderr)
    options = {"container": container or None, "stdin": True, "tty": terminal.is_terminal}
    path = resource.object_path(target.namespace, target.name)
    request = (
        attach_request(f"{path}/attach", options)
        if command is None
        else exec_request(f"{path}/exec", command, options)
    )
    rest = target.rest
    process = ExecStream(rest, request, rest.timeout, has_stdin=True)
    with process:
        _run(process, terminal, redraws=command is None)
    return process.wait()


def _run(process: ExecStream, terminal: LocalTerminal, *, redraws: bool) -> None:
    """Pass on input, sizes and output, until the command has ended."""

    def take() -> bytes:
        while not isinstance(event := run_blocking(terminal.next), bytes):
            process.resize(*event)
        return event

    with terminal:
        size = terminal.size() if terminal.is_terminal else None
        if size is not None:
            if redraws:  # another size makes a program draw itself again, as in kubectl
                process.resize(size.width + 1, size.height + 1)
            process.resize(*size)
        keys = CommandInput(take, needs_end=False)
        keys.start(process)
        try:
            for stream, data in process:
                run_blocking(partial(terminal.write, stream, data))
        except ConnectionLost:
            keys.check()
            raise
        finally:
            terminal.stop()
            process.abort()
            keys.stop()
