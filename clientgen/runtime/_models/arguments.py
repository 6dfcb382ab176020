"""Checks of arguments, made before a request is sent.

Type checkers find the same mistakes. These errors are for code without a type checker, and for the
interactive prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from os import PathLike
from typing import Any, Final

from .model import Model
from .model_info import is_path_view, is_view

_FLAVOURS: Final = {
    "clientgen.runtime._async.rest": "clientgen.runtime.aio",
    "clientgen.runtime._sync.rest": "clientgen.runtime.sync",
}


def check_object(call: str, body: object) -> None:
    """Check the body of a request.

    Raises:
        TypeError: the body is neither a model nor a mapping, or it is a view.
    """
    check_whole(call, type(body))
    if not isinstance(body, (Model, Mapping)):
        hint = f": make an object, {body.__name__}(...)" if isinstance(body, type) else ""
        raise TypeError(f"{call} takes an object (a model or a mapping), not {type_of(body)}{hint}")


def check_whole(call: str, model: type[Any]) -> None:
    """Check that the objects of a class have all of their fields.

    Raises:
        TypeError: the class is a view.
    """
    if is_view(model) or is_path_view(model):
        way = "`full()` reads the whole object of a view"
        if is_path_view(model):
            way = "read the object as `Unstructured`"
        raise TypeError(
            f"{call} takes whole objects or manifests, and {model.__name__} is a view, which has"
            f" only some fields: {way}"
        )


def unexpected_option(name: str, known: Iterable[str]) -> TypeError:
    """Return the error for an option that a call does not take."""
    return TypeError(f"unexpected option {name!r}; the options are {', '.join(sorted(known))}")


def check_class(model: object) -> None:
    """Check that an argument is a class.

    Raises:
        TypeError: the argument is not a class.
    """
    if not isinstance(model, type):
        raise TypeError(
            f"the kind must be a model class, such as Pod, not {type_of(model)};"
            " use `dynamic` for kinds without a class"
        )


def check_view(view: object, api_version: str, kind: str) -> None:
    """Check that an argument is a view of a kind.

    Raises:
        TypeError: it is not.
    """
    check_has_kind(view)
    if not isinstance(view, type) or not is_view(view):
        raise TypeError(
            f"{type_of(view)} is no view: declare one, such as `class {kind}Place(View[{kind}])`"
        )
    viewed: Any = view
    if (viewed.api_version, viewed.kind) != (api_version, kind):
        raise TypeError(
            f"{viewed.__name__} is a view of {viewed.api_version} {viewed.kind}, not of"
            f" {api_version} {kind}"
        )


def check_has_kind(model: object) -> None:
    """Check that an argument is not a view by paths, which has no kind.

    Raises:
        TypeError: it is one.
    """
    if isinstance(model, type) and is_path_view(model):
        raise TypeError(
            "a view by paths has no kind: give it as `model` to `dynamic.resource` of a clientset,"
            " or to `dynamic` of an informer factory"
        )


def check_function(what: str, value: object) -> None:
    """Check that an argument is a function.

    Raises:
        TypeError: the argument is not callable.
    """
    if not callable(value):
        raise TypeError(f"{what} must be a function, not {type_of(value)}")


def check_clientset(client: object) -> None:
    """Check that a client is a clientset, which has a scheme of model classes.

    Raises:
        TypeError: the client is something else, such as the REST client of a clientset.
    """
    if not hasattr(client, "scheme"):
        wanted = "a clientset, such as kubeapi.Clientset()"
        raise TypeError(f"the client must be {wanted}, not {type_of(client)}")


def explain_missing_rest(init: Callable[[Any, Any], None]) -> Callable[..., None]:
    """Decorate the constructor of a clientset: without a REST client, explain `from_config`."""

    @wraps(init)
    def checked_init(self: Any, *rest: Any, **by_name: Any) -> None:
        arguments = [*rest, *by_name.values()]
        if not arguments or isinstance(arguments[0], (str, PathLike)):
            name = type(self).__name__
            kubeconfig = "KUBECONFIG" if arguments else ""
            raise TypeError(
                f"{name} takes a Rest: write {name}.from_config({kubeconfig}), which reads a"
                " kubeconfig or the configuration of the pod"
            )
        init(self, *rest, **by_name)

    return checked_init


def check_source(call: str, source: object) -> None:
    """Check that the source of a controller is a model class or an informer.

    Raises:
        TypeError: the source is something else.
    """
    if not isinstance(source, type) and not hasattr(source, "add_handler"):
        hint = f"; use {type(source).__name__}" if isinstance(source, Model) else ""
        raise TypeError(
            f"{call} takes a model class, such as Pod, or an informer, not {type_of(source)}{hint}"
        )


def wrong_client(client: object) -> TypeError:
    """Return the error for an argument that is no client, or is a client of the other flavour."""
    rest = getattr(client, "rest", client)
    for base in type(rest).__mro__:
        if base.__module__ in _FLAVOURS:
            module = _FLAVOURS[base.__module__]
            return TypeError(f"import this from {module}: the client is {type_of(client)}")
    return TypeError(f"the client must be a clientset or its rest, not {type_of(client)}")


def type_of(value: object) -> str:
    """Return the type of a value, for a message. The value itself may be secret."""
    if value is None:
        return "None"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}"


def missing_attribute_error(client: object, accessor: str, name: str) -> str:
    """Return the message about an attribute that a client does not have.

    The attribute may be a call that needs a namespace, or may be misspelt.

    Args:
        client: the client of all namespaces, or of one namespace.
        accessor: the method that returns such clients, such as `pods`.
        name: the attribute.
    """
    kind = type(client)
    public = [attribute for attribute in dir(kind) if not attribute.startswith("_")]
    calls = [attribute for attribute in public if callable(getattr(kind, attribute))]
    if any(hasattr(narrower, name) for narrower in kind.__subclasses__()):
        has = f"{', '.join(calls[:-1])} and {calls[-1]}" if calls[1:] else "".join(calls)
        return (
            f"{accessor}() of all namespaces has only {has}:"
            f' {name} needs a namespace, write {accessor}("NAMESPACE").{name}(...)'
        )
    from difflib import get_close_matches  # imported late: only messages need it

    like = get_close_matches(name, calls, 1)
    hint = f"; did you mean {like[0]!r}?" if like else ""
    return f"{kind.__name__!r} object has no attribute {name!r}{hint}"
